import type { Device } from '../device.ts';
import { IbError } from '../spec/errors.ts';
import type { DeviceIndex, Simulator } from './simulator.ts';

/** One HCA of the simulator, seen through the seam every device shares. */
export class RtlDevice implements Device {
  readonly name: string;
  readonly #sim: Simulator;
  readonly #index: DeviceIndex;
  readonly #handlers: ((vector: number) => void)[] = [];

  constructor(sim: Simulator, index: DeviceIndex) {
    this.#sim = sim;
    this.#index = index;
    this.name = `rtl${index}`;
  }

  async barRead(bar: 0 | 2, offset: number, bytes: 4 | 8 = 8): Promise<bigint> {
    checkOffset(offset, bytes);
    return this.#sim.barRead(this.#index, bar, offset, bytes);
  }

  barWrite(bar: 0 | 2, offset: number, value: bigint, bytes: 4 | 8 = 8): void {
    checkOffset(offset, bytes);
    this.#sim.barWrite(this.#index, bar, offset, value, bytes);
  }

  async memRead(address: bigint, length: number): Promise<Uint8Array> {
    checkRange(address, length);
    return this.#sim.memRead(this.#index, address, length);
  }

  memWrite(address: bigint, bytes: Uint8Array): void {
    checkRange(address, bytes.length);
    this.#sim.memWrite(this.#index, address, bytes);
  }

  onInterrupt(handler: (vector: number) => void): void {
    this.#handlers.push(handler);
  }

  setLink(up: boolean): void {
    this.#sim.setLink(this.#index, up);
  }

  /** The fabric tells of an interrupt. */
  interrupted(vector: number): void {
    for (const handler of this.#handlers) handler(vector);
  }
}

// Misuse is an error here, where the caller can still be seen, and not the end of the process.
function checkOffset(offset: number, bytes: number): void {
  if (!Number.isInteger(offset) || offset < 0 || offset > 0xffff_ffff || offset % bytes !== 0) {
    throw new IbError(
      'bad-argument',
      `bar offset: expected a multiple of ${bytes} below 2^32, got ${offset}`,
    );
  }
}

function checkRange(address: bigint, length: number): void {
  if (address < 0n || address + BigInt(length) > 1n << 64n) {
    throw new IbError(
      'bad-argument',
      `host memory: expected a range below 2^64, got ${address}, length ${length}`,
    );
  }
}
