import { VerbsError } from './errors.ts';

/** Numbers of a table; fresh ones first, then the one that was free for the longest time. */
export class NumberPool {
  readonly #name: string;
  readonly #end: number;
  #fresh: number;
  #freed: number[] = [];
  #taken = 0; // of #freed, from its front

  constructor(name: string, first: number, end: number) {
    this.#name = name;
    this.#fresh = first;
    this.#end = end;
  }

  allocate(): number {
    if (this.#fresh < this.#end) return this.#fresh++;
    const oldest = this.#freed[this.#taken];
    if (oldest === undefined) throw new VerbsError('INSUFFICIENT_RESOURCES', `no ${this.#name} is left`);
    if (++this.#taken > 1024) {
      this.#freed = this.#freed.slice(this.#taken);
      this.#taken = 0;
    }
    return oldest;
  }

  free(number: number): void {
    this.#freed.push(number);
  }
}

/** Contiguous ranges of a table, first fit. */
export class RangePool {
  readonly #name: string;
  readonly #gaps: { first: number; count: number }[]; // ascending, never adjacent

  constructor(name: string, count: number) {
    this.#name = name;
    this.#gaps = [{ first: 0, count }];
  }

  allocate(count: number): number {
    if (count === 0) return 0;
    const at = this.#gaps.findIndex((gap) => gap.count >= count);
    const gap = this.#gaps[at];
    if (!gap) throw new VerbsError('INSUFFICIENT_RESOURCES', `no ${count} ${this.#name} in a row are left`);
    const first = gap.first;
    gap.first += count;
    gap.count -= count;
    if (gap.count === 0) this.#gaps.splice(at, 1);
    return first;
  }

  free(first: number, count: number): void {
    if (count === 0) return;
    let at = this.#gaps.findIndex((gap) => gap.first > first);
    if (at < 0) at = this.#gaps.length;
    this.#gaps.splice(at, 0, { first, count });
    this.#join(at);
    if (at > 0) this.#join(at - 1);
  }

  #join(at: number): void {
    const gap = this.#gaps[at]!;
    const next = this.#gaps[at + 1];
    if (next && gap.first + gap.count === next.first) {
      gap.count += next.count;
      this.#gaps.splice(at + 1, 1);
    }
  }
}

/** Keys of memory regions: the table index and a byte that differs from one life of the entry to the next. */
export class KeyPool {
  readonly #indices: NumberPool;
  readonly #bytes = new Map<number, number>();

  constructor(count: number) {
    this.#indices = new NumberPool('memory region', 0, count);
  }

  allocate(): number {
    return this.renew(this.#indices.allocate());
  }

  /** Another key of the same entry. */
  renew(index: number): number {
    const last = this.#bytes.get(index) ?? (index * 0x9d + 0x5a) & 0xff; // never key 0
    const byte = (last + 1) & 0xff;
    this.#bytes.set(index, byte);
    return index * 256 + byte;
  }

  free(index: number): void {
    this.#indices.free(index);
  }
}
