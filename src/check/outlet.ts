/** When the link took what a device sends: a fault may hold it, or its host, and what is under way meanwhile leaves so much later. */
export class Outlet {
  readonly #held: { from: number; until: number }[] = [];

  /** From `cycle` on it takes nothing for so many cycles. */
  hold(cycle: number, cycles: number): void {
    const from = Math.max(cycle, this.#held.at(-1)?.until ?? 0);
    if (cycle + cycles > from) this.#held.push({ from, until: cycle + cycles });
  }

  /** Cycles before `cycle` in which it took packets. */
  open(cycle: number): number {
    return this.#held.reduce(
      (sum, { from, until }) => sum - Math.max(0, Math.min(cycle, until) - from),
      cycle,
    );
  }

  /** The cycle that is so many of them before `cycle`. */
  before(cycle: number, cycles: number): number {
    return this.#held.reduceRight(
      (at, { from, until }) => (from < cycle && until > at ? at - (Math.min(cycle, until) - from) : at),
      cycle - cycles,
    );
  }
}
