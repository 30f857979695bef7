import { QpState, WrOpcode } from '../spec/gen/enums.ts';
import type { Context } from './context.ts';
import { PostError, VerbsError } from './errors.ts';
import { type Qp, requireQp } from './qp.ts';
import type { WorkQueue } from './work-queue.ts';
import { buildRecv, buildSend, opcodeOf, type RecvWr, type SendWr, type Sge } from './wqe.ts';

/**
 * Posts work requests in order and returns how many. At the first bad one it stops with a PostError:
 * those before it are posted. Nothing is awaited: writes are posted, one doorbell ends the list.
 */
export function postSend(qp: Qp, wrs: SendWr | readonly SendWr[]): number {
  return postAll(qp, qp.sq, wrs, (wr) => {
    checkSend(qp, wr);
    return buildSend(wr, qp.sq.producer);
  });
}

/** As postSend, for the receive queue. */
export function postRecv(qp: Qp, wrs: RecvWr | readonly RecvWr[]): number {
  return postAll(qp, qp.rq, wrs, (wr) => {
    checkRecv(qp, wr);
    return buildRecv(wr, qp.rq.producer);
  });
}

function postAll<Wr extends SendWr | RecvWr>(
  qp: Qp,
  queue: WorkQueue,
  wrs: Wr | readonly Wr[],
  build: (wr: Wr) => Uint8Array,
): number {
  requireQp(qp);
  const list = Array.isArray(wrs) ? (wrs as readonly Wr[]) : [wrs as Wr];
  const { context } = qp;
  context.require(
    list.length <= 1 || context.attributes.capability.wrList === 1,
    'NOT_SUPPORTED',
    () => `${queue.kind} of QP ${qp.qpn}: expected one work request, got a list of ${list.length}`,
  );
  let posted = 0;
  try {
    for (const wr of list) {
      queue.push(wr.wrId, build(wr));
      posted++;
    }
  } catch (error) {
    queue.submit(posted);
    throw error instanceof VerbsError ? new PostError(error, posted, list[posted]!) : error;
  }
  queue.submit(posted);
  return posted;
}

/** States in which a send queue refuses work requests. */
const noSends: readonly number[] = [QpState.RESET, QpState.INIT, QpState.RTR];
const inlineable: readonly number[] = [
  WrOpcode.SEND,
  WrOpcode.SEND_WITH_IMM,
  WrOpcode.SEND_WITH_INV,
  WrOpcode.RDMA_WRITE,
  WrOpcode.RDMA_WRITE_WITH_IMM,
];

const atomics: readonly number[] = [WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD];
const ATOMIC_BYTES = 8;

function checkSend(qp: Qp, wr: SendWr): void {
  const { context, sq } = qp;
  const opcode = opcodeOf(wr);
  context.require(!noSends.includes(qp.state), 'INVALID_QP_STATE', () => `QP ${qp.qpn} does not send yet`);
  checkRoom(context, sq);
  context.require(
    offers(context, opcode),
    'INVALID_OPCODE',
    () => `send: expected an operation of RC, got ${wr.opcode}`,
  );
  context.require(
    !wr.fence || context.attributes.capability.fence === 1,
    'NOT_SUPPORTED',
    () => 'send: the device has no fence',
  );
  const { inlineData } = wr;
  if (inlineData) {
    context.require(
      inlineable.includes(opcode),
      'INVALID_SGL_FORMAT',
      () => `send: ${wr.opcode} has no inline data`,
    );
    context.require(
      inlineData.length <= sq.maxInline,
      'INVALID_SGL_LENGTH',
      () => `send: expected at most ${sq.maxInline} inline bytes, got ${inlineData.length}`,
    );
  } else {
    checkSgList(context, sq, wr.sgList ?? []);
  }
  if (atomics.includes(opcode)) checkAtomic(context, wr);
}

/** One segment takes the old value. */
function checkAtomic(context: Context, { opcode, atomic, sgList = [] }: SendWr): void {
  context.require(
    atomic !== undefined,
    'INVALID_ATTR_VALUE',
    () => `send: ${opcode} expected operands, got none`,
  );
  context.require(
    sgList.length === 1,
    'INVALID_SGL_FORMAT',
    () => `send: ${opcode} expected one segment, got ${sgList.length}`,
  );
  context.require(
    sgList[0]?.length === ATOMIC_BYTES,
    'INVALID_SGL_LENGTH',
    () => `send: ${opcode} expected a segment of ${ATOMIC_BYTES} bytes, got ${sgList[0]?.length}`,
  );
}

function checkRecv(qp: Qp, wr: RecvWr): void {
  const { context, rq } = qp;
  context.require(qp.state !== QpState.RESET, 'INVALID_QP_STATE', () => `QP ${qp.qpn} is in Reset`);
  checkRoom(context, rq);
  checkSgList(context, rq, wr.sgList ?? []);
}

function checkRoom(context: Context, queue: WorkQueue): void {
  context.require(
    !queue.full,
    'QUEUE_FULL',
    () => `${queue.kind} of QP ${queue.qpn}: all ${queue.ring.slots} slots are taken`,
  );
}

function checkSgList(context: Context, queue: WorkQueue, sgList: readonly Sge[]): void {
  context.require(
    sgList.length <= queue.maxSge && sgList.every(({ length }) => Number.isInteger(length) && length >= 0),
    'INVALID_SGL_FORMAT',
    () => `expected at most ${queue.maxSge} segments, got ${sgList.length}`,
  );
}

/** Whether service and device have the operation. */
function offers(context: Context, opcode: number): boolean {
  const { atomics, sendInv, mw, bmme } = context.attributes.capability;
  switch (opcode) {
    case WrOpcode.SEND:
    case WrOpcode.SEND_WITH_IMM:
    case WrOpcode.RDMA_WRITE:
    case WrOpcode.RDMA_WRITE_WITH_IMM:
    case WrOpcode.RDMA_READ:
      return true;
    case WrOpcode.ATOMIC_CMP_AND_SWP:
    case WrOpcode.ATOMIC_FETCH_AND_ADD:
      return atomics === 1;
    case WrOpcode.SEND_WITH_INV:
      return sendInv === 1;
    case WrOpcode.LOCAL_INV:
      return bmme === 1;
    case WrOpcode.BIND_MW:
      return mw === 1;
    default:
      return false;
  }
}
