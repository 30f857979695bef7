import { AethClass, NakSyndrome } from '../spec/gen/enums.ts';
import type { Aeth } from '../spec/gen/records.ts';
import { psnAdd, psnDiff } from '../wire/index.ts';
import type { Hca } from './hca.ts';
import type { Qp } from './qp.ts';

/** Credits by their code (table 44). */
const CREDITS: readonly number[] = [
  0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
  6144, 8192, 12288, 16384, 24576, 32768,
];

export const classOf = (syndrome: number): number => syndrome >> 5;

/** What an acknowledge tells of the receive queue: never more than there is (9.7.7.2). */
export function creditSyndrome(hca: Hca, qp: Qp): number {
  if (!hca.offers('credits')) return NakSyndrome.ACK_NO_CREDITS;
  const unused = (qp.rqProducer - qp.rqConsumer) & 0xffff;
  return CREDITS.findLastIndex((credits) => credits <= unused);
}

/** Takes note of what an acknowledge tells. */
export function hearCredits(qp: Qp, aeth: Aeth | undefined): void {
  if (!aeth || classOf(aeth.syndrome) !== AethClass.ACK) return;
  const credits = CREDITS[aeth.syndrome];
  if (credits === undefined) {
    qp.unlimited = true;
    return;
  }
  const limit = psnAdd(aeth.msn, credits);
  if (psnDiff(limit, qp.lsn) > 0) qp.lsn = limit;
}

/** May a message that takes a receive WQE start? One may always ask: the answer tells the credits. */
export const hasCredit = (hca: Hca, qp: Qp): boolean =>
  !hca.offers('credits') || qp.unlimited || psnDiff(qp.ssn, qp.lsn) <= 0;
