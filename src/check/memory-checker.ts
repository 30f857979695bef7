import { hex } from './bytes.ts';

/** Host memory as the CPU sees it. */
export interface Memory {
  memRead(address: bigint, length: number): Promise<Uint8Array>;
}

/** Bytes that lie in a row in physical memory. */
export interface Extent {
  address: bigint;
  length: number;
}

export interface Expectation {
  name: string;
  /** In the order of the bytes. */
  extents: readonly Extent[];
  bytes: Uint8Array;
}

export interface MemoryViolation {
  name: string;
  kind: 'content' | 'guard';
  /** Of the first byte that differs, in the buffer. */
  offset: number;
  address: bigint;
  expected: number;
  found: number;
  /** Bytes that differ in all. */
  differing: number;
}

export interface GuardOptions {
  pageBytes?: number;
  /** What a guard page is full of. */
  fill?: number;
}

const PAGE_BYTES = 4096;

/**
 * Compares the memory of one host with what it must hold, and its guard pages with what they were filled
 * with. Contents are told whole: whoever predicts them changes them with `expect` again.
 */
export class MemoryChecker {
  readonly #expectations = new Map<string, Expectation>();
  readonly #guards: Expectation[] = [];

  /** What a buffer holds; replaces what was told of that name. */
  expect(expectation: Expectation): void {
    const length = expectation.extents.reduce((sum, extent) => sum + extent.length, 0);
    if (length !== expectation.bytes.length) {
      throw new Error(`${expectation.name}: expected ${length} bytes, got ${expectation.bytes.length}`);
    }
    this.#expectations.set(expectation.name, expectation);
  }

  /** The buffer was freed. */
  forget(name: string): void {
    this.#expectations.delete(name);
  }

  guard(name: string, page: bigint, { pageBytes = PAGE_BYTES, fill = 0 }: GuardOptions = {}): void {
    const bytes = new Uint8Array(pageBytes).fill(fill);
    this.#guards.push({ name, extents: [{ address: page, length: pageBytes }], bytes });
  }

  /** The first difference of each buffer and guard page. */
  async check(memory: Memory): Promise<MemoryViolation[]> {
    const contents = [...this.#expectations.values()].map((each) => compare(memory, each, 'content'));
    const guards = this.#guards.map((each) => compare(memory, each, 'guard'));
    return (await Promise.all([...contents, ...guards])).filter((found) => found !== undefined);
  }
}

async function compare(
  memory: Memory,
  { name, extents, bytes }: Expectation,
  kind: MemoryViolation['kind'],
): Promise<MemoryViolation | undefined> {
  let first: Omit<MemoryViolation, 'differing'> | undefined;
  let differing = 0;
  let offset = 0;
  const parts = await Promise.all(extents.map(({ address, length }) => memory.memRead(address, length)));
  for (const [i, { address, length }] of extents.entries()) {
    for (let at = 0; at < length; at++) {
      const [expected, found] = [bytes[offset + at]!, parts[i]![at]!];
      if (expected === found) continue;
      differing++;
      first ??= { name, kind, offset: offset + at, address: address + BigInt(at), expected, found };
    }
    offset += length;
  }
  return first && { ...first, differing };
}

export const formatMemoryViolation = (v: MemoryViolation): string =>
  `${v.kind === 'guard' ? 'guard page' : 'buffer'} ${v.name}: byte ${v.offset} (${hex(v.address)}): ` +
  `expected ${hex(v.expected, 2)}, found ${hex(v.found, 2)}; ${v.differing} ${v.differing === 1 ? 'byte differs' : 'bytes differ'}`;
