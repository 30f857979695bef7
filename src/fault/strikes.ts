import type { Prng } from './prng.ts';
import type { FaultCount } from './rule.ts';

/** A probability in 53 bits, as the simulator process takes it. */
export const chanceOf = (probability: number): bigint =>
  BigInt(Math.max(1, Math.floor(probability * 2 ** 53)));

/** Counts the matches of a rule and says which of them are struck. */
export class Strikes {
  readonly count: FaultCount = { matches: 0, strikes: 0 };
  readonly #nth: number;
  readonly #end: number;
  readonly #chance: bigint | undefined;
  readonly #prng: Prng;

  constructor(rule: { nth?: number; count?: number; probability?: number }, prng: Prng) {
    const { nth = 0, count = 1, probability } = rule;
    this.#nth = nth;
    this.#end = count === 0 ? Number.POSITIVE_INFINITY : nth + count;
    this.#chance = probability === undefined ? undefined : chanceOf(probability);
    this.#prng = prng;
  }

  /** One more match: would it be struck, if no earlier rule strikes? */
  matched(): boolean {
    const index = this.count.matches++;
    // Drawn for each match, so that no rule shifts the dice of another.
    if (this.#chance !== undefined) return this.#prng.next() >> 11n < this.#chance;
    return index >= this.#nth && index < this.#end;
  }
}
