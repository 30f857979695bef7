import type { DataWidth, DeviceKind } from '../run/kinds.ts';
import type { ScenarioResult, StepReport } from '../scenario/index.ts';
import type { SimulatorKind } from '../sim/binary.ts';
import type { Profile } from '../sim/protocol.ts';
import type { CliCommand } from './command.ts';
import { Exit, guarded, InputError, strictOptions } from './exit.ts';
import { chooseSimulator, describeDevice, deviceOptions, LEFT_FILES, outFolder } from './run-options.ts';

interface Options {
  device: DeviceKind;
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
    strictOptions(deviceOptions(command))
      .description('play a scenario on two HCAs, under all checks')
      .argument('<scenario>', 'a YAML file, see docs/scenarios.md')
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
          const { device, dataWidth, profile, seed, out, json } = options;
          const sim = chooseSimulator(options);
          if (out !== undefined) outFolder(out);
          if (!json)
            console.log(
              `${scenario.data.name} (${describeDevice({ profile: scenario.data.profile, ...options, sim })})`,
            );
          const result = await runScenario(scenario, {
            device,
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

function printStep({ index, count, title, passed, cycle }: StepReport): void {
  if (passed)
    console.log(`  ok ${String(index + 1).padStart(`${count}`.length)}/${count}  ${title}  @${cycle}`);
}

function printResult(file: string, result: ScenarioResult, out: string | undefined): void {
  const { problems, totals, ok } = result.verdict;
  for (const { check, text } of problems)
    console.log(check === 'expectation' ? text : `${check} check: ${text}`);
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
});
