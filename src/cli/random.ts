import type { DataWidth, DeviceKind } from '../run/kinds.ts';
import type { SimulatorKind } from '../sim/binary.ts';
import type { Profile } from '../sim/protocol.ts';
import { IbError } from '../spec/errors.ts';
import type { WalkResult, WalkState, Wishes } from '../walk/index.ts';
import type { CliCommand } from './command.ts';
import { readEnvironment } from './environment.ts';
import { Exit, guarded, InputError, strictOptions } from './exit.ts';
import { Output } from './output.ts';
import { Progress } from './progress.ts';
import { chooseSimulator, describeDevice, deviceOptions, natural, outFolder } from './run-options.ts';

interface Options {
  device: DeviceKind;
  dataWidth: DataWidth;
  profile?: Profile;
  sim?: SimulatorKind;
  seed?: number;
  steps: number;
  out: string;
  resume?: boolean;
  weights?: string;
  simulator?: string;
  shrink: number;
}

const STEPS = 5000;
const SHRINK_SECONDS = 300;

export const random: CliCommand = {
  name: 'random',
  register(command) {
    strictOptions(deviceOptions(command, 'rtl', 'any unless told'))
      .description('walk at random: verbs, commands and faults, predicted by the model')
      .option('--steps <n>', 'so many steps at least', natural, STEPS)
      .option('--out <folder>', 'leave the state of the walk there, and what fails', 'out/random')
      .option('--resume', 'go on where the walk in that folder has stopped')
      .option('--weights <file>', 'take more often what the holes in this coverage.json have in common')
      .option('--simulator <path>', 'another simulator than the one that make sim builds')
      .option('--shrink <seconds>', 'make what fails smaller for so long', natural, SHRINK_SECONDS)
      .action((options: Options) => guarded((onInterrupt) => run(options, onInterrupt)));
  },
};

async function run(options: Options, onInterrupt: (end: () => unknown) => void): Promise<void> {
  const { existsSync } = await import('node:fs');
  const { walk } = await import('../walk/index.ts');
  const { device, dataWidth, profile, steps, out, resume = false, simulator, shrink } = options;
  const output = new Output();
  const sim = chooseSimulator(options);
  const seed = options.seed ?? readEnvironment().seed ?? Math.floor(Math.random() * 2 ** 31);
  if (steps === 0) throw new InputError('--steps: expected at least one, found 0');
  if (simulator !== undefined && !existsSync(simulator))
    throw new InputError(
      `--simulator: expected a program, found ${JSON.stringify(simulator)}, which is none`,
    );
  const wishes = options.weights === undefined ? undefined : await wishesOf(options.weights);
  outFolder(out, ['walk.json']);
  output.say(
    `random walk, seed ${seed}, ${steps} steps (${describeDevice({ profile: 'all profiles', ...options, sim })})`,
  );
  let stopped = false;
  const progress = new Progress('random');
  const result = await walk({
    device,
    dataWidth,
    ...(profile === undefined ? {} : { profile }),
    seed,
    steps,
    out,
    resume,
    ...(wishes === undefined ? {} : { wishes }),
    shrinkMs: shrink * 1000,
    ...(simulator === undefined ? {} : { binary: simulator }),
    onChapter: (state) => progress.show(walked(state, steps)),
    onOpen: (open) =>
      onInterrupt(() => {
        stopped = true;
        return open.close();
      }),
    stop: () => stopped,
  });
  progress.end();
  if (stopped) return;
  output.document(await asJson(result));
  if (!output.json) await print(result, options);
  if (result.failure) process.exitCode = Exit.failed;
}

/** What the holes of a report of `make coverage` ask for. */
async function wishesOf(file: string): Promise<Wishes> {
  const { readHoles } = await import('../coverage/index.ts');
  const { wishesFor } = await import('../walk/index.ts');
  try {
    return wishesFor(readHoles(file, MESSAGE));
  } catch (error) {
    if (error instanceof IbError) throw new InputError(`--weights: ${error.message}`);
    throw error;
  }
}

/** The point whose bins a walk fills. */
const MESSAGE = 'message';

async function asJson({ state, failure }: WalkResult) {
  const { allBins, emptyBins, successShare } = await import('../walk/index.ts');
  const { bins, ...rest } = state;
  const empty = emptyBins(bins);
  return {
    ...rest,
    passed: failure === undefined,
    success: successShare(state),
    bins: { all: allBins().length, empty },
    ...(failure ? { failure } : {}),
  };
}

async function print({ state, failure }: WalkResult, { device, out }: Options): Promise<void> {
  const { allBins, emptyBins, successShare } = await import('../walk/index.ts');
  const { chapters, steps, sends, seed, seconds, bins } = state;
  const all = allBins().length;
  if (failure) {
    for (const { check, text } of failure.problems)
      console.log(check === 'expectation' ? text : `${check} check: ${text}`);
    console.log(
      `chapter ${failure.chapter} failed; ${failure.steps} steps are left of it: ${failure.files.join(', ')}`,
    );
  }
  const share = (100 * successShare(state)).toFixed(1);
  console.log(
    `random walk on ${device}: ${failure ? 'failed' : 'passed'}; ${steps} steps in ${chapters} chapters, ` +
      `${(steps / Math.max(seconds, 0.001)).toFixed(0)} a second; ${sends} sends, ${share} % of them succeeded; ` +
      `${all - emptyBins(bins).length} of ${all} bins; seed ${seed}, state in ${out}/walk.json`,
  );
}

const walked = ({ steps, seconds }: WalkState, of: number): string =>
  `${steps} of ${of} steps, ${(steps / seconds).toFixed(0)} a second`;
