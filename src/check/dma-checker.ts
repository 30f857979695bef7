import { hex } from './bytes.ts';
import { RangeMap } from './ranges.ts';

/** What a ring is for; the device only reads its work queues and only writes the others. */
export type RingRole = 'sq' | 'rq' | 'cq' | 'eq';

/** Since when, and until when, the device may use it; both included. Kept as it is, so that `to` can be set later. */
export interface Life {
  from: number;
  /** Undefined while it is live. */
  to?: number | undefined;
}

/** Memory by physical pages. */
export interface Pages {
  name: string;
  pages: readonly bigint[];
  pageBytes: number;
}

export interface ObservedRing extends Pages {
  role: RingRole;
  life: Life;
}

export interface ObservedRegion extends Pages {
  key: number;
  /** Of its first byte in the first page. */
  offset: number;
  length: number;
  /** Local or remote write, or atomic: what lets the device write. */
  writable: boolean;
  life: Life;
}

/** How the checks see a host: an adapter outside of them fills it from the verbs that were called. */
export interface HostObserver {
  rings(): Iterable<ObservedRing>;
  regions(): Iterable<ObservedRegion>;
}

export interface DmaAccess {
  kind: 'dma-read' | 'dma-write';
  cycle: number;
  device: 0 | 1;
  address: bigint;
  length: number;
}

export const DMA_RULES = {
  'dma-nowhere': 'an access lies in a ring or in a region',
  'dma-dead': 'a ring or region is accessed only while it is live',
  'dma-read-of-queue': 'the device never reads a completion or event queue',
  'dma-write-of-queue': 'the device never writes a work queue',
  'dma-not-writable': 'the device writes only to regions with local write',
  'dma-crosses-4k': 'an access does not cross a 4 KiB boundary',
  'dma-empty': 'an access has a length',
  'dma-again': 'the device writes no more to regions than has come for them: nothing twice',
} as const;

export type DmaRule = keyof typeof DMA_RULES;

export interface DmaViolation {
  rule: DmaRule;
  text: string;
  access: DmaAccess;
  /** Address of the first byte at fault. */
  at: bigint;
  found: string;
}

export interface Traffic {
  name: string;
  read: number;
  written: number;
}

interface Target {
  name: string;
  role: RingRole | 'region';
  writable: boolean;
  readable: boolean;
  life: Life;
  traffic: Traffic;
}

const CROSSING = 4096n;

/**
 * Judges what one device does to the memory of its host, from what the verbs have named. A region or ring that
 * is added later judges later accesses only: add it before the device can know of it.
 */
export class DmaChecker {
  readonly violations: DmaViolation[] = [];
  readonly #targets = new RangeMap<Target>();
  readonly #traffic: Traffic[] = [];
  /** Bytes written to regions. */
  #placed = 0;
  #last: DmaAccess | undefined;

  /** Adds all that an observer knows now. */
  observe(observer: HostObserver): this {
    for (const ring of observer.rings()) this.addRing(ring);
    for (const region of observer.regions()) this.addRegion(region);
    return this;
  }

  addRing({ name, role, life, pages, pageBytes }: ObservedRing): void {
    const works = role === 'sq' || role === 'rq';
    const target = this.#target(name, role, { readable: works, writable: !works, life });
    for (const page of pages)
      this.#targets.add({ start: page, end: page + BigInt(pageBytes), owner: target });
  }

  addRegion({ name, life, pages, pageBytes, offset, length, writable }: ObservedRegion): void {
    const target = this.#target(name, 'region', { readable: true, writable, life });
    let rest = length;
    let from = offset;
    for (const page of pages) {
      const bytes = Math.min(rest, pageBytes - from);
      this.#targets.add({ start: page + BigInt(from), end: page + BigInt(from + bytes), owner: target });
      rest -= bytes;
      from = 0;
    }
  }

  #target(
    name: string,
    role: Target['role'],
    rights: Pick<Target, 'readable' | 'writable' | 'life'>,
  ): Target {
    const traffic: Traffic = { name, read: 0, written: 0 };
    this.#traffic.push(traffic);
    return { name, role, traffic, ...rights };
  }

  access(access: DmaAccess): void {
    const { address, length } = access;
    const end = address + BigInt(length);
    if (length <= 0) {
      this.#add('dma-empty', access, address, `${length} bytes`);
      return;
    }
    if (address / CROSSING !== (end - 1n) / CROSSING) {
      this.#add('dma-crosses-4k', access, address, `${length} bytes`);
    }
    for (let at = address; at < end; ) {
      const next = this.#judge(access, at, end);
      if (next === undefined) return;
      at = next;
    }
  }

  /** Judges the bytes from `at` that lie in the same target; the address after them, or undefined at a fault. */
  #judge(access: DmaAccess, at: bigint, end: bigint): bigint | undefined {
    const write = access.kind === 'dma-write';
    const here = this.#targets.at(at);
    const live = here.filter(({ owner }) => isLive(owner.life, access.cycle));
    const right = live.filter(({ owner }) => (write ? owner.writable : owner.readable));
    // Regions may share pages: the one that reaches furthest takes the bytes.
    const target = right.reduce<(typeof right)[number] | undefined>(
      (best, each) => (best && best.end >= each.end ? best : each),
      undefined,
    );
    if (!target) {
      const rule = ruleOf(
        here.map(({ owner }) => owner),
        live.map(({ owner }) => owner),
        write,
      );
      const names = (live.length > 0 ? live : here).map(({ owner }) => owner.name);
      this.#add(rule, access, at, names.join(', ') || 'no ring and no region');
      return undefined;
    }
    const until = target.end < end ? target.end : end;
    target.owner.traffic[write ? 'written' : 'read'] += Number(until - at);
    if (write && target.owner.role === 'region') {
      this.#placed += Number(until - at);
      this.#last = access;
    }
    return until;
  }

  /** At rest: no more was written to regions than the `bytes` that came for them. */
  judgePlaced(bytes: number): void {
    if (!this.#last || this.#placed <= bytes) return;
    this.#add('dma-again', this.#last, this.#last.address, `${this.#placed} bytes where ${bytes} came`);
  }

  #add(rule: DmaRule, access: DmaAccess, at: bigint, found: string): void {
    this.violations.push({ rule, text: DMA_RULES[rule], access, at, found });
  }

  /** Bytes read and written, by ring and region in the order in which they were added. */
  get traffic(): readonly Traffic[] {
    return this.#traffic;
  }
}

const isLive = ({ from, to }: Life, cycle: number): boolean =>
  cycle >= from && (to === undefined || cycle <= to);

function ruleOf(here: readonly Target[], live: readonly Target[], write: boolean): DmaRule {
  if (here.length === 0) return 'dma-nowhere';
  if (live.length === 0) return 'dma-dead';
  if (live.some(({ role }) => role === 'region')) return 'dma-not-writable';
  return write ? 'dma-write-of-queue' : 'dma-read-of-queue';
}

export const formatDmaViolation = ({ rule, text, access, at, found }: DmaViolation): string =>
  `cycle ${access.cycle}, ${access.kind} of device ${access.device}, ${access.length} bytes at ` +
  `${hex(access.address)}: ${rule}: ${text}: found ${found} at ${hex(at)}`;
