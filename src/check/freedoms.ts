import type { Outlet } from './outlet.ts';
import { distance, older, within } from './psn.ts';
import type { RuleName } from './rules.ts';

/**
 * Where the standard or our contract leaves a choice. Each freedom is a function that the rules ask; the rule
 * that it loosens holds one step outside it.
 */
export interface Freedom {
  readonly clause: string;
  readonly text: string;
  /** What fails one step outside. */
  readonly guard: RuleName;
}

export const FREEDOMS = {
  'ack-coalescing': {
    clause: 'ch. 9: acknowledge',
    text: 'one ACK may answer all packets up to the newest one',
    guard: 'response-of-sent',
  },
  'ack-unasked-packet': {
    clause: 'ch. 9: acknowledge',
    text: 'a packet without AckReq may be acknowledged, once',
    guard: 'response-unasked',
  },
  'ack-by-response': {
    clause: 'ch. 9: acknowledge',
    text: 'a READ or atomic response, or a NAK, answers all packets before it',
    guard: 'owed-ack',
  },
  'ack-req-anywhere': {
    clause: 'ch. 9: requester',
    text: 'any request packet may ask for an acknowledge; a READ or atomic need not, it is answered anyway',
    guard: 'ack-req',
  },
  'msn-runs-ahead': {
    clause: 'ch. 9: MSN',
    text: 'MSN may count messages that came after the PSN of the response',
    guard: 'msn',
  },
  'duplicate-answer': {
    clause: 'ch. 9: duplicates',
    text: 'a duplicate SEND or WRITE without AckReq may be acknowledged, and several together',
    guard: 'response-unasked',
  },
  'queue-pairs-interleave': {
    clause: 'ch. 9: requester',
    text: 'packets of different queue pairs, and requests and responses of one, come in any order',
    guard: 'request-sequence',
  },
  'drain-after-error': {
    clause: 'contract: packets under way',
    text: 'packets that were under way when a queue pair stopped may leave within 4096 cycles of a link that takes them',
    guard: 'silent-after-error',
  },
  'length-fault-later': {
    clause: 'ch. 9: responder checks',
    text: 'a WRITE longer or shorter than its RETH may be refused at any of its packets, at the latest where it shows',
    guard: 'ack-of-invalid',
  },
  'under-way': {
    clause: 'contract: packets under way',
    text: 'requests that were under way when a NAK came go on for 4096 cycles of a link that takes them, and so may what was due before an ACK',
    guard: 'rnr-wait',
  },
  'acknowledged-is-skipped': {
    clause: 'ch. 9: retry',
    text: 'what was acknowledged after going back need not be sent again',
    guard: 'request-psn',
  },
  'answers-given-up': {
    clause: 'ch. 9: retry',
    text: 'who goes back may drop, with the requests that he gives up, the responses that come for them until he sends them again',
    guard: 'ack-timeout',
  },
  'ack-req-again': {
    clause: 'ch. 9: retry',
    text: 'a packet that is sent again may ask for an acknowledge where it did not before',
    guard: 'resent-same',
  },
  'late-nak': {
    clause: 'ch. 9: AETH syndromes',
    text: 'a gap that was filled before its NAK left may be NAKed or not',
    guard: 'nak-gap',
  },
  'duplicate-of-pending': {
    clause: 'ch. 9: duplicates',
    text: 'a READ or atomic that came again before its last response left may be answered once or twice',
    guard: 'response-unasked',
  },
  'duplicates-in-any-order': {
    clause: 'ch. 9: duplicates',
    text: 'READs and atomics that came again and wait together are answered in any order, each as a whole, but one that is begun and comes once more begins anew, and an older one may come before it then',
    guard: 'response-unasked',
  },
  'read-again-later': {
    clause: 'ch. 9: duplicates',
    text: 'a READ that came again may find other bytes when memory was written meanwhile',
    guard: 'read-again',
  },
  'fewer-credits': {
    clause: 'ch. 9: end-to-end credits',
    text: 'fewer credits may be told than there are receive WQEs',
    guard: 'credits-told',
  },
  'one-beyond-credits': {
    clause: 'ch. 9: end-to-end credits',
    text: 'one message may start beyond the credits heard',
    guard: 'credits-kept',
  },
} as const satisfies Record<string, Freedom>;

export type FreedomName = keyof typeof FREEDOMS;

/** ack-coalescing: how far an ACK may reach. */
export const ackMayReach = (psn: number, newest: number): boolean => distance(psn, newest) <= 0;

/** ack-req-anywhere: whether a packet must carry AckReq. */
export const mustAskForAck = (endsMessage: boolean, answeredAnyway: boolean): boolean =>
  endsMessage && !answeredAnyway;

/** Packets of a message up to one that must ask: the contract, not a freedom. */
export const ACK_INTERVAL = 16;

/** msn-runs-ahead: from the messages that the PSN covers, or told before, to all that came. */
export const msnIsPossible = (msn: number, covered: number, came: number): boolean =>
  within(msn, covered, came);

/** drain-after-error: whether a packet can have been under way. */
export const DRAIN_CYCLES = 4096;
export const mayBeUnderWay = (outlet: Outlet, cycle: number, stopped: number): boolean =>
  outlet.open(cycle) - outlet.open(stopped) <= DRAIN_CYCLES;

/** under-way: whether a packet that leaves now may have been sent without knowing what came in cycle `since`. */
export const UNDER_WAY_CYCLES = 4096;
export const canBeUnderWay = (outlet: Outlet, cycle: number, since: number): boolean =>
  outlet.open(cycle) - outlet.open(since) <= UNDER_WAY_CYCLES;

/** acknowledged-is-skipped: whether the queue pair may go on at `psn`. */
export const mayBeSkipped = (psn: number, oldest: number): boolean => distance(psn, oldest) <= 0;

/** duplicates-in-any-order: those of the waiting that may be answered next, when one of them, or what it came again of, is begun. */
export const mayBeNext = <T extends { of: { psn: number } }>(
  waiting: readonly T[],
  begun: T | undefined,
  of: T['of'] | undefined,
): readonly T[] => {
  if (of === undefined) return waiting;
  const anew = waiting.some((job) => job !== begun && job.of === of);
  return waiting.filter((job) => job === begun || (anew && (job.of === of || older(job.of.psn, of.psn))));
};

/** fewer-credits. */
export const creditsAreTrue = (told: number, unused: number): boolean => told <= unused;

/** one-beyond-credits: whether a message with that SSN may start. */
export const mayStart = (ssn: number, limit: number): boolean => distance(ssn, limit) <= 1;

/** In units of 10 us, by timer code (IBA vol. 1, ch. 9). */
const RNR_UNITS = [
  65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
  4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];

/** What a requester waits at least after an RNR NAK, `tick` being the cycles of 4.096 us: the contract, not a freedom. */
export const rnrCycles = (code: number, tick: number): number => RNR_UNITS[code]! * 2.5 * tick;
