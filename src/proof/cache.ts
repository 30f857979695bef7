import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type Hunt, jobFile, type Outcome } from './job.ts';
import type { Proof, Run } from './proofs.ts';
import type { Sources } from './sources.ts';

const FOLDER = 'build/formal/results';

/** What a result depends on: what the tools are told, sources, tools. */
export function keyOf(proof: Proof, run: Run, sources: Sources, tools: string, hunt?: Hunt): string {
  const parts = [...sources.texts].map(([name, { text }]) => [name, text]).sort();
  return createHash('sha256')
    .update(JSON.stringify([jobFile(proof, run, sources, hunt), parts, tools]))
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
