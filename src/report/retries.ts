import { AethClass, NakSyndrome } from '../spec/gen/enums.ts';
import { psnAdd, psnCount, psnDiff } from '../wire/psn.ts';
import type { Cause, Retry, Side } from './data.ts';
import { NONE } from './data.ts';

/** Of a packet, what tells whether it was sent before. */
export interface Request {
  index: number;
  psn: number;
  /** Bytes that a READ asks for: its responses take a PSN each. */
  readBytes: number | undefined;
  mtuBytes: number | undefined;
  cycle: number;
}

export interface Response {
  index: number;
  psn: number;
  syndrome: number | undefined;
  /** When the requester had it. */
  cycle: number;
}

/** A response that came so shortly before a replay is what caused it: a PSN in it was not the next one (9.7.6.1.1, implied NAK). */
const IMPLIED_CYCLES = 1000;

/** The requests of one direction of a connection: which were sent before, and why the requester went back. */
export class RequestLog {
  readonly retries: Retry[] = [];
  /** PSN behind the highest that was sent, and behind the one sent last. */
  #end: number | undefined;
  #next = 0;
  readonly #sent = new Map<number, number>();
  #lastRequest = 0;
  readonly #answers: Response[] = [];

  /** A response that has arrived at the requester before the next request. */
  answered(response: Response): void {
    this.#answers.push(response);
  }

  /** The packet that had this PSN before, or NONE. */
  request({ index, psn, readBytes, mtuBytes, cycle }: Request): number {
    const span = readBytes === undefined || !mtuBytes ? 1 : psnCount(readBytes, mtuBytes);
    const behind = psnAdd(psn, span);
    let before = NONE;
    if (this.#end !== undefined && psnDiff(psn, this.#end) < 0) {
      before = this.#holderOf(psn) ?? NONE;
      if (psnDiff(psn, this.#next) < 0) this.#wentBack(index, psn, cycle);
    }
    if (this.#end === undefined || psnDiff(behind, this.#end) > 0) this.#end = behind;
    this.#next = behind;
    this.#sent.set(psn, index);
    this.#lastRequest = cycle;
    return before;
  }

  /** The packet that was sent with it; of a READ that goes on in its middle the READ. */
  #holderOf(psn: number): number | undefined {
    const exact = this.#sent.get(psn);
    if (exact !== undefined) return exact;
    let nearest: number | undefined;
    for (const each of this.#sent.keys()) {
      if (psnDiff(each, psn) < 0 && (nearest === undefined || psnDiff(each, nearest) > 0)) nearest = each;
    }
    return nearest === undefined ? undefined : this.#sent.get(nearest);
  }

  #wentBack(packet: number, psn: number, cycle: number): void {
    const last = this.#answers.at(-1);
    const nak = this.#answers.findLast((each) => each.psn === psn && causeOf(each) !== undefined);
    const quietFrom = Math.max(this.#lastRequest, last?.cycle ?? 0);
    let cause: Cause = 'timeout';
    if (nak) cause = causeOf(nak)!;
    else if (last && cycle - last.cycle <= IMPLIED_CYCLES) cause = 'implied';
    this.retries.push({ packet, cause, nak: nak?.index ?? NONE, quietFrom });
    this.#answers.length = 0;
  }
}

function causeOf({ syndrome }: Response): 'nak' | 'rnr' | undefined {
  if (syndrome === NakSyndrome.NAK_SEQUENCE) return 'nak';
  return isRnr(syndrome) ? 'rnr' : undefined;
}

export const isRnr = (syndrome: number | undefined): boolean =>
  syndrome !== undefined && syndrome >> 5 === AethClass.RNR;
export const isNak = (syndrome: number | undefined): boolean =>
  syndrome !== undefined && syndrome >> 5 === AethClass.NAK;

/** The READ responses and atomic acknowledges of one direction: which were sent before. */
export class ResponseLog {
  readonly #sent = new Map<number, number>();

  response(index: number, psn: number): number {
    const before = this.#sent.get(psn);
    this.#sent.set(psn, index);
    return before ?? NONE;
  }
}

export const directionKey = (sender: Side, destQpn: number): string => `${sender}:${destQpn}`;
