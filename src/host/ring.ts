import { PAGE_BYTES } from '../spec/gen/constants.ts';
import { MTT } from '../spec/gen/records.ts';
import { REGIONS } from '../spec/gen/registers.ts';
import { packWord } from './bar.ts';
import type { Context } from './context.ts';
import type { PageSet } from './pages.ts';

/** Consecutive MTT entries for these pages, from the first free place on. */
export function mapPages(context: Context, pages: readonly bigint[]): number {
  const first = context.mtts.allocate(pages.length);
  const { bar, at, stride } = REGIONS.mttTable;
  pages.forEach((page, i) => {
    const entry = packWord(MTT, { present: 1, page: page / BigInt(PAGE_BYTES) });
    context.device.barWrite(bar, at + (first + i) * stride, entry);
  });
  return first;
}

/** Nothing may use the entries any more. */
export function unmapPages(context: Context, first: number, count: number): void {
  const { bar, at, stride } = REGIONS.mttTable;
  for (let i = 0; i < count; i++) context.device.barWrite(bar, at + (first + i) * stride, 0n);
  context.mtts.free(first, count);
}

/** Slots in whole pages of host memory, which the device finds through MTT entries. */
export class Ring {
  readonly #context: Context;
  readonly #pageSet: PageSet;
  readonly mtt: number;
  readonly slots: number;

  constructor(
    context: Context,
    readonly logSize: number,
    readonly slotBytes: number,
    label: string,
  ) {
    this.#context = context;
    this.slots = 2 ** logSize;
    const pages = Math.ceil((this.slots * slotBytes) / PAGE_BYTES);
    this.#pageSet = context.memory.pages.allocate(pages, label);
    try {
      this.mtt = mapPages(context, this.#pageSet.pages);
    } catch (error) {
      context.memory.pages.free(this.#pageSet);
      throw error;
    }
  }

  /** Physical address of the slot of an index that counts on without wrap. */
  address(index: number): bigint {
    const position = (index % this.slots) * this.slotBytes;
    return this.#pageSet.pages[Math.floor(position / PAGE_BYTES)]! + BigInt(position % PAGE_BYTES);
  }

  /** How many slots from `index` on lie behind one another in memory. */
  run(index: number): number {
    const slot = index % this.slots;
    const position = slot * this.slotBytes;
    return Math.min(this.slots - slot, (PAGE_BYTES - (position % PAGE_BYTES)) / this.slotBytes);
  }

  /** Phase bit of an entry that the device writes in this round. */
  phase(index: number): number {
    return Math.floor(index / this.slots) % 2 === 0 ? 1 : 0;
  }

  clear(): void {
    for (const page of this.#pageSet.pages) {
      this.#context.device.memWrite(page, new Uint8Array(PAGE_BYTES));
    }
  }

  /** The device must not use it any more. */
  free(): void {
    unmapPages(this.#context, this.mtt, this.#pageSet.pages.length);
    this.#context.memory.pages.free(this.#pageSet);
  }
}

/** log2 of the smallest ring with room for `entries`. */
export const logSizeFor = (entries: number): number => Math.ceil(Math.log2(Math.max(1, entries)));
