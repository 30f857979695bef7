/** Big-endian reads, as all wire headers are. */

export const u16 = (bytes: Uint8Array, at: number): number => bytes[at]! * 0x100 + bytes[at + 1]!;

export const u24 = (bytes: Uint8Array, at: number): number => u16(bytes, at) * 0x100 + bytes[at + 2]!;

export const u32 = (bytes: Uint8Array, at: number): number => u16(bytes, at) * 0x10000 + u16(bytes, at + 2);

export const u64 = (bytes: Uint8Array, at: number): bigint =>
  BigInt(u32(bytes, at)) * 0x1_0000_0000n + BigInt(u32(bytes, at + 4));

export const u128 = (bytes: Uint8Array, at: number): bigint => (u64(bytes, at) << 64n) | u64(bytes, at + 8);

export const hex = (value: number | bigint, digits = 1): string =>
  `0x${value.toString(16).padStart(digits, '0')}`;
