import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Hunt, Outcome } from './job.ts';
import type { Proof, Run } from './proofs.ts';
import type { Sources } from './sources.ts';

const FOLDER = 'build/formal/results';

/** What a result depends on: sources, options, tools. */
export function keyOf(proof: Proof, run: Run, { texts }: Sources, tools: string, hunt?: Hunt): string {
  const { top, bounded, skip, free, arrays } = proof;
  const options = { top, bounded: bounded !== undefined, skip, free, arrays, run, hunt, tools };
  const parts = [...texts].map(([name, { text }]) => [name, text]).sort();
  return createHash('sha256')
    .update(JSON.stringify([options, parts]))
    .digest('hex')
    .slice(0, 32);
}

export function recall(key: string): Outcome | undefined {
  try {
    return JSON.parse(readFileSync(`${FOLDER}/${key}.json`, 'utf8')) as Outcome;
  } catch {
    return undefined;
  }
}

export function keep(key: string, outcome: Outcome): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/${key}.json`, `${JSON.stringify(outcome)}\n`);
}
