import { hex } from './bytes.ts';
import type { End } from './connection.ts';
import { creditsOf, UNLIMITED } from './credits.ts';
import { wrongPayload } from './format.ts';
import { ACK_INTERVAL, mayBeSkipped, mayStart, mustAskForAck } from './freedoms.ts';
import { endsReceive } from './opcodes.ts';
import type { Outlet } from './outlet.ts';
import type { Packet } from './packet.ts';
import { ahead, newer, older, wrap } from './psn.ts';
import { type Reach, reachOf } from './reach.ts';
import { SentPackets } from './resent.ts';
import { Retries } from './retries.ts';
import type { Report } from './rules.ts';
import { ACK, isDefined, isFatal, kindOf, RNR_NAK } from './syndrome.ts';
import type { Transport } from './transport.ts';

export const MAX_MESSAGE = 2 ** 31;
const MAX_OUTSTANDING = 2 ** 23;

/** A message that has begun and not ended. */
export interface OpenMessage {
  family: 'SEND' | 'WRITE';
  bytes: number;
  /** Of the RETH. */
  length: number;
  /** Packets since the last one with AckReq. */
  sinceAsked: number;
}

/** PSNs that a request packet takes: a READ one for each response. */
export const psnsOf = (packet: Transport, mtuBytes: number): number =>
  packet.operation?.family === 'READ' && packet.reth
    ? Math.max(1, Math.ceil(packet.reth.dmaLen / mtuBytes))
    : 1;

/** Whether a packet may follow within a message, or begin one. */
export function follows(open: OpenMessage | undefined, packet: Transport): boolean {
  const { family, position } = packet.operation!;
  const begins = position === 'first' || position === 'only';
  return open ? !begins && family === open.family : begins;
}

/** Rules for the requests that one end sends, by the responses that reached it. */
export class RequestRules {
  readonly #end: End;
  readonly #retries: Retries;
  readonly #sent: SentPackets;
  /** PSN of the next packet that is new. */
  #next: number;
  /** PSN of the next packet, behind `#next` after going back. */
  #cursor: number;
  #open: OpenMessage | undefined;
  /** Messages without their answer: the last PSN of each, and whether it counts for the depth. */
  #pending: { last: number; read: boolean }[] = [];
  /** Messages started. */
  #ssn = 0;
  /** Of the newest message: the limit when it began. */
  #limit = 0;
  /** The largest MSN and credits heard. */
  #lsn = 0;
  #unlimited = false;
  #disturbed = false;
  /** Payload of responses that were needed. */
  placed = 0;

  constructor(end: End, outlet: Outlet) {
    this.#end = end;
    this.#next = end.sqPsn;
    this.#cursor = end.sqPsn;
    this.#retries = new Retries(end, outlet, end.sqPsn);
    this.#sent = new SentPackets(end.mtuBytes);
  }

  sent(packet: Packet, cycle: number, report: Report): void {
    const { bth, operation, reth } = packet;
    if (!operation) return;
    const isNew = this.#place(packet, cycle, report);
    const last = wrap(bth.psn + psnsOf(packet, this.#end.mtuBytes) - 1);
    this.#cursor = isNew ? wrap(last + 1) : wrap(this.#sent.lastOf(bth.psn) + 1);

    const wrong = wrongPayload(packet, this.#end.mtuBytes);
    if (wrong) report('payload-size', wrong.expected, wrong.found);
    if (reth && reth.dmaLen > MAX_MESSAGE) report('reth-max', `at most ${MAX_MESSAGE}`, reth.dmaLen);
    const ends = operation.position === 'last' || operation.position === 'only';
    const answeredAnyway = operation.family === 'READ' || operation.family === 'ATOMIC';
    const asks = !mustAskForAck(ends, answeredAnyway) || bth.ackReq;
    if (!isNew) {
      this.#sent.compare(packet, report);
      if (!asks) report('ack-req', 1, 0);
      return;
    }
    if (this.#next === this.#retries.oldest) this.#retries.starts(cycle);
    this.#next = this.#cursor;
    this.#sent.add(packet, bth.psn, last);
    this.#sequence(packet, report);
    this.#flow(packet, report);
    if (!asks) report('ack-req', 1, 0);
    this.#outstanding(last, ends, answeredAnyway, report);
  }

  /** Whether the packet is a new one; otherwise it goes back, or goes on after that. */
  #place({ bth: { psn }, operation }: Packet, cycle: number, report: Report): boolean {
    const { oldest } = this.#retries;
    this.#sent.forget((last) => older(last, this.#cursor) && this.#retries.isPast(last, cycle));
    if (psn === this.#cursor) this.#retries.continues(psn, cycle, report);
    else if (!this.#end.retry || newer(psn, this.#next)) {
      report('request-psn', hex(this.#cursor, 6), hex(psn, 6));
      return true;
    } else if (older(psn, this.#cursor)) this.#retries.goesBack(psn, cycle, report);
    else if (!mayBeSkipped(psn, oldest)) report('request-psn', hex(this.#cursor, 6), hex(psn, 6));
    if (psn === this.#next) return true;
    if (operation!.family === 'READ' && this.#retries.isPast(psn, cycle)) {
      report('resent-read', `from PSN ${hex(oldest, 6)} on`, hex(psn, 6));
    }
    return false;
  }

  #sequence(packet: Packet, report: Report): void {
    const { operation, reth, payloadBytes, bth } = packet;
    const { family, position, name } = operation!;
    if (!follows(this.#open, packet)) {
      const expected = this.#open ? `more of a ${this.#open.family}` : 'the begin of a message';
      report('request-sequence', expected, name);
      if (position === 'middle' || position === 'last') {
        this.#open = undefined;
        return;
      }
    }
    if (position === 'first' || position === 'only') this.#open = undefined;
    if (family !== 'SEND' && family !== 'WRITE') return;
    const open = this.#open ?? { family, bytes: 0, length: reth?.dmaLen ?? 0, sinceAsked: 0 };
    open.bytes += payloadBytes;
    open.sinceAsked = bth.ackReq ? 0 : open.sinceAsked + 1;
    if (open.sinceAsked >= ACK_INTERVAL) {
      report('ack-interval', `at most ${ACK_INTERVAL - 1} packets`, open.sinceAsked);
      open.sinceAsked = 0;
    }
    const ends = position === 'last' || position === 'only';
    if (family === 'WRITE' && (open.bytes > open.length || (ends && open.bytes < open.length))) {
      report('request-length', `${open.length} bytes`, open.bytes);
    }
    this.#open = ends ? undefined : open;
  }

  /** Messages that take a receive WQE keep to the credits heard when they began. */
  #flow({ operation }: Packet, report: Report): void {
    const { family, position } = operation!;
    const begins = position === 'first' || position === 'only';
    if (begins) {
      this.#ssn = wrap(this.#ssn + 1);
      this.#limit = this.#lsn;
    }
    const judged = family === 'SEND' ? begins : endsReceive(operation!);
    if (!judged || !this.#end.credits || this.#unlimited || this.#disturbed) return;
    if (!mayStart(this.#ssn, this.#limit)) {
      report('credits-kept', `at most SSN ${wrap(this.#limit + 1)}`, `SSN ${this.#ssn}`);
    }
  }

  #outstanding(last: number, ends: boolean, read: boolean, report: Report): void {
    if (ends) this.#pending.push({ last, read });
    if (this.#disturbed) return;
    const { maxRdAtomic, maxInflight } = this.#end;
    const reads = this.#pending.filter((message) => message.read).length;
    if (read && reads > maxRdAtomic) report('read-depth', `at most ${maxRdAtomic}`, reads);
    const messages = this.#pending.length + (ends ? 0 : 1);
    if (maxInflight !== undefined && messages > maxInflight) {
      report('inflight', `at most ${maxInflight}`, messages);
    }
    const psns = ahead(this.#next, this.#retries.oldest);
    if (psns > MAX_OUTSTANDING) report('psn-window', `at most ${MAX_OUTSTANDING}`, psns);
  }

  /** A response has reached this end; false: it ends the queue pair. */
  heard(packet: Packet, cycle: number): boolean {
    const { bth, aeth } = packet;
    const { psn } = bth;
    const syndrome = aeth?.syndrome ?? 0;
    if (!isDefined(syndrome)) return true;
    if (aeth && kindOf(syndrome) === ACK) this.#hearCredits(aeth.msn, syndrome);
    const { oldest, behind } = this.#retries;
    if (behind !== undefined) {
      const reached = this.#reach(packet, behind);
      if (reached) this.#retries.progressBehind(reached, cycle);
    }
    const reached = this.#reach(packet, oldest);
    if (!reached) return true;
    // What it answers before it, and what it brings, are two steps: who goes back may have use for the first alone.
    if (reached.kind === 'data') {
      this.#answered(psn, cycle);
      this.placed += packet.atomicAck ? 8 : packet.payloadBytes;
    }
    this.#answered(reached.psn, cycle);
    if (reached.kind === 'lost') return this.#retries.nak(cycle);
    if (reached.kind !== 'nak') return true;
    if (isFatal(syndrome)) return false;
    return kindOf(syndrome) === RNR_NAK
      ? this.#retries.rnr(syndrome & 0x1f, cycle)
      : this.#retries.nak(cycle);
  }

  #reach(packet: Packet, oldest: number): Reach | undefined {
    const { psn } = packet.bth;
    if (older(psn, oldest) || !older(psn, this.#next)) return undefined;
    return reachOf(packet, oldest, this.#sent.waiting(oldest));
  }

  /** Everything before `psn` is answered. */
  #answered(psn: number, cycle: number): void {
    this.#retries.progress(psn, cycle);
    while (this.#pending[0] && older(this.#pending[0].last, this.#retries.oldest)) this.#pending.shift();
  }

  #hearCredits(msn: number, code: number): void {
    if (code === UNLIMITED) this.#unlimited = true;
    const lsn = wrap(msn + (creditsOf(code) ?? 0));
    if (newer(lsn, this.#lsn)) this.#lsn = lsn;
  }

  /** A response that the peer did not send has come: what is outstanding is not known any more. */
  disturb(): void {
    this.#disturbed = true;
  }

  /** The message that is not finished. */
  get unfinished(): string | undefined {
    return this.#open && `${this.#open.family} of ${this.#open.bytes} bytes so far`;
  }

  /** PSNs that were sent and not acknowledged, when they would be sent again. */
  get unanswered(): string | undefined {
    const { oldest } = this.#retries;
    if (!this.#end.retry?.ackTimeout || oldest === this.#next) return undefined;
    return `PSN ${hex(oldest, 6)} to ${hex(wrap(this.#next - 1), 6)} not acknowledged`;
  }
}
