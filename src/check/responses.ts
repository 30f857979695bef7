import { hex } from './bytes.ts';
import type { End } from './connection.ts';
import { wrongPayload } from './format.ts';
import { ackMayReach, msnIsPossible, rnrLongEnough } from './freedoms.ts';
import type { Packet } from './packet.ts';
import { distance, older, within, wrap } from './psn.ts';
import { follows, type OpenMessage, psnsOf } from './requests.ts';
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

const MAX_MESSAGE = 2 ** 31;

/** A request packet that came in order and is not answered yet. */
interface Entry {
  packet: Packet;
  psn: number;
  /** Last of its PSNs. */
  last: number;
  /** Responses that are due; 0 for a SEND or WRITE. */
  responses: number;
  answered: number;
  /** Messages completed with it and before it. */
  msn: number;
  before: { msn: number; open: OpenMessage | undefined };
}

/** Something that must be answered before the end. */
export interface Owed {
  rule: RuleName;
  what: string;
}

/** Rules for the responses of one end, from the requests that came to it. */
export class ResponseRules {
  readonly #end: End;
  readonly #mtuBytes: number;
  #expected: number; // PSN
  #msn = 0;
  #open: OpenMessage | undefined;
  #entries: Entry[] = [];
  /** PSN up to which all is answered. */
  #answered: number;
  #toldMsn = 0;
  /** A packet that must be refused, at #expected. */
  #invalid: Packet | undefined;
  #gap: 'none' | 'owed' | 'told' = 'none';
  #duplicates = 0;
  #duplicateOwed = false;
  #dead = false;

  constructor(end: End, peer: End) {
    this.#end = end;
    this.#mtuBytes = end.mtuBytes;
    this.#expected = end.rqPsn ?? peer.sqPsn;
    this.#answered = wrap(this.#expected - 1);
  }

  /** A request packet that the end does not drop has come. */
  came(packet: Packet): void {
    if (this.#dead || this.#invalid) return;
    const d = distance(packet.bth.psn, this.#expected);
    if (d < 0) this.#duplicate(packet);
    else if (d > 0) this.#gap = this.#gap === 'none' ? 'owed' : this.#gap;
    else this.#inOrder(packet);
  }

  #duplicate(packet: Packet): void {
    const { operation, bth } = packet;
    const again = operation?.family === 'SEND' || operation?.family === 'WRITE';
    if (!again || wrongPayload(packet, this.#mtuBytes)) return;
    this.#duplicates++;
    if (bth.ackReq) this.#duplicateOwed = true;
  }

  #inOrder(packet: Packet): void {
    this.#gap = 'none';
    const { operation, bth, reth, atomicEth, payloadBytes } = packet;
    const before = { msn: this.#msn, open: this.#open };
    if (!operation || !follows(this.#open, packet) || wrongPayload(packet, this.#mtuBytes)) {
      this.#invalid = packet;
      return;
    }
    const { family, position } = operation;
    const ends = position === 'last' || position === 'only';
    if ((reth && reth.dmaLen > MAX_MESSAGE) || (atomicEth && atomicEth.va % 8n !== 0n)) {
      this.#invalid = packet;
      return;
    }
    if (family === 'SEND' || family === 'WRITE') {
      const open = this.#open ?? { family, bytes: 0, length: reth?.dmaLen ?? 0, sinceAsked: 0 };
      const bytes = open.bytes + payloadBytes;
      if (family === 'WRITE' && (bytes > open.length || (ends && bytes < open.length))) {
        this.#invalid = packet;
        return;
      }
      this.#open = ends ? undefined : { ...open, bytes };
    }
    const psns = psnsOf(packet, this.#mtuBytes);
    if (ends) this.#msn = wrap(this.#msn + 1);
    this.#expected = wrap(bth.psn + psns);
    this.#entries.push({
      packet,
      psn: bth.psn,
      last: wrap(bth.psn + psns - 1),
      responses: family === 'READ' || family === 'ATOMIC' ? psns : 0,
      answered: 0,
      msn: this.#msn,
      before,
    });
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
    if (kind === ACK && syndrome !== SYNDROME_ACK) report('credits', hex(SYNDROME_ACK), hex(syndrome, 2));
    const wrong = family === 'READ_RESPONSE' ? undefined : wrongPayload(packet, this.#mtuBytes);
    if (wrong) report('payload-size', wrong.expected, wrong.found);
    if (family !== 'ACK') this.#data(packet, report);
    else if (kind === ACK) this.#ack(packet, report);
    else this.#nak(packet, syndrome, report);
  }

  #ack(packet: Packet, report: Report): void {
    const { psn } = packet.bth;
    const newest = wrap(this.#expected - 1);
    if (this.#invalid && psn === this.#invalid.bth.psn) {
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
    const entry = this.#entries.find((candidate) => candidate.psn === psn)!; // each PSN has one, but those of READs
    this.#checkMsn(packet, entry.msn, report);
    this.#settle(psn);
  }

  /** An ACK that tells nothing new answers a duplicate. */
  #ackAgain(packet: Packet, report: Report): void {
    if (this.#duplicates === 0) {
      report('response-unasked', 'no response', `a second answer to ${hex(packet.bth.psn, 6)}`);
      return;
    }
    this.#duplicates--;
    this.#duplicateOwed = false;
    this.#checkMsn(packet, this.#toldMsn, report);
  }

  #unansweredUpTo(psn: number): Entry | undefined {
    return this.#entries.find((entry) => entry.responses > 0 && distance(entry.psn, psn) <= 0);
  }

  #checkMsn({ aeth }: Packet, covered: number, report: Report): void {
    if (!aeth) return;
    const least = older(covered, this.#toldMsn) ? this.#toldMsn : covered;
    if (!msnIsPossible(aeth.msn, least, this.#msn)) report('msn', span(least, this.#msn), aeth.msn);
    else this.#toldMsn = aeth.msn;
  }

  /** All up to `psn` is answered. */
  #settle(psn: number): void {
    this.#answered = psn;
    this.#duplicateOwed = false;
    while (this.#entries[0] && distance(this.#entries[0].last, psn) <= 0) this.#entries.shift();
  }

  /** A READ response or an ATOMIC acknowledge. */
  #data(packet: Packet, report: Report): void {
    const { psn } = packet.bth;
    const { family, position, name } = packet.operation!;
    const entry = this.#entries.find((candidate) => candidate.responses > 0);
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
    else if (this.#invalid && psn === this.#invalid.bth.psn) this.#nakInvalid(packet, syndrome, report);
    else this.#refuse(packet, syndrome, report);
    if (isFatal(syndrome)) this.#die();
  }

  #nakGap(packet: Packet, report: Report): void {
    const { psn } = packet.bth;
    const rule = this.#gap === 'told' ? 'one-nak-per-gap' : 'nak-gap';
    if (this.#gap !== 'owed') report(rule, 'no NAK', 'a NAK of PSN sequence');
    else if (psn !== this.#expected) report('nak-gap', hex(this.#expected, 6), hex(psn, 6));
    else this.#beforeNak(packet, this.#msn, this.#msn, report);
    this.#gap = 'told';
  }

  #nakInvalid(packet: Packet, syndrome: number, report: Report): void {
    if (syndrome !== NAK_INVALID) report('ack-of-invalid', hex(NAK_INVALID), hex(syndrome, 2));
    this.#beforeNak(packet, this.#msn, this.#msn, report);
    this.#invalid = undefined;
  }

  /** A NAK of a packet that looks right on the wire: the reason is in the responder. */
  #refuse(packet: Packet, syndrome: number, report: Report): void {
    const { psn } = packet.bth;
    const at = this.#entries.findIndex((entry) =>
      entry.responses > 0 ? wrap(entry.psn + entry.answered) === psn : entry.psn === psn,
    );
    const entry = this.#entries[at];
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
    this.#beforeNak(packet, entry.before.msn, entry.responses > 0 ? this.#msn : entry.before.msn, report);
    this.#entries.length = at;
    this.#expected = psn;
    this.#msn = entry.before.msn;
    this.#open = entry.before.open;
    this.#invalid = undefined;
    this.#gap = 'told';
  }

  /** A NAK answers all before it, and waits for the READs among them. */
  #beforeNak(packet: Packet, covered: number, came: number, report: Report): void {
    const before = wrap(packet.bth.psn - 1);
    const passed = this.#entries.find((entry) => entry.responses > 0 && distance(entry.last, before) <= 0);
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
    this.#entries = [];
    this.#invalid = undefined;
    this.#duplicateOwed = false;
    this.#gap = 'told';
  }

  /** Whether a fatal NAK was sent. */
  get dead(): boolean {
    return this.#dead;
  }

  owed(): Owed[] {
    const owed: Owed[] = [];
    const reads = this.#entries.filter((entry) => entry.responses > 0);
    for (const { psn, answered, responses } of reads) {
      owed.push({ rule: 'owed-read', what: `${responses - answered} responses to PSN ${hex(psn, 6)}` });
    }
    const asked = this.#entries.findLast((entry) => entry.responses === 0 && entry.packet.bth.ackReq);
    if (asked) owed.push({ rule: 'owed-ack', what: `an ACK of PSN ${hex(asked.psn, 6)}` });
    else if (this.#duplicateOwed) owed.push({ rule: 'owed-ack', what: 'an ACK of a duplicate' });
    if (this.#gap === 'owed') owed.push({ rule: 'owed-nak', what: `a NAK of PSN ${hex(this.#expected, 6)}` });
    if (this.#invalid) {
      owed.push({ rule: 'owed-nak', what: `a NAK invalid request of PSN ${hex(this.#expected, 6)}` });
    }
    return owed;
  }
}

const span = (low: number, high: number): string => (low === high ? `${low}` : `${low}..${high}`);
