import type { Device, MemoryRange } from '../device.ts';
import { SimError } from '../sim/errors.ts';
import { IbError } from '../spec/errors.ts';
import { AXI_MAGIC } from '../spec/gen/constants.ts';
import type { Helper } from './helper.ts';
import { OWN, placeOf, readInfo, type WindowInfo } from './window.ts';

const RESET_TRIES = 1000;
const HALF = 32n;
const LOW = 0xffff_ffffn;
const ALL = 2n ** 64n - 1n;

/** An HCA behind rtl/fpga/hca_axi.sv on a card. */
export class BoardDevice implements Device {
  readonly #handlers: ((vector: number) => void)[] = [];

  private constructor(
    readonly name: string,
    readonly memory: MemoryRange,
    readonly helper: Helper,
    /** Which one of its cards. */
    readonly card: number,
    readonly info: WindowInfo,
  ) {}

  /** Sees that it is one, and resets its core: what an earlier program has left there is gone. */
  static async open(name: string, memory: MemoryRange, helper: Helper, card: number): Promise<BoardDevice> {
    const [low, high] = await Promise.all([
      helper.read(card, OWN.info, 4),
      helper.read(card, OWN.info + 4, 4),
    ]);
    const info = readInfo((high << HALF) | low);
    if (info.magic !== AXI_MAGIC)
      throw new SimError(
        'not-supported',
        'protocol',
        `${name}: expected the register info to begin with 0x${AXI_MAGIC.toString(16)}, found 0x${info.magic.toString(16)}`,
      );
    const device = new BoardDevice(name, memory, helper, card, info);
    helper.write(card, OWN.reset, 1n, 4);
    for (let i = 0; (await helper.read(card, OWN.reset, 4)) !== 0n; i++) {
      if (i === RESET_TRIES)
        throw new SimError(
          'timeout',
          'wedged',
          `${name}: expected its core to reset, found it waiting for its bus or link`,
        );
    }
    device.#write(OWN.mask, ALL, 8);
    return device;
  }

  async barRead(bar: 0 | 2, offset: number, bytes: 4 | 8 = 8): Promise<bigint> {
    const place = this.#place(bar, offset, bytes);
    if (bytes === 4 || this.info.accessBytes === 8) return this.helper.read(this.card, place, bytes);
    const [low, high] = await Promise.all([
      this.helper.read(this.card, place, 4),
      this.helper.read(this.card, place + 4, 4),
    ]);
    return (high << HALF) | low;
  }

  barWrite(bar: 0 | 2, offset: number, value: bigint, bytes: 4 | 8 = 8): void {
    this.#write(this.#place(bar, offset, bytes), value, bytes);
  }

  async memRead(address: bigint, length: number): Promise<Uint8Array> {
    this.#checkMemory(address, length);
    return this.helper.memoryRead(this.card, address, length);
  }

  memWrite(address: bigint, bytes: Uint8Array): void {
    this.#checkMemory(address, bytes.length);
    this.helper.memoryWrite(this.card, address, bytes);
  }

  onInterrupt(handler: (vector: number) => void): void {
    this.#handlers.push(handler);
  }

  setLink(): void {
    throw new IbError('not-supported', `${this.name}: its link is a cable, no program can pull it`);
  }

  /** Takes what is pending and tells of it; how many vectors that were. */
  async takeInterrupts(): Promise<number> {
    const [low, high] = await Promise.all([
      this.helper.read(this.card, OWN.pending, 4),
      this.helper.read(this.card, OWN.pending + 4, 4),
    ]);
    const pending = (high << HALF) | low;
    if (pending === 0n) return 0;
    this.#write(OWN.pending, pending, 8);
    let count = 0;
    for (let vector = 0; vector < this.info.lines; vector++) {
      if (((pending >> BigInt(vector)) & 1n) === 0n) continue;
      count++;
      for (const handler of this.#handlers) handler(vector);
    }
    return count;
  }

  /** Low half first: the wrapper makes one access of both. */
  #write(place: number, value: bigint, bytes: 4 | 8): void {
    if (bytes === 4 || this.info.accessBytes === 8) {
      this.helper.write(this.card, place, value, bytes);
    } else {
      this.helper.write(this.card, place, value & LOW, 4);
      this.helper.write(this.card, place + 4, (value >> HALF) & LOW, 4);
    }
  }

  // Misuse is an error here, where the caller can still be seen, and not the end of the helper.
  #place(bar: 0 | 2, offset: number, bytes: number): number {
    const place =
      Number.isInteger(offset) && offset >= 0 && offset % bytes === 0 ? placeOf(bar, offset) : undefined;
    if (place === undefined)
      throw new IbError(
        'bad-argument',
        `bar offset: expected a multiple of ${bytes} in the window, got ${offset}`,
      );
    return place;
  }

  #checkMemory(address: bigint, length: number): void {
    const { base, bytes } = this.memory;
    if (address < base || address + BigInt(length) > base + BigInt(bytes))
      throw new IbError(
        'bad-argument',
        `${this.name}: expected memory in 0x${base.toString(16)}..0x${(base + BigInt(bytes)).toString(16)}, got ${length} bytes at 0x${address.toString(16)}`,
      );
  }
}
