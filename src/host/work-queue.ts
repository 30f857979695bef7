import { WQE_BLOCK_BYTES } from '../spec/gen/constants.ts';
import { WQE_DATA, WQE_HEADER } from '../spec/gen/records.ts';
import type { Context } from './context.ts';
import { type Cq, reserveEntries } from './cq.ts';
import { ringDoorbell } from './doorbell.ts';
import { VerbsError } from './errors.ts';
import { Ring } from './ring.ts';

/** What the consumer gave to a work request, to find it again in the completion. */
export type WrId = number | bigint;

const INDEX_MASK = 0xffff;
const MAX_LOG_STRIDE = 3;

/** The send or the receive queue of a queue pair. Its indices count on without wrap. */
export class WorkQueue {
  readonly ring: Ring;
  readonly maxSge: number;
  readonly maxInline: number;
  readonly #context: Context;
  readonly #wrIds: WrId[] = [];
  /** One of its work requests came back with an error: so do all behind it. */
  failed = false;
  #producer = 0;
  #oldest = 0; // not completed, or not known to be

  constructor(
    context: Context,
    readonly kind: 'sq' | 'rq',
    readonly qpn: number,
    readonly cq: Cq,
    logSize: number,
    readonly logStride: number,
  ) {
    const { limits, capability } = context.attributes;
    this.#context = context;
    const slotBytes = WQE_BLOCK_BYTES << logStride;
    this.ring = new Ring(context, logSize, slotBytes, `${kind.toUpperCase()} of QP ${qpn}`);
    const room = slotBytes - WQE_HEADER.bytes;
    this.maxSge = Math.min(limits.maxSge, room / WQE_DATA.bytes);
    this.maxInline = kind === 'sq' && capability.inline ? Math.min(limits.maxInlineBytes, room) : 0;
  }

  /** Index of the work request posted next. */
  get producer(): number {
    return this.#producer;
  }

  get outstanding(): number {
    return this.#producer - this.#oldest;
  }

  get full(): boolean {
    return this.outstanding >= this.ring.slots;
  }

  /** Writes a WQE into the next slot. The device looks at it after `ringDoorbell`. */
  push(wrId: WrId, wqe: Uint8Array): void {
    this.#wrIds[this.#producer % this.ring.slots] = wrId;
    const slot = wqe.subarray(0, this.ring.slotBytes); // unchecked ones may be too long
    this.#context.device.memWrite(this.ring.address(this.#producer), slot);
    this.#producer++;
  }

  /** Gives the device the `count` WQEs pushed last. */
  submit(count: number): void {
    if (count === 0) return;
    reserveEntries(this.cq, count);
    ringDoorbell(this.#context, this.kind, this.qpn, this.#producer);
  }

  /** The work request of this index has completed, and with it those before. */
  retire(wqeIndex: number): WrId {
    const ended = ((wqeIndex - this.#oldest) & INDEX_MASK) + 1;
    if (ended > this.outstanding) {
      throw new VerbsError(
        'DEVICE_FAULT',
        `CQE of QP ${this.qpn} ${this.kind}: expected one of ${this.outstanding} WQEs from ${this.#oldest & INDEX_MASK}, got ${wqeIndex}`,
      );
    }
    this.#oldest += ended;
    this.cq.outstanding -= ended;
    return this.#wrIds[(this.#oldest - 1) % this.ring.slots]!;
  }

  /** As in a new queue pair. */
  reset(): void {
    this.cq.outstanding -= this.outstanding;
    this.#producer = 0;
    this.#oldest = 0;
    this.failed = false;
  }

  free(): void {
    this.reset();
    this.ring.free();
  }
}

/** log2 of the 64-byte blocks of a slot for so many segments or inline bytes. */
export function logStrideFor(maxSge: number, maxInline: number): number {
  const bytes = WQE_HEADER.bytes + Math.max(maxSge * WQE_DATA.bytes, maxInline);
  let logStride = 0;
  while (logStride < MAX_LOG_STRIDE && WQE_BLOCK_BYTES << logStride < bytes) logStride++;
  return logStride;
}
