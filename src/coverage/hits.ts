/** Hits by point and bin. */
export type Counts = Record<string, Record<string, number>>;

/** By what has shown it. */
export type Hits = Record<string, Counts>;

export function addHit(hits: Hits, by: string, point: string, bin: string, count = 1): void {
  hits[by] ??= {};
  const counts = hits[by];
  counts[point] ??= {};
  counts[point][bin] = (counts[point][bin] ?? 0) + count;
}

export function addHits(hits: Hits, more: Readonly<Hits>): void {
  for (const [by, counts] of Object.entries(more))
    for (const [point, bins] of Object.entries(counts))
      for (const [bin, count] of Object.entries(bins)) addHit(hits, by, point, bin, count);
}
