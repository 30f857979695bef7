import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Many, Tally } from './read-many.ts';

/** Watches over a process that reads hostile inputs: it may not hang, die, or take more memory than it is given. */

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));
/** Between one input and the next. */
const PATIENCE_MS = 120_000;
/** Old generation of the heap, MiB. */
const HEAP_MIB = 512;

export class Supervisor {
  readonly #alive = new Set<ChildProcess>();
  readonly #patienceMs: number;

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** What a worker says of so many inputs. */
  read(many: Many, seed: number, first: number, count: number): Promise<Tally> {
    const options = ['--import', 'tsx', `--max-old-space-size=${HEAP_MIB}`];
    return this.watch([...options, WORKER, many, `${seed}`, `${first}`, `${count}`]);
  }

  /** What a Node program tells last; a problem with the input that it told of before, if it does not come so far. */
  async watch(args: readonly string[]): Promise<Tally> {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#alive.add(child);
    let last = 'the start';
    let tally: Tally | undefined;
    let stderr = '';
    let hangs = false;
    const watchdog = () =>
      setTimeout(() => {
        hangs = true;
        child.kill('SIGKILL');
      }, this.#patienceMs);
    let timer = watchdog();
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      timer = watchdog();
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('{')) tally = JSON.parse(line) as Tally;
        else last = `input ${line}`;
      }
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-MOST_TOLD);
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    this.#alive.delete(child);
    if (tally) return tally;
    const how = hangs
      ? `nothing came for ${this.#patienceMs / 1000} s`
      : `ended with ${signal ?? code}: ${stderr.trim()}`;
    return { ends: {}, slowest: NONE, largest: NONE, problem: `${last}: ${how}` };
  }

  /** Ends all that run. */
  stop(): void {
    for (const child of this.#alive) child.kill('SIGKILL');
  }
}

const MOST_TOLD = 2000;
const NONE = { number: -1, cpuMs: 0, memoryKib: 0 };
