import { WQE_MARK } from '../spec/gen/constants.ts';
import { WrOpcode } from '../spec/gen/enums.ts';
import { WQE_DATA, WQE_HEADER } from '../spec/gen/records.ts';
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
}

export interface RecvWr {
  wrId: WrId;
  sgList?: readonly Sge[];
}

export const opcodeOf = (wr: SendWr): number =>
  typeof wr.opcode === 'number' ? wr.opcode : WrOpcode[wr.opcode];

export function buildSend(wr: SendWr, index: number): Uint8Array {
  const { sgList = [], inlineData } = wr;
  const payload = inlineData ? inlineData.length : sgList.length * WQE_DATA.bytes;
  const wqe = new Uint8Array(WQE_HEADER.bytes + payload);
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
    remoteAddr: wr.remoteAddr ?? 0n,
    rkey: wr.rkey ?? 0,
  });
  if (inlineData) wqe.set(inlineData, WQE_HEADER.bytes);
  else packSegments(wqe, sgList);
  return wqe;
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
