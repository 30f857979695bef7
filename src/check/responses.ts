import { Arrivals, type Entry } from './arrivals.ts';
import type { AtomicUse } from './atomics.ts';
import { hex } from './bytes.ts';
import type { End } from './connection.ts';
import { creditsOf, UNLIMITED } from './credits.ts';
import type { Again, Memory } from './duplicates.ts';
import { wrongPayload } from './format.ts';
import { ackMayReach, creditsAreTrue, msnIsPossible } from './freedoms.ts';
import type { Outlet } from './outlet.ts';
import type { Packet } from './packet.ts';
import { distance, newer, older, within, wrap } from './psn.ts';
import type { Report, RuleName } from './rules.ts';
import {
  ACK,
  isDefined,
  isFatal,
  kindOf,
  NAK_INVALID,
  NAK_SEQUENCE,
  RNR_NAK,
  SYNDROME_ACK,
  unfit,
} from './syndrome.ts';

/** Something that must be answered before the end. */
export interface Owed {
  rule: RuleName;
  what: string;
}

/** Rules for the responses of one end, from the requests that came to it. */
export class ResponseRules {
  readonly #end: End;
  readonly #mtuBytes: number;
  readonly #in: Arrivals;
  readonly #atomics: AtomicUse;
  /** PSN up to which all is answered. */
  #answered: number;
  #toldMsn = 0;
  /** Receive WQEs that messages up to the newest MSN told have taken. */
  #toldUsed = 0;
  #dead = false;

  constructor(end: End, peer: End, outlet: Outlet, atomics: AtomicUse, memory: Memory) {
    this.#end = end;
    this.#mtuBytes = end.mtuBytes;
    this.#atomics = atomics;
    const first = end.rqPsn ?? peer.sqPsn;
    this.#in = new Arrivals(end, first, outlet, atomics, memory);
    this.#answered = wrap(first - 1);
  }

  /** A request packet that the end does not drop has come. */
  came(packet: Packet, cycle: number): void {
    if (!this.#dead) this.#in.came(packet, cycle);
  }

  /** The end sends a response. */
  sent(packet: Packet, cycle: number, report: Report): void {
    if (this.#dead) {
      report('error-once', 'nothing', packet.operation!.name);
      return;
    }
    const { family } = packet.operation!;
    const { syndrome } = packet.aeth ?? { syndrome: SYNDROME_ACK };
    const kind = kindOf(syndrome);
    if (!isDefined(syndrome) || (family !== 'ACK' && kind !== ACK)) {
      report('syndrome', family === 'ACK' ? 'one that is defined' : 'that of an ACK', hex(syndrome, 2));
      return;
    }
    const wrong = family === 'READ_RESPONSE' ? undefined : wrongPayload(packet, this.#mtuBytes);
    if (wrong) report('payload-size', wrong.expected, wrong.found);
    if (family !== 'ACK') this.#data(packet, cycle, report);
    else if (kind === ACK) this.#ack(packet, report);
    else this.#nak(packet, syndrome, cycle, report);
  }

  #ack(packet: Packet, report: Report): void {
    const { psn } = packet.bth;
    const newest = wrap(this.#in.expected - 1);
    if (this.#in.invalid && psn === this.#in.invalid.bth.psn) {
      report('ack-of-invalid', 'a NAK invalid request', 'an ACK');
      return;
    }
    if (!ackMayReach(psn, newest)) {
      report('response-of-sent', `at most ${hex(newest, 6)}`, hex(psn, 6));
      return;
    }
    if (older(psn, this.#answered)) {
      report('response-order', `at least ${hex(this.#answered, 6)}`, hex(psn, 6));
      return;
    }
    if (psn === this.#answered) {
      this.#ackAgain(packet, report);
      return;
    }
    const passed = this.#unansweredUpTo(psn);
    if (passed) {
      report('ack-passes-read', `before the answer to ${hex(passed.psn, 6)}`, hex(psn, 6));
      return;
    }
    const entry = this.#in.entries.find((candidate) => candidate.psn === psn)!; // each PSN has one, but those of READs
    this.#checkMsn(packet, entry.after.msn, report);
    this.#checkCredits(packet, entry.after.used, report);
    this.#settle(psn);
  }

  /** An ACK that tells nothing new answers a duplicate. */
  #ackAgain(packet: Packet, report: Report): void {
    const { duplicates } = this.#in;
    if (duplicates.writes === 0) {
      report('response-unasked', 'no response', `a second answer to ${hex(packet.bth.psn, 6)}`);
      return;
    }
    duplicates.writes--;
    duplicates.acknowledged();
    this.#checkMsn(packet, this.#toldMsn, report);
    this.#checkCredits(packet, this.#toldUsed, report);
  }

  #unansweredUpTo(psn: number): Entry | undefined {
    return this.#in.entries.find((entry) => entry.responses > 0 && distance(entry.psn, psn) <= 0);
  }

  #checkMsn({ aeth }: Packet, covered: number, report: Report): void {
    if (!aeth) return;
    const { msn } = this.#in.counts;
    const least = older(covered, this.#toldMsn) ? this.#toldMsn : covered;
    if (!msnIsPossible(aeth.msn, least, msn)) report('msn', span(least, msn), aeth.msn);
    else this.#toldMsn = aeth.msn;
  }

  /** Receive WQEs that are told were posted and are not used by what the response covers. */
  #checkCredits({ aeth }: Packet, used: number, report: Report): void {
    if (!aeth) return;
    const { credits, posted } = this.#end;
    if (credits === undefined) return;
    const code = aeth.syndrome & 0x1f;
    if (!credits || code === UNLIMITED) {
      if (credits || code !== UNLIMITED)
        report('credits-told', credits ? 'a number' : 'none', `code ${code}`);
      return;
    }
    this.#toldUsed = Math.max(used, this.#toldUsed);
    if (posted === undefined) return;
    const unused = posted - this.#toldUsed;
    if (!creditsAreTrue(creditsOf(code)!, unused))
      report('credits-told', `at most ${unused}`, creditsOf(code)!);
  }

  /** All up to `psn` is answered. */
  #settle(psn: number): void {
    this.#answered = psn;
    this.#in.duplicates.acknowledged();
    this.#in.settle(psn);
  }

  /** A READ response or an ATOMIC acknowledge. */
  #data(packet: Packet, cycle: number, report: Report): void {
    const { psn } = packet.bth;
    const { family, name } = packet.operation!;
    const entry = this.#in.entries.find((candidate) => candidate.responses > 0);
    const first = entry && psn === wrap(entry.psn + entry.answered);
    const begun = entry && entry.answered > 0 ? entry.remembered : undefined;
    const job = first ? undefined : this.#in.duplicates.next(packet, begun);
    if (job) {
      this.#dataAgain(packet, job, report);
      return;
    }
    if (!entry) {
      report('response-unasked', 'no response', name);
      return;
    }
    const atomic = entry.packet.operation!.family === 'ATOMIC';
    if (atomic !== (family === 'ATOMIC_ACK')) {
      report('atomic-response', `an answer to ${entry.packet.operation!.name}`, name);
      return;
    }
    if (!first) {
      report('read-response-psn', hex(wrap(entry.psn + entry.answered), 6), hex(psn, 6));
      if (!within(psn, entry.psn, entry.last)) return;
      entry.answered = wrap(psn - entry.psn);
    }
    const again = entry.answered > 0 ? this.#in.duplicates.also(entry.remembered!, packet) : undefined;
    if (atomic) {
      const original = packet.atomicAck!.original;
      entry.remembered!.original = original;
      this.#atomics.answered(entry.packet, original, entry.cycle, cycle);
    } else {
      const { packet: asked, answered, responses } = again ?? entry;
      this.#readPart(packet, asked, answered, responses, report);
      this.#in.duplicates.keep(entry.remembered!, psn, packet.payload);
    }
    this.#checkMsn(packet, entry.after.msn, report);
    this.#checkCredits(packet, entry.after.used, report);
    entry.answered++;
    if (again) this.#in.duplicates.answered(again);
    this.#settle(psn);
  }

  /** An answer to a READ or atomic that came again: nothing counts by it. */
  #dataAgain(packet: Packet, job: Again, report: Report): void {
    const { operation, bth, aeth } = packet;
    const atomic = job.packet.operation!.family === 'ATOMIC';
    if (atomic !== (operation!.family === 'ATOMIC_ACK')) {
      report('atomic-response', `an answer to ${job.packet.operation!.name}`, operation!.name);
    } else if (atomic) {
      const { original } = job.of;
      const found = packet.atomicAck!.original;
      if (original !== undefined && found !== original)
        report('atomic-again', hex(original, 16), hex(found, 16));
    } else {
      this.#readPart(packet, job.packet, job.answered, job.responses, report);
      if (!this.#in.duplicates.keep(job.of, bth.psn, packet.payload)) {
        report('read-again', 'the bytes of before', 'others');
      }
    }
    const { msn } = this.#in.counts;
    if (aeth && !msnIsPossible(aeth.msn, job.of.msn, msn)) report('msn', span(job.of.msn, msn), aeth.msn);
    this.#checkCredits(packet, 0, report);
    this.#in.duplicates.answered(job);
  }

  #readPart(packet: Packet, asked: Packet, at: number, responses: number, report: Report): void {
    const length = asked.reth!.dmaLen;
    const { position } = packet.operation!;
    const last = at === responses - 1;
    const right = last ? (at === 0 ? 'only' : 'last') : at === 0 ? 'first' : 'middle';
    if (position !== right) report('read-response-opcode', right, position);
    const bytes = last ? length - (responses - 1) * this.#mtuBytes : this.#mtuBytes;
    if (packet.payloadBytes !== bytes) {
      report('read-response-length', `${bytes} bytes`, packet.payloadBytes);
    }
  }

  #nak(packet: Packet, syndrome: number, cycle: number, report: Report): void {
    const { psn } = packet.bth;
    if (syndrome === NAK_SEQUENCE) this.#nakGap(packet, cycle, report);
    else if (this.#in.invalid && psn === this.#in.invalid.bth.psn) this.#nakInvalid(packet, syndrome, report);
    else this.#refuse(packet, syndrome, report);
    if (isFatal(syndrome)) this.#die();
  }

  #nakGap(packet: Packet, cycle: number, report: Report): void {
    const { psn } = packet.bth;
    const { msn } = this.#in.counts;
    if (!(this.#in.gap === 'owed' && psn === this.#in.expected)) {
      if (newer(psn, this.#answered) && this.#in.takeFilled(psn, cycle)) {
        this.#beforeNak(packet, this.#toldMsn, msn, report);
        return;
      }
    }
    const rule = this.#in.gap === 'told' ? 'one-nak-per-gap' : 'nak-gap';
    if (this.#in.gap !== 'owed') report(rule, 'no NAK', 'a NAK of PSN sequence');
    else if (psn !== this.#in.expected) report('nak-gap', hex(this.#in.expected, 6), hex(psn, 6));
    else this.#beforeNak(packet, msn, msn, report);
    this.#in.gap = 'told';
  }

  #nakInvalid(packet: Packet, syndrome: number, report: Report): void {
    if (syndrome !== NAK_INVALID) report('ack-of-invalid', hex(NAK_INVALID), hex(syndrome, 2));
    const { msn } = this.#in.counts;
    this.#beforeNak(packet, msn, msn, report);
    this.#in.invalid = undefined;
  }

  /** A NAK of a packet that looks right on the wire: the reason is in the responder. */
  #refuse(packet: Packet, syndrome: number, report: Report): void {
    const { psn } = packet.bth;
    const at = this.#in.entries.findIndex((entry) =>
      entry.responses > 0 ? wrap(entry.psn + entry.answered) === psn : entry.psn === psn,
    );
    const entry = this.#in.entries[at];
    if (!entry) {
      report('nak-psn', 'the PSN of a packet that is not answered', hex(psn, 6));
      return;
    }
    const reason = unfit(entry.packet, syndrome);
    if (reason) report('nak-fits', reason, entry.packet.operation!.name);
    const timer = this.#end.minRnrTimer;
    if (kindOf(syndrome) === RNR_NAK && timer !== undefined && (syndrome & 0x1f) !== timer) {
      report('rnr-timer', `timer code ${timer}`, syndrome & 0x1f);
    }
    // A READ can fail after it was taken.
    const { msn } = entry.before;
    this.#beforeNak(packet, msn, entry.responses > 0 ? this.#in.counts.msn : msn, report);
    this.#in.refuse(this.#in.entries.indexOf(entry));
  }

  /** A NAK answers all before it, and waits for the READs among them. */
  #beforeNak(packet: Packet, covered: number, came: number, report: Report): void {
    const before = wrap(packet.bth.psn - 1);
    const passed = this.#in.entries.find((entry) => entry.responses > 0 && distance(entry.last, before) <= 0);
    if (passed)
      report('ack-passes-read', `before the answer to ${hex(passed.psn, 6)}`, hex(packet.bth.psn, 6));
    const { msn } = packet.aeth!;
    const least = older(covered, this.#toldMsn) ? this.#toldMsn : covered;
    if (!msnIsPossible(msn, least, came)) report('msn', span(least, came), msn);
    else this.#toldMsn = msn;
    this.#settle(before);
  }

  /** After a fatal NAK nothing more is owed or allowed. */
  #die(): void {
    this.#dead = true;
    this.#in.clear();
  }

  /** Payload of the requests that came in order. */
  get placed(): number {
    return this.#in.placed;
  }

  /** Whether a fatal NAK was sent. */
  get dead(): boolean {
    return this.#dead;
  }

  owed(): Owed[] {
    const owed: Owed[] = [];
    const reads = this.#in.entries.filter((entry) => entry.responses > 0);
    for (const { psn, answered, responses } of reads) {
      owed.push({ rule: 'owed-read', what: `${responses - answered} responses to PSN ${hex(psn, 6)}` });
    }
    const { duplicates } = this.#in;
    for (const job of duplicates.jobs.filter((each) => each.owed || each.answered > 0)) {
      const what = `${job.responses - job.answered} responses to PSN ${hex(job.psn, 6)}, asked again`;
      owed.push({ rule: 'owed-read', what });
    }
    const asked = this.#in.entries.findLast(
      (entry) => entry.responses === 0 && entry.packet.bth.ackReq && !entry.doubtful,
    );
    if (asked) owed.push({ rule: 'owed-ack', what: `an ACK of PSN ${hex(asked.psn, 6)}` });
    else if (duplicates.owed) owed.push({ rule: 'owed-ack', what: 'an ACK of a duplicate' });
    if (this.#in.gap === 'owed')
      owed.push({ rule: 'owed-nak', what: `a NAK of PSN ${hex(this.#in.expected, 6)}` });
    if (this.#in.invalid) {
      owed.push({ rule: 'owed-nak', what: `a NAK invalid request of PSN ${hex(this.#in.expected, 6)}` });
    }
    return owed;
  }
}

const span = (low: number, high: number): string => (low === high ? `${low}` : `${low}..${high}`);
