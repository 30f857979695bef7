import { hex } from './bytes.ts';
import { wrongPayload } from './format.ts';
import type { Frame } from './frame.ts';
import type { Operation } from './opcodes.ts';
import { ahead, distance, older, within, wrap } from './psn.ts';
import { follows, MAX_MESSAGE, type OpenMessage, psnsOf } from './requests.ts';
import { differenceOf, type Likeness, likenessOf } from './trace-likeness.ts';
import type { Place, TraceReport } from './trace-rules.ts';
import { describe } from './transport.ts';

/** A request packet that was seen. */
export interface Asked {
  psn: number;
  /** Last of its PSNs. */
  last: number;
  operation: Operation;
  reth: Frame['reth'];
  ieth: Frame['ieth'];
  likeness: Likeness | undefined;
  /** Messages ended up to and with it. */
  messages: number;
  ends: boolean;
  /** PSNs at which it was asked for again, and the first. */
  starts: number[];
  /** What an atomic found. */
  original: bigint | undefined;
}

/** PSNs that the capture does not show. */
interface Gap {
  /** The first that is still missing, and the first behind them. */
  from: number;
  to: number;
  /** The packet behind it. */
  place: Place;
}

export interface RequestCounts {
  messages: number;
  retransmissions: number;
}

const MOST_KEPT = 512;
const MOST_GAPS = 16;
const MOST_BYTES_PER_PSN = 256;
/** A jump so far that no loss explains it, unless a READ of that size was lost. */
const FAR = 2 ** 16;

/** The requests of one stream, as far as a capture lets them be judged. */
export class TraceRequests {
  readonly #mtuBytes: number | undefined;
  readonly #kept = new Map<number, Asked>();
  readonly #reads: Asked[] = [];
  readonly counts: RequestCounts = { messages: 0, retransmissions: 0 };
  readonly gaps: Gap[] = [];
  /** Packets at which the connection began anew. */
  readonly begins: number[] = [];
  /** PSN of the first packet that was seen, and of the next new one. */
  first: number | undefined;
  next = 0;
  /** A READ of which it is not known how many PSNs it takes: so many may follow `next`. */
  slack = 0;
  /** Up to where all is answered. */
  answered: number | undefined;
  /** After a NAK that ends the queue pair. */
  dead = false;
  #open: OpenMessage | undefined | 'unknown' = 'unknown';
  /** Messages ended since the first packet or the last begin. */
  messages = 0;
  #unanswered = 0;
  /** A packet that may be the first of a new connection, and messages since. */
  #anew: { place: Place; messages: number; next: number } | undefined;

  constructor(mtuBytes: number | undefined) {
    this.#mtuBytes = mtuBytes;
  }

  /** `doubtful`: its CRC is wrong, so it may say anything. */
  sent(frame: Frame, packet: number, doubtful: boolean, report: TraceReport): void {
    const { bth, operation } = frame;
    if (!operation) return;
    const { psn } = bth;
    if (this.first === undefined) {
      if (doubtful) return;
      this.first = psn;
      this.next = psn;
    }
    const d = distance(psn, this.next);
    if (d >= 0 && d <= this.slack) this.#continue(frame, doubtful, report);
    else if (doubtful) return;
    else if (d < 0) this.#back(frame, operation, packet, report);
    else if (beginsMessage(operation) && d > FAR && this.#mayBeAnew()) this.#beginAnew(frame, packet, report);
    else this.#jump(frame, packet, report);
  }

  /** A new packet, where the last one ended. */
  #continue(frame: Frame, doubtful: boolean, report: TraceReport): void {
    const { operation, bth, reth } = frame;
    const { psn } = bth;
    const last = this.#reads.at(-1);
    if (this.slack > 0 && last) last.last = wrap(psn - 1);
    this.slack = 0;
    this.#keep(frame, doubtful);
    if (doubtful) {
      this.#open = 'unknown';
      return;
    }
    const wrong = wrongPayload(frame, this.#mtuBytes ?? Number.POSITIVE_INFINITY);
    if (wrong && this.#mtuBytes !== undefined) report('payload-size', wrong.expected, wrong.found);
    if (reth && reth.dmaLen > MAX_MESSAGE) report('reth-max', `at most ${MAX_MESSAGE}`, reth.dmaLen);
    this.#sequence(frame, operation!, report);
  }

  #keep(frame: Frame, doubtful: boolean): Asked {
    const { operation, bth, reth, ieth } = frame;
    const { psn } = bth;
    const ends = endsMessage(operation!);
    if (ends) {
      this.messages++;
      this.counts.messages++;
      if (this.#anew) this.#anew.messages++;
    }
    const isRead = operation!.family === 'READ';
    const unsure = isRead && this.#mtuBytes === undefined && reth!.dmaLen > MOST_BYTES_PER_PSN;
    const psns = unsure ? 1 : psnsOf(frame, this.#mtuBytes ?? MOST_BYTES_PER_PSN);
    this.slack = unsure ? Math.ceil(reth!.dmaLen / MOST_BYTES_PER_PSN) - 1 : 0;
    const asked: Asked = {
      psn,
      last: wrap(psn + psns - 1),
      operation: operation!,
      reth,
      ieth,
      likeness: doubtful ? undefined : likenessOf(frame),
      messages: this.messages,
      ends,
      starts: [psn],
      original: undefined,
    };
    this.#store(asked);
    this.next = wrap(asked.last + 1);
    return asked;
  }

  #store(asked: Asked): void {
    this.#kept.delete(asked.psn);
    this.#kept.set(asked.psn, asked);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    if (asked.operation.family !== 'READ') return;
    this.#reads.push(asked);
    if (this.#reads.length > MOST_KEPT) this.#reads.shift();
  }

  #sequence(frame: Frame, operation: Operation, report: TraceReport): void {
    const { reth, payloadBytes } = frame;
    const { family, name } = operation;
    const begins = beginsMessage(operation);
    const open = this.#open === 'unknown' ? undefined : this.#open;
    if (this.#open !== 'unknown' && !follows(open, frame)) {
      report('request-sequence', open ? `more of a ${open.family}` : 'the begin of a message', name);
    }
    const ends = endsMessage(operation);
    if (family !== 'SEND' && family !== 'WRITE') {
      this.#open = undefined;
    } else if (begins || (open && follows(open, frame))) {
      const of = begins ? { family, bytes: 0, length: reth?.dmaLen ?? 0, sinceAsked: 0 } : open!;
      of.bytes += payloadBytes;
      if (family === 'WRITE' && (of.bytes > of.length || (ends && of.bytes < of.length)))
        report('request-length', `${of.length} bytes`, of.bytes);
      this.#open = ends ? undefined : of;
    } else this.#open = ends ? undefined : 'unknown';
  }

  /** Packets are missing before this one. */
  #jump(frame: Frame, packet: number, report: TraceReport): void {
    const place = { packet, what: describe(frame) };
    this.gaps.push({ from: wrap(this.next + this.slack), to: frame.bth.psn, place });
    if (this.gaps.length > MOST_GAPS) this.gaps.shift();
    if (beginsMessage(frame.operation!)) this.#anew = { place, messages: 0, next: 0 };
    this.slack = 0;
    this.#open = 'unknown';
    this.#continue(frame, false, report);
  }

  /** A packet from before the newest. */
  #back(frame: Frame, operation: Operation, packet: number, report: TraceReport): void {
    const { psn } = frame.bth;
    const gap = this.gaps.find(({ from, to }) => within(psn, from, wrap(to - 1)));
    if (gap) {
      this.#fill(gap, frame);
      return;
    }
    const asked = this.find(psn);
    const difference = asked && differenceOf(asked, frame, this.#mtuBytes);
    const begins = beginsMessage(operation);
    if (begins && this.#mayBeAnew()) {
      const lost = !asked && older(psn, this.first!) && distance(psn, this.next) < -FAR;
      if (difference || lost) {
        this.#beginAnew(frame, packet, report);
        return;
      }
      this.#anew = { place: { packet, what: describe(frame) }, messages: 0, next: psn };
    } else if (difference) report(difference.rule, difference.expected, difference.found);
    this.counts.retransmissions++;
    this.#unanswered++;
    if (asked && operation.family === 'READ') asked.starts.push(psn);
    if (asked && asked.starts.length > MOST_GAPS) asked.starts.shift();
    if (asked && !asked.likeness) asked.likeness = likenessOf(frame);
    if (this.#anew && endsMessage(operation)) this.#anew.messages++;
    if (this.#anew) this.#anew.next = wrap((asked?.last ?? psn) + 1);
  }

  /** One of the missing packets has come, in order or not. */
  #fill(gap: Gap, frame: Frame): void {
    const { psn } = frame.bth;
    const { next, slack } = this;
    const asked = this.#keep(frame, false);
    Object.assign(this, { next, slack });
    if (asked.ends) {
      this.messages--;
      for (const each of this.#kept.values()) if (distance(each.psn, psn) > 0) each.messages++;
      asked.messages = this.#messagesBefore(psn) + 1;
      this.messages++;
    }
    if (psn === gap.from) gap.from = wrap(asked.last + 1);
    // What comes behind is a hole of its own, which what is missing before it keeps open.
    if (distance(gap.from, gap.to) >= 0) this.gaps.splice(this.gaps.indexOf(gap), 1);
  }

  #messagesBefore(psn: number): number {
    let [nearest, messages] = [Number.NEGATIVE_INFINITY, 0];
    for (const each of this.#kept.values()) {
      const d = distance(each.psn, psn);
      if (d < 0 && d > nearest) [nearest, messages] = [d, each.messages];
    }
    return messages;
  }

  /** Whether the next message may be the first of another connection of the same queue pairs. */
  #mayBeAnew(): boolean {
    const idle = this.answered !== undefined && this.answered === wrap(this.next - 1);
    return idle || this.dead || this.#unanswered > 0;
  }

  #beginAnew(frame: Frame, packet: number, report: TraceReport): void {
    this.#forget(packet);
    this.first = frame.bth.psn;
    this.next = frame.bth.psn;
    this.#open = undefined;
    this.#continue(frame, false, report);
  }

  #forget(packet: number): void {
    this.begins.push(packet);
    this.#kept.clear();
    this.#reads.length = 0;
    this.gaps.length = 0;
    this.#anew = undefined;
    Object.assign(this, { answered: undefined, dead: false, slack: 0, messages: 0 });
    this.#unanswered = 0;
  }

  /** Whether an answer that counts `msn` messages shows that the connection began anew; then it did. */
  hasBegunAnew(msn: number): boolean {
    const anew = this.#anew;
    if (!anew || msn === 0 || msn > anew.messages) return false;
    const { place, messages, next } = anew;
    const newest = this.gaps.some((gap) => gap.place.packet === place.packet) ? this.next : next;
    this.#forget(place.packet);
    this.first = wrap(newest - 1);
    this.next = newest;
    this.messages = messages;
    this.#open = 'unknown';
    return true;
  }

  /** An answer covers all up to `psn`; the gap that it covers too. */
  covered(psn: number): Gap | undefined {
    this.#unanswered = 0;
    if (this.answered === undefined || distance(psn, this.answered) > 0) this.answered = psn;
    const at = this.gaps.findIndex(({ from }) => distance(psn, from) >= 0);
    return at < 0 ? undefined : this.gaps.splice(at, 1)[0];
  }

  /** The packet that has that PSN, if it was seen and not forgotten. */
  find(psn: number): Asked | undefined {
    return this.#kept.get(psn) ?? this.#reads.findLast((read) => within(psn, read.psn, read.last));
  }

  /** The newest PSN that can be answered. */
  get newest(): number {
    return wrap(this.next - 1 + this.slack);
  }

  /** PSNs without an answer. */
  get outstanding(): number {
    if (this.first === undefined) return 0;
    return ahead(this.next, this.answered === undefined ? this.first : wrap(this.answered + 1));
  }
}

const beginsMessage = ({ position }: Operation): boolean => position === 'first' || position === 'only';
const endsMessage = ({ position }: Operation): boolean => position === 'last' || position === 'only';

export const describeGap = ({ from, to }: Gap): string => {
  const last = wrap(to - 1);
  return from === last ? `PSN ${hex(from, 6)}` : `PSN ${hex(from, 6)} to ${hex(last, 6)}`;
};
