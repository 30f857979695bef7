import type { Device } from '../device.ts';
import { runCommand } from './commands.ts';
import { isDoorbell, ringDoorbell } from './doorbells.ts';
import { type DmaTap, Hca, type HostBus } from './hca.ts';
import { receivePacket, setLink, Transmitter } from './link.ts';
import type { ModelOptions } from './options.ts';
import { advance, arrive, nextDeadline } from './timers.ts';

/**
 * The reference HCA: what the standard and docs/programming.md say, packet by packet. Accesses take effect at once;
 * queues are served and packets are sent by `step`. Of time it knows what `advance` tells.
 */
export class Model implements Device {
  readonly name: string;
  readonly #hca: Hca;
  readonly #transmitter: Transmitter;
  readonly #handlers: ((vector: number) => void)[] = [];

  constructor(options: ModelOptions = {}) {
    this.#hca = new Hca(options);
    this.name = this.#hca.limits.name;
    this.#transmitter = new Transmitter(this.#hca);
    this.#hca.registers.onCommand = (cmd, param) => runCommand(this.#hca, cmd, param);
  }

  async barRead(bar: 0 | 2, offset: number, bytes: 4 | 8 = 8): Promise<bigint> {
    return bar === 0 ? this.#hca.registers.read(offset, bytes) : this.#hca.tables.read(offset, bytes);
  }

  barWrite(bar: 0 | 2, offset: number, value: bigint, bytes: 4 | 8 = 8): void {
    if (bar === 2) this.#hca.tables.write(offset, bytes, value);
    else if (isDoorbell(offset)) ringDoorbell(this.#hca, offset, bytes, value);
    else this.#hca.registers.write(offset, bytes, value);
  }

  async memRead(address: bigint, length: number): Promise<Uint8Array> {
    return this.#hca.memory.read(address, length);
  }

  memWrite(address: bigint, bytes: Uint8Array): void {
    this.#hca.memory.write(address, bytes);
  }

  onInterrupt(handler: (vector: number) => void): void {
    this.#handlers.push(handler);
  }

  setLink(up: boolean): void {
    setLink(this.#hca, up);
  }

  /** Is the port up? A packet reaches only a port that is. */
  get linkUp(): boolean {
    return this.#hca.linkUp;
  }

  /** It is this cycle now: timers that have run out do what they are for. */
  advance(cycle: number): void {
    advance(this.#hca, cycle);
  }

  /** It is that late, and packets are about to come. */
  arrive(cycle: number): void {
    arrive(this.#hca, cycle);
  }

  /** The next cycle at which a timer runs out, if any runs. */
  nextDeadline(): number | undefined {
    return nextDeadline(this.#hca);
  }

  /** A packet, LRH to VCRC, came from the wire. */
  receive(packet: Uint8Array): void {
    receivePacket(this.#hca, packet);
  }

  /** Serves the queues until at most `maxPackets` have to leave, and returns these in order. */
  step(maxPackets: number): Uint8Array[] {
    return this.#transmitter.take(maxPackets);
  }

  /** Vectors raised and not delivered yet. */
  get pendingInterrupts(): readonly number[] {
    return this.#hca.interrupts;
  }

  /** Calls the handlers for what was raised; returns it. */
  deliverInterrupts(): number[] {
    const raised = this.#hca.interrupts;
    this.#hca.interrupts = [];
    for (const vector of raised) for (const handler of this.#handlers) handler(vector);
    return raised;
  }

  /** Asked for every access of the device to host memory, whether it fails. */
  set bus(bus: HostBus | undefined) {
    this.#hca.bus = bus;
  }

  /** Tells of every access of the device to host memory. */
  set dmaTap(tap: DmaTap | undefined) {
    this.#hca.dmaTap = tap;
  }
}
