import { type Exclusion, matcherOf } from './excluded.ts';
import { addHits, type Hits } from './hits.ts';
import { binKey, type Point } from './point.ts';

export interface JudgedBin {
  readonly bin: string;
  /** On the devices that have to show it. */
  readonly hits: number;
  /** On others. */
  readonly elsewhere: number;
  /** Why it cannot arise. */
  readonly excluded?: string;
}

export interface JudgedPoint {
  readonly name: string;
  readonly doc: string;
  readonly bins: readonly JudgedBin[];
}

export interface Judgement {
  /** The devices that have to show it: `rtl` or `model`. */
  readonly on: string;
  readonly runs: number;
  readonly points: readonly JudgedPoint[];
  /** What is wrong with points or exclusions, a sentence each. */
  readonly faults: readonly string[];
}

export const isHole = ({ hits, excluded }: JudgedBin): boolean => hits === 0 && excluded === undefined;

/** The holes of all points, by name. */
export const holesOf = ({ points }: Pick<Judgement, 'points'>): string[] =>
  points.flatMap(({ name, bins }) => bins.filter(isHole).map(({ bin }) => binKey(name, bin)));

export function merged(runs: Iterable<{ readonly hits: Hits }>): { hits: Hits; runs: number } {
  const hits: Hits = {};
  let count = 0;
  for (const run of runs) {
    addHits(hits, run.hits);
    count++;
  }
  return { hits, runs: count };
}

/** What these hits fill of the points. */
export function judge(
  points: readonly Point[],
  exclusions: readonly Exclusion[],
  { hits, runs }: { hits: Hits; runs: number },
  on: string,
): Judgement {
  const reasons = reasonsOf(points, exclusions);
  const judged = points.map(({ name, doc, bins }) => ({
    name,
    doc,
    bins: bins.map((bin) => {
      const all = Object.entries(hits).map(([by, counts]) => [by, counts[name]?.[bin] ?? 0] as const);
      const sum = (of: (by: string) => boolean) =>
        all.reduce((total, [by, count]) => total + (of(by) ? count : 0), 0);
      const excluded = reasons.bins.get(binKey(name, bin));
      const counted = { bin, hits: sum((by) => by === on), elsewhere: sum((by) => by !== on) };
      return excluded === undefined ? counted : { ...counted, excluded };
    }),
  }));
  return {
    on,
    runs,
    points: judged,
    faults: [...reasons.faults, ...undeclared(points, hits), ...arisen(judged)],
  };
}

/** The reason of each bin that is excluded, and what is wrong with the exclusions. */
function reasonsOf(points: readonly Point[], exclusions: readonly Exclusion[]) {
  const bins = new Map<string, string>();
  const faults: string[] = [];
  for (const { point: name, bins: patterns, why } of exclusions) {
    const point = points.find((each) => each.name === name);
    if (!point) faults.push(`exclusion of ${name}: expected a point, found none of that name`);
    for (const pattern of point ? patterns : []) {
      const found = point!.bins.filter(matcherOf(pattern));
      if (found.length === 0)
        faults.push(`exclusion of ${name} ${pattern}: expected bins, found none like it`);
      for (const bin of found) bins.set(binKey(name, bin), why);
    }
  }
  return { bins, faults };
}

/** Observers know no bins but those of the points. */
function undeclared(points: readonly Point[], hits: Hits): string[] {
  const known = new Set(points.flatMap(({ name, bins }) => bins.map((bin) => binKey(name, bin))));
  const seen = Object.values(hits).flatMap((counts) =>
    Object.entries(counts).flatMap(([point, bins]) => Object.keys(bins).map((bin) => binKey(point, bin))),
  );
  return [...new Set(seen)]
    .filter((key) => !known.has(key))
    .map((key) => `${key}: expected a bin of a point, found a hit of what is none`);
}

/** What cannot arise and did. */
const arisen = (points: readonly JudgedPoint[]): string[] =>
  points.flatMap(({ name, bins }) =>
    bins
      .filter(({ excluded, hits, elsewhere }) => excluded !== undefined && hits + elsewhere > 0)
      .map(
        ({ bin, excluded, hits, elsewhere }) =>
          `${binKey(name, bin)}: expected never (${excluded}), found ${hits + elsewhere} times`,
      ),
  );
