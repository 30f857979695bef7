import { hex, u16, u24, u32, u64, u128 } from './bytes.ts';
import { icrcField, icrcOf, vcrcField, vcrcOf } from './crc.ts';
import { HEADER_BYTES, type Header, type Operation, operationOf } from './opcodes.ts';

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

export interface Bth {
  opcode: number;
  se: boolean;
  migReq: boolean;
  padCount: number;
  tver: number;
  pkey: number;
  /** FECN, BECN and six reserved bits. */
  reserved8: number;
  destQpn: number;
  ackReq: boolean;
  reserved7: number;
  psn: number;
}

/** A packet, LRH to VCRC, taken apart. Headers that its opcode has not are undefined. */
export interface Packet {
  bytes: Uint8Array;
  lrh: Lrh;
  grh: Grh | undefined;
  bth: Bth;
  /** Undefined when the opcode is reserved. */
  operation: Operation | undefined;
  rdeth: { eecn: number } | undefined;
  deth: { qkey: number; srcQpn: number } | undefined;
  xrceth: { srqn: number } | undefined;
  reth: { va: bigint; rkey: number; dmaLen: number } | undefined;
  atomicEth: { va: bigint; rkey: number; swapAdd: bigint; compare: bigint } | undefined;
  aeth: { syndrome: number; msn: number } | undefined;
  atomicAck: { original: bigint } | undefined;
  imm: number | undefined;
  ieth: number | undefined;
  /** Without its pad; empty when there are more pad bytes than bytes. */
  payload: Uint8Array;
  /** Bytes between the last header and the ICRC, less the pad count; negative is a fault of the sender. */
  payloadBytes: number;
  pad: Uint8Array;
  icrc: number;
  vcrc: number;
  icrcExpected: number;
  vcrcExpected: number;
}

export type Decoded = { packet: Packet; fault?: undefined } | { packet?: undefined; fault: string };

const LRH_BYTES = 8;
const GRH_BYTES = 40;
const BTH_BYTES = 12;
const CRC_BYTES = 6;

/** Takes a packet apart by its length in bytes; whether its fields are right is for the rules. */
export function decode(bytes: Uint8Array): Decoded {
  const lnh = bytes.length > 1 ? bytes[1]! & 3 : 2;
  const bthAt = LRH_BYTES + (lnh === 3 ? GRH_BYTES : 0);
  const minimum = bthAt + BTH_BYTES + CRC_BYTES;
  if (lnh < 2) return { fault: `raw packet, LNH ${lnh}` };
  if (bytes.length < minimum) return { fault: `${bytes.length} bytes, at least ${minimum} needed` };
  const bth = bthOf(bytes, bthAt);
  const operation = operationOf(bth.opcode);
  const end = bytes.length - CRC_BYTES;
  const starts: Partial<Record<Header, number>> = {};
  let at = bthAt + BTH_BYTES;
  for (const header of operation?.headers ?? []) {
    starts[header] = at;
    at += HEADER_BYTES[header];
  }
  if (at > end) return { fault: `${bytes.length} bytes do not hold the headers of ${operation!.name}` };
  const payloadBytes = end - at - bth.padCount;
  const padAt = Math.max(at, end - bth.padCount);
  const take = <T>(header: Header, read: (from: number) => T): T | undefined => {
    const from = starts[header];
    return from === undefined ? undefined : read(from);
  };
  return {
    packet: {
      bytes,
      lrh: lrhOf(bytes),
      grh: lnh === 3 ? grhOf(bytes, LRH_BYTES) : undefined,
      bth,
      operation,
      rdeth: take('rdeth', (from) => ({ eecn: u24(bytes, from + 1) })),
      deth: take('deth', (from) => ({ qkey: u32(bytes, from), srcQpn: u24(bytes, from + 5) })),
      xrceth: take('xrceth', (from) => ({ srqn: u24(bytes, from + 1) })),
      reth: take('reth', (from) => ({
        va: u64(bytes, from),
        rkey: u32(bytes, from + 8),
        dmaLen: u32(bytes, from + 12),
      })),
      atomicEth: take('atomicEth', (from) => ({
        va: u64(bytes, from),
        rkey: u32(bytes, from + 8),
        swapAdd: u64(bytes, from + 12),
        compare: u64(bytes, from + 20),
      })),
      aeth: take('aeth', (from) => ({ syndrome: bytes[from]!, msn: u24(bytes, from + 1) })),
      atomicAck: take('atomicAck', (from) => ({ original: u64(bytes, from) })),
      imm: take('imm', (from) => u32(bytes, from)),
      ieth: take('ieth', (from) => u32(bytes, from)),
      payload: bytes.subarray(at, padAt),
      payloadBytes,
      pad: bytes.subarray(padAt, end),
      icrc: icrcField(bytes),
      vcrc: vcrcField(bytes),
      icrcExpected: icrcOf(bytes),
      vcrcExpected: vcrcOf(bytes),
    },
  };
}

function lrhOf(bytes: Uint8Array): Lrh {
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

function grhOf(bytes: Uint8Array, at: number): Grh {
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

function bthOf(bytes: Uint8Array, at: number): Bth {
  return {
    opcode: bytes[at]!,
    se: bytes[at + 1]! >= 0x80,
    migReq: (bytes[at + 1]! & 0x40) !== 0,
    padCount: (bytes[at + 1]! >> 4) & 3,
    tver: bytes[at + 1]! & 0x0f,
    pkey: u16(bytes, at + 2),
    reserved8: bytes[at + 4]!,
    destQpn: u24(bytes, at + 5),
    ackReq: bytes[at + 8]! >= 0x80,
    reserved7: bytes[at + 8]! & 0x7f,
    psn: u24(bytes, at + 9),
  };
}

/** One line for a reader: opcode, destination, PSN and what else tells packets apart. */
export function describe({ bth, operation, payloadBytes, aeth, reth }: Packet): string {
  const name = operation?.name ?? `opcode ${hex(bth.opcode, 2)}`;
  const parts = [`${name} to QP ${hex(bth.destQpn)}`, `PSN ${hex(bth.psn, 6)}`];
  if (payloadBytes > 0) parts.push(`${payloadBytes} bytes`);
  if (reth) parts.push(`RETH ${reth.dmaLen} bytes`);
  if (aeth) parts.push(`syndrome ${hex(aeth.syndrome, 2)}, MSN ${aeth.msn}`);
  if (bth.ackReq) parts.push('A');
  return parts.join(', ');
}
