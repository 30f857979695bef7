import type { Fabric, RunResult, RunUntil, TapChoice } from '../device.ts';
import type { DmaFaultRule, FaultCounts, FaultRule } from '../fault/index.ts';
import { type BinaryChoice, buildLine, simulatorBinary } from './binary.ts';
import type { FrameChannel } from './frames.ts';
import type { Profile } from './protocol.ts';
import { RtlDevice } from './rtl-device.ts';
import { type DeviceIndex, Simulator } from './simulator.ts';
import type { SimTapEvent } from './taps.ts';

export interface RtlFabricOptions extends BinaryChoice {
  /** How the host buses and the link behave; `ideal` when not given. */
  profile?: Profile;
  /** Everything random in the run follows from it. */
  seed?: number | bigint;
  /** Single settings on top of the profile, by name, for both devices. */
  settings?: Record<string, number>;
  /** Another program than the one sim/build.sh makes for this choice. */
  binary?: string;
  /** A simulator that runs already, see SimulatorOptions. */
  channel?: FrameChannel;
  /** Give up when the process shows no sign of life for so long; 60 s when not given. */
  timeoutMs?: number;
  /** Keep every frame sent there, see SimProcessOptions. */
  recordTo?: string | undefined;
}

/** Two HCAs in RTL, joined by a link. */
export class RtlFabric implements Fabric {
  readonly kind = 'rtl';
  readonly devices: readonly [RtlDevice, RtlDevice];
  /** For what the seam does not offer: settings, statistics, fail rules, waves. */
  readonly simulator: Simulator;

  constructor(simulator: Simulator) {
    this.simulator = simulator;
    this.devices = [new RtlDevice(simulator, 0), new RtlDevice(simulator, 1)];
    simulator.onInterrupt((device, vector) => this.devices[device].interrupted(vector));
  }

  now(): number {
    return this.simulator.cycle;
  }

  run(until: RunUntil): Promise<RunResult> {
    return this.simulator.run(until) as Promise<RunResult>; // reason "packet" comes only when asked for
  }

  setTaps(on: TapChoice): void {
    this.simulator.setTaps(on);
  }

  takeTaps(): Promise<SimTapEvent[]> {
    return this.simulator.takeTaps();
  }

  inject(device: DeviceIndex, packet: Uint8Array): void {
    this.simulator.inject(device, packet);
  }

  setFaults(link: readonly FaultRule[], dma: readonly DmaFaultRule[] = []): void {
    this.simulator.setFaults(link, dma);
  }

  faultCounts(): Promise<FaultCounts> {
    return this.simulator.faultCounts();
  }

  close(): Promise<void> {
    return this.simulator.close();
  }
}

export async function createRtlFabric(options: RtlFabricOptions = {}): Promise<RtlFabric> {
  return new RtlFabric(await startSimulator(options));
}

const COUNTED_END_MS = 60_000;

/** The simulator process an options record asks for, profile and settings applied. */
export async function startSimulator(options: RtlFabricOptions): Promise<Simulator> {
  const simulator = await Simulator.start({
    binary: options.binary ?? simulatorBinary(options),
    ...(options.binary === undefined ? { buildLine: buildLine(options) } : {}),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    // One that counts coverage writes it down at its end.
    ...(process.env.COVERAGE ? { endMs: COUNTED_END_MS } : {}),
    channel: options.channel,
    recordTo: options.recordTo,
  });
  for (let device = 0; device < simulator.info.devices; device++) {
    if (options.profile) simulator.setProfile(device as DeviceIndex, options.profile);
    for (const [name, value] of Object.entries(options.settings ?? {})) {
      simulator.set(device as DeviceIndex, name, value);
    }
  }
  return simulator;
}
