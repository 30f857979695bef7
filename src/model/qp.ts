import { QpState, type WcStatus } from '../spec/gen/enums.ts';
import { QP_ATTRIBUTE_FIELDS } from '../spec/gen/qp.ts';
import { QPC, type Qpc } from '../spec/gen/records.ts';
import { mtuBytesOf, psnAdd, psnDiff } from '../wire/index.ts';
import type { SegmentCursor } from './segments.ts';
import type { WorkRing, Wqe } from './wqe.ts';

/** A message of the send queue from the start of its WQE to its completion. */
export interface Message {
  wqe: Wqe;
  kind: 'send' | 'write' | 'read' | 'atomic';
  firstPsn: number;
  lastPsn: number;
  /** PSNs that it takes; none if it is never sent. */
  packets: number;
  cursor: SegmentCursor;
  /** Gone back to or before: its WQE is read again before anything of it is sent again. */
  stale: boolean;
  /** PSNs from which a READ was asked for: there its responses may begin. */
  askedFrom: Set<number>;
  /** Found by ourselves: it completes with this once everything before it has completed. */
  fault?: { status: WcStatus; vendor: number };
}

/** READs and atomics end with data of the peer. */
export const isAnswered = (kind: Message['kind']): boolean => kind === 'read' || kind === 'atomic';

/** The message that the responder is receiving. */
export interface Incoming {
  kind: 'send' | 'write';
  /** WRITE: where the next byte goes, and how many are to come. */
  va: bigint;
  rkey: number;
  rest: number;
  length: number;
  /** The host has refused some of its data. */
  lost: boolean;
  /** The receive WQE in use, if it has taken one. */
  receive?: { wqe: Wqe; cursor: SegmentCursor };
}

/** A READ or atomic that was executed, to be answered again. */
export type Remembered =
  | { kind: 'read'; psn: number; packets: number; va: bigint; rkey: number; length: number }
  | { kind: 'atomic'; psn: number; packets: 1; opcode: number; original: bigint };

/** What the responder owes, in PSN order. `again`: a duplicate asked for it. */
export type Response =
  | { kind: 'ack'; psn: number; msn: number }
  | { kind: 'nak'; psn: number; msn: number; syndrome: number }
  | { kind: 'atomic'; psn: number; msn: number; original: bigint; again: boolean }
  | {
      kind: 'read';
      psn: number;
      msn: number;
      va: bigint;
      rkey: number;
      length: number;
      sent: number;
      packets: number;
      again: boolean;
    };

const ATTRIBUTES = Object.values(QP_ATTRIBUTE_FIELDS).flat() as (keyof Qpc)[];
const NO_ATTRIBUTES = QPC.unpack(new Uint8Array(QPC.bytes));

/** A queue pair that the device owns. */
export class Qp {
  /** As CREATE_QP and MODIFY_QP left it; `state` follows errors too. */
  context: Qpc;

  // Doorbells.
  sqProducer = 0;
  rqProducer = 0;

  // Requester: indices are modulo 2^16, PSNs and the SSN modulo 2^24.
  sqNext = 0;
  ssn = 0;
  nextPsn = 0; // of the next new message
  sendPsn = 0; // of the next packet, new or again
  sentPsn = 0; // nothing from here on has ever been sent
  ackedPsn = 0xff_ffff; // newest that the peer has acknowledged
  sqOldest = 0;
  /** Read from the ring, not started yet. */
  fetched: Wqe | undefined;
  /** Oldest first. */
  messages: Message[] = [];
  /** Tries taken since the last progress. */
  retries = 0;
  rnrRetries = 0;
  /** Gone back by a NAK, and no progress since: another says nothing new. */
  recovering = false;
  /** Cycle from which the ACK time-out counts. */
  timerFrom = 0;
  /** Until then no request is sent, for the peer had no receive WQE. */
  rnrUntil: number | undefined;
  /** Largest MSN and credits heard; no limit once a peer has told none. */
  lsn = 0;
  unlimited = false;
  /** An event is wanted when the send queue has drained in SQD. */
  drainNotify = false;

  // Responder.
  epsn = 0;
  msn = 0;
  rqConsumer = 0;
  /** A NAK of sequence or an RNR NAK stands: no other until the expected PSN comes. */
  nakStands = false;
  commEstablished = false;
  incoming: Incoming | undefined;
  responses: Response[] = [];
  /** Newest last, as many as there are responder resources. */
  remembered: Remembered[] = [];

  /** In Reset, as the entry of the table says: it has no attributes from now on. */
  constructor(
    readonly qpn: number,
    entry: Uint8Array,
  ) {
    for (const field of ATTRIBUTES) QPC.set(entry, field, NO_ATTRIBUTES[field]);
    QPC.set(entry, 'state', QpState.RESET);
    this.context = QPC.unpack(entry);
  }

  get state(): QpState {
    return this.context.state as QpState;
  }

  get mtuBytes(): number {
    return mtuBytesOf(this.context.pathMtu);
  }

  get sendRing(): WorkRing {
    const { sqMtt, sqLogSize, sqLogStride } = this.context;
    return { kind: 'send', mtt: sqMtt, logSize: sqLogSize, logStride: sqLogStride };
  }

  get receiveRing(): WorkRing {
    const { rqMtt, rqLogSize, rqLogStride } = this.context;
    return { kind: 'receive', mtt: rqMtt, logSize: rqLogSize, logStride: rqLogStride };
  }

  /** Work requests are forgotten without completions (10.3.1), attributes are what they were at first (C10-21). */
  reset(entry: Uint8Array): void {
    Object.assign(this, new Qp(this.qpn, entry));
  }

  startResponder(psn: number): void {
    this.epsn = psn;
    this.msn = 0;
    this.nakStands = false;
    this.commEstablished = false;
  }

  startRequester(psn: number): void {
    this.nextPsn = psn;
    this.sendPsn = psn;
    this.sentPsn = psn;
    this.ackedPsn = psnAdd(psn, -1);
    this.ssn = 0;
    this.lsn = 0;
    this.unlimited = false;
  }

  /** Sending and receiving stop; what the responder owes can still be sent. */
  stop(): void {
    this.messages = [];
    this.fetched = undefined;
    this.rnrUntil = undefined;
    this.drainNotify = false;
    // A receive WQE in use is flushed with the others.
    if (this.incoming?.receive) this.rqConsumer = this.incoming.receive.wqe.index;
    this.incoming = undefined;
  }

  /** What QUERY_QP tells. */
  snapshot(): Qpc {
    const { sqProducer, rqProducer, ssn, sqNext, sqOldest, epsn, msn, rqConsumer } = this;
    const counts = { sqProducer, rqProducer, ssn, sqNext, sqOldest, epsn, msn, rqConsumer };
    return { ...this.context, ...counts, sqNextPsn: this.nextPsn, sqAckedPsn: this.ackedPsn };
  }

  /** PSN of the oldest packet that the peer has not acknowledged. */
  get oldestPsn(): number {
    return psnAdd(this.ackedPsn, 1);
  }

  /** Was the packet of this PSN sent, and is not acknowledged? */
  isOutstanding(psn: number): boolean {
    return psnDiff(psn, this.oldestPsn) >= 0 && psnDiff(psn, this.sentPsn) < 0;
  }

  /** The started message that a PSN belongs to. */
  messageAt(psn: number): Message | undefined {
    return this.messages.find(
      ({ packets, firstPsn, lastPsn }) =>
        packets > 0 && psnDiff(psn, firstPsn) >= 0 && psnDiff(psn, lastPsn) <= 0,
    );
  }

  /** Has every message that was started also completed? */
  get drained(): boolean {
    return this.messages.length === 0;
  }
}

export const nextIndex = (index: number): number => (index + 1) & 0xffff;
