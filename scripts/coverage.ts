// Functional coverage, code coverage and the verification plan: `make coverage` (docs/coverage.md). Exits with 1 when a bin was never
// filled and nobody says why.
//
//   FROM=folder   of runs that were collected before, in place of new ones
//   ON=model      what the model has shown, in place of the RTL
import { mkdirSync, writeFileSync } from 'node:fs';
import { Exit, guarded, InputError } from '../src/cli/exit.ts';
import { collectedRuns, holesOf, judge, merged, POINTS, readExclusions } from '../src/coverage/index.ts';
import { summaryOf } from './coverage/summary.ts';

const OUT = 'build/coverage';
const EXCLUDED = 'test/coverage/excluded.yaml';
const MOST_TOLD = 40;

await guarded(async () => {
  const { FROM, ON = 'rtl' } = process.env;
  if (!['rtl', 'model'].includes(ON))
    throw new InputError(`ON: expected rtl or model, found ${JSON.stringify(ON)}`);
  const judgement = judge(POINTS, readExclusions(EXCLUDED), merged(collectedRuns(FROM ?? `${OUT}/runs`)), ON);
  const summary = summaryOf(judgement, {});
  mkdirSync(OUT, { recursive: true });
  writeFileSync(`${OUT}/coverage.json`, `${JSON.stringify(summary, null, 1)}\n`);
  const holes = holesOf(judgement);
  for (const { name, bins, hit, excluded } of summary.points)
    console.log(`  ${name}: ${hit} of ${bins - excluded} bins, ${excluded} excluded`);
  for (const fault of judgement.faults.slice(0, MOST_TOLD)) console.error(`coverage: ${fault}`);
  console.log(`coverage: ${judgement.runs} runs, ${holes.length} holes, ${judgement.faults.length} faults`);
  if (!summary.passed) process.exitCode = Exit.failed;
});
