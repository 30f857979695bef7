import { type Context, queryStatistics, type Statistics } from '../host/index.ts';
import type { RunKind } from './kinds.ts';

/** What both devices have counted, as a run leaves it in counters.json. */
export interface RunStatistics {
  device: RunKind;
  cycles: number;
  hosts: Record<'a' | 'b', Statistics>;
}

export const STATISTICS_FILE = 'counters.json';

export async function statisticsOf(
  device: RunKind,
  cycles: number,
  [a, b]: readonly [Context, Context],
): Promise<RunStatistics> {
  return { device, cycles, hosts: { a: await queryStatistics(a), b: await queryStatistics(b) } };
}
