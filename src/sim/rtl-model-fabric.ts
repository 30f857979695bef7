import type { Device, Fabric, RunResult, RunUntil } from '../device.ts';
import type { LinkPeer } from './link-peer.ts';
import { RtlDevice } from './rtl-device.ts';
import { type RtlFabricOptions, startSimulator } from './rtl-fabric.ts';
import type { DeviceIndex, Simulator } from './simulator.ts';
import type { SimTapEvent } from './taps.ts';

export interface RtlModelFabricOptions extends RtlFabricOptions {
  /** The model as a device, and the same model as the far end of the link. */
  model: { device: Device; peer: LinkPeer };
  /** At most so many cycles run before the model is looked after. */
  sliceCycles?: number;
}

/** Device 0 is RTL, device 1 a model; the link crosses the process boundary packet by packet. */
export class RtlModelFabric implements Fabric {
  readonly kind = 'rtl-model';
  readonly devices: readonly [RtlDevice, Device];
  readonly simulator: Simulator;
  readonly #peer: LinkPeer;
  readonly #slice: number;
  #taps: { packets?: boolean; interrupts?: boolean } = {};
  #events: SimTapEvent[] = [];
  #interrupts = 0; // of either device, since the run began

  constructor(simulator: Simulator, options: RtlModelFabricOptions) {
    this.simulator = simulator;
    this.#peer = options.model.peer;
    this.#slice = options.sliceCycles ?? 1000;
    const rtl = new RtlDevice(simulator, 0);
    this.devices = [rtl, options.model.device];
    simulator.setRoute(0, 'client');
    simulator.onInterrupt((_, vector) => {
      this.#interrupts++;
      rtl.interrupted(vector);
    });
    options.model.device.onInterrupt((vector) => {
      this.#interrupts++;
      if (this.#taps.interrupts) {
        this.#events.push({ kind: 'interrupt', cycle: this.now(), device: 1, vector });
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
      const wake = this.#peer.nextEventCycle() ?? Number.POSITIVE_INFINITY;
      const cycles = Math.max(1, Math.min(end, wake, this.now() + this.#slice) - this.now());
      const idle = !!until.idle && wake >= end; // with a timer of the model to come it is not
      const [{ reason }, packets] = await Promise.all([
        this.simulator.run({ cycles, packet: true, interrupt: !!until.interrupt, idle }),
        this.simulator.takePackets(),
      ]);
      for (const packet of packets) this.#peer.receive(packet.bytes, packet.lastCycle);
      const sent = this.#forward();
      if (reason === 'idle' && packets.length === 0 && sent === 0)
        return { cycle: this.now(), reason: 'idle' };
    }
  }

  /** The model sees no DMA of its own; its packets and interrupts are recorded here. */
  setTaps(on: { packets?: boolean; dma?: boolean; interrupts?: boolean; dmaBytes?: boolean }): void {
    this.#taps = on;
    this.simulator.setTaps(on);
  }

  async takeTaps(): Promise<SimTapEvent[]> {
    const seen = await this.simulator.takeTaps();
    // What the model sent was injected: here that is no intrusion but the peer itself.
    const own = seen.map((event) => (event.kind === 'packet' ? this.#withoutMark(event) : event));
    const events = [...own, ...this.#events].sort((a, b) => a.cycle - b.cycle);
    this.#events = [];
    return events;
  }

  inject(device: DeviceIndex, packet: Uint8Array): void {
    if (device === 0) this.simulator.inject(0, packet);
    else this.#peer.receive(packet, this.now());
  }

  close(): Promise<void> {
    return this.simulator.close();
  }

  /** Gives the RTL what the model has to send; how many packets that was. */
  #forward(): number {
    const packets = this.#peer.transmit(this.now());
    for (const packet of packets) this.simulator.inject(0, packet);
    return packets.length;
  }

  #withoutMark(event: SimTapEvent): SimTapEvent {
    const { injected: _, ...rest } = event;
    return rest;
  }
}

export async function createRtlModelFabric(options: RtlModelFabricOptions): Promise<RtlModelFabric> {
  return new RtlModelFabric(await startSimulator(options), options);
}
