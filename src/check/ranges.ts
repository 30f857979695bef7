/** A stretch of physical memory, `end` not included. */
export interface Range<T> {
  start: bigint;
  end: bigint;
  owner: T;
}

/** Stretches of physical memory by address, which may overlap. */
export class RangeMap<T> {
  /** By start; stretches that start alike follow each other. */
  #ranges: Range<T>[] = [];
  #longest = 0n;
  #sorted = true;

  add(range: Range<T>): void {
    if (range.end <= range.start) return;
    this.#ranges.push(range);
    this.#sorted = false;
    const length = range.end - range.start;
    if (length > this.#longest) this.#longest = length;
  }

  /** Those that hold `address`. */
  at(address: bigint): Range<T>[] {
    if (!this.#sorted) {
      this.#ranges.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
      this.#sorted = true;
    }
    const found: Range<T>[] = [];
    for (let i = this.#firstAfter(address) - 1; i >= 0; i--) {
      const range = this.#ranges[i]!;
      if (range.start + this.#longest <= address) break;
      if (address < range.end) found.push(range);
    }
    return found;
  }

  /** Index of the first stretch that starts after `address`. */
  #firstAfter(address: bigint): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ranges[middle]!.start <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
