import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { framed, Replies, type Reply } from '../../sim/frames.ts';
import { Dice } from '../../walk/index.ts';
import { hostileNumber } from '../bytes.ts';
import { endlessRun, helloFrame, hostileFrame } from './commands.ts';

/** Sessions of a hostile client with a simulator process: each frame has its answer, and each end is one of those that docs/protocol.md tells. */

/** Virtual memory that a simulator gets, KiB: 256 MiB of a frame, twice that of a reply, and what it holds. */
const MEMORY_KIB = 1_500_000;
/** Without a word. */
const PATIENCE_MS = 60_000;
/** With signs of life alone: what was asked for takes longer than anybody waits, by settings that the client chose. */
const LONG_MS = 3000;
const LOOK_MS = 1000;
const MOST_FRAMES = 12;
const KILLED = 'SIGKILL';
/** What a client can cause: nothing of that is the fault of the RTL. */
const CAUSED: readonly string[] = ['protocol', 'resource', 'timeout'];

export interface SessionOutcome {
  /** Frames sent. */
  readonly frames: number;
  /** How the session ended, in a word. */
  readonly end: string;
  /** What must not be, if anything. */
  readonly problem?: string | undefined;
}

/** Simulators that run now. */
const alive = new Set<ChildProcess>();

/** Ends all that are left. */
export function killSimulators(): void {
  for (const child of alive) child.kill(KILLED);
}

/** The session of that number of a seed. */
export async function hostileSession(binary: string, seed: number, number: number): Promise<SessionOutcome> {
  const dice = new Dice(seed, number);
  const session = new Session(binary);
  let frames = 0;
  let last: Reply | undefined;
  try {
    if (!dice.oneIn(20)) {
      last = await session.ask(framed(helloFrame(dice)));
      frames++;
    }
    // Frames behind one that takes for ever would keep the simulator from seeing that we have gone.
    let talks = frames === 0 || last?.kind === 'ok';
    for (let left = dice.between(1, MOST_FRAMES); left > 0 && talks; left--) {
      last = await session.ask(framed(hostileFrame(dice)));
      frames++;
      talks = last?.kind === 'ok' && !session.over;
    }
    if (talks) {
      session.send(dice.of(FAREWELLS)(dice));
      frames++;
    }
    return { frames, ...(await session.finish(last)) };
  } catch (error) {
    return { frames, end: 'none', problem: (error as Error).message };
  } finally {
    session.kill();
  }
}

/** Half of something, or something without end; nobody waits for an answer. */
const FAREWELLS: readonly ((dice: Dice) => Uint8Array)[] = [
  (dice) => framed(hostileFrame(dice)).subarray(0, -1),
  (dice) => new Uint8Array(dice.between(1, 3)),
  (dice) => Buffer.concat([framed(new Uint8Array(hostileNumber(dice, 10, 100))).subarray(0, 5)]),
  () => framed(endlessRun()),
  () => Uint8Array.of(0, 0, 0, 16, 1, 2, 3),
  () => new Uint8Array(),
];

class Session {
  readonly #child: ChildProcess;
  readonly #replies = new Replies();
  readonly #exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  #wake: () => void = () => {};
  #waiting: Reply[] = [];
  #babble: string | undefined;
  #stderr = '';
  #heard = performance.now();
  over = false;

  constructor(binary: string) {
    this.#child = spawn('bash', ['-c', `ulimit -v ${MEMORY_KIB} -c 0 && exec "$0"`, binary], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    alive.add(this.#child);
    this.#child.stdin!.on('error', () => {});
    this.#child.stderr!.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-1000);
    });
    this.#child.stdout!.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#exit = once(this.#child, 'close').then(([code, signal]) => {
      alive.delete(this.#child);
      this.over = true;
      this.#wake();
      return { code, signal };
    });
  }

  #receive(chunk: Buffer): void {
    try {
      for (const reply of this.#replies.take(chunk)) {
        this.#heard = performance.now();
        if (reply.kind === 'alive') continue;
        this.#waiting.push(reply);
        this.#wake();
      }
    } catch (error) {
      this.#babble = (error as Error).message;
      this.#wake();
    }
  }

  send(bytes: Uint8Array): void {
    if (!this.over) this.#child.stdin!.write(bytes);
  }

  /** The answer to a frame; undefined when it has ended instead, or works on and on. */
  async ask(frame: Uint8Array): Promise<Reply | undefined> {
    this.send(frame);
    const start = performance.now();
    const isLong = () => this.#heard - start > LONG_MS;
    await this.#until(() => this.#waiting.length > 0 || this.over || isLong());
    return this.#waiting.shift();
  }

  /** It has to end now: how it did. */
  async finish(last: Reply | undefined): Promise<Omit<SessionOutcome, 'frames'>> {
    this.#child.stdin!.end();
    await this.#until(() => this.over);
    const { code, signal } = await this.#exit;
    const error = last?.kind === 'error' ? last : this.#waiting.find((reply) => reply.kind === 'error');
    const told = error?.kind === 'error' ? error : undefined;
    const end = told ? `error ${told.why}` : `exit ${signal ?? code}`;
    if (told && !CAUSED.includes(told.why)) return { end, problem: told.message };
    if (told && !this.#stderr.includes(told.message.replace(/^simulator: /, '')))
      return { end, problem: `said nothing to people of: ${told.message}` };
    if (signal !== null || code !== (told ? 2 : 0))
      return { end, problem: `ended with ${signal ?? code}: ${this.#stderr}` };
    return { end };
  }

  async #until(holds: () => boolean): Promise<void> {
    const start = performance.now();
    while (!holds()) {
      const left = Math.max(start, this.#heard) + PATIENCE_MS - performance.now();
      if (this.#babble !== undefined) throw new Error(this.#babble);
      if (left <= 0) throw new Error(`silent for ${PATIENCE_MS / 1000} s`);
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((wake) => {
        this.#wake = wake;
        timer = setTimeout(wake, Math.min(left, LOOK_MS));
      });
      clearTimeout(timer);
    }
    if (this.#babble !== undefined) throw new Error(this.#babble);
  }

  kill(): void {
    if (!this.over) this.#child.kill(KILLED);
  }
}
