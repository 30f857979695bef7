/** A stretch in which nothing happens, drawn shorter than it was. */
export interface Break {
  from: number;
  to: number;
  /** Where it is drawn. */
  at: number;
  size: number;
}

/** Longer stretches than this are broken, and drawn as if they were so long. */
const IDLE_CYCLES = 160;
const BREAK_CYCLES = 48;

/** Places on the time axis for cycles and back; a place is a cycle less what the breaks before it have saved. */
export class TimeAxis {
  readonly breaks: readonly Break[];
  readonly start: number;
  readonly end: number;

  /** `cycles`: all in which something happens, in order. */
  constructor(cycles: Float64Array, compact: boolean) {
    const breaks: Break[] = [];
    let saved = 0;
    for (let i = 1; compact && i < cycles.length; i++) {
      const [from, to] = [cycles[i - 1]!, cycles[i]!];
      if (to - from <= IDLE_CYCLES) continue;
      breaks.push({ from, to, at: from - saved, size: BREAK_CYCLES });
      saved += to - from - BREAK_CYCLES;
    }
    this.breaks = breaks;
    this.start = cycles[0] ?? 0;
    this.end = Math.max(this.start + 1, (cycles.at(-1) ?? 1) - saved);
  }

  placeOf(cycle: number): number {
    const found = this.breaks[lastBefore(this.breaks, cycle, ({ from }) => from)];
    if (!found) return cycle;
    const { from, to, at, size } = found;
    if (cycle >= to) return at + size + (cycle - to);
    return at + ((cycle - from) / (to - from)) * size;
  }

  cycleAt(place: number): number {
    const found = this.breaks[lastBefore(this.breaks, place, ({ at }) => at)];
    if (!found) return place;
    const { from, to, at, size } = found;
    if (place >= at + size) return to + (place - at - size);
    return from + ((place - at) / size) * (to - from);
  }
}

/** Index of the last item whose key is not above `value`; -1 if there is none. */
export function lastBefore<T>(items: ArrayLike<T>, value: number, key: (item: T) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(items[middle]!) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
