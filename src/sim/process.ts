import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { ByteReader } from './bytes.ts';
import { SimError } from './errors.ts';
import { type FrameChannel, framed, Replies, type Reply } from './frames.ts';

export interface SimProcessOptions {
  binary: string;
  args?: readonly string[];
  /** What people know it by. */
  name?: string;
  /** What makes the program, said when it is missing. */
  buildLine?: string;
  /** Give up when the process says nothing for so long, though it works. */
  timeoutMs?: number;
  /** Give up when it neither says anything nor works for so long: it is stopped, or waits for what never comes. */
  stuckMs?: number;
  /** Kill it when it has not ended by itself so long after it should; 2 s unless told. */
  endMs?: number;
  /** Takes word, early, of a process that neither says anything nor works; else people read it on stderr. */
  onSilence?: (message: string) => void;
  /** Keep every frame sent there: fed to the program's stdin, the file repeats the run without us. */
  recordTo?: string | undefined;
}

/** Processes alive now. Their stdin closes with us however we end; this covers an orderly exit too. */
const alive = new Set<SimProcess>();
process.on('exit', () => {
  for (const sim of alive) sim.kill();
});

const TIMEOUT_MS = 60_000;
const STUCK_MS = 20_000;
const END_MS = 2000;
/** Silence that people are told of. */
const SILENT_MS = 3000;
const STDERR_KEPT = 4000;

/** What the system tells of a process: processor time so far, where it can be known, and what it does. */
function workOf(pid: number | undefined): { ticks?: number; state: string } {
  try {
    const [state = '', ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return { ticks: Number(rest[10]) + Number(rest[11]), state: STATES[state] ?? 'waits' };
  } catch {
    return { state: 'is silent' };
  }
}

const STATES: Readonly<Record<string, string>> = {
  R: 'works',
  T: 'is stopped',
  t: 'is being traced',
  Z: 'is gone',
};

/** The child process as a place to send a frame and get the reply; knows nothing of commands. */
export class SimProcess implements FrameChannel {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #stuckMs: number;
  readonly #endMs: number;
  readonly #onSilence: (message: string) => void;
  readonly #record: number | undefined;
  readonly #replies: Replies;
  #stderr = '';
  #waiting: { resolve(reply: ByteReader): void; reject(error: Error): void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** How long it has said nothing, and done nothing beside; its processor time when we last looked. */
  #silent = 0;
  #stuck = 0;
  #ticks: number | undefined;
  #failure: Error | undefined;
  /** The error frame, when one came before the end. */
  #reason: Extract<Reply, { kind: 'error' }> | undefined;
  readonly #ended: Promise<void>;

  constructor(options: SimProcessOptions) {
    if (!existsSync(options.binary)) {
      const { binary, buildLine } = options;
      const advice = buildLine === undefined ? '' : `; build it with: ${buildLine}`;
      throw new SimError(
        'sim-died',
        'missing',
        `${options.name ?? 'simulator'}: expected the program ${binary}, found none${advice}`,
      );
    }
    this.#name = options.name ?? 'simulator';
    this.#replies = new Replies(this.#name);
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#stuckMs = options.stuckMs ?? STUCK_MS;
    this.#endMs = options.endMs ?? END_MS;
    this.#onSilence = options.onSilence ?? ((message) => console.error(message));
    this.#record = options.recordTo === undefined ? undefined : openSync(options.recordTo, 'w');
    this.#child = spawn(options.binary, options.args ?? [], { stdio: ['pipe', 'pipe', 'pipe'] });
    alive.add(this);
    this.#child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-STDERR_KEPT);
    });
    this.#child.stdin.on('error', () => {}); // its death is told by 'close'
    this.#child.on('error', (error) =>
      this.#fail('died', `${this.#name}: could not be started: ${error.message}`),
    );
    this.#ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        alive.delete(this);
        if (this.#record !== undefined) closeSync(this.#record);
        this.#fail('died', `${this.#name}: ended unexpectedly (${signal ?? `exit code ${code}`})`);
        resolve();
      });
    });
    this.#idle();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** One frame out, one reply. Only one exchange may be open. */
  exchange(frame: Uint8Array): Promise<ByteReader> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#waiting) throw new Error(`${this.#name}: an exchange is open already`);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#child.ref();
      this.#touch();
      const message = framed(frame);
      if (this.#record !== undefined) writeSync(this.#record, message);
      this.#child.stdin.write(message);
    });
  }

  /** Ends the process and waits until it is gone. */
  async end(frame?: Uint8Array): Promise<void> {
    const patience = setTimeout(() => this.kill(), this.#endMs);
    if (!this.#failure && frame) await this.exchange(frame).catch(() => {});
    this.#failure ??= new SimError('sim-died', 'died', `${this.#name}: is closed`);
    this.#child.ref();
    this.#child.stdin.end();
    await this.#ended;
    clearTimeout(patience);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** An open simulator alone does not keep the program alive. */
  #idle(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#child.unref();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      (stream as unknown as { unref?: () => void }).unref?.();
    }
  }

  /** It has said something, or is asked something: it has all its time again. */
  #touch(): void {
    this.#silent = 0;
    this.#stuck = 0;
    this.#timer ??= this.#lookLater();
  }

  #lookLater(): NodeJS.Timeout {
    const period = Math.min(this.#timeoutMs, this.#stuckMs, SILENT_MS) / 4;
    const start = performance.now();
    // Time in which we could not look either, stopped or busy ourselves, counts but once.
    return setTimeout(() => this.#look(Math.min(performance.now() - start, 2 * period)), period);
  }

  /** Looks after so many ms more whether a silent process is at work. */
  #look(ms: number): void {
    const { ticks, state } = workOf(this.#child.pid);
    const worked = ticks === undefined || ticks !== this.#ticks;
    this.#ticks = ticks;
    this.#silent += ms;
    const before = this.#stuck;
    this.#stuck = worked ? 0 : before + ms;
    const what = `process ${this.#child.pid} ${state}`;
    if (this.#silent >= this.#timeoutMs || this.#stuck >= this.#stuckMs) {
      const limit = this.#stuck >= this.#stuckMs ? this.#stuckMs : this.#timeoutMs;
      this.#fail('wedged', `${this.#name}: nothing came for ${limit / 1000} s: ${what}`);
      this.kill();
      return;
    }
    if (before < SILENT_MS && this.#stuck >= SILENT_MS) {
      const limit = this.#stuckMs / 1000;
      this.#onSilence(`${this.#name}: nothing comes: ${what}; given up when ${limit} s have passed so`);
    }
    this.#timer = this.#lookLater();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const reply of this.#replies.take(chunk)) this.#reply(reply);
    } catch {
      this.#babble();
    }
  }

  /** What the program says is no frame: it is another program, or out of step for good. */
  #babble(): void {
    this.#child.stdout.removeAllListeners('data').resume();
    this.#fail('died', `${this.#name}: does not speak its protocol`);
    this.kill();
  }

  #reply(reply: Reply): void {
    if (reply.kind === 'alive') {
      if (this.#waiting) this.#touch();
    } else if (reply.kind === 'ok') {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      this.#idle();
      waiting?.resolve(reply.body);
    } else {
      // What it printed for people may still be under way: wait for the end, then tell.
      this.#reason = reply;
    }
  }

  #fail(kind: 'died' | 'wedged', message: string): void {
    if (!this.#failure) {
      const code = kind === 'wedged' ? 'timeout' : this.#reason?.why === 'protocol' ? 'protocol' : 'sim-died';
      this.#failure = new SimError(
        code,
        this.#reason?.why ?? kind,
        this.#reason?.message ?? message,
        this.#stderr.trimEnd().split('\n').slice(-12).join('\n'),
      );
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#idle();
    waiting?.reject(this.#failure);
  }
}
