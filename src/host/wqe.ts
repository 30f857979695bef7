import { WQE_MARK } from '../spec/gen/constants.ts';
import { WrOpcode } from '../spec/gen/enums.ts';
import { WQE_ATOMIC, WQE_DATA, WQE_HEADER, type WqeAtomic } from '../spec/gen/records.ts';
import type { WrId } from './work-queue.ts';

/** A piece of consumer memory. */
export interface Sge {
  addr: bigint;
  /** Bytes; 0: nothing is looked at (C10-54.1.1). */
  length: number;
  lkey: number;
}

export interface SendWr {
  wrId: WrId;
  /** A number serves tests that want one that does not exist. */
  opcode: keyof typeof WrOpcode | number;
  sgList?: readonly Sge[];
  /** Payload copied into the work request, in place of `sgList`. */
  inlineData?: Uint8Array;
  /** Complete on success too; otherwise only a queue with sqSigAll does. */
  signaled?: boolean;
  solicited?: boolean;
  /** Start after all earlier READs and atomics. */
  fence?: boolean;
  /** Its most significant byte is the first on the wire. */
  immediate?: number;
  /** R_Key that SEND_WITH_INV invalidates at the peer. */
  invalidateRkey?: number;
  remoteAddr?: bigint;
  rkey?: number;
  /** Of ATOMIC_CMP_AND_SWP and ATOMIC_FETCH_AND_ADD. */
  atomic?: AtomicWr;
}

/** Target and operands of an atomic, numbers of 64 bits. The old value comes into the data segment, as the host has it. */
export interface AtomicWr {
  /** A multiple of 8. */
  remoteAddr: bigint;
  rkey: number;
  /** What to compare with, or to add. */
  compareAdd: bigint;
  /** What to store if that is equal. */
  swap?: bigint;
}

export interface RecvWr {
  wrId: WrId;
  sgList?: readonly Sge[];
}

export const opcodeOf = (wr: SendWr): number =>
  typeof wr.opcode === 'number' ? wr.opcode : WrOpcode[wr.opcode];

export function buildSend(wr: SendWr, index: number): Uint8Array {
  const { sgList = [], inlineData, atomic } = wr;
  const payload = inlineData ? inlineData.length : sgList.length * WQE_DATA.bytes;
  const wqe = new Uint8Array(Math.max(WQE_HEADER.bytes + payload, atomic ? OPERANDS_END : 0));
  WQE_HEADER.packInto(wqe, 0, {
    mark: WQE_MARK,
    opcode: opcodeOf(wr),
    segments: inlineData ? 0 : sgList.length,
    fence: wr.fence ? 1 : 0,
    signaled: wr.signaled ? 1 : 0,
    solicited: wr.solicited ? 1 : 0,
    inline: inlineData ? 1 : 0,
    immediate: swap32(wr.invalidateRkey ?? wr.immediate ?? 0),
    index: index & 0xffff,
    inlineBytes: inlineData?.length ?? 0,
    remoteAddr: (atomic ?? wr).remoteAddr ?? 0n,
    rkey: (atomic ?? wr).rkey ?? 0,
  });
  if (atomic) WQE_ATOMIC.packInto(wqe, OPERANDS_AT, operandsOf(wr, atomic));
  if (inlineData) wqe.set(inlineData, WQE_HEADER.bytes);
  else packSegments(wqe, sgList);
  return wqe;
}

const OPERANDS_AT = WQE_HEADER.bytes + WQE_DATA.bytes;
const OPERANDS_END = OPERANDS_AT + WQE_ATOMIC.bytes;

function operandsOf(wr: SendWr, { compareAdd, swap = 0n }: AtomicWr): WqeAtomic {
  const swaps = opcodeOf(wr) === WrOpcode.ATOMIC_CMP_AND_SWP;
  return swaps ? { swapAdd: swap, compare: compareAdd } : { swapAdd: compareAdd, compare: 0n };
}

export function buildRecv(wr: RecvWr, index: number): Uint8Array {
  const { sgList = [] } = wr;
  const wqe = new Uint8Array(WQE_HEADER.bytes + sgList.length * WQE_DATA.bytes);
  WQE_HEADER.packInto(wqe, 0, {
    mark: WQE_MARK,
    opcode: WrOpcode.RECV,
    segments: sgList.length,
    index: index & 0xffff,
  });
  packSegments(wqe, sgList);
  return wqe;
}

/** A number of the consumer and its bytes in wire order, seen as a little-endian field. */
export const swap32 = (value: number): number =>
  (((value & 0xff) << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)) >>> 0;

function packSegments(wqe: Uint8Array, sgList: readonly Sge[]): void {
  sgList.forEach((sge, i) => {
    WQE_DATA.packInto(wqe, WQE_HEADER.bytes + i * WQE_DATA.bytes, sge);
  });
}
