import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type CapturedPacket, CaptureError, readCapture } from '../capture/index.ts';
import { RECORD_FILE, type RunRecord, runRecordSchema } from '../run/record.ts';
import { type RunStatistics, STATISTICS_FILE, statisticsSchema } from '../run/stat/schema.ts';
import type { Entry } from './data.ts';

/** A folder that no report can be made of: the message is all there is to say. */
export class ReportError extends Error {}

/** What a run has left in its folder; what is undefined was not there. */
export interface RunLeft {
  packets: readonly CapturedPacket[];
  timeline: Timeline | undefined;
  counters: RunStatistics | undefined;
  record: RunRecord | undefined;
  /** A sentence for each thing that was not there. */
  missing: readonly string[];
}

export type Timeline = { [section in Section]?: readonly Entry[] | undefined };

const SECTIONS = ['verbs', 'packets', 'dma', 'completions'] as const;
type Section = (typeof SECTIONS)[number];
const WITHOUT: Readonly<Record<Section, string>> = {
  verbs: 'verbs and commands are not shown',
  packets: 'it is not known when packets arrived, nor whether',
  dma: 'accesses to host memory are not shown',
  completions: 'completions and events are not shown',
};
const CAPTURE_FILE = 'wire.pcapng';
const TIMELINE_FILE = 'timeline.json';
const MOST_BYTES = 2 ** 28;

/** Reads what is there; a file that is damaged is refused, one that is missing is told. Without a capture there is no report. */
export function readRun(folder: string): RunLeft {
  const missing: string[] = [];
  const told = <T>(file: string, schema: z.ZodType<T>, without: string): T | undefined => {
    const found = parsed(folder, file, schema);
    if (found === undefined) missing.push(`${file} is not there: ${without}.`);
    return found;
  };
  const packets = captureOf(folder);
  const timeline = told(TIMELINE_FILE, timelineSchema, Object.values(WITHOUT).join('; '));
  if (timeline) {
    for (const section of SECTIONS)
      if (!timeline[section]) missing.push(`${TIMELINE_FILE} has no ${section}: ${WITHOUT[section]}.`);
  }
  const counters = told(STATISTICS_FILE, statisticsSchema, 'the counters are not known');
  const record = told(RECORD_FILE, runRecordSchema, 'neither the verdict nor how to repeat the run is known');
  return { packets, timeline, counters: counters as RunStatistics | undefined, record, missing };
}

const cycle = z.int().min(0);
const entry = z
  .object({ cycle, device: z.literal([0, 1]) })
  .catchall(z.union([z.string(), z.number(), z.boolean()]));
const timelineSchema = z.object({
  verbs: z.array(entry).optional(),
  packets: z.array(entry).optional(),
  dma: z.array(entry).optional(),
  completions: z.array(entry).optional(),
});

function captureOf(folder: string): CapturedPacket[] {
  const bytes = contentOf(folder, CAPTURE_FILE);
  if (bytes === undefined) throw refusal(folder, CAPTURE_FILE, 'none');
  try {
    return readCapture(new Uint8Array(bytes));
  } catch (error) {
    if (error instanceof CaptureError) throw refusal(folder, CAPTURE_FILE, `a damaged one: ${error.message}`);
    throw error;
  }
}

function parsed<T>(folder: string, file: string, schema: z.ZodType<T>): T | undefined {
  const text = contentOf(folder, file)?.toString('utf8');
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal(folder, file, 'no JSON');
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  throw refusal(folder, file, `other JSON: ${path.join('.') || 'the whole'}: ${message}`);
}

function contentOf(folder: string, file: string): Buffer | undefined {
  const path = join(folder, file);
  try {
    const found = statSync(path);
    if (!found.isFile()) throw refusal(folder, file, 'something else');
    if (found.size > MOST_BYTES) throw refusal(folder, file, `${found.size} bytes, more than ${MOST_BYTES}`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof ReportError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refusal(folder, file, `one that cannot be read: ${message}`);
  }
}

const refusal = (folder: string, file: string, found: string): ReportError =>
  new ReportError(`report: expected the ${file} of a run in ${folder}, found ${found}`);
