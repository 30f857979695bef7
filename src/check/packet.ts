import { u16, u32, u128 } from './bytes.ts';
import { icrcField, icrcOf, vcrcField, vcrcOf } from './crc.ts';
import { BTH_BYTES, type Transport, transportOf } from './transport.ts';

export interface Lrh {
  vl: number;
  lver: number;
  sl: number;
  reserved2: number;
  lnh: number;
  dlid: number;
  reserved5: number;
  /** In words of 4 bytes, from LRH through ICRC. */
  pktLen: number;
  slid: number;
}

export interface Grh {
  ipVer: number;
  tclass: number;
  flowLabel: number;
  /** Bytes after the GRH through ICRC. */
  payLen: number;
  nxtHdr: number;
  hopLimit: number;
  sgid: bigint;
  dgid: bigint;
}

/** A packet, LRH to VCRC, taken apart. */
export interface Packet extends Transport {
  bytes: Uint8Array;
  lrh: Lrh;
  grh: Grh | undefined;
  icrc: number;
  vcrc: number;
  icrcExpected: number;
  vcrcExpected: number;
}

export type Decoded = { packet: Packet; fault?: undefined } | { packet?: undefined; fault: string };

export const LRH_BYTES = 8;
export const GRH_BYTES = 40;
const CRC_BYTES = 6;

/** Takes a packet apart by its length in bytes; whether its fields are right is for the rules. */
export function decode(bytes: Uint8Array): Decoded {
  const lnh = bytes.length > 1 ? bytes[1]! & 3 : 2;
  const bthAt = LRH_BYTES + (lnh === 3 ? GRH_BYTES : 0);
  const minimum = bthAt + BTH_BYTES + CRC_BYTES;
  if (lnh < 2) return { fault: `raw packet, LNH ${lnh}` };
  if (bytes.length < minimum) return { fault: `${bytes.length} bytes, at least ${minimum} needed` };
  const transport = transportOf(bytes, bthAt, bytes.length - CRC_BYTES);
  if (typeof transport === 'string') return { fault: transport };
  return {
    packet: {
      ...transport,
      bytes,
      lrh: lrhOf(bytes),
      grh: lnh === 3 ? grhOf(bytes, LRH_BYTES) : undefined,
      icrc: icrcField(bytes),
      vcrc: vcrcField(bytes),
      icrcExpected: icrcOf(bytes),
      vcrcExpected: vcrcOf(bytes),
    },
  };
}

export function lrhOf(bytes: Uint8Array): Lrh {
  return {
    vl: bytes[0]! >> 4,
    lver: bytes[0]! & 0x0f,
    sl: bytes[1]! >> 4,
    reserved2: (bytes[1]! >> 2) & 3,
    lnh: bytes[1]! & 3,
    dlid: u16(bytes, 2),
    reserved5: bytes[4]! >> 3,
    pktLen: u16(bytes, 4) & 0x7ff,
    slid: u16(bytes, 6),
  };
}

export function grhOf(bytes: Uint8Array, at: number): Grh {
  const first = u32(bytes, at);
  return {
    ipVer: first >>> 28,
    tclass: (first >>> 20) & 0xff,
    flowLabel: first & 0xfffff,
    payLen: u16(bytes, at + 4),
    nxtHdr: bytes[at + 6]!,
    hopLimit: bytes[at + 7]!,
    sgid: u128(bytes, at + 8),
    dgid: u128(bytes, at + 24),
  };
}
