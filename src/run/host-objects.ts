import type { DmaChecker, Life, RingRole } from '../check/index.ts';
import type { Context, Mr, PageSet } from '../host/index.ts';
import { PAGE_BYTES } from '../spec/gen/constants.ts';

/** A ring that a page belongs to. */
export interface RingPage {
  role: RingRole;
  /** QPN, CQN or EQN. */
  number: number;
}

interface SeenRegion {
  life: Life;
  key: number;
  access: number;
  translation: Mr['translation'];
}

const LABEL = /^(SQ|RQ) of QP (\d+)$|^(CQ|EQ) (\d+)$/;
const LOCAL_WRITE = 1;

/**
 * Keeps the DMA checker in step with what the driver has: rings and regions, each with the cycles in which
 * it lived. To be called before time can pass.
 */
export class HostObjects {
  readonly ringPages = new Map<bigint, RingPage>();
  readonly #context: Context;
  readonly #checker: DmaChecker;
  readonly #rings = new Map<PageSet, Life>();
  readonly #regions = new Map<Mr, SeenRegion>();
  readonly #names: (mr: Mr) => string;
  #first = true;

  constructor(context: Context, checker: DmaChecker, names: (mr: Mr) => string) {
    this.#context = context;
    this.#checker = checker;
    this.#names = names;
  }

  /** The physical address behind an R_Key and an address. */
  wordAt(rkey: number, va: bigint): bigint | undefined {
    for (const [, { key, translation }] of this.#regions) {
      if (key !== rkey) continue;
      const { start, length, offset, pageShift, pages } = translation;
      if (va < start || va >= start + length) return undefined;
      const at = offset + (va - start);
      const page = pages[Number(at >> BigInt(pageShift))];
      return page === undefined ? undefined : page + (at & ((1n << BigInt(pageShift)) - 1n));
    }
    return undefined;
  }

  update(now: number): void {
    // What is there at the first look may have been used already.
    const from = this.#first ? 0 : now;
    this.#first = false;
    this.#updateRings(from, now);
    this.#updateRegions(from, now);
  }

  #updateRings(from: number, now: number): void {
    const live = new Set(this.#context.memory.pages.live());
    for (const [set, life] of this.#rings) {
      if (live.has(set)) continue;
      life.to = now;
      this.#rings.delete(set);
      for (const page of set.pages) this.ringPages.delete(page);
    }
    for (const set of live) {
      if (this.#rings.has(set)) continue;
      const ring = ringOf(set.label);
      if (!ring) continue;
      const life: Life = { from };
      this.#rings.set(set, life);
      for (const page of set.pages) this.ringPages.set(page, ring);
      const { label: name, pages } = set;
      this.#checker.addRing({ name, role: ring.role, life, pages, pageBytes: PAGE_BYTES });
    }
  }

  #updateRegions(from: number, now: number): void {
    for (const [mr, seen] of this.#regions) {
      const same = seen.key === mr.key && seen.access === mr.access && seen.translation === mr.translation;
      if (this.#context.mrs.has(mr) && same) continue;
      seen.life.to = now;
      this.#regions.delete(mr);
    }
    for (const mr of this.#context.mrs) {
      if (this.#regions.has(mr)) continue;
      const { key, access, translation } = mr;
      const life: Life = { from };
      this.#regions.set(mr, { life, key, access, translation });
      this.#checker.addRegion({
        name: this.#names(mr),
        key,
        life,
        pages: translation.pages,
        pageBytes: 2 ** translation.pageShift,
        offset: Number(translation.offset),
        length: Number(translation.length),
        writable: (access & LOCAL_WRITE) !== 0,
      });
    }
  }
}

function ringOf(label: string): RingPage | undefined {
  const found = LABEL.exec(label);
  if (!found) return undefined;
  const role = (found[1] ?? found[3])!.toLowerCase() as RingRole;
  return { role, number: Number(found[2] ?? found[4]) };
}
