// Throws hostile inputs at everything that takes some: `make fuzz` (docs/fuzz.md).
//
//   fuzz.ts [packets] [files] [frames] [processes] [loss]     all but the last unless told
//   SEED=n    what all of it follows from; any, and told, unless given
//   STEPS=n   so many of each kind, in place of its own number
//   PROFILE=ideal|typical|hostile   how host buses and link behave; one after another unless told
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { readEnvironment } from '../src/cli/environment.ts';
import { Exit, guarded, InputError } from '../src/cli/exit.ts';
import { Progress } from '../src/cli/progress.ts';
import {
  addTally,
  fuzzRtl,
  hostileProcess,
  hostileSession,
  killProcesses,
  killSimulators,
  type Loss,
  type Many,
  measureLoss,
  newTally,
  Supervisor,
} from '../src/fuzz/index.ts';
import { buildLine, simulatorBinary } from '../src/sim/binary.ts';
import { PROFILES, type Profile } from '../src/sim/protocol.ts';
import { writePart } from './written.ts';

/** Ends what runs. */
const ends = new Set<() => unknown>();
let stopped = false;
/** What is wrong, and what repeats it. */
const problems: string[] = [];
const progress = new Progress('fuzz');

const KINDS = { packets, files, frames, processes, loss } as const;
type Kind = keyof typeof KINDS;
const USUAL: readonly Kind[] = ['packets', 'files', 'frames', 'processes'];
const STEPS: Readonly<Record<Kind, number>> = {
  packets: 1_000_000,
  files: 100_000,
  frames: 100_000,
  processes: 60,
  loss: 48,
};

/** Of inputs for one process. */
const CHUNK = 2000;
/** Those in which nothing is left to chance. */
const LOSS_PROFILES: readonly Profile[] = ['ideal', 'typical'];

await guarded(async (onInterrupt) => {
  const kinds = kindsOf(process.argv.slice(2));
  const seed = readEnvironment().seed ?? Math.floor(Math.random() * 2 ** 31);
  if (!existsSync(simulatorBinary()))
    throw new InputError(
      `fuzz: expected the program ${simulatorBinary()}, found none; build it with: ${buildLine()}`,
    );
  console.log(`fuzz: ${kinds.join(', ')}, seed ${seed}`);
  onInterrupt(() => {
    stopped = true;
    return Promise.all([...ends].map((end) => end()));
  });
  for (const kind of kinds) {
    if (stopped || problems.length > 0) break;
    const start = performance.now();
    const line = await KINDS[kind](seed, stepsOf(STEPS[kind]));
    progress.end();
    if (stopped) return;
    console.log(`fuzz: ${kind}: ${line}; ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  for (const problem of problems) console.log(`fuzz: ${problem}`);
  if (problems.length > 0) process.exitCode = Exit.failed;
  if (!stopped) console.log(`fuzz: ${problems.length === 0 ? 'passed' : 'failed'}, seed ${seed}`);
});

function kindsOf(words: readonly string[]): readonly Kind[] {
  for (const word of words)
    if (!(word in KINDS))
      throw new InputError(
        `fuzz: expected some of ${Object.keys(KINDS).join(', ')}, found ${JSON.stringify(word)}`,
      );
  return words.length === 0 ? USUAL : (words as Kind[]);
}

function stepsOf(usual: number): number {
  const text = process.env.STEPS;
  if (text === undefined) return usual;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InputError(`STEPS: expected a number from 1, found ${JSON.stringify(text)}`);
}

/** Against the RTL, on each profile a part of it. */
async function packets(seed: number, steps: number): Promise<string> {
  const profiles = process.env.PROFILE === undefined ? PROFILES : [readEnvironment().profile];
  const sums = { packets: 0, beats: 0, wqes: 0, writes: 0, messages: 0, cycles: 0 };
  for (const profile of profiles) {
    if (stopped || problems.length > 0) break;
    const result = await fuzzRtl({
      seed,
      steps: Math.ceil(steps / profiles.length),
      profile,
      stop: () => stopped,
      onOpen: (run) => ends.add(() => run.close()),
      onRound: ({ packets: done, rounds }) =>
        progress.show(`${profile}: ${done} packets in ${rounds} rounds`),
    });
    const { counts } = result;
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name];
    for (const problem of result.problems)
      problems.push(
        `${problem} (SEED=${seed} PROFILE=${profile}, round ${counts.rounds}, ${counts.packets} packets)`,
      );
  }
  return (
    `${sums.packets} packets of ${sums.beats} beats, ${sums.wqes} work requests, ${sums.writes} writes; ` +
    `${sums.messages} messages of the victim in ${sums.cycles} cycles`
  );
}

function files(seed: number, steps: number): Promise<string> {
  return supervised('files', seed, steps);
}

/** Hostile clients with simulators of their own, and hostile simulators with a client; as many of the one as take the time. */
async function frames(seed: number, steps: number): Promise<string> {
  const replies = await supervised('replies', seed, steps);
  ends.add(killSimulators);
  let sent = 0;
  let number = 0;
  const talk = async (): Promise<void> => {
    while (sent < steps && !stopped && problems.length === 0) {
      const mine = number++;
      const { frames: count, problem } = await hostileSession(simulatorBinary(), seed, mine);
      sent += count;
      if (problem !== undefined && !stopped)
        problems.push(`frames: session ${mine} of seed ${seed}: ${problem}`);
      progress.show(`${sent} of ${steps} frames`);
    }
  };
  await Promise.all(cpus().map(talk));
  return `${sent} frames to simulators in ${number} sessions; ${replies}`;
}

/** In processes of their own, a part after another. */
async function supervised(many: Many, seed: number, steps: number): Promise<string> {
  const supervisor = new Supervisor();
  ends.add(() => supervisor.stop());
  const tally = newTally();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < steps && !stopped && tally.problem === undefined) {
      const first = next;
      next += CHUNK;
      addTally(tally, await supervisor.read(many, seed, first, Math.min(CHUNK, steps - first)));
      progress.show(`${Math.min(next, steps)} of ${steps} ${many}`);
    }
  };
  await Promise.all(cpus().map(work));
  if (tally.problem !== undefined && !stopped) problems.push(`${many}: ${tally.problem}`);
  const { slowest, largest } = tally;
  const dearest =
    many === 'files'
      ? `; the dearest took ${slowest.cpuMs.toFixed(0)} ms (${slowest.number}) and ${(largest.memoryKib / 1024).toFixed(0)} MiB (${largest.number})`
      : '';
  return `${steps} ${many}: ${counted(tally.ends)}${dearest}`;
}

async function processes(seed: number, steps: number): Promise<string> {
  ends.add(killProcesses);
  const found: Record<string, number> = {};
  for (let number = 0; number < steps && !stopped && problems.length === 0; number++) {
    const { end, problem } = await hostileProcess(seed, number);
    found[end] = (found[end] ?? 0) + 1;
    if (problem !== undefined && !stopped) problems.push(`processes: ${number} of seed ${seed}: ${problem}`);
    progress.show(`${number + 1} of ${steps} processes`);
  }
  return counted(found);
}

/** What a stream loses beside the beats that hostile packets take; docs/fuzz.md shows what the usual number of each costs. */
async function loss(seed: number, steps: number): Promise<string> {
  const rows: (Loss & { profile: Profile })[] = [];
  for (const profile of LOSS_PROFILES) {
    const onOpen = (run: { close(): unknown }) => ends.add(() => run.close());
    const losses = await measureLoss({ seed, count: steps, profile, onOpen });
    rows.push(...losses.map((each) => ({ ...each, profile })));
  }
  for (const { what, count, beats, lost, profile } of rows)
    console.log(`fuzz: loss: ${profile}: ${count} ${what}: ${beats} beats taken, ${lost} cycles lost`);
  if (steps === STEPS.loss)
    writePart({ page: 'docs/fuzz.md', name: 'losses', by: 'make fuzz KINDS=loss' }, [
      '| beside a stream of WRITEs | buses | number | beats taken | cycles lost |',
      '|---|---|---|---|---|',
      ...rows.map(
        ({ what, profile, count, beats, lost }) => `| ${what} | ${profile} | ${count} | ${beats} | ${lost} |`,
      ),
    ]);
  return `${rows.length} kinds`;
}

function counted(found: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([end, count]) => `${count} ${end}`).join(', ');
}
