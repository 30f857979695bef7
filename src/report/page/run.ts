import { opcodeOf } from '../../spec/gen/opcodes.ts';
import { ARRIVAL_LOST, type ReportData } from '../data.ts';
import { isNak, isRnr } from '../retries.ts';
import { lastBefore } from './axis.ts';

export const CLASSES = ['send', 'write', 'read', 'atomic', 'ack', 'nak', 'other'] as const;
export type PacketClass = (typeof CLASSES)[number];

/** A run as the page draws it: the data, and what drawing needs to find things fast. */
export class Run {
  readonly count: number;
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** Of the last beat at the far end; of what did not arrive that of the sender. */
  readonly end: Float64Array;
  readonly kind: Uint8Array;
  /** Faults, losses, NAKs and retransmissions: seen even where packets are too many to be drawn. */
  readonly special: Uint8Array;
  readonly retryOf = new Map<number, number>();
  /** Arrivals beside the first, by packet. */
  readonly odd = new Map<number, number[]>();
  /** Where the bytes of a packet begin. */
  readonly offset: Float64Array;
  /** Largest `end` up to a packet, and the longest packet in cycles: bounds of what is visible. */
  readonly #endMost: Float64Array;
  readonly #longest: number;

  constructor(
    readonly data: ReportData,
    readonly bytes: Uint8Array,
  ) {
    const { packets, retries, arrivals } = data;
    this.count = packets.frame.length;
    this.first = Float64Array.from(packets.first);
    this.last = Float64Array.from(packets.last);
    this.end = Float64Array.from(packets.last, (last, i) => Math.max(last, packets.arrival[i]!));
    this.kind = Uint8Array.from(packets.opcode, (opcode, i) => classOf(opcode, packets.syndrome[i]!));
    this.special = Uint8Array.from(packets.fault, (fault, i) =>
      Number(fault !== '' || this.lost(i) || this.resent(i) || this.kind[i] === NAK),
    );
    for (const [i, { packet }] of retries.entries()) this.retryOf.set(packet, i);
    for (const [i, { packet, cycle }] of arrivals.entries()) {
      this.odd.set(packet, [...(this.odd.get(packet) ?? []), i]);
      this.end[packet] = Math.max(this.end[packet]!, cycle);
    }
    this.offset = new Float64Array(this.count);
    this.#endMost = new Float64Array(this.count);
    let [offset, most, longest] = [0, 0, 0];
    for (let i = 0; i < this.count; i++) {
      this.offset[i] = offset;
      offset += packets.kept[i]!;
      most = Math.max(most, this.end[i]!);
      this.#endMost[i] = most;
      longest = Math.max(longest, this.last[i]! - this.first[i]!);
    }
    this.#longest = longest;
  }

  lost(packet: number): boolean {
    return this.data.packets.arrival[packet] === ARRIVAL_LOST;
  }

  resent(packet: number): boolean {
    return this.data.packets.resent[packet]! >= 0;
  }

  bytesOf(packet: number): Uint8Array {
    const from = this.offset[packet]!;
    return this.bytes.subarray(from, from + this.data.packets.kept[packet]!);
  }

  /** First and last packet (without it) that may be seen between two cycles. */
  between(from: number, to: number): [number, number] {
    const begin = lastBefore(this.#endMost, from - 1, (cycle) => cycle) + 1;
    const end = lastBefore(this.last, to + this.#longest, (cycle) => cycle) + 1;
    return [begin, end];
  }

  /** Every cycle in which something happens, in order. */
  cycles(): Float64Array {
    const { verbs, completions, dma, marks } = this.data;
    const parts = [this.first, this.last, this.end, dma.cycle];
    const entries = [verbs, completions, marks].map((list) => list.map(({ cycle }) => cycle));
    const all = new Float64Array([...parts, ...entries].reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of [...parts, ...entries]) {
      all.set(part, at);
      at += part.length;
    }
    return all.sort();
  }
}

const NAK = CLASSES.indexOf('nak');

function classOf(opcode: number, syndrome: number): number {
  if (isNak(syndrome) || isRnr(syndrome)) return NAK;
  const op = opcode < 0 ? undefined : opcodeOf(opcode)?.op;
  const found = CLASSES.indexOf(op as PacketClass);
  return found < 0 ? CLASSES.indexOf('other') : found;
}
