/** Blocks of a pcapng file, as we write them: little-endian. */

export const SECTION_HEADER = 0x0a0d0d0a;
export const INTERFACE_DESCRIPTION = 1;
export const OBSOLETE_PACKET = 2;
export const SIMPLE_PACKET = 3;
export const INTERFACE_STATISTICS = 5;
export const ENHANCED_PACKET = 6;
export const BYTE_ORDER_MAGIC = 0x1a2b3c4d;
export const LINK_TYPE_ETHERNET = 1;
export const LINK_TYPE_ERF = 197;
/** From LRH on. */
export const LINK_TYPE_INFINIBAND = 247;

export const OPT_COMMENT = 1;
export const OPT_IF_NAME = 2;
export const OPT_IF_TSRESOL = 9;
export const OPT_USERAPPL = 4;
export const OPT_EPB_DROPCOUNT = 4;
export const OPT_ISB_IFDROP = 5;
/** Time stamps count nanoseconds: 10^-9. */
export const NANOSECONDS = 9;

export type Option = readonly [code: number, value: Uint8Array];

export const text = (value: string): Uint8Array => new TextEncoder().encode(value);

export const padded = (length: number): number => Math.ceil(length / 4) * 4;

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Little-endian words of 32 bits. */
export function words(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [i, value] of values.entries()) view.setUint32(i * 4, value, true);
  return bytes;
}

/** Ends with the option that ends them; nothing when there are none. */
export function options(list: readonly Option[]): Uint8Array {
  if (list.length === 0) return new Uint8Array();
  const parts = list.map(([code, value]) => {
    const bytes = new Uint8Array(4 + padded(value.length));
    new DataView(bytes.buffer).setUint16(0, code, true);
    new DataView(bytes.buffer).setUint16(2, value.length, true);
    bytes.set(value, 4);
    return bytes;
  });
  return concat(...parts, words(0));
}

export function block(type: number, body: Uint8Array): Uint8Array {
  const length = 12 + padded(body.length);
  const padding = new Uint8Array(padded(body.length) - body.length);
  return concat(words(type, length), body, padding, words(length));
}
