import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { anySeed } from './environment.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

interface Addon {
  create(): void;
  settle(): void;
  clock(): void;
  run(): void;
  attach(words: ArrayBuffer): void;
  describe(): string;
}

interface Port {
  readonly name: string;
  readonly input: boolean;
  readonly bits: number;
  readonly word: number;
}

export type Value = bigint | number;
/** The signals of a stream beside valid and ready, by the rest of their names: '' is the prefix itself. */
export type Word = Readonly<Record<string, bigint>>;

/** Seed of this run's random pauses and data; `SEED=n` repeats a run. */
export const seed = anySeed();

/** Numbers from a seed (mulberry32). */
export class Random {
  private state: number;
  constructor(from = seed) {
    this.state = from >>> 0;
  }
  /** 0 .. below - 1 */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  }
  bits(count: number): bigint {
    let value = 0n;
    for (let i = 0; i < count; i += 16) value |= BigInt(this.below(65536)) << BigInt(i);
    return BigInt.asUintN(count, value);
  }
  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }
}

/** Who pauses at random: neither, what feeds the block, what drains it, or both. */
export const PAUSES = ['none', 'source', 'sink', 'both'] as const;
export type Pauses = (typeof PAUSES)[number];

/**
 * One verilated module, alone, in this process. Inputs are set, `settle` shows what follows from them
 * within the cycle, `clock` ends it. Streams are served by sources and sinks.
 */
export class Block {
  readonly ports: ReadonlyMap<string, Port>;
  cycle = 0;
  private readonly addon: Addon;
  private readonly words: Uint32Array;
  private readonly agents: { before(): void; after(): void }[] = [];
  private readonly pauses: Pauses;
  readonly random: Random;

  constructor(addon: Addon, pauses: Pauses) {
    this.addon = addon;
    this.pauses = pauses;
    this.random = new Random();
    addon.create();
    const lines = addon.describe().trim().split('\n');
    this.ports = new Map(
      lines.map((line) => {
        const [name, direction, bits, word] = line.split(' ') as [string, string, string, string];
        return [name, { name, input: direction === 'in', bits: Number(bits), word: Number(word) }];
      }),
    );
    const last = [...this.ports.values()].at(-1)!;
    const buffer = new ArrayBuffer(4 * (last.word + Math.ceil(last.bits / 32)) + 8);
    this.words = new Uint32Array(buffer);
    addon.attach(buffer);
    if (this.ports.has('rst')) {
      this.set('rst', 1);
      for (let i = 0; i < 3; i++) this.addon.clock();
      this.set('rst', 0);
    }
    this.addon.settle();
  }

  has(name: string): boolean {
    return this.ports.has(name);
  }

  set(name: string, value: Value): void {
    const { word, bits } = this.port(name);
    let rest = BigInt.asUintN(bits, BigInt(value));
    for (let i = 0; i < bits; i += 32) {
      this.words[word + i / 32] = Number(rest & 0xffffffffn);
      rest >>= 32n;
    }
  }

  get(name: string): bigint {
    const { word, bits } = this.port(name);
    let value = 0n;
    for (let i = Math.floor((bits - 1) / 32); i >= 0; i--)
      value = (value << 32n) | BigInt(this.words[word + i]!);
    return value;
  }

  /** A port of up to 32 bits. */
  num(name: string): number {
    return this.words[this.port(name).word]!;
  }

  settle(): void {
    this.addon.settle();
  }

  /** Called twice in each cycle: `before` may set inputs, `after` sees all that follows and may set no more. */
  agent(before: () => void, after: () => void = () => {}): void {
    this.agents.push({ before, after });
  }

  /** One cycle with all sources, sinks and agents. */
  step(): void {
    for (const { before } of this.agents) before();
    this.addon.settle();
    for (const { after } of this.agents) after();
    this.addon.clock();
    this.cycle++;
  }

  steps(count: number): void {
    for (let i = 0; i < count; i++) this.step();
  }

  /** So many cycles at once, with inputs that stay and without sources, sinks and agents. */
  run(cycles: number): void {
    this.words[this.words.length - 2] = cycles;
    this.addon.run();
    this.cycle += cycles;
  }

  /** Cycles until the condition holds. */
  until(condition: () => boolean, limit = 100_000, what = 'the end of the test'): number {
    const start = this.cycle;
    while (!condition()) {
      if (this.cycle - start >= limit)
        throw new Error(`${what}: expected within ${limit} cycles (seed ${seed})`);
      this.step();
    }
    return this.cycle - start;
  }

  /** Feeds the stream `prefix` with words in order; more may be pushed at any time. */
  source(prefix: string, words: Word[] = [], options: { pause?: boolean } = {}): Source {
    const pause = options.pause ?? (this.pauses === 'source' || this.pauses === 'both');
    const source = new Source(this, prefix, words, pause);
    this.agent(
      () => source.offer(),
      () => source.look(),
    );
    return source;
  }

  /** Takes the words of the stream `prefix`; a word that was offered must stay until it is taken. */
  sink(prefix: string, options: { pause?: boolean; onWord?: (word: Word) => void } = {}): Sink {
    const pause = options.pause ?? (this.pauses === 'sink' || this.pauses === 'both');
    const sink = new Sink(this, prefix, pause, options.onWord);
    this.agent(
      () => sink.open(),
      () => sink.look(),
    );
    return sink;
  }

  /** Signals of a stream beside valid and ready. */
  fields(prefix: string): string[] {
    const names = [...this.ports.keys()].filter((name) => name === prefix || name.startsWith(`${prefix}_`));
    return names
      .map((name) => name.slice(prefix.length + 1))
      .filter((name) => name !== 'valid' && name !== 'ready');
  }

  private port(name: string): Port {
    const port = this.ports.get(name);
    if (!port) throw new Error(`expected a port ${name}, found ${[...this.ports.keys()].join(' ')}`);
    return port;
  }
}

const join = (prefix: string, field: string) => (field === '' ? prefix : `${prefix}_${field}`);

export class Source {
  sent = 0;
  readonly cycles: number[] = [];
  private offered = false;
  constructor(
    private readonly block: Block,
    private readonly prefix: string,
    readonly words: Word[],
    private readonly pause: boolean,
  ) {}

  get idle(): boolean {
    return this.sent === this.words.length;
  }

  push(...words: Word[]): void {
    this.words.push(...words);
  }

  offer(): void {
    if (!this.offered) this.offered = !this.idle && !(this.pause && this.block.random.below(3) === 0);
    this.block.set(`${this.prefix}_valid`, this.offered ? 1 : 0);
    const word = this.words[this.sent];
    if (!this.offered || !word) return;
    for (const [field, value] of Object.entries(word)) this.block.set(join(this.prefix, field), value);
  }

  look(): void {
    const ready = `${this.prefix}_ready`;
    if (!this.offered || (this.block.has(ready) && !this.block.num(ready))) return;
    this.offered = false;
    this.sent++;
    this.cycles.push(this.block.cycle);
  }
}

export class Sink {
  readonly words: Word[] = [];
  readonly cycles: number[] = [];
  private readonly fields: string[];
  private readonly hasReady: boolean;
  private stalled: Word | undefined;
  private isOpen = true;
  constructor(
    private readonly block: Block,
    private readonly prefix: string,
    private readonly pause: boolean,
    private readonly onWord: ((word: Word) => void) | undefined,
  ) {
    this.fields = block.fields(prefix).filter((field) => !block.ports.get(join(prefix, field))!.input);
    this.hasReady = block.has(`${prefix}_ready`);
  }

  /** Words so far, of one field. */
  all(field = 'data'): bigint[] {
    return this.words.map((word) => word[field]!);
  }

  open(): void {
    this.isOpen = !(this.pause && this.block.random.below(3) === 0);
    if (this.hasReady) this.block.set(`${this.prefix}_ready`, this.isOpen ? 1 : 0);
  }

  look(): void {
    const valid = this.block.num(`${this.prefix}_valid`) === 1;
    const where = `${this.prefix} in cycle ${this.block.cycle} (seed ${seed})`;
    if (this.stalled && !valid) throw new Error(`${where}: expected the word to stay, it was withdrawn`);
    if (!valid) return;
    const word: Record<string, bigint> = {};
    for (const field of this.fields) word[field] = this.block.get(join(this.prefix, field));
    if (this.stalled)
      for (const field of this.fields)
        if (word[field] !== this.stalled[field])
          throw new Error(
            `${where}: expected ${field} to stay 0x${this.stalled[field]!.toString(16)}, got 0x${word[field]!.toString(16)}`,
          );
    if (this.hasReady && !this.isOpen) {
      this.stalled = word;
      return;
    }
    this.stalled = undefined;
    this.words.push(word);
    this.cycles.push(this.block.cycle);
    this.onWord?.(word);
  }
}

const load = createRequire(import.meta.url);
const built = new Map<string, Promise<Addon>>();

/** Builds a module with parameters, or finds it built, and resets one of it. */
export async function openBlock(
  module: string,
  parameters: Readonly<Record<string, number>> = {},
  pauses: Pauses = 'none',
): Promise<Block> {
  const args = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  const key = [module, ...args].join(' ');
  let addon = built.get(key);
  if (!addon) {
    addon = run('bash', ['tb/block/build.sh', module, ...args], { cwd: root }).then(
      ({ stdout }) => load(resolve(root, stdout.trim())) as Addon,
    );
    built.set(key, addon);
  }
  return new Block(await addon, pauses);
}

/** Bytes as lanes: byte 0 in the lowest bits. */
export function lanes(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]!);
  return value;
}

export function bytesOf(value: bigint, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

/** A packet as beats of a stream with data, keep and last. */
export function beats(bytes: Uint8Array, width: number): Word[] {
  const lane = width / 8;
  return Array.from({ length: Math.max(1, Math.ceil(bytes.length / lane)) }, (_, i) => {
    const part = bytes.subarray(i * lane, (i + 1) * lane);
    return {
      data: lanes(part),
      keep: (1n << BigInt(part.length)) - 1n,
      last: (i + 1) * lane >= bytes.length ? 1n : 0n,
    };
  });
}

/** Beats back to packets. */
export function packets(words: readonly Word[], width: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  let bytes: number[] = [];
  for (const { data, keep, last } of words) {
    for (let i = 0; i < width / 8; i++)
      if (((keep ?? 0n) >> BigInt(i)) & 1n) bytes.push(Number((data! >> BigInt(8 * i)) & 0xffn));
    if (last) {
      found.push(Uint8Array.from(bytes));
      bytes = [];
    }
  }
  return found;
}
