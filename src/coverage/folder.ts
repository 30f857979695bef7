import { accessSync, appendFileSync, constants, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../folder.ts';
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

/** Makes the folder. Throws an IbError where none can be made. */
export function openFolder(folder: string): void {
  try {
    makeFolder(resolve(folder));
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new IbError(
      'bad-argument',
      `COVERAGE: expected a folder that can be written, found ${folder}: ${why}`,
    );
  }
}

/** One line, in a file of this process alone. */
export const appendRun = (folder: string, { test, hits }: CollectedRun): void =>
  appendFileSync(join(folder, `runs-${process.pid}.jsonl`), `${JSON.stringify({ test, hits })}\n`);

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
