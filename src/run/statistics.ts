import { type Context, queryStatistics } from '../host/index.ts';
import type { RunKind } from './kinds.ts';
import type { Seen } from './stat/meter.ts';
import type { RunStatistics } from './stat/schema.ts';

/** Asks both devices, which must be open, what they have counted. */
export async function statisticsOf(
  device: RunKind,
  cycles: number,
  [a, b]: readonly [Context, Context],
  seen: Seen = {},
): Promise<RunStatistics> {
  return { device, cycles, ...seen, hosts: { a: await queryStatistics(a), b: await queryStatistics(b) } };
}
