import type { Device, Fabric, RunResult, RunUntil, TapChoice } from '../device.ts';
import {
  checkDmaFaultRules,
  type DmaFaultRule,
  DmaFaults,
  type FaultCount,
  type FaultCounts,
  type FaultRule,
  LinkFaults,
} from '../fault/index.ts';
import { IbError } from '../spec/errors.ts';
import type { LinkPeer } from './link-peer.ts';
import { RtlDevice } from './rtl-device.ts';
import { type RtlFabricOptions, startSimulator } from './rtl-fabric.ts';
import type { DeviceIndex, PacketOut, Simulator } from './simulator.ts';
import type { SimTapEvent } from './taps.ts';

export interface RtlModelFabricOptions extends RtlFabricOptions {
  /** The model as a device, and the same model as the far end of the link. */
  model: { device: Device; peer: LinkPeer };
  /** At most so many cycles run before the model is looked after. */
  sliceCycles?: number;
}

const RTL = 0;
const MODEL = 1;
/** What the packets of `inject` are numbered, which the model has not sent. */
const INTRUDER = Number.MAX_SAFE_INTEGER;

/** Device 0 is RTL, device 1 a model; the link crosses the process boundary packet by packet. */
export class RtlModelFabric implements Fabric {
  readonly kind = 'rtl-model';
  readonly devices: readonly [RtlDevice, Device];
  readonly simulator: Simulator;
  readonly #peer: LinkPeer;
  readonly #slice: number;
  readonly #seed: number | bigint;
  /** All packets pass through it, struck by rules or not. */
  readonly #link = new LinkFaults();
  /** The host of the model: its rules, and the places of either host's rules among all. */
  readonly #bus = new DmaFaults();
  #placesOf: Readonly<Record<'a' | 'b', readonly number[]>> = { a: [], b: [] };
  /** Rules that struck packets of the RTL, by the number of the packet, until its tap is taken. */
  readonly #struck = new Map<number, number>();
  #taps: TapChoice = {};
  #events: SimTapEvent[] = [];
  #interrupts = 0; // of either device, since the run began
  #sent = 0; // by the model
  /** From this packet of the model on its tap is where it was sent, not where it arrived. */
  #twoSidedFrom = Number.POSITIVE_INFINITY;

  constructor(simulator: Simulator, options: RtlModelFabricOptions) {
    this.simulator = simulator;
    this.#peer = options.model.peer;
    this.#slice = options.sliceCycles ?? 1000;
    this.#seed = options.seed ?? 1;
    const rtl = new RtlDevice(simulator, RTL);
    this.devices = [rtl, options.model.device];
    simulator.setRoute(RTL, 'client');
    simulator.onInterrupt((_, vector) => {
      this.#interrupts++;
      rtl.interrupted(vector);
    });
    options.model.device.onInterrupt((vector) => {
      this.#interrupts++;
      if (this.#taps.interrupts) {
        this.#events.push({ kind: 'interrupt', cycle: this.now(), device: MODEL, vector });
      }
    });
  }

  now(): number {
    return this.simulator.cycle;
  }

  async run(until: RunUntil): Promise<RunResult> {
    this.#interrupts = 0;
    await this.simulator.flush();
    const end = this.now() + until.cycles;
    this.#forward();
    for (;;) {
      if (until.interrupt && this.#interrupts > 0) return { cycle: this.now(), reason: 'interrupt' };
      if (this.now() >= end) return { cycle: this.now(), reason: 'cycles' };
      const timer = this.#peer.nextEventCycle() ?? Number.POSITIVE_INFINITY;
      const wake = Math.min(timer, this.#link.nextCycle() ?? Number.POSITIVE_INFINITY);
      const cycles = Math.max(1, Math.min(end, wake, this.now() + this.#slice) - this.now());
      const idle = !!until.idle && !this.#link.holds && timer >= end; // with a timer of the model to come it is not
      const [{ reason }, packets] = await Promise.all([
        this.simulator.run({ cycles, packet: true, interrupt: !!until.interrupt, idle }),
        this.simulator.takePackets(),
      ]);
      this.#leave(packets);
      const moved = this.#forward();
      if (reason === 'idle' && packets.length === 0 && moved === 0)
        return { cycle: this.now(), reason: 'idle' };
    }
  }

  /** The model sees no DMA of its own; its packets and interrupts are recorded here. */
  setTaps(on: TapChoice): void {
    this.#taps = on;
    if (on.arrivals) this.#tellBothSides();
    this.simulator.setTaps(on);
  }

  async takeTaps(): Promise<SimTapEvent[]> {
    const [seen, packets] = await Promise.all([this.simulator.takeTaps(), this.simulator.takePackets()]);
    this.#leave(packets);
    const events = [...seen.flatMap((event) => this.#asOfLink(event)), ...this.#events];
    this.#struck.clear();
    this.#events = [];
    return events.sort((a, b) => a.cycle - b.cycle);
  }

  inject(device: DeviceIndex, packet: Uint8Array): void {
    if (device === RTL) this.simulator.inject(RTL, packet, { number: INTRUDER });
    else this.#arrive({ sender: RTL, number: INTRUDER, bytes: packet, cycle: this.now() }, true);
  }

  /** The bus of the RTL's host fails in the simulator, that of the model's here. */
  setFaults(link: readonly FaultRule[], dma: readonly DmaFaultRule[] = []): void {
    checkDmaFaultRules(dma);
    const placesOf = (host: 'a' | 'b') => dma.flatMap((rule, i) => (rule.host === host ? [i] : []));
    const places = { a: placesOf('a'), b: placesOf('b') };
    if (places.b.length > 0 && !this.#peer.setBus)
      throw new IbError(
        'not-supported',
        `dma faults[${places.b[0]}].host: expected a, got b, which never fails`,
      );
    this.#link.set(link, this.#seed);
    this.#placesOf = places;
    this.simulator.setFaults([], rulesAt(dma, places.a));
    this.#bus.set(rulesAt(dma, places.b), this.#seed);
    this.#peer.setBus?.(
      places.b.length === 0
        ? undefined
        : (kind, address, length) => {
            const struck = this.#bus.strike({ host: 'b', kind, address, length });
            return struck === undefined ? undefined : places.b[struck];
          },
    );
    if (link.length > 0) this.#tellBothSides();
  }

  async faultCounts(): Promise<FaultCounts> {
    const { dma: ofRtl } = await this.simulator.faultCounts();
    const dma: FaultCount[] = [];
    ofRtl.forEach((count, i) => {
      dma[this.#placesOf.a[i]!] = count;
    });
    this.#bus.counts.forEach((count, i) => {
      dma[this.#placesOf.b[i]!] = count;
    });
    return { link: this.#link.counts, dma };
  }

  close(): Promise<void> {
    return this.simulator.close();
  }

  #tellBothSides(): void {
    this.#twoSidedFrom = Math.min(this.#twoSidedFrom, this.#sent);
  }

  /** Packets of the RTL enter the link. */
  #leave(packets: readonly PacketOut[]): void {
    for (const { number, bytes, lastCycle } of packets) {
      const fault = this.#link.send(RTL, number, bytes, lastCycle);
      if (fault !== undefined) this.#struck.set(number, fault);
    }
  }

  /** What the link has goes on, and what the model has to send enters it; how many packets that was. */
  #forward(): number {
    const reached = this.#link.arrivals(RTL, this.now());
    for (const arrival of reached) this.#arrive(arrival);
    const packets = this.#peer.transmit(this.now());
    for (const bytes of packets) this.#transmitted(bytes);
    const sent = this.#link.arrivals(MODEL, this.now());
    for (const { bytes, number } of sent) this.simulator.inject(RTL, bytes, { number });
    return packets.length + sent.length;
  }

  #arrive({ bytes, number, cycle }: ReturnType<LinkFaults['arrivals']>[number], injected = false): void {
    if (this.#taps.arrivals) {
      const event = {
        kind: 'arrival',
        cycle,
        device: MODEL,
        sender: RTL,
        number,
        bytes: bytes.slice(),
      } as const;
      this.#events.push(injected ? { ...event, injected } : event);
    }
    this.#peer.receive(bytes, cycle);
  }

  #transmitted(bytes: Uint8Array): void {
    const number = this.#sent++;
    const cycle = this.now();
    const fault = this.#link.send(MODEL, number, bytes, cycle);
    if (!this.#taps.packets || number < this.#twoSidedFrom) return;
    const event = { kind: 'packet', cycle, device: MODEL, bytes: bytes.slice(), number } as const;
    this.#events.push(fault === undefined ? event : { ...event, fault });
  }

  /** The simulator takes what the model sent for injected, and knows nothing of the faults here. */
  #asOfLink(event: SimTapEvent): SimTapEvent[] {
    if (event.kind === 'arrival') return [event.number === INTRUDER ? event : withoutMark(event)];
    if (event.kind === 'dma-read' || event.kind === 'dma-write') return [this.#asOfAllRules(event)];
    if (event.kind !== 'packet') return [event];
    const { number = 0, injected } = event;
    if (!injected) {
      const fault = this.#struck.get(number);
      return [fault === undefined ? event : { ...event, fault }];
    }
    if (number === INTRUDER) return [event];
    return number >= this.#twoSidedFrom ? [] : [withoutMark(event)];
  }

  /** The simulator has the rules of its own host only. */
  #asOfAllRules<T extends SimTapEvent & { fault?: number }>(event: T): T {
    const { fault } = event;
    return fault === undefined ? event : { ...event, fault: this.#placesOf.a[fault]! };
  }
}

const rulesAt = (rules: readonly DmaFaultRule[], places: readonly number[]): DmaFaultRule[] =>
  places.map((place) => rules[place]!);

function withoutMark(event: SimTapEvent): SimTapEvent {
  const { injected: _, ...rest } = event;
  return rest;
}

export async function createRtlModelFabric(options: RtlModelFabricOptions): Promise<RtlModelFabric> {
  return new RtlModelFabric(await startSimulator(options), options);
}
