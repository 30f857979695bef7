import { LOG_MAX_MSG, WQE_BLOCK_BYTES, WQE_MARK } from '../spec/gen/constants.ts';
import { WcStatus, WrOpcode } from '../spec/gen/enums.ts';
import {
  WQE_ATOMIC,
  WQE_DATA,
  WQE_HEADER,
  type WqeAtomic,
  type WqeData,
  type WqeHeader,
} from '../spec/gen/records.ts';
import type { Hca } from './hca.ts';
import { ringAddress } from './queues.ts';

/** A work request as the device read it, once. */
export interface Wqe {
  index: number;
  header: WqeHeader;
  segments: WqeData[];
  inline?: Uint8Array;
  /** Operands of an atomic. */
  atomic?: WqeAtomic;
  /** Message length, or room of a receive WQE. */
  length: number;
  /** Set when the WQE is wrong: what it completes with. */
  fault?: WcStatus;
}

export interface WorkRing {
  kind: 'send' | 'receive';
  mtt: number;
  logSize: number;
  logStride: number;
}

const MAX_MESSAGE = 2 ** LOG_MAX_MSG;
/** What an atomic fetches. */
export const ATOMIC_BYTES = 8;
const OPERANDS_AT = WQE_HEADER.bytes + WQE_DATA.bytes;

export const isAtomic = (opcode: number): boolean =>
  opcode === WrOpcode.ATOMIC_CMP_AND_SWP || opcode === WrOpcode.ATOMIC_FETCH_AND_ADD;

/** Reads a slot; one that cannot be read is a wrong WQE. */
export function fetchWqe(hca: Hca, ring: WorkRing, index: number): Wqe {
  const slotBytes = WQE_BLOCK_BYTES << ring.logStride;
  const slot = index & (2 ** ring.logSize - 1);
  const address = ringAddress(hca, ring.mtt, slot * slotBytes);
  const bytes = address === undefined ? undefined : hca.dmaRead(address, slotBytes);
  if (!bytes) {
    const header = WQE_HEADER.unpack(new Uint8Array(WQE_HEADER.bytes));
    return { index, header, segments: [], length: 0, fault: WcStatus.LOC_QP_OP_ERR };
  }
  const header = WQE_HEADER.unpack(bytes);
  if (isMalformed(hca, ring.kind, header, index, slotBytes))
    return { index, header, segments: [], length: 0, fault: WcStatus.LOC_QP_OP_ERR };
  if (header.inline) {
    const inline = bytes.slice(WQE_HEADER.bytes, WQE_HEADER.bytes + header.inlineBytes);
    return { index, header, segments: [], inline, length: inline.length };
  }

  const segments = Array.from({ length: header.segments }, (_, i) =>
    WQE_DATA.unpack(bytes, WQE_HEADER.bytes + i * WQE_DATA.bytes),
  );
  const length = segments.reduce((sum, segment) => sum + segment.length, 0);
  const wqe: Wqe = { index, header, segments, length };
  if (length > MAX_MESSAGE) wqe.fault = WcStatus.LOC_LEN_ERR;
  if (isAtomic(header.opcode)) {
    wqe.atomic = WQE_ATOMIC.unpack(bytes, OPERANDS_AT);
    if (length !== ATOMIC_BYTES) wqe.fault = WcStatus.LOC_LEN_ERR;
  }
  return wqe;
}

const SEND_OPCODES: ReadonlySet<number> = new Set([
  WrOpcode.SEND,
  WrOpcode.SEND_WITH_IMM,
  WrOpcode.RDMA_WRITE,
  WrOpcode.RDMA_WRITE_WITH_IMM,
  WrOpcode.RDMA_READ,
]);

/** Faults that end in a local QP operation error. */
function isMalformed(
  hca: Hca,
  kind: WorkRing['kind'],
  header: WqeHeader,
  index: number,
  slotBytes: number,
): boolean {
  if (header.mark !== WQE_MARK || header.index !== index) return true;
  const atomic = isAtomic(header.opcode);
  const known = SEND_OPCODES.has(header.opcode) || (atomic && hca.offers('atomics'));
  if (kind === 'send' ? !known : header.opcode !== WrOpcode.RECV) return true;
  if (atomic && (header.inline || header.segments !== 1)) return true;
  if (header.fence && !hca.offers('fence')) return true;
  if (!header.inline)
    return (
      header.segments > hca.limits.maxSge || WQE_HEADER.bytes + header.segments * WQE_DATA.bytes > slotBytes
    );
  return (
    !hca.offers('inline') ||
    kind === 'receive' ||
    header.opcode === WrOpcode.RDMA_READ ||
    header.inlineBytes > hca.limits.maxInlineBytes ||
    WQE_HEADER.bytes + header.inlineBytes > slotBytes
  );
}
