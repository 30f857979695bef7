import { checkDmaFaultRules } from './check.ts';
import { Prng } from './prng.ts';
import type { DmaFaultRule, FaultCount } from './rule.ts';
import { Strikes } from './strikes.ts';

/** An HCA asks the memory of its host. */
export interface HostAccess {
  host: 'a' | 'b';
  kind: 'read' | 'write';
  address: bigint;
  length: number;
}

/** The buses of hosts that fail by rules, where no simulator process does it: time-outs take no time here. */
export class DmaFaults {
  #rules: { rule: DmaFaultRule; strikes: Strikes }[] = [];

  /** Rules from now on, in place of those before. */
  set(rules: readonly DmaFaultRule[], seed: bigint | number): void {
    checkDmaFaultRules(rules);
    const seeds = new Prng(seed);
    this.#rules = rules.map((rule) => ({ rule, strikes: new Strikes(rule, new Prng(seeds.next())) }));
  }

  /** By rule, since they were set. */
  get counts(): FaultCount[] {
    return this.#rules.map(({ strikes }) => ({ ...strikes.count }));
  }

  /** The rule that strikes an access, if any: every rule counts, the first that strikes is the one. */
  strike(access: HostAccess): number | undefined {
    let struck: number | undefined;
    for (const [index, { rule, strikes }] of this.#rules.entries()) {
      if (matches(rule, access) && strikes.matched()) struck ??= index;
    }
    if (struck !== undefined) this.#rules[struck]!.strikes.count.strikes++;
    return struck;
  }
}

function matches({ host, kind, from = 0n, to }: DmaFaultRule, access: HostAccess): boolean {
  if (host !== access.host || kind !== access.kind) return false;
  const touches = access.address + BigInt(access.length) > from;
  return touches && (to === undefined || access.address < to);
}
