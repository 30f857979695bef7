import {
  type CheckedRun,
  type DataWidth,
  type FileOptions,
  type Outcome,
  openRun,
  type Problem,
  type RunKind,
  recordOf,
  Verdict,
} from '../run/index.ts';
import type { Profile } from '../sim/index.ts';
import { IbError } from '../spec/errors.ts';
import { compareRuns, type Recording, recordingOf } from './compare.ts';
import { Unexpected } from './errors.ts';
import { faultRules } from './faults.ts';
import type { Scenario } from './load.ts';
import { Player } from './play.ts';
import { titleOf } from './title.ts';
import { hostOptions, World } from './world.ts';

export interface ScenarioOptions {
  device?: RunKind;
  /** The board file of two cards, or its folder. */
  board?: string | undefined;
  seed?: number | undefined;
  dataWidth?: DataWidth;
  profile?: Profile;
  /** Another simulator than the one sim/build.sh makes. */
  binary?: string;
  /** With a simulator that can write waves. */
  traced?: boolean;
  files?: FileOptions;
  /** The file that repeats the run, if it is not the one the scenario was read from. */
  repeatedBy?: string;
  /** A step begins, or has passed. */
  onStep?: (step: StepReport) => void;
  /** The simulator is open: to be closed should the program be ended. */
  onOpen?: (run: CheckedRun) => void;
}

export interface StepReport {
  index: number;
  count: number;
  line: number;
  title: string;
  passed: boolean;
  cycle: number;
}

export interface ScenarioResult {
  device: RunKind;
  seed: number;
  stepsPassed: number;
  steps: number;
  /** Every problem starts with `file:line:column` if a step of the scenario told the opposite. */
  verdict: Verdict;
  /** What the consumers saw. */
  recording: Recording;
}

/** Plays a scenario on a pair of devices under all checks. Trouble with the simulator is thrown. */
export async function runScenario(
  scenario: Scenario,
  options: ScenarioOptions = {},
): Promise<ScenarioResult> {
  let opened: CheckedRun | undefined;
  const onOpen = (run: CheckedRun) => {
    opened ??= run;
    options.onOpen?.(run);
  };
  try {
    const result = await playAndCompare(scenario, { ...options, onOpen });
    const { problems, totals } = result.verdict;
    leaveRecord(scenario, options, opened, { problems, totals });
    return result;
  } catch (error) {
    leaveRecord(scenario, options, opened, { problems: [], error });
    throw error;
  }
}

/** Where files are left, a run leaves its verdict, however it ends. */
function leaveRecord(
  { data, file }: Scenario,
  options: ScenarioOptions,
  run: CheckedRun | undefined,
  outcome: Pick<Outcome, 'problems' | 'error'> & Partial<Outcome>,
): void {
  if (!run?.files) return;
  const { device = 'model', dataWidth, profile = data.profile, repeatedBy = file } = options;
  const seed = options.seed ?? data.seed ?? 1;
  const { board } = options;
  const played = {
    name: data.name,
    file: repeatedBy,
    device,
    board,
    dataWidth,
    profile,
    seed,
    command: 'run',
  };
  const { leftOutPackets: packets, leftOutEntries: entries } = run.files;
  const totals = { cycles: run.fabric.now(), packets: run.watch.packets };
  run.files.record(recordOf(played, { totals, leftOut: { packets, entries }, ...outcome }));
}

async function playAndCompare(scenario: Scenario, options: ScenarioOptions): Promise<ScenarioResult> {
  const { device = 'model' } = options;
  const played = await play(scenario, options);
  const compare = device !== 'model' && scenario.data.compare_with_model !== false;
  if (!compare || !played.verdict.ok) return played;

  const { seed } = options;
  const model = await play(scenario, { device: 'model', seed });
  const problems: Problem[] = [
    ...model.verdict.problems.map(({ check, text }) => ({ check, text: `on the model: ${text}` })),
    ...compareRuns(model.recording, played.recording).map((text) => ({ check: 'model' as const, text })),
  ];
  const { totals, unchecked } = played.verdict;
  return { ...played, verdict: new Verdict(problems, totals, unchecked) };
}

async function play(scenario: Scenario, options: ScenarioOptions): Promise<ScenarioResult> {
  const { data } = scenario;
  const { device = 'model', dataWidth, binary, traced, files } = options;
  const profile = options.profile ?? data.profile;
  const seed = options.seed ?? data.seed ?? 1;
  const steps = data.steps.length;
  let world: World | undefined;
  const run = await openRun(device, {
    seed,
    hosts: hostOptions(data, seed),
    ...(dataWidth === undefined ? {} : { dataWidth }),
    ...(profile === undefined ? {} : { profile }),
    ...(binary === undefined ? {} : { binary }),
    board: options.board,
    ...(traced === undefined ? {} : { traced }),
    ...(files === undefined ? {} : { files }),
    regionName: (side, mr) => {
      const found = [...(world?.regions.values() ?? [])].find((region) => region.mr === mr);
      return found ? `region ${found.name}` : `region 0x${mr.key.toString(16)} of host ${'ab'[side]}`;
    },
  });
  options.onOpen?.(run);
  try {
    world = new World(run, data, { seed, folder: scenario.folder });
    const problems: Problem[] = [];
    const fail = (error: unknown, path: readonly PropertyKey[]) => {
      const { text, at } = described(error, path);
      const { line, column } = scenario.place(at);
      problems.push({ check: 'expectation', text: `${scenario.file}:${line}:${column}: ${text}` });
    };
    let stepsPassed = 0;
    try {
      await world.create();
    } catch (error) {
      fail(error, world.making);
      return result(problems, recordingOf(undefined, world));
    }
    try {
      const { link, dma } = faultRules(world, data.faults ?? []);
      if (link.length + dma.length > 0) await run.setFaults(link, dma);
    } catch (error) {
      if (!(error instanceof IbError) || error.code !== 'not-supported') throw error;
      fail(new Unexpected('a device that can fail so', error.message), ['faults']);
      return result(problems, recordingOf(undefined, world));
    }
    const player = new Player(world);
    for (const [index, step] of data.steps.entries()) {
      const path = ['steps', index];
      const report = { index, count: steps, line: scenario.place(path).line, title: titleOf(step) };
      options.onStep?.({ ...report, passed: false, cycle: run.fabric.now() });
      try {
        await player.step(step);
      } catch (error) {
        fail(error, path);
        break;
      }
      stepsPassed++;
      options.onStep?.({ ...report, passed: true, cycle: run.fabric.now() });
    }
    if (problems.length === 0) {
      const last = scenario.place(['steps', steps - 1]).line;
      for (const text of await player.leftovers())
        problems.push({
          check: 'expectation',
          text: `${scenario.file}:${last}: at the end: expected ${text}`,
        });
      await player.expectRest((name) => `${scenario.file}:${scenario.place(['regions', name]).line}`);
      const verdict = await run.finish({ drops: player.drops, drained: problems.length === 0 });
      problems.push(...verdict.problems);
    }
    return result(problems, recordingOf(player, world), stepsPassed);
  } finally {
    await run.close();
  }

  function result(problems: Problem[], recording: Recording, stepsPassed = 0): ScenarioResult {
    const totals = { cycles: run.fabric.now(), packets: run.watch.packets };
    return {
      device,
      seed,
      steps,
      stepsPassed,
      recording,
      verdict: new Verdict(problems, totals, run.unchecked),
    };
  }
}

/** What a user is told of an error; those that no scenario can cause are thrown again. */
function described(
  error: unknown,
  path: readonly PropertyKey[],
): { text: string; at: readonly PropertyKey[] } {
  if (error instanceof Unexpected)
    return { text: `expected ${error.expected}, found ${error.found}`, at: [...path, ...error.path] };
  if (error instanceof IbError && error.code === 'not-supported')
    return { text: `expected a device that can do so, found ${error.message}`, at: path };
  if (error instanceof Error && 'reason' in error)
    return { text: `expected to be taken, found ${error.message}`, at: path };
  throw error;
}
