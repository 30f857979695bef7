import { afterEach, expect } from 'vitest';
import type { Fabric } from '../../src/device.ts';
import {
  Access,
  type AsyncEvent,
  allocPd,
  type ConnectOptions,
  type Context,
  type Cq,
  connectPair,
  type Endpoint,
  type HostBuffer,
  type Mr,
  type Pd,
  pollCq,
  processEvents,
  queryCounters,
  regMr,
  type Sge,
  setAsyncHandler,
  VerbsError,
  type WorkCompletion,
  waitUntil,
} from '../../src/host/index.ts';
import {
  Bundle,
  type CheckedRun,
  type DeviceKind,
  type HostOptions,
  openRun,
  simulatorOf,
} from '../../src/run/index.ts';
import type { Profile, Simulator } from '../../src/sim/index.ts';
import { type FailedTest, leaveTestBundle } from './bench-bundle.ts';
import { environment } from './environment.ts';

/** Which two HCAs stand opposite each other, and which of them asks. */
export interface Setup {
  kind: DeviceKind;
  /** The requester is device 1. */
  swapped?: boolean;
  profile?: Profile;
}

const { profile } = environment;

export const devices: readonly (readonly [string, Setup])[] = [
  ['model', { kind: 'model' }],
  ['RTL', { kind: 'rtl', profile }],
  ['RTL that asks the model', { kind: 'rtl-model', profile }],
  ['RTL that answers the model', { kind: 'rtl-model', profile, swapped: true }],
];

export type Side = 'a' | 'b';
export const other = (side: Side): Side => (side === 'a' ? 'b' : 'a');

export const ALL_ACCESS = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

export interface RegionOptions {
  offset?: number;
  pageShift?: number;
  access?: number;
  pd?: Pd;
  iova?: bigint;
  /** Bytes of the buffer that the region names; all unless told. */
  named?: { at: number; length: number };
}

/** A registered buffer and what must be in it. */
export class Region {
  constructor(
    readonly side: Side,
    readonly buffer: HostBuffer,
    readonly mr: Mr,
    readonly image: Uint8Array,
  ) {}

  /** Address of a byte in work requests. */
  va(at = 0): bigint {
    return this.mr.addr + BigInt(at);
  }

  get key(): number {
    return this.mr.key;
  }

  sge(at: number, length: number): Sge {
    return { addr: this.va(at), length, lkey: this.key };
  }
}

export interface BenchOptions {
  hosts?: { a?: HostOptions; b?: HostOptions };
  seed?: number;
  /** The drivers ask the devices without checking first. */
  unchecked?: boolean;
}

/** Two HCAs under all checks; `a` asks and `b` answers unless a test says otherwise. */
export class Bench {
  /** Drops that the test provokes, by reason. */
  readonly drops: Record<Side, Record<string, number | 'any'>> = { a: {}, b: {} };
  /** Asynchronous events that came and that nobody has asked for yet. */
  readonly seen: Record<Side, string[]> = { a: [], b: [] };
  readonly regions: Region[] = [];
  readonly pds: Partial<Record<Side, Pd>> = {};
  receivesLeft = true;
  /** Problems that the test has provoked on purpose. */
  tolerated: RegExp[] = [];

  constructor(
    readonly run: CheckedRun,
    readonly setup: Setup,
    /** Of a run that is recorded. */
    readonly bundle?: Bundle,
    readonly seed = 1,
  ) {
    for (const side of ['a', 'b'] as const)
      setAsyncHandler(this.context(side), ({ event, number }: AsyncEvent) => {
        this.seen[side].push(`${event} ${number}`);
      });
  }

  index(side: Side): 0 | 1 {
    return (side === 'b') !== (this.setup.swapped ?? false) ? 1 : 0;
  }

  context(side: Side): Context {
    return this.run.contexts[this.index(side)];
  }

  get fabric(): Fabric {
    return this.run.fabric;
  }

  get simulator(): Simulator | undefined {
    return simulatorOf(this.run.watch.inner);
  }

  async pd(side: Side): Promise<Pd> {
    this.pds[side] ??= await allocPd(this.context(side));
    return this.pds[side];
  }

  /** Memory full of a pattern, and a region of it. */
  async region(side: Side, length: number, options: RegionOptions = {}): Promise<Region> {
    const { offset = 0, pageShift = 12, access = ALL_ACCESS, iova, named } = options;
    const context = this.context(side);
    const pd = options.pd ?? (await this.pd(side));
    const buffer = context.memory.allocate(length, { offset, pageShift });
    const image = pattern(length, this.regions.length + 1);
    buffer.write(0, image);
    const from = named ? buffer.va + BigInt(named.at) : buffer;
    const mr = await regMr(pd, from, named?.length ?? length, access, {
      pageShift,
      ...(iova === undefined ? {} : { iova }),
    });
    const region = new Region(side, buffer, mr, image);
    this.regions.push(region);
    return region;
  }

  /** Two connected queue pairs in the benches' protection domains. */
  async connect(options: ConnectOptions = {}): Promise<Record<Side, Endpoint>> {
    const cap = { maxSendWr: 64, maxRecvWr: 64, maxSendSge: 16, maxRecvSge: 16, ...options.cap };
    return connectPair(this.context('a'), this.context('b'), {
      cqEntries: 256,
      ...options,
      cap,
      a: { pd: await this.pd('a'), ...options.a },
      b: { pd: await this.pd('b'), ...options.b },
    });
  }

  /** Lets everything come to rest. */
  settle(): Promise<void> {
    return this.run.settle();
  }

  /** Exactly these completions, in their order, and no others while everything comes to rest. */
  async completions(cq: Cq, expected: readonly Partial<WorkCompletion>[]): Promise<void> {
    const found: WorkCompletion[] = [];
    await waitUntil(
      this.fabric,
      async () => {
        await processEvents(cq.context);
        found.push(...(await pollCq(cq)));
        return found.length >= expected.length;
      },
      400_000,
    );
    expect(found.map((each, i) => pick(each, expected[i]))).toEqual(expected);
  }

  /** The asynchronous events so far, at rest. */
  async events(side: Side): Promise<string[]> {
    await this.settle();
    return this.seen[side].splice(0);
  }

  async dropped(side: Side): Promise<Record<string, number>> {
    const { drops } = await queryCounters(this.context(side));
    return Object.fromEntries(Object.entries(drops).filter(([, count]) => count > 0));
  }

  /** What all checks say in the end. */
  async finish(): Promise<void> {
    for (const region of this.regions) {
      const name = `region 0x${region.key.toString(16)} of ${region.side}`;
      this.run.expectBuffer(this.index(region.side), name, region.buffer, region.image);
    }
    const { receivesLeft } = this;
    const drops = [this.drops[this.#side(0)], this.drops[this.#side(1)]] as const;
    const verdict = await this.run.finish({ drops, receivesLeft });
    const lines = verdict.lines.filter((line) => !this.tolerated.some((each) => each.test(line)));
    expect(lines).toEqual([]);
    expect(this.seen).toEqual({ a: [], b: [] });
  }

  #side(index: 0 | 1): Side {
    return this.index('a') === index ? 'a' : 'b';
  }
}

/** What the device answers to a command. */
export async function answer(run: Promise<unknown>): Promise<string> {
  try {
    await run;
    return 'OK';
  } catch (error) {
    if (error instanceof VerbsError && error.commandStatus) return error.commandStatus;
    throw error;
  }
}

/** Bytes that differ from those of another seed, and from their neighbours. */
export const pattern = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8) * 13 + seed * 31 + 1) & 0xff);

/** The fields that are expected, so that a difference shows nothing else. */
const pick = (found: WorkCompletion, expected: Partial<WorkCompletion> | undefined) =>
  expected
    ? Object.fromEntries(Object.keys(expected).map((key) => [key, found[key as keyof WorkCompletion]]))
    : found;

const opened: Bench[] = [];

export async function openBench(setup: Setup, options: BenchOptions = {}): Promise<Bench> {
  const { kind, swapped } = setup;
  const { a = {}, b = {} } = options.hosts ?? {};
  const lids = { a: swapped ? 2 : 1, b: swapped ? 1 : 2 };
  const checks = !options.unchecked;
  const hostA = { checks, ...a, port: { lid: lids.a, ...a.port } };
  const hostB = { checks, ...b, port: { lid: lids.b, ...b.port } };
  const { seed = 1 } = options;
  const name = expect.getState().currentTestName ?? 'test';
  const bundle = environment.bundles ? new Bundle({ name, of: [kind, seed] }) : undefined;
  const run = await openRun(kind, {
    ...(setup.profile ? { profile: setup.profile } : {}),
    seed,
    ...(bundle ? { files: { out: bundle.folder } } : {}),
    hosts: swapped ? [hostB, hostA] : [hostA, hostB],
  });
  const bench = new Bench(run, setup, bundle, seed);
  opened.push(bench);
  return bench;
}

/** To be called once in a file: what a test has opened is judged and closed after it. */
export function judgeBenches(): void {
  afterEach(async ({ task }) => {
    const errors = task.result?.errors?.map(({ message }) => message) ?? [];
    for (const bench of opened.splice(0)) {
      try {
        if (task.result?.state !== 'fail') await bench.finish();
      } catch (error) {
        errors.push(error instanceof Error ? error.message : String(error));
        throw error;
      } finally {
        if (errors.length > 0) await leave(bench, { name: task.name, file: task.file.filepath, errors });
        bench.bundle?.discard();
        await bench.run.close();
      }
    }
  });
}

/** Says where what is left of a test that failed can be found. */
async function leave({ run, bundle, seed, setup }: Bench, test: FailedTest): Promise<void> {
  if (!bundle) return;
  const name = expect.getState().currentTestName ?? test.name;
  const { profile } = setup;
  const folder = await leaveTestBundle(
    run,
    bundle,
    { ...test, name },
    { seed, ...(profile ? { profile } : {}) },
  );
  console.error(`left ${folder}`);
}
