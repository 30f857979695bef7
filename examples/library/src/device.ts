import type { Device, Fabric } from 'openhca/device';
import { createModelFabric } from 'openhca/model';
import { transfer } from './transfer.js';

/** A Device of one's own: here one that counts what the driver does and lets another do it. */
class CountingDevice implements Device {
  readonly name: string;
  readonly counts = { barReads: 0, barWrites: 0, memoryReads: 0, memoryWrites: 0 };

  constructor(private readonly inner: Device) {
    this.name = `counted ${inner.name}`;
  }

  barRead(bar: 0 | 2, offset: number, bytes?: 4 | 8): Promise<bigint> {
    this.counts.barReads++;
    return this.inner.barRead(bar, offset, bytes);
  }

  barWrite(bar: 0 | 2, offset: number, value: bigint, bytes?: 4 | 8): void {
    this.counts.barWrites++;
    this.inner.barWrite(bar, offset, value, bytes);
  }

  memRead(address: bigint, length: number): Promise<Uint8Array> {
    this.counts.memoryReads++;
    return this.inner.memRead(address, length);
  }

  memWrite(address: bigint, bytes: Uint8Array): void {
    this.counts.memoryWrites++;
    this.inner.memWrite(address, bytes);
  }

  onInterrupt(handler: (vector: number) => void): void {
    this.inner.onInterrupt(handler);
  }

  setLink(up: boolean): void {
    this.inner.setLink(up);
  }
}

const inner = createModelFabric();
const counted = new CountingDevice(inner.devices[0]);
const fabric: Fabric = new Proxy(inner, {
  get(target, name) {
    if (name === 'devices') return [counted, target.devices[1]];
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

await transfer(fabric, new Uint8Array(64).fill(7));
const { barReads, barWrites } = counted.counts;
console.log(
  `device: ${counted.name}: the driver ${barReads > 0 && barWrites > 0 ? 'went through it' : 'went past it'}`,
);
