import { DropReason, QpState, WcStatus } from '../spec/gen/enums.ts';
import { psnAdd } from '../wire/index.ts';
import type { Hca } from './hca.ts';
import type { Qp } from './qp.ts';
import { acknowledge, fail } from './retire.ts';
import { rnrDelay } from './rnr.ts';

/** No end of retries. */
const RNR_FOR_EVER = 7;

/** A NAK of sequence, or what stands for one: to its PSN, unless we have just gone back (9.7.5.1.3). */
export function retryAfterNak(hca: Hca, qp: Qp, psn: number, syndrome: number): void {
  acknowledge(hca, qp, psnAdd(psn, -1));
  if (qp.state === QpState.ERR) return;
  if (qp.recovering) {
    hca.counters.drop(DropReason.RESPONSE);
    return;
  }
  retry(hca, qp, psn, syndrome);
  qp.recovering = true;
}

/** The peer is silent: to the oldest packet that it has not acknowledged. */
export function timeOut(hca: Hca, qp: Qp): void {
  hca.counters.timeouts++;
  qp.recovering = false;
  retry(hca, qp, qp.oldestPsn, 0);
}

/** The peer has no receive WQE: to that PSN, but not before the time that it asks for (9.7.5.2.8). */
export function retryAfterRnr(hca: Hca, qp: Qp, psn: number, syndrome: number): void {
  if (qp.rnrUntil !== undefined) {
    hca.counters.drop(DropReason.RESPONSE);
    return;
  }
  acknowledge(hca, qp, psnAdd(psn, -1));
  if (qp.state === QpState.ERR) return;
  const { rnrRetry } = qp.context;
  const forEver = rnrRetry === RNR_FOR_EVER && hca.offers('retry');
  if (!forEver && qp.rnrRetries >= triesOf(hca, rnrRetry)) {
    fail(hca, qp, qp.messageAt(psn)!, WcStatus.RNR_RETRY_EXC_ERR, syndrome);
    return;
  }
  qp.rnrRetries++;
  hca.counters.rnrWaits++;
  goBack(hca, qp, psn);
  qp.recovering = true;
  qp.rnrUntil = hca.now + rnrDelay(syndrome, hca.registers.tick);
}

function retry(hca: Hca, qp: Qp, psn: number, syndrome: number): void {
  if (qp.retries >= triesOf(hca, qp.context.retryCount)) {
    fail(hca, qp, qp.messageAt(psn)!, WcStatus.RETRY_EXC_ERR, syndrome);
    return;
  }
  qp.retries++;
  hca.counters.retries++;
  goBack(hca, qp, psn);
}

const triesOf = (hca: Hca, count: number): number => (hca.offers('retry') ? count : 0);

/** From this PSN on everything that was started is sent again, read anew from memory. */
function goBack(hca: Hca, qp: Qp, psn: number): void {
  qp.sendPsn = psn;
  qp.timerFrom = hca.now;
  for (const message of qp.messages) message.stale = true;
}
