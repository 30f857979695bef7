import { EventType, WcStatus } from '../spec/gen/enums.ts';
import { CQE, type Cqe } from '../spec/gen/records.ts';
import { asyncEvent, writeEvent } from './events.ts';
import type { Hca } from './hca.ts';
import { Arm, type Cq } from './queues.ts';

/** Which side of a queue pair completes. */
export const Queue = { SEND: 0, RECEIVE: 1 } as const;

/** Writes a completion; false when the CQ cannot take it, now or ever again (C10-144). */
export function writeCompletion(hca: Hca, cqn: number, cqe: Partial<Cqe>): boolean {
  const cq = hca.cqs.get(cqn);
  if (!cq || cq.error) return false;
  const address = cq.full ? undefined : cq.address(hca, CQE.bytes);
  if (address === undefined) {
    cqError(hca, cq);
    return false;
  }
  if (!hca.dmaWrite(address, CQE.pack({ ...cqe, phase: cq.phase }))) {
    cqError(hca, cq);
    return false;
  }
  cq.advance();
  hca.counters.cqesWritten++;

  const failed = cqe.status !== WcStatus.SUCCESS;
  if (failed && cqe.status !== WcStatus.WR_FLUSH_ERR) {
    const { qpn = 0, queue = 0, status = 0, vendor = 0 } = cqe;
    hca.health.lastError = { qpn, queue, status, vendor };
  }
  const solicited = failed || (cqe.queue === Queue.RECEIVE && cqe.solicited === 1);
  if (cq.armed === Arm.NEXT || (cq.armed === Arm.SOLICITED && solicited)) {
    cq.armed = Arm.NONE;
    writeEvent(hca, cq.eqn, EventType.COMPLETION, cqn);
  }
  return true;
}

/** From here on it writes nothing (11.6.3). */
function cqError(hca: Hca, cq: Cq): void {
  cq.error = true;
  asyncEvent(hca, EventType.CQ_ERROR, cq.number);
}
