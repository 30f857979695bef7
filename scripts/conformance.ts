// Which statements of the standard are shown by which tests: `make conformance`. Runs the unit and system tests that carry ids
// in their titles, or with `--from FILE` reads the report of a run, and writes docs/conformance.md, docs/errata.md and build/conformance.json.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadMutants } from '../test/mutants/mutants.ts';
import { readCompliance } from './conformance/compliance.ts';
import { errataPage, readErrata } from './conformance/errata.ts';
import { judgeAll, unknownIds } from './conformance/judge.ts';
import { countMutants } from './conformance/mutants.ts';
import { page } from './conformance/page.ts';
import { idsOf, type Report, testsById } from './conformance/tests.ts';

const root = resolve(import.meta.dirname, '..');
const { from } = parseArgs({ options: { from: { type: 'string' } } }).values;

function run(): string {
  const files = ['unit', 'system'].flatMap((folder) =>
    readdirSync(`${root}/test/${folder}`)
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `test/${folder}/${file}`)
      .filter((file) => idsOf(readFileSync(`${root}/${file}`, 'utf8')).length > 0),
  );
  const args = ['vitest', 'run', '--project', 'unit', '--project', 'system', ...files];
  const env = { ...process.env, REPORT: 'conformance' };
  const { status } = spawnSync('npx', args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1; // the page tells what failed
  return 'build/reports/conformance.json';
}

const report = JSON.parse(readFileSync(resolve(root, from ?? run()), 'utf8')) as Report;
const compliance = readCompliance(`${root}/test/compliance`);
const byId = testsById(report, root);
const judged = judgeAll(compliance, byId, countMutants(loadMutants()));

mkdirSync(`${root}/build`, { recursive: true });
writeFileSync(`${root}/build/conformance.json`, `${JSON.stringify(judged, null, 1)}\n`);
const text = page(judged);
writeFileSync(`${root}/docs/conformance.md`, text);
writeFileSync(`${root}/docs/errata.md`, errataPage(readErrata(`${root}/test/compliance`)));
console.log(text.slice(0, text.indexOf('## Statements')).trim());
for (const id of unknownIds(byId.keys(), compliance)) {
  console.error(`conformance: [${id}] stands in a title and not in test/compliance`);
  process.exitCode = 1;
}
