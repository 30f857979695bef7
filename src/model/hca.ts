import type { Mpt } from '../spec/gen/records.ts';
import { mtuBytesOf } from '../wire/index.ts';
import { Counters } from './counters.ts';
import { HostMemory } from './memory.ts';
import { type Capabilities, DEFAULTS, type Limits, type ModelOptions } from './options.ts';
import type { Qp } from './qp.ts';
import type { Cq, Eq } from './queues.ts';
import { Registers } from './registers.ts';
import { Tables } from './tables.ts';

/** Told of every access to host memory by the device. */
export type DmaTap = (kind: 'dma-read' | 'dma-write', address: bigint, bytes: Uint8Array) => void;

/** The state that all parts of the model share. */
export class Hca {
  readonly limits: Limits;
  readonly counters = new Counters();
  readonly memory = new HostMemory();
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

  constructor(options: ModelOptions) {
    this.limits = { ...DEFAULTS, ...options } as Limits;
    this.tables = new Tables(this.limits, this.counters);
    this.registers = new Registers(this.limits, this.counters, () => this.linkUp);
  }

  get enabled(): boolean {
    return this.registers.control.enable === 1;
  }

  /** What is offered and not masked. */
  offers(capability: keyof Capabilities): boolean {
    return this.registers.capability[capability] === 1;
  }

  /** The port's MTU; never above what the device can do. */
  get mtuBytes(): number {
    return mtuBytesOf(Math.min(this.registers.port.mtu, this.limits.maxMtu));
  }

  dmaRead(address: bigint, length: number): Uint8Array {
    const bytes = this.memory.read(address, length);
    this.dmaTap?.('dma-read', address, bytes);
    return bytes;
  }

  dmaWrite(address: bigint, bytes: Uint8Array): void {
    this.memory.write(address, bytes);
    this.dmaTap?.('dma-write', address, bytes);
  }
}
