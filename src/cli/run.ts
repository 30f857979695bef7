import { type DataWidth, RUN_KINDS, type RunKind } from '../run/kinds.ts';
import type { ScenarioResult, StepReport } from '../scenario/index.ts';
import type { SimulatorKind } from '../sim/binary.ts';
import type { Profile } from '../sim/protocol.ts';
import { IbError } from '../spec/errors.ts';
import type { CliCommand } from './command.ts';
import { Exit, guarded, InputError, strictOptions } from './exit.ts';
import { chooseSimulator, describeDevice, deviceOptions, LEFT_FILES, outFolder } from './run-options.ts';

interface Options {
  device: RunKind;
  board?: string;
  dataWidth: DataWidth;
  profile?: Profile;
  sim?: SimulatorKind;
  seed?: number;
  out?: string;
  json?: boolean;
}

export const run: CliCommand = {
  name: 'run',
  register(command) {
    strictOptions(deviceOptions(command, 'model', 'ideal unless told', RUN_KINDS))
      .description('play a scenario on two HCAs, under all checks')
      .argument('<scenario>', 'a YAML file, see docs/scenarios.md')
      .option('--board <path>', 'the board file of --device board, or its folder, see docs/fpga.md')
      .option('--out <folder>', 'leave wire.pcapng, timeline.json, counters.json and run.json there')
      .option('--json', 'tell the outcome as JSON')
      .action((file: string, options: Options) =>
        guarded(async (onInterrupt) => {
          const { loadScenario, runScenario, ScenarioError } = await import('../scenario/index.ts');
          let scenario: ReturnType<typeof loadScenario>;
          try {
            scenario = loadScenario(file);
          } catch (error) {
            if (error instanceof ScenarioError) throw new InputError(error.message);
            throw error;
          }
          const { device, board, dataWidth, profile, seed, out, json } = options;
          if ((device === 'board') !== (board !== undefined))
            throw new InputError(
              `--board: expected a board file with --device board alone, found ${board ?? 'none'}`,
            );
          if (board !== undefined) await readBoard(board);
          const sim = chooseSimulator(options);
          if (out !== undefined) outFolder(out);
          if (!json)
            console.log(
              `${scenario.data.name} (${describeDevice({ profile: scenario.data.profile, ...options, sim })})`,
            );
          const result = await runScenario(scenario, {
            device,
            board,
            dataWidth,
            ...(profile === undefined ? {} : { profile }),
            seed,
            ...(out === undefined ? {} : { files: { out } }),
            ...(json ? {} : { onStep: printStep }),
            onOpen: (open) => onInterrupt(() => open.close()),
          });
          if (json) console.log(JSON.stringify(asJson(file, scenario.data.name, result), null, 2));
          else printResult(file, result, out);
          if (!result.verdict.ok) process.exitCode = Exit.failed;
        }),
      );
  },
};

/** Its mistakes are told before anything runs. */
async function readBoard(file: string): Promise<void> {
  const { loadBoard } = await import('../board/index.ts');
  try {
    loadBoard(file);
  } catch (error) {
    throw error instanceof IbError ? new InputError(error.message) : error;
  }
}

function printStep({ index, count, title, passed, cycle }: StepReport): void {
  if (passed)
    console.log(`  ok ${String(index + 1).padStart(`${count}`.length)}/${count}  ${title}  @${cycle}`);
}

function printResult(file: string, result: ScenarioResult, out: string | undefined): void {
  const { problems, totals, ok, unchecked } = result.verdict;
  for (const { check, text } of problems)
    console.log(check === 'expectation' ? text : `${check} check: ${text}`);
  if (unchecked.length > 0) console.log(`not checked on this device: ${unchecked.join(', ')}`);
  if (out !== undefined) console.log(`left ${LEFT_FILES.map((name) => `${out}/${name}`).join(', ')}`);
  const outcome = ok
    ? 'passed'
    : `failed, ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  console.log(
    `${file} on ${result.device}: ${outcome}; ${result.stepsPassed} of ${result.steps} steps, ` +
      `${totals.packets} packets, ${totals.cycles} cycles, seed ${result.seed}`,
  );
}

const asJson = (file: string, name: string, { verdict, recording: _, ...rest }: ScenarioResult) => ({
  file,
  name,
  ...rest,
  passed: verdict.ok,
  ...verdict.totals,
  problems: verdict.problems,
  unchecked: verdict.unchecked,
});
