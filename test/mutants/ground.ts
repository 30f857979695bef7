import type { TapEvent } from '../../src/device.ts';
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
  postRecv,
  postSend,
  processEvents,
  queryQp,
  regMr,
  type SendWr,
  type Sge,
  setAsyncHandler,
  type WorkCompletion,
  waitUntil,
} from '../../src/host/index.ts';
import { type CheckedRun, type HostOptions, openRun, simulatorOf } from '../../src/run/index.ts';
import type { Profile, Simulator } from '../../src/sim/index.ts';
import { build, type PacketSpec } from '../unit/check-build.ts';
import { same } from './same.ts';

export const ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;
const COMPLETION_CYCLES = 60_000;

export interface Region {
  side: 0 | 1;
  buffer: HostBuffer;
  mr: Mr;
  /** What it must hold in the end. */
  image: Uint8Array;
}

export type Pair = { a: Endpoint; b: Endpoint };
export interface Piece {
  region: Region;
  at: number;
  length: number;
}

export interface Message {
  op: 'SEND' | 'SEND_WITH_IMM' | 'RDMA_WRITE' | 'RDMA_WRITE_WITH_IMM' | 'RDMA_READ';
  from?: 'a' | 'b';
  local?: Piece[];
  inline?: Uint8Array;
  remote?: { region: Region; at: number };
  receive?: Piece[];
  signaled?: boolean;
  solicited?: boolean;
  fence?: boolean;
}

export const write = (source: Region, addr: bigint, rkey: number, length = 16, wrId = 1): SendWr => ({
  wrId,
  opcode: 'RDMA_WRITE',
  sgList: sges([{ region: source, at: 0, length }]),
  remoteAddr: addr,
  rkey,
  signaled: true,
});

export interface GroundOptions {
  profile?: Profile;
  seed?: number;
  hosts?: [HostOptions, HostOptions];
  settings?: Record<string, number>;
}

/** Two HCAs of the simulator that is tried, under all checks of a run, with the test's own prediction of memory. */
export class Ground {
  readonly regions: Region[] = [];
  readonly events: string[][] = [[], []];
  /** Drops that the case has provoked. */
  readonly drops: [Record<string, number | 'any'>, Record<string, number | 'any'>] = [{}, {}];
  private readonly pds: Pd[] = [];
  private nextId = 1;

  private constructor(readonly run: CheckedRun) {
    for (const side of [0, 1] as const)
      setAsyncHandler(run.contexts[side], ({ event, number }: AsyncEvent) => {
        this.events[side]!.push(`${event} ${number}`);
      });
  }

  static async open(binary: string, options: GroundOptions = {}): Promise<Ground> {
    const { profile, seed = 7, hosts, settings = {} } = options;
    const run = await openRun('rtl', {
      binary,
      seed,
      ...(profile ? { profile } : {}),
      ...(hosts ? { hosts } : {}),
    });
    const ground = new Ground(run);
    for (const device of [0, 1] as const)
      for (const [name, value] of Object.entries(settings)) ground.simulator.set(device, name, value);
    return ground;
  }

  get simulator(): Simulator {
    return simulatorOf(this.run.watch.inner)!;
  }

  context(side: 0 | 1): Context {
    return this.run.contexts[side];
  }

  async pd(side: 0 | 1): Promise<Pd> {
    this.pds[side] ??= await allocPd(this.context(side));
    return this.pds[side]!;
  }

  async region(
    side: 0 | 1,
    length: number,
    options: { offset?: number; access?: number; pd?: Pd } = {},
  ): Promise<Region> {
    const { offset = 0, access = ALL } = options;
    const buffer = this.context(side).memory.allocate(length, { offset, pageShift: 12 });
    const seed = this.regions.length + 1;
    const image = Uint8Array.from({ length }, (_, i) => (i * 11 + (i >> 8) * 5 + seed * 37) & 0xff);
    buffer.write(0, image);
    const mr = await regMr(options.pd ?? (await this.pd(side)), buffer, length, access, { pageShift: 12 });
    const region = { side, buffer, mr, image };
    this.regions.push(region);
    return region;
  }

  async connect(options: ConnectOptions = {}): Promise<Pair> {
    return connectPair(this.context(0), this.context(1), {
      cqEntries: 256,
      mtuBytes: 256,
      ...options,
      cap: {
        maxSendWr: 64,
        maxRecvWr: 64,
        maxSendSge: 16,
        maxRecvSge: 16,
        maxInlineData: 256,
        ...options.cap,
      },
      a: { pd: await this.pd(0), ...options.a },
      b: { pd: await this.pd(1), ...options.b },
    });
  }

  settle(): Promise<void> {
    return this.run.settle();
  }

  /** Exactly these completions: wrId, status, queue pair, bytes, and whatever else is told. */
  async completions(cq: Cq, expected: readonly Partial<WorkCompletion>[]): Promise<void> {
    const found: WorkCompletion[] = [];
    await waitUntil(
      this.run.watch,
      async () => {
        await processEvents(cq.context);
        found.push(...(await pollCq(cq)));
        return found.length >= expected.length;
      },
      COMPLETION_CYCLES,
    );
    const seen = found.map((each, i) =>
      Object.fromEntries(
        Object.keys(expected[i] ?? each).map((key) => [key, each[key as keyof WorkCompletion]]),
      ),
    );
    same(seen, expected);
  }

  /** Posts messages all at once, receives first; completions and memory must come out as predicted. */
  async exchange(pair: Pair, messages: readonly Message[]): Promise<void> {
    const sends: Record<'a' | 'b', Partial<WorkCompletion>[]> = { a: [], b: [] };
    const receives: Record<'a' | 'b', Partial<WorkCompletion>[]> = { a: [], b: [] };
    const posts: Record<'a' | 'b', SendWr[]> = { a: [], b: [] };
    for (const message of messages) {
      const { op, from = 'a', local = [], inline, remote, receive = [], signaled = true } = message;
      const to = from === 'a' ? 'b' : 'a';
      const wrId = this.nextId++;
      const withImm = op.endsWith('_IMM');
      const byteLen = inline ? inline.length : local.reduce((sum, { length }) => sum + length, 0);
      if (op.startsWith('SEND') || op === 'RDMA_WRITE_WITH_IMM') {
        postRecv(pair[to].qp, { wrId, sgList: sges(receive) });
        receives[to].push({
          wrId,
          status: 'SUCCESS',
          opcode: op.startsWith('SEND') ? 'RECV' : 'RECV_RDMA_WITH_IMM',
          byteLen,
          withImm,
          immediate: withImm ? 0x1020304 + wrId : 0,
          solicited: message.solicited ?? false,
          srcQp: pair[from].qp.qpn,
          slid: pair[from].context.port.lid,
        });
      }
      posts[from].push({
        wrId,
        opcode: op,
        signaled,
        ...(inline ? { inlineData: inline } : { sgList: sges(local) }),
        ...(remote
          ? { remoteAddr: remote.region.mr.addr + BigInt(remote.at), rkey: remote.region.mr.key }
          : {}),
        ...(withImm ? { immediate: 0x1020304 + wrId } : {}),
        ...(message.solicited ? { solicited: true } : {}),
        ...(message.fence ? { fence: true } : {}),
      });
      if (signaled) {
        const opcode = op === 'RDMA_READ' ? 'RDMA_READ' : op.startsWith('SEND') ? 'SEND' : 'RDMA_WRITE';
        sends[from].push({ wrId, status: 'SUCCESS', opcode, byteLen });
      }
      predict(message);
    }
    for (const side of ['a', 'b'] as const) if (posts[side].length > 0) postSend(pair[side].qp, posts[side]);
    for (const side of ['a', 'b'] as const) {
      await this.completions(pair[side].sendCq, sends[side]);
      await this.completions(pair[side].recvCq, receives[side]);
    }
  }

  /** Puts packets on the wire towards b, as if a had sent them; PSNs count from the one expected. */
  async inject(
    pair: Pair,
    packets: readonly (Partial<PacketSpec> & { opcode: number })[],
    to: 'a' | 'b' = 'b',
  ): Promise<void> {
    await this.injectNow(pair, packets, to);
    await this.settle();
  }

  /** And does not wait until they have arrived. */
  async injectNow(
    pair: Pair,
    packets: readonly (Partial<PacketSpec> & { opcode: number })[],
    to: 'a' | 'b' = 'b',
  ): Promise<void> {
    this.injectFrom((await queryQp(pair[to].qp)).rqPsn, pair, packets, to);
  }

  /** PSNs count from `first`: no command asks for it. */
  injectFrom(
    first: number,
    pair: Pair,
    packets: readonly (Partial<PacketSpec> & { opcode: number })[],
    to: 'a' | 'b' = 'b',
  ): void {
    const own = pair[to === 'b' ? 'a' : 'b'];
    const peer = pair[to];
    for (const packet of packets)
      this.run.watch.inject(
        to === 'b' ? 1 : 0,
        build({
          sender: 0,
          dlid: peer.context.port.lid,
          slid: own.context.port.lid,
          destQpn: peer.qp.qpn,
          pkey: 0xffff,
          ...packet,
          psn: ((packet.psn ?? 0) + first) & 0xffffff,
        }),
      );
  }

  /** Nothing of device 0 may leave later than so many cycles after the first answer of device 1, by the taps so far. */
  async silentAfterAnswer(cycles: number, why: string): Promise<void> {
    const packets = (await this.run.watch.takeTaps()).filter(({ kind }) => kind === 'packet');
    const answer = packets.find(({ device }) => device === 1);
    if (!answer) throw new Error(`expected an answer before what was ${why}`);
    const late = packets.filter(({ device, cycle }) => device === 0 && cycle > answer.cycle + cycles);
    same(
      late.map(({ cycle }) => cycle),
      [],
      why,
    );
  }

  packetsOf(taps: readonly TapEvent[], device: 0 | 1): Uint8Array[] {
    return taps.flatMap((tap) =>
      tap.kind === 'packet' && tap.device === device && !(tap as { injected?: boolean }).injected
        ? [tap.bytes]
        : [],
    );
  }

  /** What all checks say in the end; `tolerated` problems are those that the case provokes. */
  async finish(tolerated: readonly RegExp[] = []): Promise<void> {
    for (const region of this.regions)
      this.run.expectBuffer(region.side, `region ${region.mr.key.toString(16)}`, region.buffer, region.image);
    const { lines } = await this.run.finish({ drops: this.drops });
    same(
      lines.filter((line) => !tolerated.some((each) => each.test(line))),
      [],
    );
  }

  /** Events that are in memory now. */
  async poll(side: 0 | 1): Promise<void> {
    await processEvents(this.context(side), { poll: true });
  }

  /** Exactly these completions are in memory now. */
  async present(cq: Cq, expected: readonly Partial<WorkCompletion>[]): Promise<void> {
    const found = await pollCq(cq);
    same(
      found.map(({ wrId, status }) => ({ wrId, status })),
      expected,
    );
  }

  /** The events so far, in the order of their names. */
  async eventsOf(side: 0 | 1): Promise<string[]> {
    await this.settle();
    await processEvents(this.context(side), { poll: true });
    return this.events[side]!.splice(0).sort();
  }
}

export const sges = (pieces: readonly Piece[]): Sge[] =>
  pieces.map(({ region, at, length }) => ({
    addr: region.mr.addr + BigInt(at),
    length,
    lkey: region.mr.key,
  }));

function predict({ op, local = [], inline, remote, receive = [] }: Message): void {
  if (op === 'RDMA_READ') {
    let at = remote!.at;
    for (const piece of local) {
      piece.region.image.set(remote!.region.image.slice(at, at + piece.length), piece.at);
      at += piece.length;
    }
    return;
  }
  const bytes =
    inline ??
    Uint8Array.from(local.flatMap(({ region, at, length }) => [...region.image.slice(at, at + length)]));
  if (remote) {
    remote.region.image.set(bytes, remote.at);
    return;
  }
  let done = 0;
  for (const { region, at, length } of receive) {
    region.image.set(bytes.subarray(done, done + length), at);
    done = Math.min(bytes.length, done + length);
  }
}
