import type { Device } from '../device.ts';
import type { Fields, Layout, Values } from '../spec/layout.ts';

/** A record of eight bytes as the number that is written to a register. */
export function packWord<F extends Fields>(layout: Layout<F>, values: Partial<Values<F>>): bigint {
  return wordAt(layout.pack(values), 0);
}

/** The fields of a register. */
export function unpackWord<F extends Fields>(layout: Layout<F>, word: bigint): Values<F> {
  const bytes = new Uint8Array(8);
  viewOf(bytes).setBigUint64(0, word, true);
  return layout.unpack(bytes);
}

/** Posted writes of a record, word by word. */
export function writeWords(device: Device, bar: 0 | 2, offset: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 8) device.barWrite(bar, offset + at, wordAt(bytes, at));
}

/** Reads a record; the words travel together. */
export async function readWords(
  device: Device,
  bar: 0 | 2,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const reads: Promise<bigint>[] = [];
  for (let at = 0; at < length; at += 8) reads.push(device.barRead(bar, offset + at, 8));
  const bytes = new Uint8Array(length);
  const view = viewOf(bytes);
  (await Promise.all(reads)).forEach((word, i) => {
    view.setBigUint64(i * 8, word, true);
  });
  return bytes;
}

/** Byte offset of a field, which must start a byte. */
export function offsetOf<F extends Fields>(layout: Layout<F>, field: keyof Values<F>): number {
  let bits = 0;
  for (const [name, width] of Object.entries(layout.fields)) {
    if (name === field) break;
    bits += width;
  }
  return bits / 8;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const wordAt = (bytes: Uint8Array, at: number): bigint => viewOf(bytes).getBigUint64(at, true);
