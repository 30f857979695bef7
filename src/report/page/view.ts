import type { TimeAxis } from './axis.ts';

const LEAST = 16;
const MARGIN = 0.04;

/** The part of the axis that is seen, in places. */
export class View {
  from = 0;
  to = 1;
  #axis: TimeAxis;

  constructor(axis: TimeAxis) {
    this.#axis = axis;
    this.fit();
  }

  get span(): number {
    return this.to - this.from;
  }

  /** Another axis for the same cycles. */
  set axis(axis: TimeAxis) {
    const [from, to] = [this.#axis.cycleAt(this.from), this.#axis.cycleAt(this.to)];
    this.#axis = axis;
    this.show(axis.placeOf(from), axis.placeOf(to));
  }

  fit(): void {
    this.show(this.#axis.start, this.#axis.end, MARGIN);
  }

  /** So much of it, with a margin at both ends. */
  show(from: number, to: number, margin = 0): void {
    const most = (this.#axis.end - this.#axis.start) * (1 + 4 * MARGIN) + LEAST;
    const span = Math.min(most, Math.max(LEAST, (to - from) * (1 + 2 * margin)));
    const middle = (from + to) / 2;
    this.#put(middle - span / 2, span);
  }

  /** By a factor, around a point that stays, 0 the beginning and 1 the end of the view. */
  zoom(factor: number, at = 0.5): void {
    const fixed = this.from + this.span * at;
    const span = this.span * factor;
    const most = (this.#axis.end - this.#axis.start) * (1 + 4 * MARGIN) + LEAST;
    const kept = Math.min(most, Math.max(LEAST, span));
    this.#put(fixed - kept * at, kept);
  }

  /** By parts of what is seen. */
  pan(parts: number): void {
    this.#put(this.from + this.span * parts, this.span);
  }

  centre(place: number): void {
    this.#put(place - this.span / 2, this.span);
  }

  /** The middle of the view stays on the axis. */
  #put(from: number, span: number): void {
    const lowest = this.#axis.start - span / 2;
    const highest = this.#axis.end - span / 2;
    this.from = Math.min(highest, Math.max(lowest, from));
    this.to = this.from + span;
  }
}
