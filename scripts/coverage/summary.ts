/** What `make coverage` leaves for programs: build/coverage/coverage.json. */
import { holesOf, isHole, type JudgedPoint, type Judgement } from '../../src/coverage/index.ts';
import type { CodeRow } from './code.ts';

export interface PointSummary {
  name: string;
  doc: string;
  bins: number;
  hit: number;
  excluded: number;
  holes: string[];
  /** By bin, those on the devices that have to show it. */
  counts: Record<string, number>;
}

export interface Summary {
  format: 1;
  on: string;
  runs: number;
  passed: boolean;
  faults: readonly string[];
  points: PointSummary[];
  /** Code coverage by language, where it was measured. */
  code: Readonly<Record<string, readonly CodeRow[]>>;
}

export const summaryOf = (judgement: Judgement, code: Summary['code']): Summary => ({
  format: 1,
  on: judgement.on,
  runs: judgement.runs,
  passed: judgement.faults.length === 0 && holesOf(judgement).length === 0,
  faults: judgement.faults,
  points: judgement.points.map(pointSummary),
  code,
});

export function pointSummary({ name, doc, bins }: JudgedPoint): PointSummary {
  const hit = bins.filter(({ hits }) => hits > 0);
  return {
    name,
    doc,
    bins: bins.length,
    hit: hit.length,
    excluded: bins.filter(({ excluded }) => excluded !== undefined).length,
    holes: bins.filter(isHole).map(({ bin }) => bin),
    counts: Object.fromEntries(hit.map(({ bin, hits }) => [bin, hits])),
  };
}
