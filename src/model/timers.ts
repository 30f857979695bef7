import { QpState } from '../spec/gen/enums.ts';
import type { Hca } from './hca.ts';
import type { Qp } from './qp.ts';
import { timeOut } from './retry.ts';

/** The cycle at which a queue pair does something by itself, if any (9.7.6.1.3, 9.7.5.2.8). */
function deadlineOf(hca: Hca, qp: Qp): number | undefined {
  if (!hca.offers('retry') || (qp.state !== QpState.RTS && qp.state !== QpState.SQD)) return undefined;
  if (qp.rnrUntil !== undefined) return qp.rnrUntil;
  if (qp.context.ackTimeout === 0 || !qp.isOutstanding(qp.oldestPsn)) return undefined;
  return qp.timerFrom + hca.registers.tick * 2 ** qp.context.ackTimeout;
}

/** The next cycle at which any queue pair does. */
export function nextDeadline(hca: Hca): number | undefined {
  let next: number | undefined;
  for (const qp of hca.qps.values()) {
    const deadline = deadlineOf(hca, qp);
    if (deadline !== undefined && !(next !== undefined && next <= deadline)) next = deadline;
  }
  return next;
}

/** It is that late; what comes now is heard before any time-out. */
export function arrive(hca: Hca, cycle: number): void {
  hca.now = Math.max(hca.now, cycle);
}

/** Time has passed: what was to happen by now happens. */
export function advance(hca: Hca, cycle: number): void {
  arrive(hca, cycle);
  for (const qp of hca.qps.values()) {
    const deadline = deadlineOf(hca, qp);
    if (deadline === undefined || deadline > hca.now) continue;
    if (qp.rnrUntil === undefined) timeOut(hca, qp);
    else {
      qp.rnrUntil = undefined;
      qp.timerFrom = hca.now;
    }
  }
}
