import { hex } from './bytes.ts';
import type { Frame } from './frame.ts';
import { distance, older, within, wrap } from './psn.ts';
import { differenceOf, likenessOf } from './trace-likeness.ts';
import type { Place, TraceReport } from './trace-rules.ts';
import { type Asked, beginsMessage, type Gap, MOST_GAPS, Run } from './trace-run.ts';
import { describe } from './transport.ts';

/** A jump so far that no loss explains it, unless a READ of that size was lost. */
const FAR = 2 ** 16;
const MUTE: TraceReport = () => {};
const MOST_BLAMES = 100;
const MOST_BEGINS = 3;

/** What may be a new connection of the same queue pairs, which nothing on the wire announces, until an answer decides. */
interface Shadow {
  run: Run;
  place: Place;
  /** Its packets have counted as sent again. */
  again: boolean;
  /** Tell what its packets break if it is none; the first ones. */
  blames: (() => void)[];
}

/** The requests of one stream, as far as a capture lets them be judged. */
export class TraceRequests {
  readonly #mtuBytes: number | undefined;
  readonly #reused: boolean;
  readonly counts = { messages: 0, retransmissions: 0 };
  /** How often the connection began anew, and at which packets first. */
  begun = 0;
  readonly begins: number[] = [];
  /** Undefined until a request was seen. */
  run: Run | undefined;
  #shadow: Shadow | undefined;
  /** Up to where all is answered. */
  answered: number | undefined;
  /** After a NAK that ends the queue pair. */
  dead = false;
  /** Packets sent again since the last answer. */
  #unanswered = 0;

  /** `reused`: its queue pair has several peers in the capture, so that any jump may be to another one. */
  constructor(mtuBytes: number | undefined, reused: boolean) {
    this.#mtuBytes = mtuBytes;
    this.#reused = reused;
  }

  /** `doubtful`: its CRC is wrong, so it may say anything. */
  sent(frame: Frame, packet: number, doubtful: boolean, report: TraceReport): void {
    const { operation, bth } = frame;
    if (!operation || (doubtful && !this.run?.takes(bth.psn))) return;
    this.run ??= new Run(this.#mtuBytes, bth.psn, 'unknown');
    const { run } = this;
    const inShadow = !doubtful && this.#follow(frame);
    if (run.takes(bth.psn)) {
      if (!inShadow && !doubtful) this.#drop();
      const before = run.messages;
      run.continue(frame, doubtful, report);
      this.counts.messages += run.messages - before;
      return;
    }
    const place = { packet, what: describe(frame) };
    const begins = beginsMessage(operation);
    const d = distance(bth.psn, run.next);
    const ahead = d > 0;
    if (ahead && begins && (this.#reused || this.dead || (d > FAR && this.#mayBeAnew())))
      this.#beginAnew(frame, place, report);
    else if (ahead) {
      run.jump(frame, place, report);
      if (beginsMessage(operation)) this.#suspect(frame, place, false);
    } else if (!run.fill(frame)) this.#again(frame, place, inShadow, report);
  }

  /** The shadow takes the packet, if it can; whether it has it. */
  #follow(frame: Frame): boolean {
    const run = this.#shadow?.run;
    if (!run) return false;
    const known = run.find(frame.bth.psn);
    if (run.takes(frame.bth.psn)) run.continue(frame, false, MUTE);
    else if (!known || differenceOf(known, frame, run.mtuBytes)) return false;
    return true;
  }

  /** A packet from before the newest. */
  #again(frame: Frame, place: Place, inShadow: boolean, report: TraceReport): void {
    const { operation, bth } = frame;
    const { psn } = bth;
    const begins = beginsMessage(operation!);
    const asked = this.run!.find(psn);
    const difference = asked && differenceOf(asked, frame, this.run!.mtuBytes);
    const unseen = !asked && older(psn, this.run!.first);
    if (begins && !inShadow && (difference || unseen) && this.#mayBeAnew()) {
      this.#beginAnew(frame, place, report);
      return;
    }
    const blame = (): void => report(difference!.rule, difference!.expected, difference!.found, place);
    this.counts.retransmissions++;
    this.#unanswered++;
    if (asked && !difference) noteAgain(asked, frame);
    if (begins && !inShadow) this.#suspect(frame, place, true);
    if (!difference) return;
    const blames = this.#shadow && (begins || inShadow) ? this.#shadow.blames : undefined;
    if (!blames) blame();
    else if (blames.length < MOST_BLAMES) blames.push(blame);
  }

  /** Whether the next message may be the first of another connection of the same queue pairs. */
  #mayBeAnew(): boolean {
    const idle = this.answered !== undefined && this.answered === wrap(this.run!.next - 1);
    return idle || this.dead || this.#reused || this.#unanswered > 0;
  }

  #suspect(frame: Frame, place: Place, again: boolean): void {
    this.#drop();
    const run = new Run(undefined, frame.bth.psn, undefined);
    run.continue(frame, false, MUTE);
    this.#shadow = { run, place, again, blames: [] };
  }

  /** It was no new connection. */
  #drop(): void {
    for (const blame of this.#shadow?.blames ?? []) blame();
    this.#shadow = undefined;
  }

  #beginAnew(frame: Frame, place: Place, report: TraceReport): void {
    const run = new Run(undefined, frame.bth.psn, undefined);
    run.continue(frame, false, report);
    this.#adopt({ run, place, again: false, blames: [] });
    this.counts.messages += run.messages;
  }

  #adopt({ run, place, again }: Shadow): void {
    if (again) {
      this.counts.messages += run.messages;
      this.counts.retransmissions -= Math.min(run.packets - 1, this.counts.retransmissions);
    }
    this.begun++;
    if (this.begins.length < MOST_BEGINS) this.begins.push(place.packet);
    this.run = run;
    this.#shadow = undefined;
    this.answered = undefined;
    this.dead = false;
    this.#unanswered = 0;
  }

  /** Whether an answer to `psn` that counts `msn` messages, `least` at least, is one of a new connection; then it has begun. */
  hasBegunAnew(psn: number, msn: number, least: number): boolean {
    const shadow = this.#shadow;
    if (!shadow || msn < least || msn > shadow.run.messages) return false;
    if (!within(psn, shadow.run.first, shadow.run.newest)) return false;
    this.#adopt(shadow);
    return true;
  }

  /** An answer to `psn` that counts `msn` messages fits what was before. */
  isNoShadow(psn: number, msn: number): void {
    const run = this.#shadow?.run;
    if (run && within(psn, run.first, run.newest) && msn > run.messages) this.#drop();
  }

  /** Nothing comes any more. */
  finish(): void {
    this.#drop();
  }

  /** An answer covers all up to `psn`; the gap that it covers too. */
  covered(psn: number): Gap | undefined {
    this.#unanswered = 0;
    if (this.answered === undefined || distance(psn, this.answered) > 0) this.answered = psn;
    const { gaps } = this.run!;
    const at = gaps.findIndex(({ from }) => distance(psn, from) >= 0);
    return at < 0 ? undefined : gaps.splice(at, 1)[0];
  }
}

function noteAgain(asked: Asked, frame: Frame): void {
  asked.likeness ??= likenessOf(frame);
  if (asked.operation.family === 'READ') asked.starts.push(frame.bth.psn);
  if (asked.starts.length > MOST_GAPS) asked.starts.shift();
}

export const describeGap = ({ from, to }: Gap): string => {
  const last = wrap(to - 1);
  return from === last ? `PSN ${hex(from, 6)}` : `PSN ${hex(from, 6)} to ${hex(last, 6)}`;
};
