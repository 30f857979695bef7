/** One direction of a link that fails: in order, but for what is delayed, kept or held. */
export class FaultPipe<T> {
  /** By time, then by order of entry. */
  #timed: { packet: T; cycle: number }[] = [];
  /** To be passed by the next one; at the latest at `cycle`. */
  #kept: { packet: T; cycle: number }[] = [];
  #heldUntil = 0;

  get empty(): boolean {
    return this.#timed.length === 0 && this.#kept.length === 0;
  }

  /** Packets arrive now; what was kept comes right behind. */
  pass(packets: readonly T[], cycle: number): void {
    this.#expire(cycle);
    for (const packet of packets) this.later(packet, cycle);
    for (const { packet } of this.#kept.splice(0)) this.later(packet, cycle);
  }

  /** It comes by itself at that time; what is kept waits for another. */
  later(packet: T, cycle: number): void {
    const at = Math.max(cycle, this.#heldUntil);
    const behind = this.#timed.findLastIndex((each) => each.cycle <= at);
    this.#timed.splice(behind + 1, 0, { packet, cycle: at });
  }

  keep(packet: T, until: number): void {
    this.#kept.push({ packet, cycle: until });
  }

  /** What has not arrived by `cycle` does not before `until`. */
  hold(cycle: number, until: number): void {
    this.#expire(cycle);
    this.#heldUntil = Math.max(this.#heldUntil, until);
    for (const each of this.#timed) if (each.cycle > cycle) each.cycle = Math.max(each.cycle, until);
  }

  /** What has arrived by `cycle`, each with its own. */
  take(cycle: number): { packet: T; cycle: number }[] {
    this.#expire(cycle);
    const due = this.#timed.filter((each) => each.cycle <= cycle);
    this.#timed = this.#timed.slice(due.length);
    return due;
  }

  nextCycle(): number | undefined {
    const cycles = [...this.#timed, ...this.#kept].map((each) => each.cycle);
    return cycles.length === 0 ? undefined : Math.min(...cycles);
  }

  /** Nothing came in time to pass them. */
  #expire(cycle: number): void {
    const expired = this.#kept.filter((each) => each.cycle <= cycle);
    if (expired.length === 0) return;
    this.#kept = this.#kept.filter((each) => each.cycle > cycle);
    for (const { packet, cycle: at } of expired) this.later(packet, at);
  }
}
