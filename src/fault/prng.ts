const MASK = (1n << 64n) - 1n;

/** SplitMix64, the generator of the simulator process, too. */
export class Prng {
  #state: bigint;

  constructor(seed: bigint | number) {
    this.#state = BigInt(seed) & MASK;
  }

  /** 64 bits. */
  next(): bigint {
    this.#state = (this.#state + 0x9e3779b97f4a7c15n) & MASK;
    let z = this.#state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  }
}
