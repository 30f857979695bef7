import type { Device, MemoryRange } from '../device.ts';

export interface Watcher {
  /** Time may pass, or has passed since the last call. */
  before(): void;
  barRead(bar: 0 | 2, offset: number, value: bigint): void;
  barWrite(bar: 0 | 2, offset: number, value: bigint, bytes: 4 | 8): void;
  memWrite(address: bigint, bytes: Uint8Array): void;
}

/** A device whose accesses by the driver are seen. */
export class WatchedDevice implements Device {
  readonly name: string;
  readonly memory?: MemoryRange;
  readonly #inner: Device;
  readonly #watcher: Watcher;

  constructor(inner: Device, watcher: Watcher) {
    this.name = inner.name;
    this.#inner = inner;
    if (inner.memory) this.memory = inner.memory;
    this.#watcher = watcher;
  }

  async barRead(bar: 0 | 2, offset: number, bytes?: 4 | 8): Promise<bigint> {
    this.#watcher.before();
    const value = await this.#inner.barRead(bar, offset, bytes);
    this.#watcher.barRead(bar, offset, value);
    return value;
  }

  barWrite(bar: 0 | 2, offset: number, value: bigint, bytes?: 4 | 8): void {
    this.#watcher.barWrite(bar, offset, value, bytes ?? 8);
    this.#inner.barWrite(bar, offset, value, bytes);
  }

  memRead(address: bigint, length: number): Promise<Uint8Array> {
    this.#watcher.before();
    return this.#inner.memRead(address, length);
  }

  memWrite(address: bigint, bytes: Uint8Array): void {
    this.#watcher.memWrite(address, bytes);
    this.#inner.memWrite(address, bytes);
  }

  onInterrupt(handler: (vector: number) => void): void {
    this.#inner.onInterrupt(handler);
  }

  setLink(up: boolean): void {
    this.#inner.setLink(up);
  }
}
