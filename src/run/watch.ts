import {
  DmaChecker,
  decode,
  describe,
  formatDmaViolation,
  formatViolation,
  WireChecker as Wire,
  type WireChecker,
} from '../check/index.ts';
import type { RunCoverage, View } from '../coverage/index.ts';
import type { Device, Fabric, RunResult, RunUntil, TapChoice, TapEvent } from '../device.ts';
import {
  type DmaFaultRule,
  describeRule,
  type FaultCounts,
  type FaultRule,
  HOST_TIMEOUT_CYCLES,
  unstruck,
} from '../fault/index.ts';
import type { Context, Mr } from '../host/index.ts';
import {
  CmdOp,
  CmdStatus,
  cmdOpName,
  cmdStatusName,
  eventTypeName,
  QpState,
  qpStateName,
  wcOpcodeName,
  wcStatusName,
} from '../spec/gen/enums.ts';
import { QP_ATTRIBUTES, type QpAttribute } from '../spec/gen/qp.ts';
import { CQE, DOORBELL_RECORD, EQE } from '../spec/gen/records.ts';
import { DOORBELLS, REGIONS, REGISTERS } from '../spec/gen/registers.ts';
import { mtuBytesOf } from '../wire/index.ts';
import { CommandSnoop, contextOf, type SeenCommand } from './command-snoop.ts';
import { Connections, portOf } from './connections.ts';
import type { RunFiles } from './files.ts';
import { HostObjects } from './host-objects.ts';
import { Meter, type MeterOptions, type Seen } from './stat/meter.ts';
import { WatchedDevice } from './watched-device.ts';
import { countPacket, newCount, type WireCount } from './wire-count.ts';

type Side = 0 | 1;
/** `firstCycle` is that of the first beat, where the device has beats. */
type PacketEvent = Extract<TapEvent, { kind: 'packet' }> & { injected?: boolean; firstCycle?: number };
type ArrivalEvent = Extract<TapEvent, { kind: 'arrival' }> & { firstCycle?: number };
type DmaEvent = Extract<TapEvent, { kind: 'dma-read' | 'dma-write' }>;

export interface WatchOptions {
  /** False: payload is not tapped, for long runs; then completions are not in the time line. */
  dmaBytes?: boolean;
  files?: RunFiles | undefined;
  /** What regions are called in reports. */
  regionName?: (device: Side, mr: Mr) => string;
  meter?: MeterOptions;
}

/** A completion that the device wrote to a ring. */
export interface WrittenCompletion {
  device: Side;
  cycle: number;
  cqn: number;
  qpn: number;
  queue: 'send' | 'receive';
  status: string;
}

const PAGE_MASK = 0xfffn;
const TICK_MASK = 0xffffn;
const SUCCESS = 0;

/**
 * A fabric with all taps on. It feeds the wire checker and the DMA checkers while the run goes on and keeps
 * nothing but what they need, so that runs may be long.
 */
export class Watch implements Fabric {
  readonly kind: Fabric['kind'];
  readonly devices: readonly [Device, Device];
  readonly inner: Fabric;
  readonly dma: readonly [DmaChecker, DmaChecker] = [new DmaChecker(), new DmaChecker()];
  readonly #meter: Meter;
  readonly wireCounts: readonly [WireCount, WireCount] = [newCount(), newCount()];
  /** Cycle of the newest completion that each device wrote. */
  readonly lastCompletion: [number, number] = [0, 0];
  /** Completions that the device wrote in error, for people who look for a cause. */
  readonly failed: WrittenCompletion[] = [];
  /** Newest asynchronous event that each device wrote. */
  readonly lastEvent: [string | undefined, string | undefined] = [undefined, undefined];
  /** Time passes. */
  running = false;
  /** Counts what the run covers, where somebody wants to know. */
  coverage: RunCoverage | undefined;
  readonly #options: WatchOptions;
  readonly #contexts: [Context | undefined, Context | undefined] = [undefined, undefined];
  readonly #objects: [HostObjects | undefined, HostObjects | undefined] = [undefined, undefined];
  readonly #connections: Connections;
  #wire: WireChecker | undefined;
  #taps: TapChoice = {};
  /** Packets may arrive otherwise than they left: both sides of the link are tapped. */
  #twoSided = false;
  /** Number of the newest packet of each device; the newest that was told from one side. */
  readonly #newest: [number, number] = [-1, -1];
  #oneSided: readonly [number, number] = [-1, -1];
  #faults: { link: readonly FaultRule[]; dma: readonly DmaFaultRule[] } | undefined;
  /** Of rules that are over. */
  readonly #unstruck: string[] = [];
  #kept: TapEvent[] = [];
  /** Since taps were taken, rings left out. */
  readonly #hostWrites: { side: Side; address: bigint; length: number }[] = [];

  constructor(inner: Fabric, options: WatchOptions = {}) {
    this.inner = inner;
    this.kind = inner.kind;
    this.#options = options;
    this.#meter = new Meter(options.meter);
    this.devices = [this.#device(0), this.#device(1)];
    this.#connections = new Connections(
      this.#contexts,
      () => this.#wire,
      () => this.now(),
    );
    this.#tap();
  }

  /** Both devices are open: from here on the checks know the ports and what lives in memory. */
  attach(contexts: readonly [Context, Context]): void {
    for (const side of SIDES) {
      this.#contexts[side] = contexts[side];
      const name = (mr: Mr) =>
        this.#options.regionName?.(side, mr) ?? `region 0x${mr.key.toString(16)} of device ${side}`;
      this.#objects[side] = new HostObjects(contexts[side], this.dma[side], name);
    }
    if (!this.blind) this.#wire = this.#wireOf(contexts);
    this.#observe();
  }

  #wireOf(contexts: readonly [Context, Context]): WireChecker {
    const offersOf = ({ attributes: { capability } }: Context) => ({
      atomic: capability.atomics === 1,
      invalidate: capability.sendInv === 1,
    });
    return new Wire({
      ports: [portOf(contexts[0]), portOf(contexts[1])],
      offers: [offersOf(contexts[0]), offersOf(contexts[1])],
      wordOf: (device, rkey, va) => this.#objects[device]?.wordAt(rkey, va),
    });
  }

  /** There are no taps: what the checks of packets and accesses would say means nothing. */
  get blind(): boolean {
    return this.kind === 'board';
  }

  /** What coverage may ask about. */
  get view(): Omit<View, 'hit' | 'faults'> {
    return {
      queuePair: (side, qpn) => this.#connections.asked(side, qpn),
      slots: (side, qpn, queue) => this.#contexts[side]?.qps.get(qpn)?.[queue].ring,
      physical: (side, key, va) => this.#objects[side]?.wordAt(key, va),
    };
  }

  now(): number {
    return this.inner.now();
  }

  async run(until: RunUntil): Promise<RunResult> {
    this.#observe();
    this.running = true;
    try {
      const result = await this.inner.run(until);
      await this.drain();
      return result;
    } finally {
      this.running = false;
    }
  }

  /** All taps are on; those asked for are also kept for `takeTaps`. */
  setTaps(on: TapChoice): void {
    this.#taps = on;
  }

  async takeTaps(): Promise<TapEvent[]> {
    await this.drain();
    return this.#kept.splice(0);
  }

  inject(device: Side, packet: Uint8Array): void {
    const sender = device === 0 ? 1 : 0;
    this.inner.inject(device, packet);
    // Models have no tap for it: what is injected towards one has arrived.
    if (this.kind === 'model' || (this.kind === 'rtl-model' && device === 1)) {
      const event = { kind: 'packet', cycle: this.now(), device: sender, bytes: packet.slice() } as const;
      this.#packet({ ...event, injected: true });
    }
  }

  /** To be asked before: `drain`, and `judgeFaults` for the rules that are replaced. */
  setFaults(link: readonly FaultRule[], dma: readonly DmaFaultRule[] = []): void {
    if (!this.#twoSided && link.length > 0) {
      this.#twoSided = true;
      this.#oneSided = [...this.#newest];
      this.#tap();
    }
    this.inner.setFaults(link, dma);
    this.#faults = { link, dma };
    this.coverage?.faults(link, dma);
  }

  faultCounts(): Promise<FaultCounts> {
    return this.inner.faultCounts();
  }

  /** The fault rules so far that never struck and had to. */
  async judgeFaults(): Promise<readonly string[]> {
    const rules = this.#faults;
    this.#faults = undefined;
    if (rules) {
      const counts = await this.inner.faultCounts();
      this.#unstruck.push(
        ...unstruck('link', rules.link, counts.link),
        ...unstruck('dma', rules.dma, counts.dma),
      );
    }
    return this.#unstruck;
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /** Feeds the checks with what was tapped. */
  async drain(): Promise<void> {
    for (const event of await this.inner.takeTaps()) {
      if (event.kind === 'packet') this.#packet(event);
      else if (event.kind === 'arrival') this.#arrival(event);
      else if (event.kind === 'interrupt') this.#meter.interrupt(event.device);
      else this.#access(event);
      this.#keep(event);
    }
    // What was tapped may be older or newer than what the host wrote.
    for (const { side, address, length } of this.#hostWrites.splice(0))
      this.#changed(side, 'host', address, length);
  }

  #changed(side: Side, by: 'device' | 'host', address: bigint, length: number): void {
    this.#wire?.memoryChanged(side, by, address, length);
  }

  /** What the wire and the DMA checker found; to be asked when nothing is under way. */
  async violations(): Promise<{ wire: string[]; dma: string[] }> {
    this.#observe();
    await this.drain();
    if (this.#wire) for (const side of SIDES) this.dma[side].judgePlaced(this.#wire.placed(side));
    return {
      wire: (this.#wire?.finish() ?? []).map(formatViolation),
      dma: this.dma.flatMap(({ violations }) => violations.map(formatDmaViolation)),
    };
  }

  /** What devices write is tapped. */
  get tapsBytes(): boolean {
    return this.#options.dmaBytes ?? true;
  }

  get packets(): number {
    return this.#wire?.packets ?? 0;
  }

  /** What the run has moved so far, and how long it took; nothing where nothing is tapped. */
  seen(): Seen {
    const tapped = { requests: this.tapsBytes, arrivals: this.#twoSided || this.#tellsArrivals };
    return this.blind ? {} : this.#meter.seen(this.wireCounts, tapped);
  }

  #tap(): void {
    const { dmaBytes = true } = this.#options;
    const arrivals = this.#twoSided || this.#tellsArrivals;
    this.inner.setTaps({ packets: true, arrivals, dma: true, interrupts: true, dmaBytes });
  }

  /** For the time line. Beside a model the RTL's link tells a packet once, when it arrives, unless it has to tell both. */
  get #tellsArrivals(): boolean {
    return this.#options.files !== undefined && this.kind !== 'rtl-model';
  }

  #device(side: Side): Device {
    const snoop = new CommandSnoop((command, status) => this.#command(side, command, status));
    return new WatchedDevice(this.inner.devices[side], {
      before: () => this.#observe(),
      barRead: (bar, offset, value) => {
        if (bar !== 0) return;
        this.coverage?.read(side, offset, value);
        snoop.read(offset, value);
      },
      barWrite: (bar, offset, value, bytes) => {
        if (bar !== 0) return;
        snoop.written(offset, value, bytes);
        if (offset === REGISTERS.timing.at) this.#connections.ticks(side, Number(value & TICK_MASK));
        if (bytes === 8) this.#doorbell(side, offset, value);
      },
      memWrite: (address, bytes) => {
        const ring = this.#objects[side]?.ringPages.get(address & ~PAGE_MASK);
        if (ring?.role === 'sq') this.#meter.requests[side].written(ring.number, bytes);
        if (ring) this.coverage?.ringWritten(side, address, bytes);
        if (!this.#wire || ring) return;
        this.#changed(side, 'host', address, bytes.length);
        this.#hostWrites.push({ side, address, length: bytes.length });
      },
    });
  }

  #observe(): void {
    for (const objects of this.#objects) objects?.update(this.now());
  }

  #command(side: Side, command: SeenCommand, status: number): void {
    this.coverage?.command(side, command, status);
    if (status === CmdStatus.OK) {
      this.#connections.done(side, command);
      this.coverage?.changed(side, command);
    }
    const { op, number } = command;
    if (status === CmdStatus.OK && isFresh(command)) this.#meter.requests[side].forget(number);
    this.#options.files?.add('verbs', () => ({
      cycle: this.now(),
      device: side,
      verb: cmdOpName(op),
      number,
      status: cmdStatusName(status),
      ...(op === CmdOp.MODIFY_QP ? modifiedOf(command) : {}),
    }));
  }

  #doorbell(side: Side, offset: number, value: bigint): void {
    const at = offset - REGIONS.doorbellPages.at;
    if (at < 0 || at >= REGIONS.doorbellPages.bytes) return;
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, value, true);
    const { index, number, command } = DOORBELL_RECORD.unpack(bytes);
    if (at % 4096 === DOORBELLS.sq) this.#meter.requests[side].rung(number, index, this.now());
    if (at % 4096 === DOORBELLS.rq) this.#connections.posted(side, number, index);
    const queue = Object.entries(DOORBELLS).find(([, from]) => from === at % 4096)?.[0];
    if (queue !== undefined) this.coverage?.doorbell(side, queue, number, index);
    this.#options.files?.add('verbs', () => {
      const verb = `doorbell ${queue ?? `at ${at % 4096}`}`;
      return { cycle: this.now(), device: side, verb, number, index, ...(command ? { command } : {}) };
    });
  }

  #packet(event: PacketEvent): void {
    const { cycle, device: sender, bytes } = event;
    const { injected = false } = event;
    if (!injected) this.#newest[sender] = event.number ?? -1;
    const struck = event.fault === undefined ? undefined : this.#faults?.link[event.fault];
    const holds = struck?.what === 'hold' ? struck.cycles : undefined;
    // What was injected is told by its arrival as well.
    if (!(injected && this.#twoSided))
      this.#wire?.packet({ cycle, sender, bytes, injected, lost: this.#twoSided, holds });
    if (!injected) {
      countPacket(this.wireCounts[sender], bytes);
      this.#meter.sent(sender, cycle, event.firstCycle, bytes.length);
    }
    this.coverage?.packet({ sender, bytes, injected, fault: struck?.what });
    const { files } = this.#options;
    if (!files) return;
    const mark = {
      ...(injected ? { injected } : {}),
      ...(event.fault === undefined ? {} : this.#faultOf('link', event.fault)),
    };
    files.packet({ cycle, sender, bytes, ...mark });
    const { firstCycle: first } = event;
    files.add('packets', () => {
      const number = (this.#twoSided || this.#tellsArrivals) && !injected ? { number: event.number } : {};
      const packet = textOf(bytes);
      return { cycle, first, device: sender, packet, bytes: bytes.length, ...number, ...mark };
    });
  }

  /** The checks hear of it only where the link may fail. */
  #arrival({
    cycle,
    firstCycle: first,
    device,
    sender,
    bytes,
    number,
    injected = false,
  }: ArrivalEvent): void {
    this.#meter.arrived(device, bytes.length);
    if (this.#twoSided && (injected || number > this.#oneSided[sender]))
      this.#wire?.arrived({ cycle, sender, bytes, injected });
    this.#options.files?.add('packets', () => {
      const origin = injected ? { injected } : { number };
      return { cycle, first, device, arrived: textOf(bytes), bytes: bytes.length, ...origin };
    });
  }

  /** What the rule is called, and what it does. */
  #faultOf(of: 'link' | 'dma', index: number): { fault: string; what?: string } {
    const rule = this.#faults?.[of][index];
    if (!rule) return { fault: `${index}` };
    return { fault: rule.name ?? describeRule(rule, index), what: rule.what };
  }

  #access(event: DmaEvent): void {
    this.dma[event.device].access(event);
    this.#meter.access(event.device, event.kind, event.address, event.length);
    const ring = this.#objects[event.device]?.ringPages.get(event.address & ~PAGE_MASK);
    const written = event.kind === 'dma-write' && event.fault === undefined;
    if (written && !ring) this.#changed(event.device, 'device', event.address, event.length);
    if (written && ring?.role === 'cq') this.lastCompletion[event.device] = event.cycle;
    const failing = event.fault === undefined ? undefined : this.#faults?.dma[event.fault];
    if (failing) this.coverage?.hostFault(event.device, failing.what, ring?.role ?? 'data');
    if (failing?.what === 'timeout') this.#wire?.waits(event.device, event.cycle, HOST_TIMEOUT_CYCLES);
    if (written && ring && event.bytes) {
      if (ring.role === 'cq') this.#completions(event, event.bytes, ring.number);
      else if (ring.role === 'eq') this.#events(event, event.bytes);
    }
    this.#options.files?.add('dma', () => {
      const { cycle, device, kind, address, length } = event;
      const access = kind === 'dma-read' ? 'read' : 'write';
      const target = ring && `${ring.role} ${ring.number}`;
      const fault = event.fault === undefined ? {} : this.#faultOf('dma', event.fault);
      return { cycle, device, access, address, length, ...(target ? { ring: target } : {}), ...fault };
    });
  }

  #completions({ device, cycle }: DmaEvent, bytes: Uint8Array, cqn: number): void {
    for (let at = 0; at + CQE.bytes <= bytes.length; at += CQE.bytes) {
      const cqe = CQE.unpack(bytes, at);
      const { qpn, queue, opcode, status, wqeIndex, byteLen } = cqe;
      this.coverage?.completion(device, cqe);
      const side = queue === 0 ? 'send' : 'receive';
      if (side === 'send') this.#meter.requests[device].completed(qpn, wqeIndex, status === SUCCESS, cycle);
      if (status !== SUCCESS) {
        this.#stopped(device, qpn, cycle);
        this.failed.push({ device, cycle, cqn, qpn, queue: side, status: wcStatusName(status) });
      }
      this.#options.files?.add('completions', () => ({
        cycle,
        device,
        cqn,
        qpn,
        queue: side,
        opcode: wcOpcodeName(opcode),
        status: wcStatusName(status),
        wqeIndex,
        byteLen,
      }));
    }
  }

  #events({ device, cycle }: DmaEvent, bytes: Uint8Array): void {
    for (let at = 0; at + EQE.bytes <= bytes.length; at += EQE.bytes) {
      const { event, number } = EQE.unpack(bytes, at);
      const name = eventTypeName(event);
      this.coverage?.event(device, event);
      if (name !== 'COMPLETION') this.lastEvent[device] = `${name} ${number}`;
      if (STOPPING.includes(name)) this.#stopped(device, number, cycle);
      this.#options.files?.add('completions', () => ({ cycle, device, event: name, number }));
    }
  }

  #keep(event: TapEvent): void {
    const { packets, arrivals, dma, interrupts } = this.#taps;
    const wanted = {
      packet: packets,
      arrival: arrivals,
      interrupt: interrupts,
      'dma-read': dma,
      'dma-write': dma,
    }[event.kind];
    if (wanted) this.#kept.push(event);
  }

  /** A completion in error, where payload is not tapped: the queue pair may stop. */
  stopped(device: Side, qpn: number): void {
    this.#stopped(device, qpn, this.now());
  }

  #stopped(device: Side, qpn: number, cycle: number): void {
    this.coverage?.stops(device, qpn);
    this.#connections.stopped(device, qpn, cycle);
  }
}

const SIDES = [0, 1] as const;
const STOPPING: readonly string[] = ['QP_FATAL', 'QP_REQ_ERR', 'QP_ACCESS_ERR'];

/** Its queues begin anew. */
const isFresh = ({ op, modifier }: SeenCommand): boolean =>
  op === CmdOp.CREATE_QP || op === CmdOp.DESTROY_QP || (op === CmdOp.MODIFY_QP && modifier === QpState.RESET);

/** The new state, and what makes a connection. */
function modifiedOf(command: SeenCommand): { state: string; destQpn?: number; mtuBytes?: number } {
  const { destQpn, pathMtu } = contextOf(command);
  const names = (attribute: QpAttribute) => (command.param & (1 << QP_ATTRIBUTES[attribute])) !== 0;
  return {
    state: qpStateName(command.modifier),
    ...(names('destQpn') ? { destQpn } : {}),
    ...(names('pathMtu') ? { mtuBytes: mtuBytesOf(pathMtu) } : {}),
  };
}

function textOf(bytes: Uint8Array): string | undefined {
  const { packet, fault } = decode(bytes);
  return packet ? describe(packet) : fault;
}
