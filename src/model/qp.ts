import { QpState, type WcStatus } from '../spec/gen/enums.ts';
import { QPC, type Qpc } from '../spec/gen/records.ts';
import { mtuBytesOf, psnAdd } from '../wire/index.ts';
import type { SegmentCursor } from './segments.ts';
import type { WorkRing, Wqe } from './wqe.ts';

/** A message of the send queue from the start of its WQE to its completion. */
export interface Message {
  wqe: Wqe;
  kind: 'send' | 'write' | 'read';
  firstPsn: number;
  lastPsn: number;
  packets: number;
  /** Packets that have left; a READ is sent by one. */
  sent: number;
  cursor: SegmentCursor;
  /** A READ whose data has all been written. */
  readDone: boolean;
  /** Found by ourselves: it completes with this once everything before it has completed. */
  fault?: { status: WcStatus; vendor: number };
}

/** The message that the responder is receiving. */
export interface Incoming {
  kind: 'send' | 'write';
  /** WRITE: where the next byte goes, and how many are to come. */
  va: bigint;
  rkey: number;
  rest: number;
  length: number;
  /** The receive WQE in use, if it has taken one. */
  receive?: { wqe: Wqe; cursor: SegmentCursor };
}

/** What the responder owes, in PSN order. */
export type Response =
  | { kind: 'ack'; psn: number; msn: number; syndrome: number }
  | {
      kind: 'read';
      psn: number;
      msn: number;
      va: bigint;
      rkey: number;
      length: number;
      sent: number;
      packets: number;
    };

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
  sentPsn = 0; // of the next packet: nothing from here on has been sent
  ackedPsn = 0xff_ffff; // newest that the peer has acknowledged
  sqOldest = 0;
  /** Read from the ring, not started yet. */
  fetched: Wqe | undefined;
  /** Oldest first. */
  messages: Message[] = [];

  // Responder.
  epsn = 0;
  msn = 0;
  rqConsumer = 0;
  /** A NAK of sequence or an RNR NAK stands: no other until the expected PSN comes. */
  nakStands = false;
  commEstablished = false;
  incoming: Incoming | undefined;
  responses: Response[] = [];

  constructor(
    readonly qpn: number,
    entry: Uint8Array,
  ) {
    this.context = { ...QPC.unpack(entry), state: QpState.RESET };
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

  /** Work requests are forgotten without completions (10.3.1). */
  reset(): void {
    Object.assign(this, new Qp(this.qpn, QPC.pack(this.context)));
  }

  startResponder(psn: number): void {
    this.epsn = psn;
    this.msn = 0;
    this.nakStands = false;
    this.commEstablished = false;
  }

  startRequester(psn: number): void {
    this.nextPsn = psn;
    this.sentPsn = psn;
    this.ackedPsn = psnAdd(psn, -1);
    this.ssn = 0;
  }

  /** Sending and receiving stop; what the responder owes can still be sent. */
  stop(): void {
    this.messages = [];
    this.fetched = undefined;
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

  /** Has every message that was started also completed? */
  get drained(): boolean {
    return this.messages.length === 0;
  }
}

export const nextIndex = (index: number): number => (index + 1) & 0xffff;
