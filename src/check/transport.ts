import { hex, u16, u24, u32, u64 } from './bytes.ts';
import { HEADER_BYTES, type Header, type Operation, operationOf } from './opcodes.ts';

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

/** What stands between the headers of link and network and the ICRC. Headers that its opcode has not are undefined. */
export interface Transport {
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
}

export const BTH_BYTES = 12;

/**
 * Takes apart what begins with the BTH at `bthAt`; the ICRC begins at `end`, which may lie behind what was captured. A text says
 * which headers are not there.
 */
export function transportOf(bytes: Uint8Array, bthAt: number, end: number): Transport | string {
  const needed = bthAt + BTH_BYTES;
  if (end < needed) return `${end - bthAt} bytes before the ICRC, at least ${BTH_BYTES} needed`;
  if (bytes.length < needed) return `cut off in the BTH`;
  const bth = bthOf(bytes, bthAt);
  const operation = operationOf(bth.opcode);
  const starts: Partial<Record<Header, number>> = {};
  let at = needed;
  for (const header of operation?.headers ?? []) {
    starts[header] = at;
    at += HEADER_BYTES[header];
  }
  if (at > end) return `${end - bthAt} bytes do not hold the headers of ${operation!.name}`;
  if (at > bytes.length) return `cut off in the headers of ${operation!.name}`;
  const padAt = Math.max(at, end - bth.padCount);
  const take = <T>(header: Header, read: (from: number) => T): T | undefined => {
    const from = starts[header];
    return from === undefined ? undefined : read(from);
  };
  return {
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
    payloadBytes: end - at - bth.padCount,
    pad: bytes.subarray(padAt, end),
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
export function describe({ bth, operation, payloadBytes, aeth, reth }: Transport): string {
  const name = operation?.name ?? `opcode ${hex(bth.opcode, 2)}`;
  const parts = [`${name} to QP ${hex(bth.destQpn)}`, `PSN ${hex(bth.psn, 6)}`];
  if (payloadBytes > 0) parts.push(`${payloadBytes} bytes`);
  if (reth) parts.push(`RETH ${reth.dmaLen} bytes`);
  if (aeth) parts.push(`syndrome ${hex(aeth.syndrome, 2)}, MSN ${aeth.msn}`);
  if (bth.ackReq) parts.push('A');
  return parts.join(', ');
}
