import { AethClass, type DropReason, NakCounter, NakSyndrome } from '../spec/gen/enums.ts';

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
  readonly #naks = new Map<number, number>();

  sentNak(syndrome: number): void {
    this.naksSent++;
    this.#countNak(SENT, syndrome);
  }

  receivedNak(syndrome: number): void {
    this.naksReceived++;
    this.#countNak(RECEIVED, syndrome);
  }

  /** By NakCounter. */
  naks(counter: number): number {
    return this.#naks.get(counter) ?? 0;
  }

  #countNak(of: Readonly<Record<number, NakCounter>>, syndrome: number): void {
    const counter = of[syndrome >> 5 === AethClass.RNR ? AethClass.RNR : syndrome];
    if (counter !== undefined) this.#naks.set(counter, this.naks(counter) + 1);
  }

  drop(reason: DropReason): void {
    this.#drops.set(reason, this.dropped(reason) + 1);
  }

  dropped(reason: DropReason): number {
    return this.#drops.get(reason) ?? 0;
  }
}

/** By syndrome; an RNR NAK, whose syndrome tells a delay, by its class. */
const SENT: Readonly<Record<number, NakCounter>> = {
  [AethClass.RNR]: NakCounter.SENT_RNR,
  [NakSyndrome.NAK_SEQUENCE]: NakCounter.SENT_SEQUENCE,
  [NakSyndrome.NAK_INVALID_REQUEST]: NakCounter.SENT_INV_REQ,
  [NakSyndrome.NAK_REMOTE_ACCESS]: NakCounter.SENT_ACCESS,
  [NakSyndrome.NAK_REMOTE_OPERATIONAL]: NakCounter.SENT_OP,
};
const RECEIVED: Readonly<Record<number, NakCounter>> = {
  [AethClass.RNR]: NakCounter.RECEIVED_RNR,
  [NakSyndrome.NAK_SEQUENCE]: NakCounter.RECEIVED_SEQUENCE,
  [NakSyndrome.NAK_INVALID_REQUEST]: NakCounter.RECEIVED_INV_REQ,
  [NakSyndrome.NAK_REMOTE_ACCESS]: NakCounter.RECEIVED_ACCESS,
  [NakSyndrome.NAK_REMOTE_OPERATIONAL]: NakCounter.RECEIVED_OP,
};

export type CounterName = {
  [name in keyof Counters]: Counters[name] extends number ? name : never;
}[keyof Counters];
