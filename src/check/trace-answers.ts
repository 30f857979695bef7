import { hex } from './bytes.ts';
import { wrongPayload } from './format.ts';
import type { Frame } from './frame.ts';
import { ahead, distance, older, within, wrap } from './psn.ts';
import { ACK, isDefined, isFatal, kindOf, NAK_SEQUENCE, SYNDROME_ACK, unfit } from './syndrome.ts';
import type { TraceRequests } from './trace-requests.ts';
import type { TraceReport } from './trace-rules.ts';
import type { Asked, Run } from './trace-run.ts';

export interface NakCounts {
  sequence: number;
  rnr: number;
  /** Invalid request, remote access, remote operation. */
  fatal: number;
}

/** How messages counted since the begin of the capture relate to MSNs: a span of what their difference may be. */
interface Span {
  low: number;
  high: number;
}

/** The responses of one stream, judged by the requests that they answer. */
export class TraceAnswers {
  readonly #requests: TraceRequests;
  readonly naks: NakCounts;
  /** The gaps that the capture itself made are no one's fault. */
  readonly #blameGaps: boolean;
  #begun = 0;
  #msn: Span | undefined;
  /** PSN of the newest response with data. */
  #data: number | undefined;

  constructor(requests: TraceRequests, naks: NakCounts, blameGaps: boolean) {
    this.#requests = requests;
    this.naks = naks;
    this.#blameGaps = blameGaps;
  }

  sent(frame: Frame, report: TraceReport): void {
    const { operation, bth, aeth } = frame;
    const { family, name } = operation!;
    const syndrome = aeth?.syndrome ?? SYNDROME_ACK;
    const kind = kindOf(syndrome);
    if (!isDefined(syndrome) || (family !== 'ACK' && kind !== ACK)) {
      report('syndrome', family === 'ACK' ? 'one that is defined' : 'that of an ACK', hex(syndrome, 2));
      return;
    }
    if (kind !== ACK) this.#count(syndrome);
    const run = this.#runOf(frame, kind === ACK);
    if (!run || older(bth.psn, run.first)) return; // its request is from before the capture
    const requests = this.#requests;
    if (requests.dead) report('error-once', 'nothing after a NAK that ends the queue pair', name);
    else if (distance(bth.psn, run.newest) > 0)
      report('response-of-sent', `at most ${hex(run.newest, 6)}`, hex(bth.psn, 6));
    else if (family === 'ACK' && kind === ACK && this.#isOld(bth.psn))
      report('response-order', `at least ${hex(requests.answered!, 6)}`, hex(bth.psn, 6));
    else {
      const asked = run.find(bth.psn);
      const again = bth.psn === requests.answered;
      this.#judgeMsn(frame, asked, run, report);
      this.#cover(kind === ACK ? bth.psn : wrap(bth.psn - 1), report);
      if (family === 'READ_RESPONSE') this.#read(frame, asked, run, report);
      else if (family === 'ATOMIC_ACK') this.#atomic(frame, asked, report);
      else if (kind !== ACK) this.#nak(frame, asked, syndrome, run, report);
      // An ACK of what is answered already is one of a duplicate.
      else if (!again && asked && isAnsweredByData(asked))
        report('atomic-response', `an answer to ${asked.operation.name}`, name);
    }
  }

  /** The requests that an answer is for: those of a new connection, if it is odd otherwise and fits them. */
  #runOf({ bth: { psn }, aeth, operation }: Frame, ack: boolean): Run | undefined {
    const requests = this.#requests;
    if (requests.begun !== this.#begun) this.#reset();
    const { run } = requests;
    if (!run || !aeth) return run;
    const isAck = operation!.family === 'ACK' && ack;
    const odd =
      requests.dead ||
      !within(psn, run.first, run.newest) ||
      (isAck && this.#isOld(psn)) ||
      run.gaps.some(({ from }) => distance(psn, from) >= 0) ||
      this.#msnOf(aeth.msn, run.find(psn), run, ack).misfit;
    if (odd && requests.hasBegunAnew(psn, aeth.msn, ack ? 1 : 0)) this.#reset();
    else if (!odd) requests.isNoShadow(psn, aeth.msn);
    return requests.run;
  }

  #reset(): void {
    this.#begun = this.#requests.begun;
    this.#msn = undefined;
    this.#data = undefined;
  }

  #isOld(psn: number): boolean {
    const { answered } = this.#requests;
    return answered !== undefined && older(psn, answered);
  }

  #count(syndrome: number): void {
    if (isFatal(syndrome)) this.naks.fatal++;
    else if (syndrome === NAK_SEQUENCE) this.naks.sequence++;
    else this.naks.rnr++;
  }

  /** What is missing cannot be answered. */
  #cover(psn: number, report: TraceReport): void {
    const requests = this.#requests;
    for (let gap = requests.covered(psn); gap; gap = requests.covered(psn)) {
      this.#msn = undefined;
      if (this.#blameGaps) report('request-psn', hex(gap.from, 6), hex(gap.to, 6), gap.place);
    }
  }

  /** What an MSN says of messages before the capture: counted are at least those that are covered, at most those that were sent. */
  #msnOf(msn: number, asked: Asked | undefined, run: Run, ack: boolean) {
    if (!asked) return { misfit: false };
    const least = asked.messages - ((!ack || isAnsweredByData(asked)) && asked.ends ? 1 : 0);
    const [low, high] = [wrap(msn - run.messages), wrap(msn - least)];
    const span = this.#msn;
    if (!span) return { misfit: false, least, both: { low, high } };
    const both = {
      low: older(low, span.low) ? span.low : low,
      high: older(span.high, high) ? span.high : high,
    };
    return { misfit: older(both.high, both.low), least, both };
  }

  #judgeMsn({ aeth }: Frame, asked: Asked | undefined, run: Run, report: TraceReport): void {
    if (!aeth || run.gaps.length > 0) return;
    const { misfit, least, both } = this.#msnOf(aeth.msn, asked, run, kindOf(aeth.syndrome) === ACK);
    if (!both) return;
    if (misfit) {
      const [from, to] = [wrap(least + this.#msn!.low), wrap(run.messages + this.#msn!.high)];
      report('msn', from === to ? `${from}` : `${from}..${to}`, aeth.msn);
    } else this.#msn = both;
  }

  #read(frame: Frame, asked: Asked | undefined, run: Run, report: TraceReport): void {
    const { bth, operation, payloadBytes } = frame;
    const { psn } = bth;
    const previous = this.#data;
    this.#data = psn;
    if (!asked) return; // its request is not in the capture
    if (asked.operation.family !== 'READ') {
      report('atomic-response', `an answer to ${asked.operation.name}`, operation!.name);
      return;
    }
    const length = asked.reth!.dmaLen;
    run.learn(frame);
    const mtu = run.mtuBytes;
    if (mtu === undefined && length > payloadBytes) return;
    const responses = Math.max(1, Math.ceil(length / (mtu ?? Math.max(1, payloadBytes))));
    const at = ahead(psn, asked.psn);
    const last = at === responses - 1;
    const { position } = operation!;
    const mayBegin = asked.starts.includes(psn);
    const mustBegin = !(at > 0 && previous === wrap(psn - 1));
    const isBegin = position === 'first' || position === 'only';
    if (
      last !== (position === 'last' || position === 'only') ||
      (isBegin && !mayBegin) ||
      (at === 0 && !isBegin)
    ) {
      const right =
        at === 0 || (mayBegin && mustBegin) ? (last ? 'only' : 'first') : last ? 'last' : 'middle';
      report('read-response-opcode', right, position);
    }
    const bytes = last ? length - (responses - 1) * (mtu ?? 0) : mtu;
    if (bytes !== undefined && payloadBytes !== bytes)
      report('read-response-length', `${bytes} bytes`, payloadBytes);
  }

  #atomic(frame: Frame, asked: Asked | undefined, report: TraceReport): void {
    if (!asked) return;
    const { operation, atomicAck } = frame;
    if (asked.operation.family !== 'ATOMIC') {
      report('atomic-response', `an answer to ${asked.operation.name}`, operation!.name);
      return;
    }
    const { original } = atomicAck!;
    if (asked.original !== undefined && asked.original !== original)
      report('atomic-again', hex(asked.original, 16), hex(original, 16));
    asked.original = original;
  }

  #nak(frame: Frame, asked: Asked | undefined, syndrome: number, run: Run, report: TraceReport): void {
    const wrong = wrongPayload(frame, 0);
    if (wrong) report('payload-size', wrong.expected, wrong.found);
    if (syndrome === NAK_SEQUENCE && frame.bth.psn === run.newest && run.slack === 0)
      report('nak-gap', 'a packet that came behind it', 'none');
    const reason = syndrome !== NAK_SEQUENCE && asked ? unfit(asked, syndrome) : undefined;
    if (reason) report('nak-fits', reason, asked!.operation.name);
    if (isFatal(syndrome)) this.#requests.dead = true;
  }
}

const isAnsweredByData = ({ operation: { family } }: Asked): boolean =>
  family === 'READ' || family === 'ATOMIC';
