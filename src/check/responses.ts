import { Arrivals, type Entry } from './arrivals.ts';
import { hex } from './bytes.ts';
import type { End } from './connection.ts';
import { wrongPayload } from './format.ts';
import { ackMayReach, msnIsPossible, rnrLongEnough } from './freedoms.ts';
import type { Packet } from './packet.ts';
import { distance, older, within, wrap } from './psn.ts';
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
  /** PSN up to which all is answered. */
  #answered: number;
  #toldMsn = 0;
  #dead = false;

  constructor(end: End, peer: End) {
    this.#end = end;
    this.#mtuBytes = end.mtuBytes;
    const first = end.rqPsn ?? peer.sqPsn;
    this.#in = new Arrivals(end.mtuBytes, first);
    this.#answered = wrap(first - 1);
  }

  /** A request packet that the end does not drop has come. */
  came(packet: Packet): void {
    if (!this.#dead) this.#in.came(packet);
  }

  /** The end sends a response. */
  sent(packet: Packet, report: Report): void {
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
    if (family !== 'ACK') this.#data(packet, report);
    else if (kind === ACK) this.#ack(packet, report);
    else this.#nak(packet, syndrome, report);
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
    this.#checkMsn(packet, entry.msn, report);
    this.#settle(psn);
  }

  /** An ACK that tells nothing new answers a duplicate. */
  #ackAgain(packet: Packet, report: Report): void {
    if (this.#in.duplicates === 0) {
      report('response-unasked', 'no response', `a second answer to ${hex(packet.bth.psn, 6)}`);
      return;
    }
    this.#in.duplicates--;
    this.#in.duplicateOwed = false;
    this.#checkMsn(packet, this.#toldMsn, report);
  }

  #unansweredUpTo(psn: number): Entry | undefined {
    return this.#in.entries.find((entry) => entry.responses > 0 && distance(entry.psn, psn) <= 0);
  }

  #checkMsn({ aeth }: Packet, covered: number, report: Report): void {
    if (!aeth) return;
    const least = older(covered, this.#toldMsn) ? this.#toldMsn : covered;
    if (!msnIsPossible(aeth.msn, least, this.#in.msn)) report('msn', span(least, this.#in.msn), aeth.msn);
    else this.#toldMsn = aeth.msn;
  }

  /** All up to `psn` is answered. */
  #settle(psn: number): void {
    this.#answered = psn;
    this.#in.duplicateOwed = false;
    while (this.#in.entries[0] && distance(this.#in.entries[0].last, psn) <= 0) this.#in.entries.shift();
  }

  /** A READ response or an ATOMIC acknowledge. */
  #data(packet: Packet, report: Report): void {
    const { psn } = packet.bth;
    const { family, position, name } = packet.operation!;
    const entry = this.#in.entries.find((candidate) => candidate.responses > 0);
    if (!entry) {
      report('response-unasked', 'no response', name);
      return;
    }
    const atomic = entry.packet.operation!.family === 'ATOMIC';
    if (atomic !== (family === 'ATOMIC_ACK')) {
      report('atomic-response', `an answer to ${entry.packet.operation!.name}`, name);
      return;
    }
    const expected = wrap(entry.psn + entry.answered);
    if (psn !== expected) {
      report('read-response-psn', hex(expected, 6), hex(psn, 6));
      if (!within(psn, entry.psn, entry.last)) return;
      entry.answered = wrap(psn - entry.psn);
    }
    if (!atomic) this.#readPart(packet, entry, position, report);
    this.#checkMsn(packet, entry.msn, report);
    entry.answered++;
    this.#settle(psn);
  }

  #readPart(packet: Packet, entry: Entry, position: string, report: Report): void {
    const length = entry.packet.reth!.dmaLen;
    const first = entry.answered === 0;
    const last = entry.answered === entry.responses - 1;
    const right = last ? (first ? 'only' : 'last') : first ? 'first' : 'middle';
    if (position !== right) report('read-response-opcode', right, position);
    const bytes = last ? length - (entry.responses - 1) * this.#mtuBytes : this.#mtuBytes;
    if (packet.payloadBytes !== bytes) {
      report('read-response-length', `${bytes} bytes`, packet.payloadBytes);
    }
  }

  #nak(packet: Packet, syndrome: number, report: Report): void {
    const { psn } = packet.bth;
    if (syndrome === NAK_SEQUENCE) this.#nakGap(packet, report);
    else if (this.#in.invalid && psn === this.#in.invalid.bth.psn) this.#nakInvalid(packet, syndrome, report);
    else this.#refuse(packet, syndrome, report);
    if (isFatal(syndrome)) this.#die();
  }

  #nakGap(packet: Packet, report: Report): void {
    const { psn } = packet.bth;
    const rule = this.#in.gap === 'told' ? 'one-nak-per-gap' : 'nak-gap';
    if (this.#in.gap !== 'owed') report(rule, 'no NAK', 'a NAK of PSN sequence');
    else if (psn !== this.#in.expected) report('nak-gap', hex(this.#in.expected, 6), hex(psn, 6));
    else this.#beforeNak(packet, this.#in.msn, this.#in.msn, report);
    this.#in.gap = 'told';
  }

  #nakInvalid(packet: Packet, syndrome: number, report: Report): void {
    if (syndrome !== NAK_INVALID) report('ack-of-invalid', hex(NAK_INVALID), hex(syndrome, 2));
    this.#beforeNak(packet, this.#in.msn, this.#in.msn, report);
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
    if (kindOf(syndrome) === RNR_NAK && timer !== undefined && !rnrLongEnough(syndrome & 0x1f, timer)) {
      report('rnr-timer', `timer code ${timer}`, syndrome & 0x1f);
    }
    // A READ can fail after it was taken.
    this.#beforeNak(packet, entry.before.msn, entry.responses > 0 ? this.#in.msn : entry.before.msn, report);
    this.#in.entries.length = at;
    this.#in.expected = psn;
    this.#in.msn = entry.before.msn;
    this.#in.open = entry.before.open;
    this.#in.invalid = undefined;
    this.#in.gap = 'told';
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
    this.#in.entries = [];
    this.#in.invalid = undefined;
    this.#in.duplicateOwed = false;
    this.#in.gap = 'told';
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
    const asked = this.#in.entries.findLast((entry) => entry.responses === 0 && entry.packet.bth.ackReq);
    if (asked) owed.push({ rule: 'owed-ack', what: `an ACK of PSN ${hex(asked.psn, 6)}` });
    else if (this.#in.duplicateOwed) owed.push({ rule: 'owed-ack', what: 'an ACK of a duplicate' });
    if (this.#in.gap === 'owed')
      owed.push({ rule: 'owed-nak', what: `a NAK of PSN ${hex(this.#in.expected, 6)}` });
    if (this.#in.invalid) {
      owed.push({ rule: 'owed-nak', what: `a NAK invalid request of PSN ${hex(this.#in.expected, 6)}` });
    }
    return owed;
  }
}

const span = (low: number, high: number): string => (low === high ? `${low}` : `${low}..${high}`);
