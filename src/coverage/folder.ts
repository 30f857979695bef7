import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { IbError } from '../spec/errors.ts';
import type { Hits } from './hits.ts';

const counts = z.record(z.string(), z.record(z.string(), z.int().min(1)));
const collectedRun = z.strictObject({ test: z.string(), hits: z.record(z.string(), counts) });

/** What a run has shown; `test` is what people know it by, empty outside of a test. */
export interface CollectedRun {
  readonly test: string;
  readonly hits: Hits;
}

const FILE = /^runs-\d+\.jsonl$/;

/** One line, in a file of this process alone. Throws what the file system says. */
export function appendRun(folder: string, { test, hits }: CollectedRun): void {
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `runs-${process.pid}.jsonl`), `${JSON.stringify({ test, hits })}\n`);
}

/** The runs that were collected there. Throws an IbError that tells file and line of what is none. */
export function* collectedRuns(folder: string): Generator<CollectedRun> {
  const files = readdirSync(folder).filter((name) => FILE.test(name));
  for (const file of files.sort()) {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    for (const [i, line] of lines.entries())
      if (line !== '') yield runOf(line, `${join(folder, file)}:${i + 1}`);
  }
}

function runOf(line: string, place: string): CollectedRun {
  try {
    return collectedRun.parse(JSON.parse(line));
  } catch {
    throw new IbError(
      'bad-argument',
      `${place}: expected what a run has covered, found ${line.slice(0, 40)}`,
    );
  }
}
