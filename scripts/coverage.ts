// Functional coverage, code coverage and the verification plan: `make coverage` (docs/coverage.md). Exits with 1 when a bin was never
// filled and nobody says why, or when a test failed.
//
//   FROM=folder   of runs that were collected before, in place of new ones
//   ON=model      what the model has shown, in place of the RTL
//   STEPS=n       of the random walk that looks for the holes of the tests; 20000 unless told
//   SEED=n        of its first round; 1 unless told
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Exit, guarded, InputError } from '../src/cli/exit.ts';
import {
  collectedRuns,
  holesOf,
  type Judgement,
  judge,
  merged,
  POINTS,
  readExclusions,
} from '../src/coverage/index.ts';
import { IbError } from '../src/spec/errors.ts';
import {
  type Collector,
  emptyFolder,
  systemTests,
  TYPESCRIPT,
  unitTests,
  walkRound,
} from './coverage/collect.ts';
import { writePoints } from './coverage/docs.ts';
import { coveragePage } from './coverage/page.ts';
import { rtlRows } from './coverage/rtl.ts';
import { type Summary, summaryOf } from './coverage/summary.ts';
import { planFrom } from './coverage/tests.ts';
import { typescriptRows } from './coverage/typescript.ts';

const OUT = 'build/coverage';
const JSON_FILE = `${OUT}/coverage.json`;
const EXCLUDED = 'test/coverage/excluded.yaml';
const ROOT = resolve('.');
/** Of a walk between two looks at the holes. */
const ROUND_STEPS = 5000;
const STEPS = 20_000;
const MOST_TOLD = 40;

const { FROM, ON = 'rtl' } = process.env;
const folder = FROM ?? `${OUT}/runs`;

await guarded(async (onInterrupt) => {
  if (!['rtl', 'model'].includes(ON))
    throw new InputError(`ON: expected rtl or model, found ${JSON.stringify(ON)}`);
  if (FROM !== undefined && !(existsSync(FROM) && statSync(FROM).isDirectory()))
    throw new InputError(
      `FROM: expected a folder of collected runs, found ${JSON.stringify(FROM)}, which is none`,
    );
  try {
    let stopped = false;
    const passed =
      FROM !== undefined ||
      (await collectAll(
        onInterrupt,
        () => (stopped = true),
        () => stopped,
      ));
    if (stopped) return;
    const judgement = judged();
    const summary = leave(judgement);
    tell(judgement, summary);
    if (!passed) console.error('coverage: a test or a walk has failed: see above');
    if (!summary.passed || !passed) process.exitCode = Exit.failed;
  } catch (error) {
    if (error instanceof IbError) throw new InputError(error.message);
    throw error;
  }
});

/** Tests, then a walk in rounds, each after the holes that are left. */
async function collectAll(
  onInterrupt: (end: () => unknown) => void,
  stop: () => unknown,
  stopped: () => boolean,
): Promise<boolean> {
  const steps = naturalOf('STEPS', STEPS);
  const seed = naturalOf('SEED', 1);
  const collector: Collector = {
    folder,
    onChild: (end) =>
      onInterrupt(() => {
        stop();
        return end();
      }),
  };
  emptyFolder(folder);
  let passed = await unitTests(collector);
  if (!stopped()) passed = (await systemTests(collector)) && passed;
  for (let round = 0; round * ROUND_STEPS < steps && !stopped(); round++) {
    leave(judged());
    const left = Math.min(ROUND_STEPS, steps - round * ROUND_STEPS);
    const walk = { device: ON, seed: seed + round, steps: left, weights: JSON_FILE };
    passed = (await walkRound(collector, walk)) && passed;
  }
  return passed;
}

function naturalOf(name: 'STEPS' | 'SEED', otherwise: number): number {
  const text = process.env[name] ?? `${otherwise}`;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InputError(`${name}: expected a number from 0, found ${JSON.stringify(text)}`);
}

function judged(): Judgement {
  return judge(POINTS, readExclusions(EXCLUDED), merged(collectedRuns(folder)), ON);
}

/** Writes all that is left for people and programs. */
function leave(judgement: Judgement): Summary {
  const [rtl, typescript] = [rtlRows(folder), typescriptRows(`${TYPESCRIPT}/coverage-summary.json`, ROOT)];
  const code = { ...(rtl ? { RTL: rtl } : {}), ...(typescript ? { TypeScript: typescript } : {}) };
  const summary = summaryOf(judgement, code);
  mkdirSync(OUT, { recursive: true });
  writePoints(judgement);
  writeFileSync(JSON_FILE, `${JSON.stringify(summary, null, 1)}\n`);
  writeFileSync(`${OUT}/index.html`, coveragePage(judgement, code));
  writeFileSync(`${OUT}/plan.csv`, planFrom(ROOT, collectedRuns(folder)));
  return summary;
}

function tell(judgement: Judgement, { points }: Summary): void {
  for (const { name, bins, hit, excluded } of points)
    console.log(`  ${name}: ${hit} of ${bins - excluded} bins, ${excluded} excluded`);
  const holes = holesOf(judgement);
  for (const hole of holes.slice(0, MOST_TOLD)) console.error(`coverage: no ${hole}`);
  for (const fault of judgement.faults.slice(0, MOST_TOLD)) console.error(`coverage: ${fault}`);
  console.log(
    `coverage: ${judgement.runs} runs, ${holes.length} holes, ${judgement.faults.length} faults; ` +
      `left ${JSON_FILE}, ${OUT}/index.html, ${OUT}/plan.csv`,
  );
}
