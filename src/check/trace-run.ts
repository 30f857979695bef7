import { wrongPayload } from './format.ts';
import type { Frame } from './frame.ts';
import type { Operation } from './opcodes.ts';
import { distance, within, wrap } from './psn.ts';
import { follows, MAX_MESSAGE, type OpenMessage, psnsOf } from './requests.ts';
import { type Likeness, likenessOf } from './trace-likeness.ts';
import type { Place, TraceReport } from './trace-rules.ts';

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
export interface Gap {
  /** The first that is still missing, and the first behind them. */
  from: number;
  to: number;
  /** The packet behind it. */
  place: Place;
}

const MOST_KEPT = 512;
export const MTUS: readonly number[] = [256, 512, 1024, 2048, 4096];
export const MOST_GAPS = 16;
const LEAST_MTU = 256;

/** Requests of one connection, from the first that was seen on: packets in the order of their PSNs, and gaps between them. */
export class Run {
  /** Undefined: no packet that is full has shown it. */
  mtuBytes: number | undefined;
  readonly #kept = new Map<number, Asked>();
  readonly #reads: Asked[] = [];
  readonly gaps: Gap[] = [];
  readonly first: number;
  /** PSN of the next new packet. */
  next: number;
  /** A READ of which it is not known how many PSNs it takes: so many may follow `next`. */
  slack = 0;
  packets = 0;
  /** Messages ended. */
  messages = 0;
  #open: OpenMessage | undefined | 'unknown';

  /** `open`: what was before the first packet is not known, so that it may continue a message. */
  constructor(mtuBytes: number | undefined, first: number, open: 'unknown' | undefined) {
    this.mtuBytes = mtuBytes;
    this.first = first;
    this.next = first;
    this.#open = open;
  }

  /** Whether a PSN is the next one. */
  takes(psn: number): boolean {
    const d = distance(psn, this.next);
    return d >= 0 && d <= this.slack;
  }

  /** A new packet, where the last one ended. `doubtful`: its CRC is wrong, so it may say anything. */
  continue(frame: Frame, doubtful: boolean, report: TraceReport): void {
    const { operation, bth, reth } = frame;
    this.learn(frame);
    const last = this.#reads.at(-1);
    if (this.slack > 0 && last) last.last = wrap(bth.psn - 1);
    const asked = this.#keep(frame, doubtful);
    this.#moveOn(asked);
    this.packets++;
    if (doubtful) {
      this.#open = 'unknown';
      return;
    }
    const wrong = this.mtuBytes === undefined ? undefined : wrongPayload(frame, this.mtuBytes);
    if (wrong) report('payload-size', wrong.expected, wrong.found);
    if (reth && reth.dmaLen > MAX_MESSAGE) report('reth-max', `at most ${MAX_MESSAGE}`, reth.dmaLen);
    this.#sequence(frame, operation!, report);
  }

  /** A new connection may have another path MTU than the one before: the first packet that is full shows it. */
  learn({ operation, payloadBytes }: Frame): void {
    if (operation?.position === 'first' && MTUS.includes(payloadBytes)) this.mtuBytes ??= payloadBytes;
  }

  #keep(frame: Frame, doubtful: boolean): Asked {
    const { operation, bth, reth, ieth } = frame;
    const { psn } = bth;
    const ends = endsMessage(operation!);
    if (ends) this.messages++;
    const psns = this.#isUnsure(operation!, reth) ? 1 : psnsOf(frame, this.mtuBytes ?? LEAST_MTU);
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
    this.#kept.delete(psn);
    this.#kept.set(psn, asked);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    if (asked.operation.family === 'READ') this.#reads.push(asked);
    if (this.#reads.length > MOST_KEPT) this.#reads.shift();
    return asked;
  }

  #isUnsure({ family }: Operation, reth: Frame['reth']): boolean {
    return family === 'READ' && this.mtuBytes === undefined && reth!.dmaLen > LEAST_MTU;
  }

  #moveOn({ last, operation, reth }: Asked): void {
    this.next = wrap(last + 1);
    this.slack = this.#isUnsure(operation, reth) ? Math.ceil(reth!.dmaLen / LEAST_MTU) - 1 : 0;
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
  jump(frame: Frame, place: Place, report: TraceReport): void {
    this.gaps.push({ from: wrap(this.next + this.slack), to: frame.bth.psn, place });
    if (this.gaps.length > MOST_GAPS) this.gaps.shift();
    this.slack = 0;
    this.#open = 'unknown';
    this.continue(frame, false, report);
  }

  /** One of the missing packets has come; false: it was not missing. */
  fill(frame: Frame): boolean {
    const { psn } = frame.bth;
    const gap = this.gaps.find(({ from, to }) => within(psn, from, wrap(to - 1)));
    if (!gap) return false;
    const asked = this.#keep(frame, false);
    asked.messages = this.#messagesBefore(psn) + (asked.ends ? 1 : 0);
    if (asked.ends) for (const each of this.#kept.values()) if (distance(each.psn, psn) > 0) each.messages++;
    // What is missing before it keeps the gap open.
    if (psn === gap.from) gap.from = wrap(asked.last + 1);
    if (distance(gap.from, gap.to) >= 0) this.gaps.splice(this.gaps.indexOf(gap), 1);
    return true;
  }

  #messagesBefore(psn: number): number {
    let [nearest, messages] = [Number.NEGATIVE_INFINITY, 0];
    for (const each of this.#kept.values()) {
      const d = distance(each.psn, psn);
      if (d < 0 && d > nearest) [nearest, messages] = [d, each.messages];
    }
    return messages;
  }

  /** The packet that has that PSN, if it was seen and not forgotten. */
  find(psn: number): Asked | undefined {
    return this.#kept.get(psn) ?? this.#reads.findLast((read) => within(psn, read.psn, read.last));
  }

  /** The newest PSN that can be answered. */
  get newest(): number {
    return wrap(this.next - 1 + this.slack);
  }
}

export const beginsMessage = ({ position }: Operation): boolean =>
  position === 'first' || position === 'only';
const endsMessage = ({ position }: Operation): boolean => position === 'last' || position === 'only';
