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

/** What happened, in time order, as the taps saw it. `device` is the index in `Fabric.devices`. */
export type TapEvent =
  | { kind: 'packet'; cycle: number; device: 0 | 1; bytes: Uint8Array } // left `device`'s port, LRH to VCRC
  | {
      kind: 'dma-read' | 'dma-write';
      cycle: number;
      device: 0 | 1;
      address: bigint;
      length: number;
      bytes?: Uint8Array;
    }
  | { kind: 'interrupt'; cycle: number; device: 0 | 1; vector: number };

/** Two devices joined by a link; time is common to both. */
export interface Fabric {
  readonly kind: 'model' | 'rtl' | 'rtl-model';
  readonly devices: readonly [Device, Device];
  /** Cycle now. */
  now(): number;
  run(until: RunUntil): Promise<RunResult>;
  /** Taps are recorded while on; `takeTaps` returns and forgets what was recorded since the last call. */
  setTaps(on: { packets?: boolean; dma?: boolean; interrupts?: boolean; dmaBytes?: boolean }): void;
  takeTaps(): Promise<TapEvent[]>;
  /** Put a packet on the wire towards `device`, as if its peer had sent it (tests of bad packets). */
  inject(device: 0 | 1, packet: Uint8Array): void;
  /** Ends the simulator; idempotent. */
  close(): Promise<void>;
}
