import { QpState, WcStatus, wcOpcodeName, wcStatusName } from '../spec/gen/enums.ts';
import type { Cqe } from '../spec/gen/records.ts';
import type { Context } from './context.ts';
import { VerbsError } from './errors.ts';
import type { WrId } from './work-queue.ts';
import { swap32 } from './wqe.ts';

/** Bits of `wcFlags`. */
export const WcFlag = { GRH: 1, WITH_IMM: 2 } as const;

/** On an error only wrId, status, qpNum, opcode, queue and vendorErr mean something. */
export interface WorkCompletion {
  readonly wrId: WrId;
  /** Name of its WcStatus, and the number. */
  readonly status: string;
  readonly statusCode: number;
  /** Name of its WcOpcode. */
  readonly opcode: string;
  readonly queue: 'send' | 'receive';
  readonly qpNum: number;
  readonly byteLen: number;
  readonly withImm: boolean;
  /** Its most significant byte came first on the wire. */
  readonly immediate: number;
  readonly solicited: boolean;
  readonly wcFlags: number;
  readonly slid: number;
  readonly sl: number;
  readonly dlidPathBits: number;
  readonly srcQp: number;
  readonly pkeyIndex: number;
  readonly vendorErr: number;
}

/** What the consumer gets of a CQE; frees the slots of the work requests that it ends. */
export function complete(context: Context, cqe: Cqe): WorkCompletion {
  const qp = context.qps.get(cqe.qpn);
  if (!qp) throw new VerbsError('DEVICE_FAULT', `CQE: expected a queue pair that exists, got ${cqe.qpn}`);
  const queue = cqe.queue === 0 ? qp.sq : qp.rq;
  if (cqe.status !== WcStatus.SUCCESS) {
    qp.state = QpState.ERR;
    queue.failed = true;
  }
  return {
    wrId: queue.retire(cqe.wqeIndex),
    status: wcStatusName(cqe.status),
    statusCode: cqe.status,
    opcode: wcOpcodeName(cqe.opcode),
    queue: cqe.queue === 0 ? 'send' : 'receive',
    qpNum: cqe.qpn,
    byteLen: cqe.byteLen,
    withImm: cqe.withImm === 1,
    immediate: swap32(cqe.immediate),
    solicited: cqe.solicited === 1,
    wcFlags: (cqe.grh ? WcFlag.GRH : 0) | (cqe.withImm ? WcFlag.WITH_IMM : 0),
    slid: cqe.slid,
    sl: cqe.sl,
    dlidPathBits: cqe.pathBits,
    srcQp: cqe.srcQpn,
    pkeyIndex: cqe.pkeyIndex,
    vendorErr: cqe.vendor,
  };
}
