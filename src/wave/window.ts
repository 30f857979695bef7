import type { ReportData } from '../report/index.ts';

/** Cycles `from` to `to` - 1, and the one that it is about. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** A wave file counts half cycles. */
export const UNITS_PER_CYCLE = 2;

/** What a window can be around: marks of a run, or its end. */
export const PLACES = ['failure', 'fault', 'nak', 'retry', 'end'] as const;
export type Place = (typeof PLACES)[number];

/** So many cycles around a cycle, three quarters of them before it: what led to it. */
export function around(at: number, cycles: number): Window {
  const from = Math.max(0, at - Math.floor((3 * cycles) / 4));
  return { from, to: from + cycles, at };
}

/** The cycle of the nth mark of a kind, from 1; nothing if there are fewer. What failed without a cycle failed at the end. */
export function cycleOf(
  { marks, record }: Pick<ReportData, 'marks' | 'record'>,
  place: Place,
  nth: number,
): number | undefined {
  if (place === 'end') return record?.cycles;
  const found = marks.filter(({ kind }) => kind === place)[nth - 1];
  if (found || place !== 'failure' || nth > 1) return found?.cycle;
  return record && !record.passed ? record.cycles : undefined;
}

/** What one looks for first: what failed, what struck, or how it ended. */
export const firstPlace = (data: Pick<ReportData, 'marks' | 'record'>): Place =>
  PLACES.find((place) => cycleOf(data, place, 1) !== undefined) ?? 'end';
