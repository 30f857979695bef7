import type { Mpt } from '../spec/gen/records.ts';
import { mtuBytesOf } from '../wire/index.ts';
import { Counters } from './counters.ts';
import { Health } from './health.ts';
import { HostMemory } from './memory.ts';
import { type Capabilities, DEFAULTS, type Limits, type ModelOptions } from './options.ts';
import type { Qp } from './qp.ts';
import type { Cq, Eq } from './queues.ts';
import { Registers } from './registers.ts';
import { Tables } from './tables.ts';

/** An access to host memory by the device; a read that failed has no bytes. */
export interface DmaAccess {
  kind: 'dma-read' | 'dma-write';
  address: bigint;
  length: number;
  bytes?: Uint8Array;
  /** Fault rule that struck it. */
  fault?: number;
}

/** Told of every access. */
export type DmaTap = (access: DmaAccess) => void;

/** The fault rule by which the host fails an access, if it does. */
export type HostBus = (kind: 'read' | 'write', address: bigint, length: number) => number | undefined;

/** The state that all parts of the model share. */
export class Hca {
  readonly limits: Limits;
  readonly counters = new Counters();
  readonly health = new Health();
  readonly memory: Pick<HostMemory, 'read' | 'write'>;
  readonly registers: Registers;
  readonly tables: Tables;
  /** Regions whose keys work, by their index. */
  readonly regions = new Map<number, Mpt>();
  readonly qps = new Map<number, Qp>();
  readonly cqs = new Map<number, Cq>();
  readonly eqs = new Map<number, Eq>();
  /** Vectors raised since the last delivery. */
  interrupts: number[] = [];
  linkUp = true;
  /** Cycle now, as far as it was told. */
  now = 0;
  dmaTap: DmaTap | undefined;
  /** Without one no access fails. */
  bus: HostBus | undefined;

  constructor(options: ModelOptions) {
    this.memory = options.memory ?? new HostMemory();
    this.limits = { ...DEFAULTS, ...options } as Limits;
    this.tables = new Tables(this.limits, this.counters);
    this.registers = new Registers(this.limits, this.counters, this.health, () => this.linkUp);
  }

  /** Queues are served: it was asked for, and nothing has stopped the device for good. */
  get enabled(): boolean {
    return this.registers.control.enable === 1 && !this.health.fatal;
  }

  /** What is offered and not masked. */
  offers(capability: keyof Capabilities): boolean {
    return this.registers.capability[capability] === 1;
  }

  /** The port's MTU; never above what the device can do. */
  get mtuBytes(): number {
    return mtuBytesOf(Math.min(this.registers.port.mtu, this.limits.maxMtu));
  }

  /** What the host has there, or nothing if it fails the read. */
  dmaRead(address: bigint, length: number): Uint8Array | undefined {
    const fault = this.bus?.('read', address, length);
    const bytes = fault === undefined ? this.memory.read(address, length) : undefined;
    this.dmaTap?.({ kind: 'dma-read', address, length, ...(bytes ? { bytes } : { fault: fault! }) });
    return bytes;
  }

  /** Has the host taken it? Else its memory is as before. */
  dmaWrite(address: bigint, bytes: Uint8Array): boolean {
    const { length } = bytes;
    const fault = this.bus?.('write', address, length);
    if (fault === undefined) this.memory.write(address, bytes);
    this.dmaTap?.({ kind: 'dma-write', address, length, bytes, ...(fault === undefined ? {} : { fault }) });
    return fault === undefined;
  }
}
