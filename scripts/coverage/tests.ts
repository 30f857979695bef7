/** What the statements of the standard are shown by, for the verification plan. */
import { existsSync, readFileSync } from 'node:fs';
import type { CollectedRun } from '../../src/coverage/index.ts';
import { loadMutants } from '../../test/mutants/mutants.ts';
import { readCompliance } from '../conformance/compliance.ts';
import { judgeAll } from '../conformance/judge.ts';
import { countMutants } from '../conformance/mutants.ts';
import { type Report, testsById } from '../conformance/tests.ts';
import { REPORTS } from './collect.ts';
import { planOf } from './plan.ts';

/** The plan from the reports of the tests that are there, and the runs that were collected. */
export function planFrom(root: string, runs: Iterable<CollectedRun>): string {
  const mutants = loadMutants();
  const compliance = readCompliance(`${root}/test/compliance`);
  const judged = judgeAll(compliance, testsById(readReports(root), root), countMutants(mutants));
  return planOf({ statements: compliance.statements, judged, mutants, runs });
}

/** Of the runs of coverage, or else of `make test`. */
function readReports(root: string): Report {
  const paths = (names: readonly string[]) =>
    names.map((name) => `${root}/build/reports/${name}.json`).filter((path) => existsSync(path));
  const found = paths(REPORTS);
  const reports = (found.length > 0 ? found : paths(['test'])).map(
    (path) => JSON.parse(readFileSync(path, 'utf8')) as Report,
  );
  if (reports.length === 0) console.error('coverage: no report of tests is there: the plan names none');
  return { testResults: reports.flatMap(({ testResults }) => testResults) };
}
