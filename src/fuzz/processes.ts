import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../gen/root.ts';
import { checkCapture } from '../replay/index.ts';
import { Dice } from '../walk/index.ts';
import { hostileFile } from './files.ts';
import { remove, temporary } from './temporary.ts';

/** The commands as processes: killed, interrupted, without room on the disk, over hostile files. One clear error each, nobody left behind, nothing half under the name of a whole. */

const OPENHCA = join(repositoryRoot, 'bin/openhca.js');
/** Long enough to be met in the middle of it. */
const SCENARIO = join(repositoryRoot, 'scenarios/lossy-link.yaml');
const PATIENCE_MS = 300_000;
const ORPHAN_MS = 10_000;
const KIB = 1024;

export interface ProcessOutcome {
  readonly end: string;
  readonly problem?: string | undefined;
}

/** Groups of processes that run now. */
const alive = new Set<ChildProcess>();

/** Ends all that are left, with what they have started. */
export function killProcesses(): void {
  for (const child of alive) killGroup(child);
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: readonly string[];
  /** What outlived it. */
  readonly orphans: readonly number[];
  readonly hangs: boolean;
}

/** The processes of that number of a seed; `device` is what the scenarios run on. */
export async function hostileProcess(
  seed: number,
  number: number,
  kind?: ProcessKind,
): Promise<ProcessOutcome> {
  const dice = new Dice(seed, number);
  const name = kind ?? dice.of(PROCESS_KINDS);
  const folder = temporary();
  try {
    const { end, problem } = await KINDS[name](dice, folder);
    return { end: `${name}: ${end}`, ...(problem === undefined ? {} : { problem: `${name}: ${problem}` }) };
  } finally {
    remove(folder);
  }
}

const playArgs = (folder: string): string[] => [
  'run',
  SCENARIO,
  '--device',
  'rtl',
  '--out',
  join(folder, 'out'),
];

const KINDS = {
  /** The program dies: its simulator goes with it. */
  async 'kill the program'(dice: Dice, folder: string) {
    const run = await start(playArgs(folder), folder, (child) => later(dice, () => child.kill('SIGKILL')));
    return judged(run, run.signal === 'SIGKILL' || run.code === 0, halfFiles(folder));
  },

  /** The simulator dies: the program says so. */
  async 'kill the simulator'(dice: Dice, folder: string) {
    const run = await start(playArgs(folder), folder, async (child) => {
      const pid = await firstChild(child);
      if (pid !== undefined) await later(dice, () => killPid(pid));
    });
    const told = run.code === 0 || (run.code === 3 && oneLine(run, /^simulator: .*SIGKILL/));
    return judged(run, told, halfFiles(folder));
  },

  async 'Ctrl-C'(dice: Dice, folder: string) {
    const signal = dice.of(['SIGINT', 'SIGTERM'] as const);
    const run = await start(playArgs(folder), folder, async (child) => {
      await firstChild(child); // who is interrupted before it listens ends by the signal
      await later(dice, () => child.kill(signal));
    });
    const [status, word] = signal === 'SIGINT' ? [130, /^interrupted$/] : [143, /^terminated$/];
    return judged(run, run.code === 0 || (run.code === status && oneLine(run, word)), halfFiles(folder));
  },

  /** No file may grow beyond a few KiB. */
  async 'full disk'(dice: Dice, folder: string) {
    const run = await start(playArgs(folder), folder, undefined, dice.below(48));
    const told = run.code === 0 || (run.code === 1 && oneLine(run, /EFBIG|ENOSPC/));
    return judged(run, told, halfFiles(folder));
  },

  async 'hostile file'(dice: Dice, folder: string) {
    const { kind, bytes } = hostileFile(dice.below(2 ** 31), dice.below(2 ** 31));
    const file = join(folder, kind === 'scenario' ? 'hostile.yaml' : 'hostile.pcapng');
    writeFileSync(file, bytes);
    const commands = kind === 'scenario' ? [['check'], ['run']] : [['check'], ['decode', 'packet']];
    const run = await start([...dice.of(commands), file], folder);
    return judged(run, run.code === 0 || run.code === 1 || (run.code === 2 && run.err.length > 0));
  },

  /** A capture that is cut anywhere. */
  async 'half a capture'(dice: Dice, folder: string) {
    const made = await start(['run', SCENARIO, '--device', 'model', '--out', join(folder, 'out')], folder);
    if (made.code !== 0) return judged(made, false);
    const whole = readFileSync(join(folder, 'out/wire.pcapng'));
    const file = join(folder, 'half.pcapng');
    writeFileSync(file, whole.subarray(0, dice.between(1, whole.length - 1)));
    const run = await start(
      dice.of([
        ['check', file],
        ['decode', 'packet', file],
      ]),
      folder,
    );
    // Between two packets nobody sees that there were more.
    const told = run.code === 2 ? oneLine(run, /expected .* found/) : run.code === 0 || run.code === 1;
    return judged(run, told);
  },
} satisfies Record<string, (dice: Dice, folder: string) => Promise<ProcessOutcome>>;

export type ProcessKind = keyof typeof KINDS;
export const PROCESS_KINDS = Object.keys(KINDS) as ProcessKind[];

/** One error, and where to look. */
function oneLine({ err }: Run, like: RegExp): boolean {
  const errors = err.filter((line) => !/^(left|waves:) /.test(line));
  return errors.length === 1 && like.test(errors[0]!);
}

function judged(run: Run, right: boolean, half: readonly string[] = []): ProcessOutcome {
  const { code, signal, err, orphans, hangs } = run;
  const end = `ended with ${signal ?? code}`;
  const said = err.slice(0, 6).join(' | ');
  if (hangs) return { end, problem: `still runs after ${PATIENCE_MS / 1000} s` };
  if (orphans.length > 0) return { end, problem: `left process ${orphans.join(', ')} behind` };
  if (half.length > 0) return { end, problem: `left half a file: ${half.join(', ')}` };
  if (err.some((line) => /^\s+at /.test(line))) return { end, problem: `${end} and a stack: ${said}` };
  return right ? { end } : { end, problem: `${end}: ${said}` };
}

/** Files that have their name and are not whole. */
function halfFiles(folder: string): string[] {
  const out = join(folder, 'out');
  if (!existsSync(out)) return [];
  return readdirSync(out).filter((name) => !name.endsWith('.part') && !isWhole(join(out, name)));
}

function isWhole(file: string): boolean {
  try {
    if (file.endsWith('.pcapng')) checkCapture(file);
    else if (file.endsWith('.json')) JSON.parse(readFileSync(file, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

type Meanwhile = (child: ChildProcess) => unknown;

/** Runs a command to its end; `fileKib` is what a file may grow to. */
async function start(
  args: readonly string[],
  cwd: string,
  meanwhile?: Meanwhile,
  fileKib?: number,
): Promise<Run> {
  mkdirSync(cwd, { recursive: true });
  const limit = fileKib === undefined ? '' : `trap '' XFSZ; ulimit -f ${fileKib};`;
  const child = spawn('bash', ['-c', `${limit} exec "$@"`, 'openhca', process.execPath, OPENHCA, ...args], {
    cwd,
    detached: true, // to be ended with all that it has started
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  let [out, err, hangs] = ['', '', false];
  child.stdout!.on('data', (chunk: Buffer) => {
    out = (out + chunk.toString()).slice(-64 * KIB);
  });
  child.stderr!.on('data', (chunk: Buffer) => {
    err = (err + chunk.toString()).slice(-64 * KIB);
  });
  const started = new Set<number>();
  const look = setInterval(() => {
    for (const pid of childrenOf(child.pid!)) started.add(pid);
  }, 20);
  const timer = setTimeout(() => {
    hangs = true;
    killGroup(child);
  }, PATIENCE_MS);
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const done = once(child, 'close');
  void meanwhile?.(child);
  const [code, signal] = await exit;
  clearInterval(look);
  clearTimeout(timer);
  const orphans = await outliving(started);
  for (const pid of orphans) killPid(pid);
  await done;
  alive.delete(child);
  return { code, signal, out, err: err.split('\n').filter((line) => line.trim() !== ''), orphans, hangs };
}

/** Those that still run when they have had their time to end. */
async function outliving(pids: ReadonlySet<number>): Promise<number[]> {
  const limit = performance.now() + ORPHAN_MS;
  for (;;) {
    const left = [...pids].filter(runs);
    if (left.length === 0 || performance.now() > limit) return left;
    await pause(50);
  }
}

/** Whether it runs; one that nobody has looked after has ended, too. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

/** The simulator, once it is there; nothing where the program has ended before. */
async function firstChild(child: ChildProcess): Promise<number | undefined> {
  while (child.exitCode === null && child.signalCode === null) {
    const found = childrenOf(child.pid!).find((pid) => isSimulator(pid));
    if (found !== undefined) return found;
    await pause(5);
  }
  return undefined;
}

function isSimulator(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('openhca-sim');
  } catch {
    return false;
  }
}

function killPid(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Sooner or later. */
async function later(dice: Dice, act: () => unknown): Promise<void> {
  await pause(dice.below(dice.oneIn(3) ? 200 : 4000));
  act();
}

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));
