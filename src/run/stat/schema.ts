import { z } from 'zod';
import type { Statistics } from '../../host/index.ts';
import type { RunKind } from '../kinds.ts';
import type { Seen } from './meter.ts';

/** What both devices have counted, and what was seen of them, as a run leaves it in counters.json. */
export interface RunStatistics extends Seen {
  device: RunKind;
  cycles: number;
  hosts: Record<'a' | 'b', Statistics>;
}

export const STATISTICS_FILE = 'counters.json';

const count = z.int().min(0);
const groups = z.record(z.string(), z.number());
const host = z.object({ drops: groups, naks: groups, stalls: groups }).catchall(z.unknown());
const both = <T extends z.ZodType>(each: T) => z.object({ a: each, b: each });
const sent = z.object({ packets: count, bytes: count, payloadBytes: count, beats: count.optional() });
const spread = z.object({ count, min: count, p50: count, p90: count, p99: count, max: count });
const request = z.object({ posted: count, completed: count, failed: count, latency: spread.optional() });

/** What a reader of counters.json must find there; one of counters alone is taken, too. */
export const statisticsSchema = z.object({
  device: z.string(),
  cycles: count,
  dataWidth: count.optional(),
  wire: both(sent).extend({ first: count, last: count }).optional(),
  requests: both(z.record(z.string(), request)).optional(),
  moved: both(groups).partial().optional(),
  hosts: both(host),
});
