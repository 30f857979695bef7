import { basename, extname } from 'node:path';
import { type DataWidth, RUN_KINDS, type RunKind } from '../run/kinds.ts';
import type { ScenarioResult, StepReport } from '../scenario/index.ts';
import type { SimulatorKind } from '../sim/binary.ts';
import type { Profile } from '../sim/protocol.ts';
import type { CliCommand } from './command.ts';
import type { LeftBundle } from './documents.ts';
import { Exit, guarded, InputError, strictOptions, takesInput } from './exit.ts';
import { bundleLines, endWith, leaveBundle } from './failure.ts';
import { Output } from './output.ts';
import { chooseSimulator, describeDevice, deviceOptions, LEFT_FILES, outFolder } from './run-options.ts';

interface Options {
  device: RunKind;
  board?: string;
  dataWidth: DataWidth;
  profile?: Profile;
  sim?: SimulatorKind;
  seed?: number;
  out?: string;
  waves?: boolean;
}

export const run: CliCommand = {
  name: 'run',
  register(command) {
    strictOptions(deviceOptions(command, 'model', 'ideal unless told', RUN_KINDS))
      .description('play a scenario on two HCAs, under all checks')
      .argument('<scenario>', 'a YAML file, see docs/scenarios.md')
      .option('--board <path>', 'the board file of --device board, or its folder, see docs/fpga.md')
      .option('--out <folder>', 'leave wire.pcapng, timeline.json, counters.json and run.json there')
      .option('--waves', 'if it fails: build the simulator that writes waves, and take them')
      .action((file: string, options: Options) =>
        guarded((onInterrupt) => play(file, options, onInterrupt, new Output())),
      );
  },
};

type OnInterrupt = (end: () => unknown) => void;

async function play(file: string, options: Options, onInterrupt: OnInterrupt, output: Output): Promise<void> {
  const scenario = await load(file);
  const { data } = scenario;
  const { device, board, dataWidth, profile, seed = data.seed ?? 1, out } = options;
  await checkBoard(options);
  const sim = chooseSimulator(options);
  if (out !== undefined) outFolder(out);
  output.say(`${data.name} (${describeDevice({ profile: data.profile, ...options, sim })})`);

  const { Bundle } = await import('../run/index.ts');
  const { runScenario } = await import('../scenario/index.ts');
  const of = [device, ...(device === 'model' || device === 'board' ? [] : [dataWidth]), seed];
  const bundle = new Bundle({ out, name: basename(file, extname(file)), of });
  const note = (text: string) => output.note(text);
  const leave = () => leaveBundle({ bundle, played: [file], waves: options.waves, onInterrupt, note });
  let result: ScenarioResult;
  try {
    result = await runScenario(scenario, {
      device,
      board,
      dataWidth,
      ...(profile === undefined ? {} : { profile }),
      seed,
      files: { out: bundle.folder },
      onStep: (step) => printStep(output, step),
      onOpen: (open) => onInterrupt(() => open.close()),
    });
  } catch (error) {
    return endWith(error, await leave());
  }
  const left = result.verdict.ok ? undefined : await leave();
  bundle.discard();
  output.document(asJson(file, data.name, result, left));
  for (const line of resultLines(file, result, out, left)) output.say(line);
  if (!result.verdict.ok) process.exitCode = Exit.failed;
}

async function load(file: string) {
  const { loadScenario, ScenarioError } = await import('../scenario/index.ts');
  try {
    return loadScenario(file);
  } catch (error) {
    throw error instanceof ScenarioError ? new InputError(error.message) : error;
  }
}

/** Its mistakes are told before anything runs. */
async function checkBoard({ device, board }: Options): Promise<void> {
  if ((device === 'board') !== (board !== undefined))
    throw new InputError(
      `--board: expected a board file with --device board alone, found ${board ?? 'none'}`,
    );
  if (board === undefined) return;
  const { loadBoard } = await import('../board/index.ts');
  takesInput(() => loadBoard(board));
}

function printStep(output: Output, { index, count, title, passed, cycle }: StepReport): void {
  if (passed)
    output.say(`  ok ${String(index + 1).padStart(`${count}`.length)}/${count}  ${title}  @${cycle}`);
}

function resultLines(
  file: string,
  { verdict, device, seed, steps, stepsPassed }: ScenarioResult,
  out: string | undefined,
  left: LeftBundle | undefined,
): string[] {
  const { problems, totals, ok, unchecked } = verdict;
  const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  return [
    ...problems.map(({ check, text }) => (check === 'expectation' ? text : `${check} check: ${text}`)),
    ...(unchecked.length > 0 ? [`not checked on this device: ${unchecked.join(', ')}`] : []),
    ...(out !== undefined && ok ? [`left ${LEFT_FILES.map((name) => `${out}/${name}`).join(', ')}`] : []),
    ...(left ? bundleLines(left) : []),
    `${file} on ${device}: ${ok ? 'passed' : `failed, ${count}`}; ${stepsPassed} of ${steps} steps, ` +
      `${totals.packets} packets, ${totals.cycles} cycles, seed ${seed}`,
  ];
}

const asJson = (
  file: string,
  name: string,
  { verdict, recording: _, ...rest }: ScenarioResult,
  bundle: LeftBundle | undefined,
) => ({
  file,
  name,
  ...rest,
  passed: verdict.ok,
  ...verdict.totals,
  problems: verdict.problems,
  unchecked: verdict.unchecked,
  ...(bundle ? { bundle } : {}),
});
