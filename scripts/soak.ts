// Walks far at random on the RTL, from all seeds at once: `make soak`. It goes on where it was stopped.
//
//   STEPS=n   so many steps in all, in place of 300000
import { mkdirSync, writeFileSync } from 'node:fs';
import { Exit, guarded, InputError } from '../src/cli/exit.ts';
import { Progress } from '../src/cli/progress.ts';
import type { CheckedRun } from '../src/run/index.ts';
import {
  addBins,
  allBins,
  type BinCounts,
  emptyBins,
  successShare,
  type WalkResult,
  walk,
} from '../src/walk/index.ts';
import { writePart } from './written.ts';

const SEEDS = [1, 2, 3];
const STEPS = 300_000;
const FOLDER = 'build/soak';
const REPORT = 'build/soak.json';
/** Of the send work requests: a walk that only fails shows little. */
const LEAST_SUCCESS = 0.6;
const PROGRESS_MS = 60_000;

await guarded(async (onInterrupt) => {
  const steps = Math.ceil(stepsOf(process.env.STEPS) / SEEDS.length);
  const open = new Map<number, CheckedRun>();
  const walks: WalkResult[] = [];
  const progress = new Progress('soak', { everyMs: PROGRESS_MS });
  let stopped = false;
  onInterrupt(() => {
    stopped = true;
    return Promise.all([...open.values()].map((run) => run.close()));
  });
  const walkOn = async (seed: number): Promise<void> => {
    const result = await walk({
      device: 'rtl',
      seed,
      steps,
      out: `${FOLDER}/${seed}`,
      resume: true,
      stop: () => stopped,
      onOpen: (run) => open.set(seed, run),
      onChapter: (state) => {
        const rate = (state.steps / state.seconds).toFixed(0);
        progress.show(`seed ${seed}: ${state.steps} of ${steps} steps, ${rate} a second`);
      },
    });
    if (stopped) return;
    walks.push(result);
    progress.end();
    tell(result);
  };
  try {
    // They end at the same time, however many cores there are.
    await Promise.all(SEEDS.map(walkOn));
  } finally {
    stopped = true; // a walk that has thrown takes the others along
  }
  walks.sort((a, b) => a.state.seed - b.state.seed);
  if (walks.length === SEEDS.length && !report(walks)) process.exitCode = Exit.failed;
});

function stepsOf(text = `${STEPS}`): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InputError(`STEPS: expected a number from 1, found ${JSON.stringify(text)}`);
}

function tell({ state, failure }: WalkResult): void {
  const { seed, steps, chapters, sends } = state;
  const share = (100 * successShare(state)).toFixed(1);
  console.log(
    `soak: seed ${seed}: ${steps} steps in ${chapters} chapters, ${sends} sends, ${share} % succeeded`,
  );
  if (!failure) return;
  for (const { check, text } of failure.problems.slice(0, 5)) console.log(`soak: ${check}: ${text}`);
  console.log(`soak: chapter ${failure.chapter} failed: ${failure.files.join(', ')}`);
}

/** Says what all of them add up to, and whether that is enough. */
function report(walks: readonly WalkResult[]): boolean {
  const bins: BinCounts = {};
  for (const { state } of walks) addBins(bins, state.bins);
  const sum = (of: 'steps' | 'sends' | 'failed'): number =>
    walks.reduce((all, { state }) => all + state[of], 0);
  const [steps, sends, failed] = [sum('steps'), sum('sends'), sum('failed')];
  const success = 1 - failed / Math.max(1, sends);
  const empty = emptyBins(bins);
  const failures = walks.flatMap(({ failure }) => failure ?? []);
  const passed = failures.length === 0 && empty.length === 0 && success >= LEAST_SUCCESS;
  if (passed && steps >= STEPS) writeTable(walks, bins);
  mkdirSync('build', { recursive: true });
  const text = { passed, steps, sends, success, walks, bins: { all: allBins().length, empty, counts: bins } };
  writeFileSync(REPORT, `${JSON.stringify(text, null, 2)}\n`);
  for (const name of empty.slice(0, 20)) console.log(`soak: no ${name}`);
  console.log(
    `soak: ${passed ? 'passed' : 'failed'}; ${steps} steps, ${sends} sends, ${(100 * success).toFixed(1)} % succeeded, ` +
      `${empty.length} of ${allBins().length} bins empty, ${failures.length} failures; left ${REPORT}`,
  );
  return passed;
}

/** What the walks have done, in the page. */
function writeTable(walks: readonly WalkResult[], bins: BinCounts): void {
  const filled = Object.values(bins);
  writePart({ page: 'docs/random.md', name: 'walks', by: 'make soak' }, [
    '| seed | steps | chapters | send work requests | of them succeed |',
    '|---|---|---|---|---|',
    ...walks.map(({ state }) => {
      const share = (100 * successShare(state)).toFixed(1);
      return `| ${state.seed} | ${state.steps} | ${state.chapters} | ${state.sends} | ${share} % |`;
    }),
    '',
    `Bins: ${filled.length} of ${allBins().length} are met, the rarest ${Math.min(...filled)} times.`,
  ]);
}
