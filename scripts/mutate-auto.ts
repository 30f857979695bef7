// Breaks the RTL in ways that a program has chosen, and sees that a test notices: `make mutate`.
//
// A sample of all changes of conditions, operators and constants (test/mutants/auto.ts), all in one simulator; the kill suite, the
// random walk and the tests of the block look for each in turn. Fails below 95 % that are found; the rest is listed. Those that no
// test can tell from the original are in test/mutants/equivalent.yaml, each with its reason.
//   AUTO=200   so many; SEED=1 chooses others; WALK_STEPS=1500 says how far the walk goes
//   npx tsx scripts/mutate-auto.ts [number ...]   only these of the sample
import { basename } from 'node:path';
import { changes, sample } from '../test/mutants/auto.ts';
import { buildMutants, sourcesOf } from '../test/mutants/build.ts';
import { reasons } from '../test/mutants/equivalent.ts';
import { Judge, type Judged } from '../test/mutants/judge.ts';
import { loadMutants } from '../test/mutants/mutants.ts';
import { conclude, end, inTurn, line, rate, summary, writeReport } from '../test/mutants/outcome.ts';

const WALK_STEPS = 1500;
const LEAST_PERCENT = 95;

const [count, seed, steps] = [number('AUTO', 200), number('SEED', 1), number('WALK_STEPS', WALK_STEPS)];
const all = changes(sourcesOf());
const explained = reasons(all);
const mutants = sample(all, count, seed).map((change, i) => ({
  ...change,
  number: i + 1,
  block: basename(change.file, '.sv'),
  name: `${change.file}:${change.line}`,
  why: `line ${change.line}: ${change.why}`,
  equivalent: explained.get(change),
}));
const wanted = process.argv.slice(2).map(Number);
const unknown = wanted.filter((each) => !mutants.some((mutant) => mutant.number === each));
if (unknown.length > 0)
  end(2, `expected numbers from 1 to ${count}, found ${process.argv.slice(2).join(', ')}`);
const chosen = mutants.filter((mutant) => wanted.length === 0 || wanted.includes(mutant.number));
/** Block tests, by the file of the RTL that they are about. */
const tests = new Map(
  loadMutants().flatMap(({ file, test, block }) =>
    test && !test.includes('/') ? [[file, { test, block }] as const] : [],
  ),
);
const judge = new Judge('auto', buildMutants('auto', mutants));

const outcomes = await inTurn(
  async () => {
    await judge.sound();
    console.log(`mutate: ${chosen.length} of ${all.length} changes of the RTL, seed ${seed}`);
  },
  chosen,
  async (mutant) => conclude(mutant, await judged(mutant)),
);

writeReport('auto', outcomes);
for (const outcome of outcomes)
  if (!outcome.killed) console.log(`mutate: ${outcome.mutant.file} ${line(outcome)}`);
console.log(summary(outcomes));
const { percent } = rate(outcomes);
if (percent < LEAST_PERCENT)
  end(1, `expected ${LEAST_PERCENT} % to be killed, found ${percent.toFixed(1)} %`);

async function judged({ number: active, file }: (typeof mutants)[number]): Promise<Judged> {
  const suite = await judge.suite(active);
  if (!suite.report.times) return suite;
  const walk = await judge.walk(active, steps);
  const own = tests.get(file);
  return walk.report.times && own ? judge.blockTest(active, own.test, own.block) : walk;
}

function number(name: string, otherwise: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return otherwise;
  if (!/^\d{1,6}$/.test(text)) end(2, `${name}: expected a number, found ${text}`);
  return Number(text);
}
