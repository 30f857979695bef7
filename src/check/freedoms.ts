import { distance, within } from './psn.ts';
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
    text: 'packets that were under way when a queue pair stopped may leave within 4096 cycles',
    guard: 'silent-after-error',
  },
  'length-fault-later': {
    clause: 'ch. 9: responder checks',
    text: 'a WRITE longer or shorter than its RETH may be refused at any of its packets, at the latest where it shows',
    guard: 'ack-of-invalid',
  },
  'rnr-longer': {
    clause: 'ch. 9: RNR NAK timer',
    text: 'an RNR NAK may ask to wait longer than the queue pair says',
    guard: 'rnr-timer',
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
export const mayBeUnderWay = (cycle: number, stopped: number): boolean => cycle <= stopped + DRAIN_CYCLES;

/** In units of 10 us, by timer code (IBA vol. 1, ch. 9). */
const RNR_UNITS = [
  65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
  4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];

/** rnr-longer: whether a timer code waits at least as long as the queue pair says. */
export const rnrLongEnough = (code: number, minimum: number): boolean =>
  RNR_UNITS[code]! >= RNR_UNITS[minimum]!;
