import type { Qpc } from '../spec/gen/records.ts';
import type { Fault } from './messages.ts';
import type { Hit, Side } from './point.ts';

/** A queue pair as the software has made it: its state, and the attributes that were given. */
export interface QueuePair {
  readonly state: number;
  readonly attributes: Qpc;
}

/** What observers may ask about. */
export interface View {
  readonly hit: Hit;
  queuePair(side: Side, qpn: number): QueuePair | undefined;
  /** The ring of a work queue. */
  slots(
    side: Side,
    qpn: number,
    queue: 'sq' | 'rq',
  ): { slots: number; address(index: number): bigint } | undefined;
  /** Physical address behind a local key and a virtual one. */
  physical(side: Side, key: number, va: bigint): bigint | undefined;
  /** Kinds of faults that are on. */
  faults(): readonly Fault[];
}
