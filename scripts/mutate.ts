// Breaks RTL, driver, model or checker on purpose, as test/mutants/*.yaml say, and sees that a test notices: `make mutate`.
//
// All mutants of the RTL are in one simulator of their own (test/mutants/build.ts) that the kill suite plays with; each is tried in
// turn, two at a time. One that names a block test is left to that first, to the suite only if it tells nothing. One that names a unit or system test
// is judged by that alone, be it of RTL or of TypeScript: the test with the id of the rule has to fail, in a copy of the tree
// (test/mutants/tree.ts). A source that cannot be read is no kill.
//   npx tsx scripts/mutate.ts [number or block ...]   only these
//   WALK=1   by the random walk alone; WALK_STEPS=3000 says how far it goes with each
import { readFileSync } from 'node:fs';
import { buildMutants } from '../test/mutants/build.ts';
import { Judge, type Judged } from '../test/mutants/judge.ts';
import { TreeJudge } from '../test/mutants/judge-tree.ts';
import { inTypeScript, loadMutants, type Mutant, placesOf } from '../test/mutants/mutants.ts';
import { conclude, end, inTurn, line, summary, writeReport } from '../test/mutants/outcome.ts';

/** The walk takes the place of the suite and of block tests; what it does not find is no failure. */
const WALK = process.env.WALK === '1';

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

const files = [...new Set(mutants.filter((each) => !inTypeScript(each)).map(({ file }) => file))];
const places = files.flatMap((file) =>
  placesOf(
    readFileSync(file, 'utf8'),
    mutants.filter((mutant) => mutant.file === file),
  ),
);
const judge = new Judge('hand', buildMutants('hand', places));
const trees = new TreeJudge(judge.binary);

const outcomes = await inTurn(
  async () => {
    const seconds = await judge.sound();
    console.log(`mutate: ${chosen.length} mutants; without one the suite takes ${seconds.toFixed(0)} s`);
  },
  chosen,
  async (mutant) => conclude(mutant, await judged(mutant)),
);

writeReport(WALK ? 'walk' : 'report', outcomes);
console.log(summary(outcomes));
if (WALK) process.exit(0);
const unexplained = outcomes.filter(({ killed, mutant }) => !killed && !mutant.equivalent);
for (const outcome of unexplained) console.error(`mutate: ${line(outcome)}`);
// What is said to be the same and is found to be different was explained wrongly.
const wrong = outcomes.filter(({ killed, mutant }) => killed && mutant.equivalent);
for (const { mutant, by } of wrong)
  console.error(`mutate: mutant ${mutant.number} is no equivalent: ${by} tells it`);
if (unexplained.length + wrong.length > 0) process.exitCode = 1;

async function judged(mutant: Mutant): Promise<Judged> {
  const { number, by, test, block, title = block } = mutant;
  if (WALK) return judge.walk(number);
  if (test?.includes('/')) return trees.judge(mutant);
  if (test) {
    const alone = await judge.blockTest(number, test, title);
    if (!alone.report.times) return alone;
  }
  return judge.suite(number, by);
}
