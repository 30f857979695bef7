/** What goes on now, on standard error: a line that goes away on a terminal, else a line now and then. */
export class Progress {
  readonly #name: string;
  readonly #everyMs: number;
  readonly #live: boolean;
  #next: number;

  /** The first line comes after `everyMs`: what is done by then needs none. */
  constructor(name: string, { everyMs = 10_000, live = process.stderr.isTTY === true } = {}) {
    this.#name = name;
    this.#everyMs = everyMs;
    this.#live = live;
    this.#next = performance.now() + (live ? 0 : everyMs);
  }

  show(text: string): void {
    const now = performance.now();
    if (now < this.#next) return;
    this.#next = now + (this.#live ? REDRAW_MS : this.#everyMs);
    process.stderr.write(this.#live ? `${CLEAR}${this.#name}: ${text} ...` : `${this.#name}: ${text}\n`);
  }

  /** Before other words, and in the end. */
  end(): void {
    if (this.#live) process.stderr.write(CLEAR);
  }
}

const CLEAR = '\r\x1b[K';
const REDRAW_MS = 100;
