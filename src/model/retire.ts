import { EventType, QpState, WcStatus } from '../spec/gen/enums.ts';
import { psnDiff } from '../wire/index.ts';
import { Queue } from './completion.ts';
import { complete, enterError, wcOpcodeOf } from './error.ts';
import { asyncEvent } from './events.ts';
import type { Hca } from './hca.ts';
import { type Message, nextIndex, type Qp } from './qp.ts';

/** Everything up to `psn` is done at the peer; when that is news, all tries are given back. */
export function acknowledge(hca: Hca, qp: Qp, psn: number): void {
  if (psnDiff(psn, qp.oldestPsn) >= 0) {
    qp.ackedPsn = psn;
    if (psnDiff(qp.sendPsn, qp.oldestPsn) < 0) qp.sendPsn = qp.oldestPsn;
    qp.retries = 0;
    qp.rnrRetries = 0;
    qp.recovering = false;
    qp.timerFrom = hca.now;
  }
  retire(hca, qp);
}

/** Completes from the oldest on what is done, or known to have failed (10.8.5). */
export function retire(hca: Hca, qp: Qp): void {
  for (let oldest = qp.messages[0]; oldest; oldest = qp.messages[0]) {
    if (oldest.fault) {
      fail(hca, qp, oldest, oldest.fault.status, oldest.fault.vendor);
      return;
    }
    if (!isDone(qp, oldest)) return;
    const { wqe } = oldest;
    qp.messages.shift();
    qp.sqOldest = nextIndex(wqe.index);
    if (!wqe.header.signaled && !qp.context.sigAll) continue;
    const opcode = wcOpcodeOf(wqe.header.opcode);
    const good = complete(hca, qp, Queue.SEND, {
      opcode,
      status: WcStatus.SUCCESS,
      wqeIndex: wqe.index,
      byteLen: wqe.length,
      srcQpn: qp.context.destQpn,
      pkeyIndex: qp.context.pkeyIndex,
    });
    if (!good) return;
  }
  tellDrained(hca, qp);
}

/** Of a READ or an atomic only its own responses acknowledge anything. */
export const isDone = (qp: Qp, message: Message): boolean => psnDiff(message.lastPsn, qp.oldestPsn) < 0;

/** PSN of the next response that a READ or atomic needs. */
export const neededPsn = (qp: Qp, { firstPsn }: Message): number =>
  psnDiff(qp.oldestPsn, firstPsn) > 0 ? qp.oldestPsn : firstPsn;

/** Completes the oldest message in error; the queue pair goes to Error with it (table 93). */
export function fail(hca: Hca, qp: Qp, message: Message, status: WcStatus, vendor: number): void {
  if (qp.state === QpState.ERR) return; // an earlier completion found its CQ full
  qp.sqOldest = nextIndex(message.wqe.index);
  const opcode = wcOpcodeOf(message.wqe.header.opcode);
  complete(hca, qp, Queue.SEND, { opcode, status, vendor, wqeIndex: message.wqe.index });
  enterError(qp);
}

/** Once, and only if it was asked for when SQD was entered (11.6.3). */
export function tellDrained(hca: Hca, qp: Qp): void {
  if (!qp.drainNotify || qp.state !== QpState.SQD || !qp.drained) return;
  qp.drainNotify = false;
  asyncEvent(hca, EventType.SQ_DRAINED, qp.qpn);
}
