import type { TapChoice } from '../device.ts';
import type { DmaFaultRule, FaultCount, FaultCounts, FaultRule } from '../fault/index.ts';
import { checkDmaFaultRules, checkFaultRules } from '../fault/index.ts';
import { IbError } from '../spec/errors.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { SimError } from './errors.ts';
import { putDmaRule, putLinkRule } from './fault-rules.ts';
import type { FrameChannel } from './frames.ts';
import { SimProcess, type SimProcessOptions } from './process.ts';
import {
  MAX_TRANSFER_BYTES,
  OP,
  PROFILES,
  PROTOCOL_MAGIC,
  PROTOCOL_MAJOR,
  PROTOCOL_MINOR,
  PROTOCOL_VERSION,
  PROTOCOL_WORD,
  type Profile,
  ROUTES,
  type Route,
  RUN_REASONS,
  type SimRunReason,
} from './protocol.ts';
import { readTaps, type SimTapEvent } from './taps.ts';

export type DeviceIndex = 0 | 1;

export interface SimulatorOptions extends SimProcessOptions {
  /** A simulator that runs already, in place of a process of its own. */
  channel?: FrameChannel | undefined;
  seed?: number | bigint;
  resetCycles?: number;
}

/** What the process is, as it said at hello. */
export interface SimulatorInfo {
  dataWidth: number;
  devices: number;
  traced: boolean;
  readTags: number;
  maxReadBytes: number;
  maxPayloadBytes: number;
  variant: string;
  settings: readonly string[];
  stats: readonly string[];
}

/** A packet that left a port whose route is `client`. */
export interface PacketOut {
  device: DeviceIndex;
  vl: number;
  /** Of those that left the port. */
  number: number;
  firstCycle: number;
  lastCycle: number;
  bytes: Uint8Array;
}

export interface SimRun {
  cycles: number;
  interrupt?: boolean;
  idle?: boolean;
  /** Return when a packet for the client is complete. */
  packet?: boolean;
}

export interface FailRule {
  access: 'read' | 'write';
  address: bigint;
  length: bigint | number;
  /** So many accesses fail; 0, the default: all. */
  count?: number;
  /** Reads: the error comes so many cycles later than data would (a completion time-out). */
  cycles?: number;
  /** Reads: so much data comes before the error, cut to a 64-byte boundary. */
  afterBytes?: number;
}

const NOTHING = new ByteReader(new Uint8Array(0));

/**
 * The simulator process, command by command. Posted commands collect in a batch, which goes out with
 * the next awaited one: one exchange each.
 */
export class Simulator {
  readonly #process: FrameChannel;
  #info: SimulatorInfo | undefined;
  readonly #seed: bigint;
  #batch = new ByteWriter();
  #calls: { settle(reply: ByteReader): void; reject(error: unknown): void }[] = [];
  #tail: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #cycle = 0;
  #failure: SimError | undefined;
  #onInterrupt: (device: DeviceIndex, vector: number, cycle: number) => void = () => {};

  private constructor(options: SimulatorOptions) {
    this.#seed = BigInt.asUintN(64, BigInt(options.seed ?? 1));
    this.#process = options.channel ?? new SimProcess(options);
  }

  static async start(options: SimulatorOptions): Promise<Simulator> {
    const sim = new Simulator(options);
    sim
      .#command(OP.hello)
      .u32(PROTOCOL_MAGIC)
      .u16(PROTOCOL_WORD)
      .u64(sim.#seed)
      .u32(options.resetCycles ?? 16);
    try {
      sim.#info = await sim.#call(readHello);
    } catch (error) {
      await sim.close().catch(() => {});
      throw error;
    }
    return sim;
  }

  get info(): SimulatorInfo {
    return this.#info!;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Cycle at the last reply. */
  get cycle(): number {
    return this.#cycle;
  }

  onInterrupt(handler: (device: DeviceIndex, vector: number, cycle: number) => void): void {
    this.#onInterrupt = handler;
  }

  barWrite(device: DeviceIndex, bar: 0 | 2, offset: number, value: bigint, bytes: 4 | 8): void {
    const range = BigInt.asUintN(bytes * 8, value);
    this.#command(OP.barWrite).u8(device).u8(bar).u8(bytes).u32(offset).u64(range);
  }

  barRead(device: DeviceIndex, bar: 0 | 2, offset: number, bytes: 4 | 8): Promise<bigint> {
    this.#command(OP.barRead).u8(device).u8(bar).u8(bytes).u32(offset);
    return this.#call((reply) => reply.u64());
  }

  memWrite(device: DeviceIndex, address: bigint, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += MAX_TRANSFER_BYTES) {
      const part = bytes.subarray(at, at + MAX_TRANSFER_BYTES);
      this.#command(OP.memWrite)
        .u8(device)
        .u64(address + BigInt(at))
        .u32(part.length)
        .raw(part);
      if (this.#batch.length > MAX_TRANSFER_BYTES) void this.#call(() => {}).catch(() => {}); // the next await tells
    }
  }

  async memRead(device: DeviceIndex, address: bigint, length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let at = 0;
    do {
      const size = Math.min(length - at, MAX_TRANSFER_BYTES);
      this.#command(OP.memRead)
        .u8(device)
        .u64(address + BigInt(at))
        .u32(size);
      // One after another: a reply has an end.
      parts.push(await this.#call((reply) => reply.raw(size)));
      at += size;
    } while (at < length);
    return parts.length === 1 ? parts[0]! : new Uint8Array(Buffer.concat(parts));
  }

  memFill(device: DeviceIndex, address: bigint, length: bigint | number, value: number): void {
    this.#command(OP.memFill).u8(device).u64(address).u64(length).u8(value);
  }

  run(until: SimRun): Promise<{ cycle: number; reason: SimRunReason }> {
    const flags = (until.interrupt ? 1 : 0) | (until.idle ? 2 : 0) | (until.packet ? 4 : 0);
    this.#command(OP.run).u64(until.cycles).u8(flags);
    return this.#call((reply) => ({ reason: reply.of(RUN_REASONS, 'reason'), cycle: reply.count() }));
  }

  setTaps(on: TapChoice): void {
    const bits = [on.packets, on.dma, on.interrupts, on.dmaBytes, on.arrivals];
    this.#command(OP.setTaps).u8(bits.reduce((mask, bit, i) => mask | (bit ? 1 << i : 0), 0));
  }

  takeTaps(): Promise<SimTapEvent[]> {
    this.#command(OP.takeTaps);
    return this.#call(readTaps);
  }

  /** A packet towards `device`, between those of its link; not before cycle `notBefore`. */
  inject(
    device: DeviceIndex,
    packet: Uint8Array,
    options: { vl?: number; notBefore?: number; number?: number } = {},
  ): void {
    this.#command(OP.inject)
      .u8(device)
      .u8(options.vl ?? 0)
      .u64(options.notBefore ?? 0)
      .u64(options.number ?? 0)
      .u32(packet.length)
      .raw(packet);
  }

  setLink(device: DeviceIndex, up: boolean): void {
    this.#command(OP.linkUp)
      .u8(device)
      .u8(up ? 1 : 0);
  }

  setRoute(from: DeviceIndex, to: Route): void {
    this.#command(OP.route).u8(from).u8(ROUTES.indexOf(to));
  }

  takePackets(): Promise<PacketOut[]> {
    this.#command(OP.takePackets);
    return this.#call(readPackets);
  }

  setProfile(device: DeviceIndex, profile: Profile): void {
    this.#command(OP.profile).u8(device).u8(PROFILES.indexOf(profile));
  }

  /** One of `info.settings`, by name; set after a profile, which sets all of them. */
  set(device: DeviceIndex, name: string, value: number): void {
    const number = this.info.settings.indexOf(name);
    if (number < 0)
      throw new IbError('bad-argument', `setting: expected one of ${this.info.settings}, got ${name}`);
    this.#command(OP.setting).u8(device).u8(number).u64(value);
  }

  fail(device: DeviceIndex, rule: FailRule): void {
    this.#command(OP.failRule)
      .u8(device)
      .u8(rule.access === 'write' ? 1 : 0)
      .u64(rule.address)
      .u64(rule.length)
      .u32(rule.count ?? 0)
      .u32(rule.cycles ?? 0)
      .u32(rule.afterBytes ?? 0);
  }

  /** How often each fail rule matched, in the order they were made; ends them. */
  takeFailHits(device: DeviceIndex): Promise<number[]> {
    this.#command(OP.takeFailHits).u8(device);
    return this.#call((reply) => reply.list(() => reply.u32()));
  }

  /** Fault rules of the link, and of the hosts' buses, in place of those before; each counts from here on. */
  setFaults(link: readonly FaultRule[], dma: readonly DmaFaultRule[] = []): void {
    checkFaultRules(link);
    checkDmaFaultRules(dma);
    this.#command(OP.linkFaults).u64(this.#seed).u32(link.length);
    for (const rule of link) putLinkRule(this.#batch, rule);
    this.#command(OP.dmaFaults).u64(this.#seed).u32(dma.length);
    for (const rule of dma) putDmaRule(this.#batch, rule);
  }

  /** How often each rule matched and struck since they were set. */
  faultCounts(): Promise<FaultCounts> {
    this.#command(OP.faultCounts);
    return this.#call((reply) => ({ link: readCounts(reply), dma: readCounts(reply) }));
  }

  stats(device: DeviceIndex): Promise<Record<string, number>> {
    this.#command(OP.stats).u8(device);
    const names = this.info.stats;
    return this.#call((reply) => Object.fromEntries(names.map((name) => [name, reply.count()])));
  }

  /** Waves of cycles start..stop-1 into an FST file; needs a traced binary. */
  waves(start: number, stop: number, path: string): void {
    this.#command(OP.waves).u64(start).u64(stop).text(path);
  }

  /** Sends what is queued and waits until it took effect. */
  flush(): Promise<void> {
    return this.#call(() => {});
  }

  close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = this.#tail.then(() => this.#process.end(Uint8Array.of(OP.quit)));
      this.#tail = this.#closing; // what is asked from now on finds it closed
    }
    return this.#closing;
  }

  #command(op: number): ByteWriter {
    return this.#batch.u8(op);
  }

  /**
   * Sends the batch; `read` takes the result of its last command. Calls made in one go share the
   * frame, so `await Promise.all([...])` costs one exchange.
   */
  #call<T>(read: (reply: ByteReader) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#calls.push({ settle: (reply) => resolve(read(reply)), reject });
      this.#tail = this.#tail.then(() => this.#send());
    });
  }

  async #send(): Promise<void> {
    const calls = this.#calls;
    this.#calls = [];
    if (calls.length === 0) return; // they went with an earlier call
    try {
      if (this.#failure) throw this.#failure;
      // A bare flush with nothing queued has nothing to wait for.
      const reply = this.#batch.length > 0 ? await this.#process.exchange(this.#batch.take()) : undefined;
      if (reply) this.#head(reply);
      for (const call of calls) call.settle(reply ?? NOTHING);
      // A hello of a later minor version may tell more.
      if (reply && this.#info && reply.left > 0)
        throw new RangeError(`reply: expected its end, got ${reply.left} more bytes`);
    } catch (error) {
      // What we cannot read puts us out of step for good.
      if (error instanceof RangeError)
        this.#failure = new SimError(
          'protocol',
          'died',
          `simulator: does not speak its protocol: ${error.message}`,
        );
      for (const call of calls) call.reject(this.#failure ?? error);
    }
  }

  #head(reply: ByteReader): void {
    this.#cycle = reply.count();
    const count = reply.u32();
    const raised: [DeviceIndex, number, number][] = [];
    for (let i = 0; i < count; i++) raised.push([reply.device(), reply.u8(), reply.count()]);
    for (const [device, vector, cycle] of raised) this.#onInterrupt(device, vector, cycle);
  }
}

function readHello(reply: ByteReader): SimulatorInfo {
  const version = reply.u16();
  const [major, minor] = [version & 0xff, version >> 8];
  // The process refuses clients that are newer or other than it; one that does not is refused here.
  if (major !== PROTOCOL_MAJOR || minor < PROTOCOL_MINOR)
    throw new IbError('protocol', `hello: expected protocol ${PROTOCOL_VERSION}, found ${major}.${minor}`);
  return {
    dataWidth: reply.u16(),
    devices: reply.u8(),
    traced: reply.u8() !== 0,
    readTags: reply.u16(),
    maxReadBytes: reply.u16(),
    maxPayloadBytes: reply.u16(),
    variant: reply.text(),
    settings: names(reply.text()),
    stats: names(reply.text()),
  };
}

const names = (list: string): string[] => list.split(',').filter((name) => name !== '');

function readPackets(reply: ByteReader): PacketOut[] {
  return reply.list(() => ({
    device: reply.device(),
    vl: reply.u8(),
    number: reply.count(),
    firstCycle: reply.count(),
    lastCycle: reply.count(),
    bytes: reply.raw(reply.u32()),
  }));
}

const readCounts = (reply: ByteReader): FaultCount[] =>
  reply.list(() => ({ matches: reply.count(), strikes: reply.count() }));
