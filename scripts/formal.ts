// Proves what proof/*.yaml says of the RTL: `make formal`. Fails if anything is not proved, or a cover is out of reach.
//
//   npx tsx scripts/formal.ts [proof ...]              only these; the page docs/proofs.md is written of all
//   npx tsx scripts/formal.ts --selftest [proof ...]   plants the bugs of proof/bugs, each of which its proof has to notice
import { mkdirSync, writeFileSync } from 'node:fs';
import { attempt } from '../src/proof/attempt.ts';
import { type Bug, loadBugs, loadProofs, type Proof } from '../src/proof/proofs.ts';
import { lines, page, type Result, wrongWith } from '../src/proof/report.ts';
import { sourcesOf } from '../src/proof/sources.ts';
import { toolVersions } from '../src/proof/tools.ts';
import { replaced } from '../test/mutants/mutants.ts';

const WORKERS = 2;
/** Bugs that each proof has to notice, at least. */
const BUGS = 3;

const args = process.argv.slice(2);
const selftest = args.includes('--selftest');
const wanted = args.filter((arg) => arg !== '--selftest');
const proofs = loadProofs();
const names = proofs.map(({ name }) => name);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) end(2, `expected names of proofs (${names.join(', ')}), found ${unknown.join(', ')}`);
const chosen = proofs.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
let tools = '';
try {
  tools = toolVersions();
} catch (error) {
  end(1, (error as Error).message);
}
if (selftest) await plantAll();
else await proveAll();

async function proveAll(): Promise<void> {
  const jobs = chosen.flatMap((proof) => proof.runs.map((run) => ({ proof, run })));
  const found = await inParallel(jobs, async ({ proof, run }): Promise<Result> => {
    const sources = sourcesOf(proof);
    const folder = `build/formal/work/${proof.name}-${proof.runs.indexOf(run)}`;
    const result = { proof, run, sources, ...(await attempt(proof, run, sources, tools, folder)) };
    for (const line of lines(result)) console.log(line);
    return result;
  });
  const faults = found.flatMap(wrongWith);
  mkdirSync('build', { recursive: true });
  const summary = found.map(({ proof, run, outcome, seconds }) => ({
    name: proof.name,
    ...run,
    ...outcome,
    seconds,
  }));
  writeFileSync('build/formal.json', `${JSON.stringify({ tools, proofs: summary, faults }, null, 2)}\n`);
  if (wanted.length === 0 && faults.length === 0) writeFileSync('docs/proofs.md', page(found, tools));
  for (const fault of faults) console.error(`formal: ${fault}`);
  const properties = found.flatMap(({ outcome }) =>
    outcome.properties.filter(({ kind }) => kind === 'assert'),
  );
  console.log(`formal: ${jobs.length} proofs, ${properties.length} properties, ${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

async function plantAll(): Promise<void> {
  const bugs = loadBugs();
  const homeless = bugs.filter(({ proof }) => !names.includes(proof)).map(({ proof }) => proof);
  if (homeless.length > 0)
    end(2, `expected bugs of known proofs, found ${[...new Set(homeless)].join(', ')}`);
  const faults = chosen
    .map(({ name }) => ({ name, count: bugs.filter((bug) => bug.proof === name).length }))
    .filter(({ count }) => count < BUGS)
    .map(({ name, count }) => `${name}: expected at least ${BUGS} bugs, found ${count}`);
  const jobs = bugs.flatMap((bug, i) => {
    const proof = chosen.find(({ name }) => name === bug.proof);
    return proof ? [{ bug, proof, number: i + 1 }] : [];
  });
  await inParallel(jobs, async ({ bug, proof, number }) => {
    const noticed = await hunt(bug, proof, number);
    console.log(`${proof.name}: ${bug.why}: ${noticed || 'NOT NOTICED'}`);
    if (!noticed)
      faults.push(`${proof.name}: expected it to notice that ${bug.why} (${bug.file}), it did not`);
  });
  for (const fault of faults) console.error(`formal-selftest: ${fault}`);
  console.log(`formal-selftest: ${jobs.length} bugs, ${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

/** The property that fails with the bug, in a run of its proof; nothing if all hold. */
async function hunt(bug: Bug, proof: Proof, number: number): Promise<string> {
  const mutant = { ...bug, number, block: proof.top, from: 'contract' as const, rules: [] };
  let planted = false;
  const edit = (file: string, text: string): string => {
    if (file !== bug.file) return text;
    planted = true;
    return replaced(text, mutant);
  };
  for (const run of proof.runs) {
    const sources = sourcesOf(proof, edit);
    if (!planted)
      end(2, `bug ${number}: expected ${bug.file} in the proof ${proof.name}, found it not there`);
    const depth = bug.depth ?? run.covered;
    const { outcome } = await attempt(proof, run, sources, tools, `build/formal/work/bug-${number}`, {
      depth,
    });
    if (outcome.status === 'failed') return outcome.why;
    if (outcome.status === 'error') end(1, `bug ${number} (${bug.why}): ${outcome.why}`);
  }
  return '';
}

/** Some at a time; results in the order of the jobs. */
async function inParallel<Job, Found>(
  jobs: readonly Job[],
  work: (job: Job) => Promise<Found>,
): Promise<Found[]> {
  const results: Found[] = [];
  const waiting = [...jobs.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return results;
}

/** Says what is in the way of a result, and ends all. */
function end(status: number, text: string): never {
  console.error(`formal: ${text}`);
  process.exit(status);
}
