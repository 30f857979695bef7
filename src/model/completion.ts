import { EventType, WcStatus } from '../spec/gen/enums.ts';
import { CQE, type Cqe } from '../spec/gen/records.ts';
import { asyncEvent, writeEvent } from './events.ts';
import type { Hca } from './hca.ts';
import { Arm } from './queues.ts';

/** Which side of a queue pair completes. */
export const Queue = { SEND: 0, RECEIVE: 1 } as const;

/** Writes a completion; false when the CQ cannot take it, now or ever again (C10-144). */
export function writeCompletion(hca: Hca, cqn: number, cqe: Partial<Cqe>): boolean {
  const cq = hca.cqs.get(cqn);
  if (!cq || cq.error) return false;
  const address = cq.full ? undefined : cq.address(hca, CQE.bytes);
  if (address === undefined) {
    cq.error = true;
    asyncEvent(hca, EventType.CQ_ERROR, cqn);
    return false;
  }
  hca.dmaWrite(address, CQE.pack({ ...cqe, phase: cq.phase }));
  cq.advance();
  hca.counters.cqesWritten++;

  const failed = cqe.status !== WcStatus.SUCCESS;
  const solicited = failed || (cqe.queue === Queue.RECEIVE && cqe.solicited === 1);
  if (cq.armed === Arm.NEXT || (cq.armed === Arm.SOLICITED && solicited)) {
    cq.armed = Arm.NONE;
    writeEvent(hca, cq.eqn, EventType.COMPLETION, cqn);
  }
  return true;
}
