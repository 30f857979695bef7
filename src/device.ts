import type { DmaFaultRule, FaultCounts, FaultRule } from './fault/index.ts';

/**
 * The seam: what every HCA offers to a driver and to a test, be it the golden model, the RTL in a
 * simulator or a board. A driver touches only what a driver can touch: BARs, host memory, interrupts.
 *
 * Calls without a promise are posted: they are kept in order with each other and take effect before
 * the next awaited call of the same fabric returns. So a driver may queue many writes and pay one
 * round trip.
 */
export interface Device {
  readonly name: string;
  /** The part of host memory that it can reach; all of it unless told. */
  readonly memory?: MemoryRange;

  /** Read 4 or 8 bytes of BAR 0 or 2; ordered after all posted writes. */
  barRead(bar: 0 | 2, offset: number, bytes?: 4 | 8): Promise<bigint>;
  /** Posted write of 4 or 8 bytes. */
  barWrite(bar: 0 | 2, offset: number, value: bigint, bytes?: 4 | 8): void;

  /** Host memory as the CPU sees it: sparse, 64-bit physical addresses, zero where never written. */
  memRead(address: bigint, length: number): Promise<Uint8Array>;
  memWrite(address: bigint, bytes: Uint8Array): void;

  /** Called with the MSI-X vector; at the earliest when the `run` that raised it returns. */
  onInterrupt(handler: (vector: number) => void): void;

  /** The port's link: up after reset. */
  setLink(up: boolean): void;
}

/** Physical addresses from `base` on. */
export interface MemoryRange {
  readonly base: bigint;
  readonly bytes: number;
}

/** When `Fabric.run` returns; the first condition met ends it. `cycles` bounds it always. */
export interface RunUntil {
  /** At most so many cycles from now (a model: so many 4 ns steps of its protocol timers). */
  cycles: number;
  /** Return after the first interrupt of any device. */
  interrupt?: boolean;
  /** Return when nothing is moving: no DMA, no packet, no posted access for a while. A model that has a timer running is not idle. */
  idle?: boolean;
}

export interface RunResult {
  cycle: number;
  reason: 'cycles' | 'interrupt' | 'idle';
}

/**
 * What happened, in time order, as the taps saw it. `device` is the index in `Fabric.devices`; `fault` the place, in its
 * list, of the fault rule that struck.
 */
export type TapEvent =
  /** It left `device`'s port, LRH to VCRC. */
  | {
      kind: 'packet';
      cycle: number;
      device: 0 | 1;
      bytes: Uint8Array;
      /** Of those that left that port. */
      number?: number;
      fault?: number;
    }
  /** It reached `device`'s port, as it came: under fault rules a packet that was sent may arrive never, twice, late or spoiled. */
  | {
      kind: 'arrival';
      cycle: number;
      device: 0 | 1;
      sender: 0 | 1;
      bytes: Uint8Array;
      /** The number that its sender's packet had. */
      number: number;
      /** Put on the wire by `inject`. */
      injected?: boolean;
    }
  | {
      kind: 'dma-read' | 'dma-write';
      cycle: number;
      device: 0 | 1;
      address: bigint;
      length: number;
      bytes?: Uint8Array;
      fault?: number;
    }
  | { kind: 'interrupt'; cycle: number; device: 0 | 1; vector: number };

/** What is tapped. */
export interface TapChoice {
  packets?: boolean;
  /** What reaches the ports; without faults it is what left the other one. */
  arrivals?: boolean;
  dma?: boolean;
  interrupts?: boolean;
  dmaBytes?: boolean;
}

/** Two devices joined by a link; time is common to both. */
export interface Fabric {
  readonly kind: 'model' | 'rtl' | 'rtl-model' | 'board';
  readonly devices: readonly [Device, Device];
  /** Cycles of 4.096 us, where the clock is another than that of the simulated devices. */
  readonly tick?: number;
  /** Cycle now. */
  now(): number;
  run(until: RunUntil): Promise<RunResult>;
  /** Taps are recorded while on; `takeTaps` returns and forgets what was recorded since the last call. */
  setTaps(on: TapChoice): void;
  takeTaps(): Promise<TapEvent[]>;
  /** Put a packet on the wire towards `device`, as if its peer had sent it (tests of bad packets). */
  inject(device: 0 | 1, packet: Uint8Array): void;
  /** Posted: from here on the link, and the buses of the hosts, fail by these rules and no others. Throws for a rule that cannot be. */
  setFaults(link: readonly FaultRule[], dma?: readonly DmaFaultRule[]): void;
  /** How often each of these rules matched and struck. */
  faultCounts(): Promise<FaultCounts>;
  /** Ends the simulator; idempotent. */
  close(): Promise<void>;
}
