/** Runs that are collected: the tests, and a walk behind them that looks for holes. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { mergeRtl } from './rtl.ts';

/** Simulators leave much: what they have left is merged so often. */
const MERGE_EVERY_MS = 10_000;
const VARIANT = 'coverage';
/** Reports of the tests, by the name that the environment gives them. */
export const REPORTS = ['coverage-unit', 'coverage-system'] as const;
export const TYPESCRIPT = 'build/coverage/typescript';

export interface Collector {
  /** Where runs leave what they have covered. */
  readonly folder: string;
  readonly onChild: (end: () => unknown) => void;
}

/** The system tests, those of the scenarios among them; whether they passed. */
export const systemTests = (collector: Collector): Promise<boolean> =>
  inFolder(collector, ['npx', '--no-install', 'vitest', 'run', '--project', 'system'], {
    REPORT: 'coverage-system',
  });

/** Unit tests, with v8 counting what they meet. */
export const unitTests = (collector: Collector): Promise<boolean> =>
  child(
    collector,
    [
      ...['npx', '--no-install', 'vitest', 'run', '--project', 'unit'],
      ...['--coverage.enabled', '--coverage.provider=v8', '--coverage.reporter=json-summary'],
      ...['--coverage.include=src/**/*.ts', `--coverage.reportsDirectory=${TYPESCRIPT}`],
    ],
    { REPORT: 'coverage-unit' },
  );

export interface WalkRound {
  readonly device: string;
  readonly seed: number;
  readonly steps: number;
  /** A coverage.json: its holes are what the walk takes more often. */
  readonly weights: string;
}

export const walkRound = (
  collector: Collector,
  { device, seed, steps, weights }: WalkRound,
): Promise<boolean> =>
  inFolder(
    collector,
    [
      ...['node', 'bin/openhca.js', 'random', '--device', device, '--seed', `${seed}`, '--steps', `${steps}`],
      ...['--weights', weights, '--out', `build/coverage/walk-${seed}`],
    ],
    {},
  );

/** A folder without what was there before. */
export function emptyFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

async function inFolder(collector: Collector, words: readonly string[], more: Variables): Promise<boolean> {
  const timer = setInterval(() => mergeRtl(collector.folder), MERGE_EVERY_MS);
  try {
    return await child(collector, words, { ...more, VARIANT, COVERAGE: resolve(collector.folder) });
  } finally {
    clearInterval(timer);
    mergeRtl(collector.folder);
  }
}

type Variables = Readonly<Record<string, string>>;

/** Its output is ours; whether it exits with 0. */
function child(
  collector: Collector,
  [program, ...args]: readonly string[],
  more: Variables,
): Promise<boolean> {
  const started = spawn(program!, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...more },
  });
  collector.onChild(() => started.kill('SIGTERM'));
  return new Promise((done, fail) => {
    started.on('error', fail);
    started.on('close', (status) => done(status === 0));
  });
}
