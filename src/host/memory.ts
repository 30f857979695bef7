import type { Device } from '../device.ts';
import { PAGE_BYTES } from '../spec/gen/constants.ts';
import { VerbsError } from './errors.ts';
import { PageAllocator, type PageOptions, type PageSet } from './pages.ts';

export interface BufferOptions {
  /** Of the first byte in its first page. */
  offset?: number;
  /** log2 of the pages it is made of; bytes within one are contiguous in memory. */
  pageShift?: number;
  label?: string;
}

const MIN_PAGE_SHIFT = Math.log2(PAGE_BYTES);
const FIRST_VA = 0x7f00_0000_0000n; // far from physical addresses, so that mixing them up shows

/** Memory of the consumer: virtual addresses in a row, pages anywhere. */
export class HostBuffer {
  readonly #device: Device;
  readonly pageSet: PageSet;
  /** Regions that name it. */
  users = 0;

  constructor(
    device: Device,
    pageSet: PageSet,
    readonly va: bigint,
    readonly length: number,
    /** Of the first byte in its first page. */
    readonly offset: number,
  ) {
    this.#device = device;
    this.pageSet = pageSet;
  }

  /** Physical addresses. */
  get pages(): readonly bigint[] {
    return this.pageSet.pages;
  }

  get pageShift(): number {
    return this.pageSet.pageShift;
  }

  /** Physical address of a byte. */
  physical(at: number): bigint {
    return this.#locate(this.offset + at);
  }

  /** Physical address of page `index`, counted in pages of 2^pageShift, which are no larger than its own. */
  page(index: number, pageShift: number): bigint {
    return this.#locate(index * 2 ** pageShift);
  }

  /** Posted, as all memory writes. */
  write(at: number, bytes: Uint8Array): void {
    for (const run of this.#runs(at, bytes.length)) {
      this.#device.memWrite(run.address, bytes.subarray(run.at, run.at + run.length));
    }
  }

  async read(at = 0, length = this.length - at): Promise<Uint8Array> {
    const runs = this.#runs(at, length);
    const parts = await Promise.all(runs.map((run) => this.#device.memRead(run.address, run.length)));
    const bytes = new Uint8Array(length);
    parts.forEach((part, i) => {
      bytes.set(part, runs[i]!.at);
    });
    return bytes;
  }

  #locate(position: number): bigint {
    const size = 2 ** this.pageShift;
    return this.pages[Math.floor(position / size)]! + BigInt(position % size);
  }

  /** Pieces that are contiguous in memory. */
  #runs(from: number, length: number): { at: number; address: bigint; length: number }[] {
    if (from < 0 || length < 0 || from + length > this.length) {
      throw new VerbsError(
        'INVALID_LENGTH',
        `buffer: expected at most ${this.length} bytes, got ${from}+${length}`,
      );
    }
    const size = 2 ** this.pageShift;
    const runs: { at: number; address: bigint; length: number }[] = [];
    for (let at = 0; at < length; ) {
      const position = this.offset + from + at;
      const piece = Math.min(length - at, size - (position % size));
      runs.push({ at, address: this.#locate(position), length: piece });
      at += piece;
    }
    return runs;
  }
}

/** The memory of a host: pages for the driver's rings and buffers for the consumer. */
export class HostMemory {
  readonly pages: PageAllocator;
  readonly #device: Device;
  readonly #buffers = new Set<HostBuffer>();
  readonly #pins = new Map<bigint, number>(); // by physical address
  #nextVa = FIRST_VA;

  constructor(device: Device, options: PageOptions = {}) {
    this.#device = device;
    this.pages = new PageAllocator({ ...options, ...device.memory });
  }

  allocate(length: number, options: BufferOptions = {}): HostBuffer {
    const { offset = 0, pageShift = MIN_PAGE_SHIFT, label = 'buffer' } = options;
    const size = 2 ** pageShift;
    const set = this.pages.allocate(Math.max(1, Math.ceil((offset + length) / size)), label, pageShift);
    const start = ((this.#nextVa + BigInt(size) - 1n) / BigInt(size)) * BigInt(size);
    this.#nextVa = start + BigInt((set.pages.length + 1) * size);
    const buffer = new HostBuffer(this.#device, set, start + BigInt(offset), length, offset);
    this.#buffers.add(buffer);
    return buffer;
  }

  /** Pages of regions stay where they are until each pin is gone (C10-52.2.1). */
  pin(pages: readonly bigint[]): void {
    for (const page of pages) this.#pins.set(page, this.pinsOf(page) + 1);
  }

  unpin(pages: readonly bigint[]): void {
    for (const page of pages) {
      const left = this.pinsOf(page) - 1;
      if (left > 0) this.#pins.set(page, left);
      else this.#pins.delete(page);
    }
  }

  /** How many regions hold a page. */
  pinsOf(page: bigint): number {
    return this.#pins.get(page) ?? 0;
  }

  free(buffer: HostBuffer): void {
    const pinned = this.#pinsIn(buffer);
    if (pinned > 0) throw new VerbsError('BUSY', `buffer: ${pinned} of its pages are pinned`);
    if (this.#buffers.delete(buffer)) this.pages.free(buffer.pageSet);
  }

  /** Pinned pages, be they smaller than those of the buffer. */
  #pinsIn({ pages, pageShift }: HostBuffer): number {
    const own = new Set(pages.map((page) => page >> BigInt(pageShift)));
    return [...this.#pins.keys()].filter((page) => own.has(page >> BigInt(pageShift))).length;
  }

  /** The buffer that holds all of these virtual addresses. */
  find(va: bigint, length: bigint): HostBuffer | undefined {
    for (const buffer of this.#buffers) {
      if (va >= buffer.va && va + length <= buffer.va + BigInt(buffer.length)) return buffer;
    }
    return undefined;
  }
}
