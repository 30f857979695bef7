import { formatMemoryViolation, invariants, MemoryChecker } from '../check/index.ts';
import type { Fabric } from '../device.ts';
import type { DmaFaultRule, FaultRule } from '../fault/index.ts';
import {
  type Context,
  type HostBuffer,
  type Mr,
  type OpenOptions,
  openDevice,
  processEvents,
  queryCounters,
  waitPortActive,
} from '../host/index.ts';
import { coverRun, leaveCoverage } from './coverage.ts';
import { createFabric, type FabricOptions, simulatorOf } from './fabric.ts';
import { type FileOptions, RunFiles } from './files.ts';
import type { RunKind } from './kinds.ts';
import { observe } from './observation.ts';
import { statisticsOf } from './statistics.ts';
import { type Problem, Verdict } from './verdict.ts';
import { Watch } from './watch.ts';
import { type Newest, wrongCounters } from './wire-count.ts';

export type HostOptions = Omit<OpenOptions, 'advance'>;

export interface RunOptions extends FabricOptions {
  /** How each driver opens its device; the LIDs are 1 and 2 unless told. */
  hosts?: readonly [HostOptions, HostOptions];
  /** Leave wire.pcapng, timeline.json and counters.json there; run.json is for who knows what was played. */
  files?: FileOptions | undefined;
  /** False: payload is not tapped (long runs). */
  dmaBytes?: boolean;
  regionName?: (device: 0 | 1, mr: Mr) => string;
  /** A fabric that is there already. */
  fabric?: Fabric;
}

export interface FinishOptions {
  /** Drops that the run has provoked, by reason: how many, or `any`. */
  drops?: readonly [ExpectedDrops, ExpectedDrops];
  /** Receives may be left posted; true unless told. */
  receivesLeft?: boolean;
  /** All completions have been polled; true unless told. */
  drained?: boolean;
}

type Drops = Readonly<Record<string, number>>;
export type ExpectedDrops = Readonly<Record<string, number | 'any'>>;

const IDLE_CYCLES = 200_000;
/** Hosts with an HCA of RTL. */
const simulatedSides: Readonly<Record<RunKind, readonly (0 | 1)[]>> = {
  model: [],
  rtl: [0, 1],
  'rtl-model': [0],
  board: [],
};

/** Two open HCAs under all checks: what goes over the wire, each DMA access, memory, and both devices at rest. */
export class CheckedRun {
  /** Bytes that buffers must hold at the end, by host; the guard pages are added by themselves. */
  readonly memory: readonly [MemoryChecker, MemoryChecker] = [new MemoryChecker(), new MemoryChecker()];

  constructor(
    readonly watch: Watch,
    readonly contexts: readonly [Context, Context],
    readonly files: RunFiles | undefined,
    /** Drops that the devices had counted before: no reset of a card clears them. */
    readonly dropsBefore: readonly [Drops, Drops] = [{}, {}],
  ) {}

  #closed = false;

  /** What nobody can check on devices of this kind. */
  get unchecked(): readonly string[] {
    return this.watch.blind ? ['packets', 'accesses to host memory', 'counters against packets'] : [];
  }

  /** For `waitCompletions` and its like. */
  get fabric(): Fabric {
    return this.watch;
  }

  get a(): Context {
    return this.contexts[0];
  }

  get b(): Context {
    return this.contexts[1];
  }

  /** What a buffer must hold at the end; replaces what was told of that name. */
  expectBuffer(host: 0 | 1, name: string, buffer: HostBuffer, bytes: Uint8Array): void {
    this.memory[host].expect({ name, extents: extentsOf(buffer), bytes });
  }

  /**
   * From here on the link and the buses of the hosts fail by these rules, in place of those before. Each must have struck when
   * it is replaced or the run is over, unless it is optional.
   */
  async setFaults(link: readonly FaultRule[], dma: readonly DmaFaultRule[] = []): Promise<void> {
    await this.watch.drain();
    await this.watch.judgeFaults();
    this.watch.setFaults(link, dma);
  }

  /** Lets everything come to rest. */
  async settle(cycles = IDLE_CYCLES): Promise<void> {
    await this.watch.run({ cycles, idle: true });
    for (const context of this.contexts) await processEvents(context, { poll: true });
  }

  /** The verdict of all checks. The devices rest afterwards and stay open. */
  async finish(options: FinishOptions = {}): Promise<Verdict> {
    const { receivesLeft = true, drained = true } = options;
    await this.settle();
    const problems: Problem[] = [];
    const add = (check: Problem['check'], texts: readonly string[]) =>
      problems.push(...texts.map((text) => ({ check, text })));

    for (const side of [0, 1] as const) {
      const context = this.contexts[side];
      if (!context.open) continue;
      const name = `host ${'ab'[side]}: `;
      const counters = await unexpectedDrops(context, options.drops?.[side] ?? {}, this.dropsBefore[side]);
      const seen = invariants({ ...(await observe(context)), counters }, { receivesLeft, drained });
      add(
        'invariant',
        seen.map((text) => name + text),
      );
      const guards = guardChecker(context);
      const wrong = [
        ...(await this.memory[side].check(context.device)),
        ...(await guards.check(context.device)),
      ];
      add(
        'memory',
        wrong.map((each) => name + formatMemoryViolation(each)),
      );
    }
    const { wire, dma } = await this.watch.violations();
    add('invariant', await this.#wrongCounters());
    add('wire', wire);
    add('dma', dma);
    add('fault', await this.watch.judgeFaults());
    return new Verdict(
      problems,
      {
        cycles: this.watch.now(),
        packets: this.watch.packets,
      },
      this.unchecked,
    );
  }

  /** Counters that are not what was sent; those of models count what they hold back, too. */
  async #wrongCounters(): Promise<string[]> {
    const wrong: string[] = [];
    for (const side of [0, 1] as const) {
      if (!this.contexts[side].open || !simulatedSides[this.watch.kind].includes(side)) continue;
      const sent = this.watch.wireCounts[side];
      const newest = this.#newest(side);
      for (const text of await wrongCounters(this.contexts[side], sent, newest))
        wrong.push(`host ${'ab'[side]}: ${text}`);
    }
    return wrong;
  }

  /** Unknown where what is written is not tapped, or an event was refused. */
  #newest(side: 0 | 1): Newest | undefined {
    const { tapsBytes, failed, lastEvent } = this.watch;
    if (!tapsBytes || this.contexts[side].fatal) return undefined;
    const errors = failed.filter(({ device, status }) => device === side && status !== 'WR_FLUSH_ERR');
    const error = errors.at(-1);
    return { error: error && `${error.status} of QP ${error.qpn}`, event: lastEvent[side] };
  }

  /** Ends the simulator and closes the files; idempotent. */
  async close(): Promise<void> {
    this.files?.close();
    if (!this.#closed) {
      await this.#leaveStatistics();
      await leaveCoverage(this.watch);
    }
    this.#closed = true;
    await this.watch.close();
  }

  async #leaveStatistics(): Promise<void> {
    if (!this.files) return;
    // A device that runs would answer when it is done, and one that is gone never.
    const asked = this.watch.running
      ? undefined
      : statisticsOf(this.watch.kind, this.watch.now(), this.contexts, this.watch.seen()).catch(
          () => undefined,
        );
    this.files.statistics(await asked);
  }
}

/** Opens both devices of a fabric of that kind under all checks. */
export async function openRun(kind: RunKind, options: RunOptions = {}): Promise<CheckedRun> {
  const inner = options.fabric ?? (await createFabric(kind, options));
  let files: RunFiles | undefined;
  try {
    files = options.files && new RunFiles(options.files);
    const { dmaBytes, regionName } = options;
    const dataWidth = simulatorOf(inner)?.info.dataWidth;
    const watch = new Watch(inner, {
      files,
      meter: { beatBytes: dataWidth && dataWidth / 8, simulated: simulatedSides[inner.kind] },
      ...(dmaBytes === undefined ? {} : { dmaBytes }),
      ...(regionName ? { regionName } : {}),
    });
    await coverRun(watch);
    const advance = () => watch.run({ cycles: 200, idle: true });
    const open = (side: 0 | 1) => {
      const host = options.hosts?.[side] ?? {};
      const port = { lid: side + 1, ...host.port };
      const memory = { seed: (options.seed ?? 1) * 2 + side, ...host.memory };
      const tick = host.tick ?? inner.tick;
      return openDevice(watch.devices[side], {
        ...host,
        advance,
        port,
        memory,
        ...(tick === undefined ? {} : { tick }),
      });
    };
    const contexts = [await open(0), await open(1)] as const;
    watch.attach(contexts);
    for (const context of contexts) await waitPortActive(watch, context);
    const dropsOf = async (context: Context) => (watch.blind ? (await queryCounters(context)).drops : {});
    return new CheckedRun(watch, contexts, files, [await dropsOf(contexts[0]), await dropsOf(contexts[1])]);
  } catch (error) {
    files?.close();
    await inner.close();
    throw error;
  }
}

/** The pieces of a buffer in physical memory. */
export function extentsOf(buffer: HostBuffer): { address: bigint; length: number }[] {
  const extents: { address: bigint; length: number }[] = [];
  const page = 2 ** buffer.pageShift;
  for (let at = 0; at < buffer.length; ) {
    const length = Math.min(buffer.length - at, page - ((buffer.offset + at) % page));
    extents.push({ address: buffer.physical(at), length });
    at += length;
  }
  return extents;
}

/** Nobody may have written to the pages around those in use. */
function guardChecker(context: Context): MemoryChecker {
  const checker = new MemoryChecker();
  for (const { label, guards } of context.memory.pages.live()) {
    for (const page of guards) checker.guard(`behind ${label}`, page);
  }
  return checker;
}

async function unexpectedDrops(
  context: Context,
  expected: ExpectedDrops,
  before: Drops,
): Promise<Record<string, number>> {
  const { drops } = await queryCounters(context);
  const wrong: Record<string, number> = {};
  for (const [reason, counted] of Object.entries(drops)) {
    const found = counted - (before[reason] ?? 0);
    const allowed = expected[reason] ?? 0;
    if (allowed !== 'any' && found !== allowed) wrong[`drops ${reason}`] = found - allowed;
  }
  return wrong;
}
