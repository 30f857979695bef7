// Breaks RTL, driver, model or checker on purpose and sees that a test notices: `make mutate`.
//
// All mutants of the RTL are in one simulator of their own (test/mutants/build.ts) that the kill suite plays with; each is tried in
// turn, two at a time. What the suite does not tell is left to the block test that a mutant names. One that names a unit or system test
// is judged by that alone, be it of RTL or of TypeScript: the test with the id of the rule has to fail, in a copy of the tree
// (test/mutants/tree.ts). A source that cannot be read is no kill.
//   npx tsx scripts/mutate.ts [number or block ...]   only these
//   WALK=1   by the random walk alone; WALK_STEPS=3000 says how far it goes with each
import { mkdirSync, writeFileSync } from 'node:fs';
import { buildMutants } from '../test/mutants/build.ts';
import { inTypeScript, loadMutants, type Mutant } from '../test/mutants/mutants.ts';
import { runNode } from '../test/mutants/process.ts';
import { makeTree, readReport, removeTree, type TreeReport } from '../test/mutants/tree.ts';

const WORKERS = 2;
const SUITE_LIMIT_MS = 120_000;
/** Of a block test, builds included. */
const BLOCK_LIMIT_MS = 300_000;
/** A mutant that makes the suite so many times slower counts as found. */
const SLOWER = 5;

/** The walk takes the place of the suite and of block tests; what it does not find is no failure. */
const WALK = process.env.WALK === '1';
/** Many times what it takes without a mutant. */
const WALK_LIMIT_MS = 600_000;

const NO_REPORT = 'no report';

interface Outcome {
  readonly mutant: Mutant;
  readonly killed: boolean;
  readonly by: string;
  readonly found: string;
  readonly seconds: number;
}

interface Report {
  case?: string;
  found?: string;
  times?: Record<string, number>;
}

const wanted = process.argv.slice(2);
const mutants = loadMutants();
const chosen = mutants.filter(
  ({ number, block, file }) =>
    (wanted.length === 0 || wanted.includes(String(number)) || wanted.includes(block)) &&
    !(WALK && inTypeScript({ file })),
);
const numbers = new Set(mutants.flatMap(({ number, block }) => [String(number), block]));
const unknown = wanted.filter((each) => !numbers.has(each));
if (unknown.length > 0) {
  const blocks = [...new Set(mutants.map(({ block }) => block))].sort().join(', ');
  end(2, `expected numbers from 1 to ${mutants.length} or blocks (${blocks}), found ${unknown.join(', ')}`);
}
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
const binary = buildMutants(mutants);

const sound = await suite(0);
if (!sound.report.times)
  end(1, `expected the suite to pass without a mutant, ${sound.report.case}: ${sound.report.found}`);
const limitMs = Math.max(5_000, SLOWER * Math.max(...Object.values(sound.report.times)));
console.log(`mutate: ${chosen.length} mutants; without one the suite takes ${sound.seconds.toFixed(0)} s`);

const outcomes: Outcome[] = [];
/** What tests say without a mutant, by file and title. */
const sounds = new Map<string, Promise<TreeReport>>();
const waiting = [...chosen];
await Promise.all(
  Array.from({ length: WORKERS }, async () => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      if (!WALK && mutant.test?.includes('/')) {
        conclude(mutant, await treeTest(mutant));
        continue;
      }
      // A run that a busy machine has cut off says nothing: it is made again, and counts only if it comes to an end.
      let suiteRun = await suite(mutant.number, mutant.by, limitMs);
      if (suiteRun.cut && !WALK) suiteRun = await suite(mutant.number, mutant.by, limitMs);
      if (suiteRun.cut && !WALK)
        end(1, `mutant ${mutant.number}: the suite came to no end: ${suiteRun.report.found}`);
      const { report, seconds } =
        !WALK && suiteRun.report.times && mutant.test ? await blockTest(mutant) : suiteRun;
      conclude(mutant, { report, seconds });
    }
  }),
);

const killed = outcomes.filter((outcome) => outcome.killed);
const survivors = outcomes.filter((outcome) => !outcome.killed);
const unexplained = survivors.filter(({ mutant }) => !mutant.equivalent);
const counted = outcomes.length - (survivors.length - unexplained.length);
mkdirSync('build/mutants', { recursive: true });
writeFileSync(`build/mutants/${WALK ? 'walk' : 'report'}.json`, `${JSON.stringify(outcomes, null, 2)}\n`);
console.log(
  `mutate: ${killed.length} of ${counted} killed (${((100 * killed.length) / Math.max(1, counted)).toFixed(1)} %), ` +
    `${survivors.length - unexplained.length} survivors explained, ${unexplained.length} not`,
);
if (WALK) process.exit(0);
for (const outcome of unexplained) console.error(`mutate: ${line(outcome)}`);
// What is said to be the same and is found to be different was explained wrongly.
const wrong = killed.filter(({ mutant }) => mutant.equivalent);
for (const { mutant, by } of wrong)
  console.error(`mutate: mutant ${mutant.number} is no equivalent: ${by} tells it`);
if (unexplained.length + wrong.length > 0) process.exitCode = 1;

function conclude(mutant: Mutant, { report, seconds }: { report: Report; seconds: number }): void {
  const outcome = {
    mutant,
    killed: !report.times,
    by: report.case ?? '',
    found: report.found ?? '',
    seconds,
  };
  outcomes.push(outcome);
  console.log(line(outcome));
}

function line({ mutant, killed, by, found, seconds }: Outcome): string {
  const title = `${String(mutant.number).padStart(3)} ${mutant.block}: ${mutant.why}`;
  if (killed)
    return `${title}: killed by ${by} (${seconds.toFixed(1)} s)${found.startsWith('no end') ? ', hangs' : ''}`;
  return `${title}: SURVIVED, ${mutant.equivalent ? `equivalent: ${mutant.equivalent}` : 'no reason known'}`;
}

/** Says what is in the way of a result, and ends all. */
function end(status: number, text: string): never {
  console.error(`mutate: ${text}`);
  process.exit(status);
}

/** Runs the tests of a block with its mutant; they are known to pass without one. */
async function blockTest({ number, test, block }: Mutant): Promise<{ report: Report; seconds: number }> {
  const start = performance.now();
  const file = `test/block/${test}.test.ts`;
  const once = (active: number) =>
    runNode(
      ['node_modules/vitest/vitest.mjs', 'run', '--project', 'block', file, '-t', block, '--bail', '1'],
      BLOCK_LIMIT_MS,
      { BLOCK_MUTANTS: '1', OPENHCA_MUTANT: String(active), REPORT: `mutants-${number}` },
    );
  const run = async (active: number): Promise<string | undefined> => {
    let ended = await once(active);
    if (ended.cut) ended = await once(active);
    if (ended.cut)
      end(1, `mutant ${number}: expected ${file} to end within ${BLOCK_LIMIT_MS / 1000} s, twice it did not`);
    return ended.status === 0 ? undefined : `it ended with ${ended.status}: ${ended.stdout.slice(-500)}`;
  };
  const unsound = await run(0);
  if (unsound) end(1, `expected ${file} to pass without a mutant, ${unsound}`);
  const found = await run(number);
  const seconds = (performance.now() - start) / 1000;
  return { report: found ? { case: `the block test ${test}`, found } : { times: {} }, seconds };
}

/** Runs the tests that a mutant names in a tree of its own; they are known to pass without one. */
async function treeTest(mutant: Mutant): Promise<{ report: Report; seconds: number }> {
  const start = performance.now();
  const { number, test = '', title } = mutant;
  const run = async (active: number): Promise<TreeReport> => {
    const tree = makeTree(`${number}-${active}`, binary, active === 0 ? undefined : mutant);
    const args = ['run', '--project', test.split('/')[0]!, `test/${test}.test.ts`, '--bail', '1'];
    const once = () =>
      runNode(
        ['node_modules/vitest/vitest.mjs', ...args, ...(title ? ['-t', title] : [])],
        BLOCK_LIMIT_MS,
        { OPENHCA_MUTANT: String(inTypeScript(mutant) ? 0 : active), REPORT: 'mutant' },
        tree,
      );
    let ended = await once();
    if (ended.cut) ended = await once();
    if (ended.cut)
      end(1, `mutant ${number}: expected ${test} to end within ${BLOCK_LIMIT_MS / 1000} s, twice it did not`);
    const found = readReport(tree);
    if (!found || found.passed.length + found.failed.length === 0)
      end(
        1,
        `mutant ${number}: expected tests of ${test} to run, ${(ended.stderr || ended.stdout).slice(-800)}`,
      );
    removeTree(tree);
    return found;
  };
  const key = `${test} ${title}`;
  let unsound = sounds.get(key);
  if (!unsound) {
    unsound = run(0);
    sounds.set(key, unsound);
  }
  const [failed] = (await unsound).failed;
  if (failed) end(1, `expected ${test} to pass without a mutant, ${failed.name}: ${failed.why}`);
  const [found] = (await run(number)).failed;
  const seconds = (performance.now() - start) / 1000;
  return { report: found ? { case: `${test}: ${found.name}`, found: found.why } : { times: {} }, seconds };
}

/** Runs the kill suite with one mutant, 0 for none. */
async function suite(
  number: number,
  first = '',
  limit = 60_000,
): Promise<{ report: Report; seconds: number; cut: boolean }> {
  const program = WALK ? ['test/mutants/kill-walk.ts', binary] : ['test/mutants/kill.ts', binary, first];
  const { stdout, stderr, status, cut, seconds } = await runNode(
    ['--import', 'tsx', ...program],
    WALK ? WALK_LIMIT_MS : SUITE_LIMIT_MS,
    { OPENHCA_MUTANT: String(number), KILL_LIMIT_MS: String(limit) },
  );
  let report: Report;
  try {
    report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Report;
  } catch {
    const how = cut ? `within ${SUITE_LIMIT_MS / 1000} s it did not end` : `it ended with ${status}`;
    report = { case: NO_REPORT, found: `${how}: ${stderr.slice(-300)}` };
  }
  return { report, seconds, cut: report.case === NO_REPORT };
}
