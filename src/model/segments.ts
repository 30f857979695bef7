import type { Hca } from './hca.ts';
import { type GateCause, gatedRead, gatedWrite, wholeCause } from './protection.ts';
import type { Wqe } from './wqe.ts';

/** Walks the data segments of a WQE from front to back; those of length 0 are skipped (C10-54.1.1). */
export class SegmentCursor {
  readonly #hca: Hca;
  readonly #pd: number;
  readonly #wqe: Wqe;
  #segment = 0;
  #offset = 0; // in the segment, or in the inline bytes
  #done = 0;

  constructor(hca: Hca, pd: number, wqe: Wqe) {
    this.#hca = hca;
    this.#pd = pd;
    this.#wqe = wqe;
  }

  /** Bytes passed so far. */
  get done(): number {
    return this.#done;
  }

  get room(): number {
    return this.#wqe.length - this.#done;
  }

  /** Goes to a byte of the message. */
  seek(offset: number): void {
    if (offset === this.#done) return;
    [this.#segment, this.#offset, this.#done] = [0, 0, 0];
    if (this.#wqe.inline) this.#done = offset;
    else this.#take(offset);
  }

  /** The next bytes of a message to be sent. */
  gather(length: number): Uint8Array | GateCause {
    if (this.#wqe.inline) {
      const bytes = this.#wqe.inline.subarray(this.#done, this.#done + length);
      this.#done += length;
      return bytes;
    }
    const pieces = this.#take(length);
    if (pieces.length === 1) return gatedRead(this.#hca, { ...pieces[0]!, pd: this.#pd, right: 'localRead' });
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      const part = gatedRead(this.#hca, { ...piece, pd: this.#pd, right: 'localRead' });
      if (typeof part === 'number') return part;
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** Why the next bytes could not be placed; the cursor stays where it is. */
  refusal(length: number): GateCause | undefined {
    const [segment, offset, done] = [this.#segment, this.#offset, this.#done];
    const pieces = this.#take(length);
    [this.#segment, this.#offset, this.#done] = [segment, offset, done];
    for (const piece of pieces) {
      const cause = wholeCause(this.#hca, { ...piece, pd: this.#pd, right: 'localWrite' });
      if (cause) return cause;
    }
    return undefined;
  }

  /** Places bytes that arrived: when a segment cannot be written none, but for the host's refusals all. */
  scatter(bytes: Uint8Array): GateCause | undefined {
    let cause = this.refusal(bytes.length);
    if (cause) return cause;
    let at = 0;
    for (const piece of this.#take(bytes.length)) {
      const part = bytes.subarray(at, at + piece.length);
      cause = gatedWrite(this.#hca, { ...piece, pd: this.#pd, right: 'localWrite' }, part) ?? cause;
      at += piece.length;
    }
    return cause;
  }

  #take(length: number): { key: number; va: bigint; length: number }[] {
    const pieces: { key: number; va: bigint; length: number }[] = [];
    let rest = length;
    while (rest > 0 && this.#segment < this.#wqe.segments.length) {
      const segment = this.#wqe.segments[this.#segment]!;
      const count = Math.min(rest, segment.length - this.#offset);
      if (count > 0) {
        pieces.push({ key: segment.lkey, va: segment.addr + BigInt(this.#offset), length: count });
        this.#offset += count;
        rest -= count;
      }
      if (this.#offset === segment.length) {
        this.#segment++;
        this.#offset = 0;
      }
    }
    this.#done += length - rest;
    return pieces;
  }
}
