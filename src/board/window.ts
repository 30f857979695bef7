import {
  AXI_INFO,
  AXI_IRQ_MASK,
  AXI_IRQ_PENDING,
  AXI_RESET,
  AXI_WINDOW_BAR2,
  AXI_WINDOW_BITS,
  AXI_WINDOW_OWN,
} from '../spec/gen/constants.ts';

/** The window that rtl/fpga/hca_axi.sv shows on its AXI4-Lite port. */

export const WINDOW_BYTES = 2 ** AXI_WINDOW_BITS;

/** The wrapper's own registers. */
export const OWN = {
  pending: AXI_WINDOW_OWN + AXI_IRQ_PENDING,
  mask: AXI_WINDOW_OWN + AXI_IRQ_MASK,
  info: AXI_WINDOW_OWN + AXI_INFO,
  reset: AXI_WINDOW_OWN + AXI_RESET,
} as const;

/** Where a BAR's register is in the window; undefined: in no window. */
export function placeOf(bar: 0 | 2, offset: number): number | undefined {
  const [from, end] = bar === 0 ? [0, AXI_WINDOW_OWN] : [AXI_WINDOW_BAR2, WINDOW_BYTES];
  return from + offset < end ? from + offset : undefined;
}

/** Which register of which BAR stands there; undefined: one of the wrapper's. */
export function barAt(place: number): { bar: 0 | 2; offset: number } | undefined {
  if (place >= AXI_WINDOW_BAR2) return { bar: 2, offset: place - AXI_WINDOW_BAR2 };
  return place < AXI_WINDOW_OWN ? { bar: 0, offset: place } : undefined;
}

/** What the register `info` tells. */
export interface WindowInfo {
  magic: number;
  dataBytes: number;
  lines: number;
  /** Of the window's data: what is wider has to be cut. */
  accessBytes: number;
}

const byte = (word: bigint, from: number) => Number((word >> BigInt(from)) & 0xffn);

export const readInfo = (word: bigint): WindowInfo => ({
  magic: Number(word & 0xffff_ffffn),
  dataBytes: byte(word, 32),
  lines: byte(word, 40),
  accessBytes: byte(word, 48),
});

export const packInfo = ({ magic, dataBytes, lines, accessBytes }: WindowInfo): bigint =>
  BigInt(magic) | (BigInt(dataBytes) << 32n) | (BigInt(lines) << 40n) | (BigInt(accessBytes) << 48n);
