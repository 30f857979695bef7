import { EventType, QpState, WcOpcode, WcStatus, WrOpcode } from '../spec/gen/enums.ts';
import type { Cqe } from '../spec/gen/records.ts';
import { Queue, writeCompletion } from './completion.ts';
import { asyncEvent } from './events.ts';
import type { Hca } from './hca.ts';
import { nextIndex, type Qp } from './qp.ts';

const WC_OPCODES: Readonly<Record<number, WcOpcode>> = {
  [WrOpcode.SEND]: WcOpcode.SEND,
  [WrOpcode.SEND_WITH_IMM]: WcOpcode.SEND,
  [WrOpcode.RDMA_WRITE]: WcOpcode.RDMA_WRITE,
  [WrOpcode.RDMA_WRITE_WITH_IMM]: WcOpcode.RDMA_WRITE,
  [WrOpcode.RDMA_READ]: WcOpcode.RDMA_READ,
  [WrOpcode.ATOMIC_CMP_AND_SWP]: WcOpcode.COMP_SWAP,
  [WrOpcode.ATOMIC_FETCH_AND_ADD]: WcOpcode.FETCH_ADD,
};

/** The completion's opcode of a send WQE; one that makes no sense counts as a SEND. */
export const wcOpcodeOf = (wrOpcode: number): WcOpcode => WC_OPCODES[wrOpcode] ?? WcOpcode.SEND;

/** Completes a WQE of a queue; a CQ that cannot take it ends the queue pair (C10-144). */
export function complete(hca: Hca, qp: Qp, queue: 0 | 1, cqe: Partial<Cqe>): boolean {
  const cqn = queue === Queue.SEND ? qp.context.sendCqn : qp.context.recvCqn;
  if (writeCompletion(hca, cqn, { ...cqe, qpn: qp.qpn, queue })) return true;
  if (qp.state !== QpState.ERR) failQp(hca, qp, EventType.QP_FATAL);
  return false;
}

/** The queue pair stops; what is outstanding and posted is flushed from now on (10.3.1, C10-42). */
export function enterError(qp: Qp): void {
  qp.context.state = QpState.ERR;
  qp.stop();
}

/** An error that no work request reports (11.6.3). */
export function failQp(hca: Hca, qp: Qp, event: EventType): void {
  enterError(qp);
  asyncEvent(hca, event, qp.qpn);
}

/** Flushes both queues in order, reading no WQE: so a send is reported as a SEND whatever it was. */
export function flush(hca: Hca, qp: Qp): void {
  const status = WcStatus.WR_FLUSH_ERR;
  for (; qp.sqOldest !== qp.sqProducer; qp.sqOldest = nextIndex(qp.sqOldest))
    complete(hca, qp, Queue.SEND, { opcode: WcOpcode.SEND, status, wqeIndex: qp.sqOldest });
  qp.sqNext = qp.sqOldest;
  for (; qp.rqConsumer !== qp.rqProducer; qp.rqConsumer = nextIndex(qp.rqConsumer))
    complete(hca, qp, Queue.RECEIVE, { opcode: WcOpcode.RECV, status, wqeIndex: qp.rqConsumer });
}
