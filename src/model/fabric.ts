import type { Fabric, RunResult, RunUntil, TapChoice, TapEvent } from '../device.ts';
import {
  type DmaFaultRule,
  DmaFaults,
  type FaultCounts,
  type FaultRule,
  LinkFaults,
} from '../fault/index.ts';
import { Model } from './model.ts';
import type { ModelOptions } from './options.ts';

export interface ModelFabricOptions {
  /** Of both models, or of each. */
  model?: ModelOptions | readonly [ModelOptions, ModelOptions];
  /** Packets that each side sends before the other gets its turn. */
  packetsPerTurn?: number;
  /** What fails on the link; `seed`, 1 unless told, throws the dice of rules with a probability. */
  faults?: readonly FaultRule[];
  seed?: number;
}

type Side = 0 | 1;

interface Reaching {
  bytes: Uint8Array;
  number: number;
  injected?: boolean;
}

const BEAT_BYTES = 32;
const IDLE_CYCLES = 1; // what a turn without a packet costs

/**
 * Two models joined by a link that keeps order, but for faults. A turn takes as long as the longer of its directions;
 * when nothing moves, time goes on to the next timer.
 */
export class ModelFabric implements Fabric {
  readonly kind = 'model';
  readonly devices: readonly [Model, Model];
  readonly #packetsPerTurn: number;
  readonly #seed: number;
  /** The link: what is struck on it, and how often. */
  readonly faults = new LinkFaults();
  readonly #buses = new DmaFaults();
  readonly #wire: [Reaching[], Reaching[]] = [[], []]; // about to reach that device
  readonly #sent: [number, number] = [0, 0];
  #taps: TapChoice = {};
  #events: TapEvent[] = [];
  #cycle = 0;

  constructor(options: ModelFabricOptions = {}) {
    const { model = {}, packetsPerTurn = 8, faults = [], seed = 1 } = options;
    const [a, b] = Array.isArray(model) ? (model as [ModelOptions, ModelOptions]) : [model, model];
    this.devices = [new Model({ name: 'model 0', ...a }), new Model({ name: 'model 1', ...b })];
    this.#packetsPerTurn = packetsPerTurn;
    this.#seed = seed;
    this.setFaults(faults);
  }

  now(): number {
    return this.#cycle;
  }

  async run(until: RunUntil): Promise<RunResult> {
    const end = this.#cycle + until.cycles;
    const reason = this.#run(until, end);
    // Nothing happens in the time that is left.
    if (reason === 'cycles') this.#cycle = Math.max(this.#cycle, end);
    for (const side of SIDES) this.#deliver(side);
    return { cycle: this.#cycle, reason };
  }

  setTaps(on: TapChoice): void {
    this.#taps = on;
    for (const side of SIDES) {
      this.devices[side].dmaTap = on.dma
        ? ({ bytes, ...access }) => {
            const event = { ...access, cycle: this.#cycle, device: side };
            this.#events.push(bytes && this.#taps.dmaBytes ? { ...event, bytes: bytes.slice() } : event);
          }
        : undefined;
    }
  }

  async takeTaps(): Promise<TapEvent[]> {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  inject(device: Side, packet: Uint8Array): void {
    this.#wire[device].push({ bytes: packet.slice(), number: 0, injected: true });
  }

  setFaults(link: readonly FaultRule[], dma: readonly DmaFaultRule[] = []): void {
    this.#buses.set(dma, this.#seed);
    this.faults.set(link, this.#seed);
    for (const side of SIDES) {
      const host = HOSTS[side];
      this.devices[side].bus =
        dma.length === 0
          ? undefined
          : (kind, address, length) => this.#buses.strike({ host, kind, address, length });
    }
  }

  async faultCounts(): Promise<FaultCounts> {
    return { link: this.faults.counts, dma: this.#buses.counts };
  }

  async close(): Promise<void> {}

  #run(until: RunUntil, end: number): RunResult['reason'] {
    for (;;) {
      if (until.interrupt && this.devices.some((device) => device.pendingInterrupts.length > 0))
        return 'interrupt';
      if (this.#cycle >= end) return 'cycles';
      if (this.#turn()) continue;
      if (until.interrupt && this.devices.some((device) => device.pendingInterrupts.length > 0))
        return 'interrupt';
      const next = this.#nextCycle();
      if (next === undefined && until.idle) return 'idle';
      if (next === undefined || next >= end) return 'cycles';
      this.#cycle = Math.max(this.#cycle, next);
    }
  }

  /** When a timer of a device or of the link runs out. */
  #nextCycle(): number | undefined {
    const cycles = [...this.devices.map((device) => device.nextDeadline()), this.faults.nextCycle()];
    const known = cycles.filter((cycle) => cycle !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** Both sides send, then both receive; false when nothing moved. */
  #turn(): boolean {
    const sent = this.#events.length;
    for (const device of this.devices) device.advance(this.#cycle);
    const beats = SIDES.map((side) => this.#send(side));
    // The sides sent at the same time: put what the taps saw in its order.
    const events = this.#events.splice(sent).sort((x, y) => x.cycle - y.cycle);
    for (const event of events) this.#events.push(event);
    this.#cycle += Math.max(IDLE_CYCLES, ...beats);
    const moved = SIDES.map((side) => this.#receive(side));
    return [...beats, ...moved].some((count) => count > 0);
  }

  #send(side: Side): number {
    let beats = 0;
    for (const bytes of this.devices[side].step(this.#packetsPerTurn)) {
      beats += Math.ceil(bytes.length / BEAT_BYTES);
      const cycle = this.#cycle + beats;
      const number = this.#sent[side]++;
      const fault = this.faults.send(side, number, bytes, cycle);
      if (!this.#taps.packets) continue;
      const event = { kind: 'packet', cycle, device: side, bytes, number } as const;
      this.#events.push(fault === undefined ? event : { ...event, fault });
    }
    return beats;
  }

  #receive(side: Side): number {
    const sender = PEER[side];
    const packets = [...this.#wire[side].splice(0), ...this.faults.arrivals(sender, this.#cycle)];
    this.devices[side].arrive(this.#cycle);
    for (const { bytes, number, injected } of packets as Reaching[]) {
      if (this.#taps.arrivals) {
        const event = { kind: 'arrival', cycle: this.#cycle, device: side, sender, number, bytes } as const;
        this.#events.push(injected ? { ...event, injected } : event);
      }
      this.devices[side].receive(bytes);
    }
    return packets.length;
  }

  #deliver(side: Side): void {
    for (const vector of this.devices[side].deliverInterrupts()) {
      if (this.#taps.interrupts)
        this.#events.push({ kind: 'interrupt', cycle: this.#cycle, device: side, vector });
    }
  }
}

const SIDES = [0, 1] as const;
const PEER = [1, 0] as const;
const HOSTS = ['a', 'b'] as const;

export const createModelFabric = (options: ModelFabricOptions = {}): ModelFabric => new ModelFabric(options);
