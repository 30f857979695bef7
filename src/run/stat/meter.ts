import type { StallCounter } from '../../spec/gen/enums.ts';
import type { WireCount } from '../wire-count.ts';
import { type RequestCount, Requests } from './requests.ts';

type Side = 0 | 1;
type Name = 'a' | 'b';

/** What one host's device has sent. */
export interface Sent {
  packets: number;
  /** From LRH to VCRC. */
  bytes: number;
  /** Of SEND, WRITE and READ responses, what was sent again included. */
  payloadBytes: number;
  /** Cycles that they take on the wire; only where the device has beats. */
  beats?: number;
}

/** Words that passed where a stall counter looks, one a cycle: what taps tell of it. */
export type Moved = Partial<Record<keyof typeof StallCounter, number>>;

/** What was seen of a run, beside what the devices have counted. */
export interface Seen {
  /** Of the RTL, bits. */
  dataWidth?: number;
  /** Cycles of the first and the last packet, and what was sent. */
  wire?: { first: number; last: number } & Record<Name, Sent>;
  requests?: Record<Name, Record<string, RequestCount>>;
  /** Of hosts whose device is RTL. */
  moved?: Partial<Record<Name, Moved>>;
}

export interface MeterOptions {
  /** Bytes of a beat; nothing on devices without any. */
  beatBytes?: number | undefined;
  /** Hosts whose device is RTL. */
  simulated?: readonly Side[];
}

/** Adds up what a run moves, and when: a number for each, for runs may be long. */
export class Meter {
  readonly requests: readonly [Requests, Requests] = [new Requests(), new Requests()];
  readonly #options: MeterOptions;
  readonly #beats: [number, number] = [0, 0];
  readonly #moved = [newMoved(), newMoved()] as const;
  #first: number | undefined;
  #last = 0;

  constructor(options: MeterOptions = {}) {
    this.#options = options;
  }

  sent(side: Side, cycle: number, firstCycle: number | undefined, length: number): void {
    this.#first = Math.min(this.#first ?? cycle, firstCycle ?? cycle);
    this.#last = Math.max(this.#last, cycle);
    this.#beats[side] += this.#beatsOf(length);
  }

  arrived(side: Side, length: number): void {
    this.#moved[side].LINK_IN += this.#beatsOf(length);
  }

  access(side: Side, kind: 'dma-read' | 'dma-write', address: bigint, length: number): void {
    if (kind === 'dma-read') this.#moved[side].DMA_READ++;
    else {
      const { beatBytes = 1 } = this.#options;
      this.#moved[side].DMA_WRITE += this.#beatsOf(Number(address % BigInt(beatBytes)) + length);
    }
  }

  interrupt(side: Side): void {
    this.#moved[side].EVENT++;
  }

  /** `requests` only where completions are seen, `arrivals` where packets are tapped as they come. */
  seen(sent: readonly [WireCount, WireCount], tapped: { requests: boolean; arrivals: boolean }): Seen {
    const { beatBytes, simulated = [] } = this.#options;
    const of = <T>(each: (side: Side) => T): Record<Name, T> => ({ a: each(0), b: each(1) });
    const wire = this.#first !== undefined && {
      first: this.#first,
      last: this.#last,
      ...of((side) => this.#sent(side, sent[side])),
    };
    const moved = simulated.map((side) => {
      const { LINK_IN, ...rest } = this.#moved[side];
      const { requests: REQUESTER, responses: RESPONSES } = sent[side];
      const link = { LINK_OUT: this.#beats[side], ...(tapped.arrivals ? { LINK_IN } : {}) };
      return ['ab'[side], { REQUESTER, RESPONSES, ...rest, ...link }] as const;
    });
    return {
      ...(beatBytes === undefined ? {} : { dataWidth: beatBytes * 8 }),
      ...(wire ? { wire } : {}),
      ...(tapped.requests ? { requests: of((side) => this.requests[side].counts()) } : {}),
      ...(moved.length === 0 ? {} : { moved: Object.fromEntries(moved) }),
    };
  }

  #sent(side: Side, { packets, bytes, payload }: WireCount): Sent {
    const payloadBytes = payload.send + payload.write + payload.readResponse;
    const beats = this.#options.beatBytes === undefined ? {} : { beats: this.#beats[side] };
    return { packets, bytes, payloadBytes, ...beats };
  }

  #beatsOf(length: number): number {
    const { beatBytes } = this.#options;
    return beatBytes === undefined ? 0 : Math.ceil(length / beatBytes);
  }
}

const newMoved = () => ({ DMA_READ: 0, DMA_WRITE: 0, EVENT: 0, LINK_IN: 0 });
