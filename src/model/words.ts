import type { Fields, Layout, Values } from '../spec/layout.ts';

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Registers and table words are little-endian, 32 or 64 bits at a time. */
export function readWord(bytes: Uint8Array, at: number, width: 4 | 8): bigint {
  return width === 8 ? view(bytes).getBigUint64(at, true) : BigInt(view(bytes).getUint32(at, true));
}

export function writeWord(bytes: Uint8Array, at: number, width: 4 | 8, value: bigint): void {
  if (width === 8) view(bytes).setBigUint64(at, BigInt.asUintN(64, value), true);
  else view(bytes).setUint32(at, Number(BigInt.asUintN(32, value)), true);
}

/** A record of eight bytes as a number. */
export const packWord = <F extends Fields>(layout: Layout<F>, values: Partial<Values<F>>): bigint =>
  readWord(layout.pack(values), 0, 8);

/** The fields of a 64-bit number; reserved bits are ignored. */
export function unpackWord<F extends Fields>(layout: Layout<F>, word: bigint): Values<F> {
  const bytes = new Uint8Array(8);
  writeWord(bytes, 0, 8, word);
  return layout.unpack(bytes);
}

/** The immediate stands in wire order in little-endian records, and is drawn big-endian in headers. */
export function fromWireOrder(immediate: number): number {
  const bytes = new DataView(new ArrayBuffer(4));
  bytes.setUint32(0, immediate, true);
  return bytes.getUint32(0, false);
}
