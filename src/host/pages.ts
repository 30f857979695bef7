import { PAGE_BYTES } from '../spec/gen/constants.ts';
import { VerbsError } from './errors.ts';

export interface PageOptions {
  /** Physical address of the first page handed out. */
  base?: bigint;
  /** How much there is; unless told, more than anybody asks for. */
  bytes?: number;
  /** Scatters pages over the memory, so that neighbours in a buffer are none in memory. */
  seed?: number;
  /** Pages left unused around what is handed out. */
  guardPages?: number;
}

/** Pages in use. */
export interface PageSet {
  readonly label: string;
  readonly pageShift: number;
  /** Physical addresses. */
  readonly pages: readonly bigint[];
  /** Physical addresses of 4 KiB pages that nobody may write. */
  readonly guards: readonly bigint[];
}

const PAGE = BigInt(PAGE_BYTES);
const PAGE_SHIFT = Math.log2(PAGE_BYTES);
const MOST_WINDOW_PAGES = 2 ** 24; // scattered pages lie within 64 GiB
const MAX_SCATTERED_SHIFT = 21;

/** Hands out host memory by pages, naturally aligned. */
export class PageAllocator {
  readonly #base: bigint;
  /** Scattered pages lie within so many; where memory is short, in its first half. */
  readonly #windowPages: number;
  readonly #end: bigint | undefined;
  readonly #guardPages: number;
  readonly #random: (() => number) | undefined;
  readonly #live = new Set<PageSet>();
  readonly #freed = new Map<string, PageSet[]>();
  readonly #scattered = new Set<number>(); // page numbers from #base
  #next: bigint; // contiguous pages

  constructor(options: PageOptions = {}) {
    this.#base = options.base ?? 0x1_0000_0000n;
    this.#guardPages = options.guardPages ?? 1;
    this.#random = options.seed === undefined ? undefined : randomFrom(options.seed);
    const { bytes } = options;
    this.#windowPages =
      bytes === undefined
        ? MOST_WINDOW_PAGES
        : Math.min(MOST_WINDOW_PAGES, Math.floor(bytes / PAGE_BYTES / 2));
    this.#end = bytes === undefined ? undefined : this.#base + BigInt(bytes);
    this.#next = this.#base + (this.#random ? BigInt(this.#windowPages) * PAGE : 0n) + this.#guardBytes;
  }

  allocate(count: number, label: string, pageShift = PAGE_SHIFT): PageSet {
    const scattered = this.#random && pageShift <= MAX_SCATTERED_SHIFT;
    const { pages, guards } = scattered ? this.#scatter(count, pageShift) : this.#row(count, pageShift);
    const set: PageSet = { label, pageShift, pages, guards };
    this.#live.add(set);
    return set;
  }

  free(set: PageSet): void {
    if (!this.#live.delete(set)) return;
    if (this.#random && set.pageShift <= MAX_SCATTERED_SHIFT) {
      for (const page of set.pages) {
        const first = Number((page - this.#base) / PAGE);
        for (let i = 0; i < 2 ** (set.pageShift - PAGE_SHIFT); i++) this.#scattered.delete(first + i);
      }
    } else {
      const kind = `${set.pages.length}.${set.pageShift}`;
      this.#freed.set(kind, [...(this.#freed.get(kind) ?? []), set]);
    }
  }

  /** What is handed out now. */
  live(): Iterable<PageSet> {
    return this.#live;
  }

  get #guardBytes(): bigint {
    return BigInt(this.#guardPages) * PAGE;
  }

  /** Pages one after another; those that were freed in the same number first. */
  #row(count: number, pageShift: number): Pick<PageSet, 'pages' | 'guards'> {
    const used = this.#freed.get(`${count}.${pageShift}`)?.shift();
    if (used) return used;
    const size = 1n << BigInt(pageShift);
    const first = ((this.#next + size - 1n) / size) * size;
    const end = first + BigInt(count) * size;
    if (this.#end !== undefined && end + this.#guardBytes > this.#end)
      throw new VerbsError('INSUFFICIENT_RESOURCES', `memory: expected ${count} pages in a row, found fewer`);
    this.#next = end + this.#guardBytes;
    return {
      pages: Array.from({ length: count }, (_, i) => first + BigInt(i) * size),
      guards: Array.from({ length: this.#guardPages }, (_, i) => end + BigInt(i) * PAGE),
    };
  }

  #scatter(count: number, pageShift: number): Pick<PageSet, 'pages' | 'guards'> {
    const pages: bigint[] = [];
    const guards: bigint[] = [];
    const small = 2 ** (pageShift - PAGE_SHIFT);
    for (let i = 0; i < count; i++) {
      const first = this.#freeSpot(small);
      for (let j = 0; j < small; j++) this.#scattered.add(first + j);
      pages.push(this.#base + BigInt(first) * PAGE);
      if (this.#guardPages > 0) guards.push(this.#base + BigInt(first + small) * PAGE);
    }
    return { pages, guards };
  }

  #freeSpot(small: number): number {
    const guard = Math.min(this.#guardPages, 1);
    for (let attempt = 0; attempt < 1000; attempt++) {
      const first = (1 + Math.floor(this.#random!() * (this.#windowPages / small - 2))) * small;
      let free = true;
      for (let i = -guard; free && i < small + guard; i++) free = !this.#scattered.has(first + i);
      if (free) return first;
    }
    throw new VerbsError('INSUFFICIENT_RESOURCES', 'no page is left in the window of scattered pages');
  }
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
