import type { DropReason } from '../spec/gen/enums.ts';

/** What the counters of BAR0 show. */
export class Counters {
  txPackets = 0;
  txBytes = 0;
  rxPackets = 0;
  rxBytes = 0;
  acksSent = 0;
  naksSent = 0;
  naksReceived = 0;
  cqesWritten = 0;
  eqesWritten = 0;
  retries = 0;
  timeouts = 0;
  rnrWaits = 0;
  atomics = 0;
  readonly #drops = new Map<DropReason, number>();

  drop(reason: DropReason): void {
    this.#drops.set(reason, this.dropped(reason) + 1);
  }

  dropped(reason: DropReason): number {
    return this.#drops.get(reason) ?? 0;
  }
}

export type CounterName = {
  [name in keyof Counters]: Counters[name] extends number ? name : never;
}[keyof Counters];
