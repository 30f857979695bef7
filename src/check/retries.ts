import { hex } from './bytes.ts';
import type { End } from './connection.ts';
import { canBeUnderWay, rnrCycles, UNDER_WAY_CYCLES } from './freedoms.ts';
import type { Outlet } from './outlet.ts';
import { newer, older } from './psn.ts';
import type { Reach } from './reach.ts';
import type { Report } from './rules.ts';

const FOR_EVER = 7;

/** Something that lets a queue pair go back, once. */
interface Leave {
  kind: 'nak' | 'rnr';
  /** Cycle in which it was heard. */
  from: number;
  notBefore: number;
  /** What leaves by it was under way then. */
  until: number;
  /** The queue pair must go back before it goes on. */
  owed: boolean;
  /** Progress before it. */
  after: number;
}

/** What was oldest before progress. */
interface Past {
  psn: number;
  /** Cycle of that progress. */
  until: number;
  /** Its place among all progress. */
  place: number;
  /** When the timer may have run out next, if that was before. */
  due: number;
}

/**
 * Where and when one queue pair may go back, by the responses that reached it and by time. Where the order of a time-out and of what
 * it hears cannot be seen on the wire both are allowed.
 */
export class Retries {
  readonly #end: End;
  readonly #outlet: Outlet;
  /** The oldest PSN that is not acknowledged, or the next one that a READ needs. */
  oldest: number;
  /** answers-given-up: what is oldest to it if it dropped what it heard before it went back, and since when. */
  #behind: { psn: number; since: number } | undefined;
  #past: Past[] = [];
  #progress = 0;
  #leaves: Leave[] = [];
  #wait: { from: number; until: number } | undefined;
  /** It went back by a NAK: others are dropped until there is progress or a time-out. */
  #quiet = false;
  /** Since when the timer runs, at the earliest. */
  #base = 0;
  #progressAt = Number.NEGATIVE_INFINITY;
  #tries = 0;
  #rnrTries = 0;

  constructor(end: End, outlet: Outlet, firstPsn: number) {
    this.#end = end;
    this.#outlet = outlet;
    this.oldest = firstPsn;
  }

  get #timeoutCycles(): number {
    const { tick, ackTimeout } = this.#end.retry!;
    return ackTimeout === 0 ? Number.POSITIVE_INFINITY : tick * 2 ** ackTimeout;
  }

  get behind(): number | undefined {
    return this.#behind?.psn;
  }

  /** What a response is to one who is behind. */
  progressBehind({ psn, kind }: Reach, cycle: number): void {
    if (newer(psn, this.#behind!.psn)) {
      this.#past.push({ psn: this.#behind!.psn, until: cycle, place: this.#progress++, due: FAR });
      this.#behind = newer(this.oldest, psn) ? { psn, since: cycle } : undefined;
      this.#tries = 0;
    }
    if (kind === 'lost' && this.#behind && this.#end.retry) this.#leave('nak', cycle, cycle, false);
  }

  #leave(kind: Leave['kind'], from: number, notBefore: number, owed: boolean): void {
    this.#leaves.push({ kind, from, notBefore, until: FAR, owed, after: this.#progress });
  }

  /** All before `psn` is acknowledged. */
  progress(psn: number, cycle: number): void {
    if (!newer(psn, this.oldest)) return;
    this.#past = this.#past.filter(({ until }) => canBeUnderWay(this.#outlet, cycle, until));
    const due = this.#end.retry ? this.#base + this.#timeoutCycles : FAR;
    this.#past.push({ psn: this.oldest, until: cycle, place: this.#progress++, due });
    this.oldest = psn;
    this.#base = cycle;
    this.#progressAt = cycle;
    this.#tries = 0;
    this.#rnrTries = 0;
    this.#quiet = false;
    for (const leave of this.#leaves) {
      leave.owed = false;
      leave.until = Math.min(leave.until, Math.max(cycle, leave.notBefore));
    }
  }

  /** The first packet after none was outstanding. */
  starts(cycle: number): void {
    this.#base = Math.max(this.#base, this.#outlet.before(cycle, UNDER_WAY_CYCLES));
  }

  /** A NAK of PSN sequence, or a response from beyond what a READ needs; false: no try is left. */
  nak(cycle: number): boolean {
    const { retry } = this.#end;
    if (!retry) return false;
    const certain = !this.#quiet;
    if (!certain && cycle < this.#base + this.#timeoutCycles) return true;
    const waiting = this.#wait !== undefined && cycle < this.#wait.until;
    const notBefore = waiting ? this.#wait!.until : cycle;
    this.#leave('nak', cycle, notBefore, certain && !waiting);
    this.#quiet = true;
    return !certain || this.#tries < retry.retryCount;
  }

  /** An RNR NAK with that timer code; false: no try is left. */
  rnr(code: number, cycle: number): boolean {
    const { retry } = this.#end;
    if (!retry) return false;
    if (this.#wait && cycle < this.#wait.until) return true; // dropped
    const until = cycle + rnrCycles(code, retry.tick);
    const doubtful = this.#leaves.some(
      (leave) => leave.kind === 'rnr' && canBeUnderWay(this.#outlet, cycle, leave.until),
    );
    if (!doubtful) {
      this.#wait = { from: cycle, until };
      for (const leave of this.#leaves) {
        leave.owed = false;
        leave.until = Math.min(leave.until, cycle);
      }
    }
    this.#leave('rnr', cycle, until, !doubtful);
    return doubtful || retry.rnrRetry === FOR_EVER || this.#rnrTries < retry.rnrRetry;
  }

  /** PSNs to which a packet that leaves now can have gone back. */
  targets(cycle: number, after = 0): number[] {
    const past = this.#past.filter(
      ({ until, place }) => place >= after && canBeUnderWay(this.#outlet, cycle, until),
    );
    const behind = this.#behind ? [this.#behind.psn] : [];
    return [...past.map(({ psn }) => psn), ...behind, this.oldest];
  }

  /** A packet goes on where the last one ended. */
  continues(psn: number, cycle: number, report: Report): void {
    const wait = this.#wait;
    if (wait && cycle < wait.until && !canBeUnderWay(this.#outlet, cycle, wait.from)) {
      report('rnr-wait', `nothing before cycle ${wait.until}`, `a packet at cycle ${cycle}`);
    }
    const owed = this.#leaves.find(
      (leave) => leave.owed && !canBeUnderWay(this.#outlet, cycle, leave.notBefore),
    );
    const back = this.targets(cycle).includes(psn);
    if (owed && !back) report('go-back-owed', hex(this.oldest, 6), hex(psn, 6));
    if (owed || back) for (const leave of this.#leaves) leave.owed = false;
  }

  /** A packet goes back. */
  goesBack(psn: number, cycle: number, report: Report): void {
    const leave = this.#usable(cycle);
    const targets = this.targets(cycle, leave?.after);
    const behind = this.#behind?.psn === psn ? this.#behind.since : undefined;
    this.#behind = targets.includes(psn) && newer(this.oldest, psn) ? { psn, since: cycle } : undefined;
    if (!targets.includes(psn)) {
      // A time-out may have come just before what it heard.
      if (leave && this.#timedOutBefore(psn, cycle)) return;
      report('go-back-psn', targets.map((each) => hex(each, 6)).join(' or '), hex(psn, 6));
    }
    const { retryCount, rnrRetry } = this.#end.retry!;
    if (!leave) {
      this.#timesOut(psn, behind, cycle, report);
      return;
    }
    this.#leaves = this.#leaves.filter(({ from }) => from > leave.from);
    if (leave.kind === 'rnr') {
      this.#wait = undefined;
      this.#base = Math.max(this.#base, leave.notBefore);
      this.#rnrTries++;
      if (rnrRetry !== FOR_EVER && this.#rnrTries > rnrRetry) {
        report('rnr-retry-count', `at most ${rnrRetry}`, this.#rnrTries);
      }
      return;
    }
    this.#base = Math.max(this.#base, leave.from);
    if (leave.from < this.#progressAt) return; // it was before the tries came back
    this.#tries++;
    if (this.#tries > retryCount) report('retry-count', `at most ${retryCount}`, this.#tries);
  }

  #usable(cycle: number): Leave | undefined {
    const wait = this.#wait;
    const waiting = wait !== undefined && cycle < wait.until;
    return this.#leaves.find(
      ({ from, notBefore, until }) =>
        notBefore <= cycle &&
        canBeUnderWay(this.#outlet, cycle, until) &&
        (!waiting || (from < wait.from && canBeUnderWay(this.#outlet, cycle, wait.from))),
    );
  }

  /** Whether a time-out before progress lets it go back there; each does once, and the timer that runs now has not run out by it. */
  #timedOutBefore(psn: number, cycle: number): boolean {
    if (!this.targets(cycle).includes(psn)) return false;
    const past = this.#past.find(
      (each) =>
        each.due <= each.until && canBeUnderWay(this.#outlet, cycle, each.until) && !newer(each.psn, psn),
    );
    if (past) past.due += this.#timeoutCycles;
    return past !== undefined;
  }

  #timesOut(psn: number, behind: number | undefined, cycle: number, report: Report): void {
    const { retryCount } = this.#end.retry!;
    // To what is acknowledged it went before that was.
    const since = psn === this.oldest ? this.#base : behind;
    const due = since === undefined ? FAR : since + this.#timeoutCycles;
    if (this.#wait && cycle < this.#wait.until) {
      report('rnr-wait', `nothing before cycle ${this.#wait.until}`, `a packet sent again at cycle ${cycle}`);
      return;
    }
    if (this.#timedOutBefore(psn, cycle)) return;
    if (this.#timeoutCycles === FAR) report('go-back', 'a reason to go back', 'none');
    else if (cycle < due)
      report('ack-timeout', due === FAR ? `to ${hex(this.oldest, 6)}` : `not before cycle ${due}`, cycle);
    this.#base = Math.max(Math.min(due, cycle), this.#outlet.before(cycle, UNDER_WAY_CYCLES));
    this.#quiet = false;
    for (const leave of this.#leaves) leave.owed = false;
    this.#tries++;
    if (this.#tries > retryCount) report('retry-count', `at most ${retryCount}`, this.#tries);
  }

  /** Whether no packet that leaves now can go back to `psn` or before it. */
  isPast(psn: number, cycle: number): boolean {
    return this.targets(cycle).every((target) => older(psn, target));
  }
}

const FAR = Number.POSITIVE_INFINITY;
