/** How numbers are spread; the percentiles are by nearest rank, so each is a number that was there. */
export interface Spread {
  count: number;
  min: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

/** Numbers, each once with how often it came: exact, and small where a run is long. */
export class Samples {
  readonly #counts = new Map<number, number>();
  #count = 0;

  add(value: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#count++;
  }

  /** Nothing where there are no numbers. */
  spread(): Spread | undefined {
    if (this.#count === 0) return undefined;
    const sorted = [...this.#counts].sort(([a], [b]) => a - b);
    const [p50, p90, p99] = [50, 90, 99].map((percent) => this.#percentile(sorted, percent));
    const [min, max] = [sorted[0]![0], sorted.at(-1)![0]];
    return { count: this.#count, min, p50: p50!, p90: p90!, p99: p99!, max };
  }

  #percentile(sorted: readonly (readonly [value: number, times: number])[], percent: number): number {
    const rank = Math.ceil((percent * this.#count) / 100);
    let upTo = 0;
    const reaches = ([, times]: readonly [number, number]): boolean => {
      upTo += times;
      return upTo >= rank;
    };
    return sorted.find(reaches)![0];
  }
}
