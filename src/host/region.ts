import { Access } from './access.ts';
import type { Context } from './context.ts';
import { VerbsError } from './errors.ts';
import { HostBuffer } from './memory.ts';

/** Where a region lies: a buffer of the host, an address in one, or pages named one by one. */
export type RegionMemory = HostBuffer | bigint;

export interface RegionOptions {
  /** Address of the first byte in work requests; otherwise its virtual address. */
  iova?: bigint;
  /** log2 of the page size in the translation. */
  pageShift?: number;
  /** Physical pages of 2^pageShift bytes, in place of those of the buffer. */
  pages?: readonly bigint[];
  /** Of the first byte in its first page, with `pages`. */
  offset?: number | bigint;
}

/** What the translation of a region is made of. */
export interface Translation {
  readonly start: bigint;
  readonly length: bigint;
  readonly offset: bigint;
  readonly pageShift: number;
  readonly pages: readonly bigint[];
  readonly buffer: HostBuffer | undefined;
}

const MIN_PAGE_SHIFT = 12;
const MAX_PAGE_SHIFT = 30;
const MAX_LENGTH = 1n << 63n;
const ADDRESS_END = 1n << 64n;
const KNOWN_ACCESS = Object.values(Access).reduce((all, right) => all | right, 0);

export function translate(
  context: Context,
  memory: RegionMemory,
  size: number | bigint,
  options: RegionOptions,
): Translation {
  const length = BigInt(size);
  const va = memory instanceof HostBuffer ? memory.va : memory;
  const start = options.iova ?? va;
  context.require(
    length >= 0n && length <= MAX_LENGTH && start + length <= ADDRESS_END,
    'INVALID_LENGTH',
    () => `region: expected at most 2^63 bytes below address 2^64, got ${length} from ${start}`,
  );
  const { pages } = options;
  if (pages) return fromPages(context, pages, start, length, options);
  const buffer = memory instanceof HostBuffer ? memory : context.memory.find(va, length);
  if (!buffer || va + length > buffer.va + BigInt(buffer.length)) {
    throw new VerbsError('INVALID_VA', `region: ${length} bytes from 0x${va.toString(16)} are in no buffer`);
  }
  return fromBuffer(buffer, va, start, length, options);
}

function fromPages(
  context: Context,
  pages: readonly bigint[],
  start: bigint,
  length: bigint,
  options: RegionOptions,
): Translation {
  const { pageShift = MIN_PAGE_SHIFT } = options;
  const offset = BigInt(options.offset ?? 0);
  context.require(
    pageShift >= MIN_PAGE_SHIFT && pageShift <= MAX_PAGE_SHIFT,
    'INVALID_BUFFER_LIST',
    () => `page shift: expected ${MIN_PAGE_SHIFT}..${MAX_PAGE_SHIFT}, got ${pageShift}`,
  );
  const size = 1n << BigInt(pageShift);
  context.require(
    offset < size &&
      pages.every((page) => page % size === 0n) &&
      BigInt(pages.length) * size >= offset + length,
    'INVALID_BUFFER_LIST',
    () => `region: expected aligned pages for ${length} bytes from offset ${offset}, got ${pages.length}`,
  );
  return { start, length, offset, pageShift, pages, buffer: undefined };
}

function fromBuffer(
  buffer: HostBuffer,
  va: bigint,
  start: bigint,
  length: bigint,
  options: RegionOptions,
): Translation {
  const pageShift = options.pageShift ?? Math.min(buffer.pageShift, MAX_PAGE_SHIFT);
  if (pageShift < MIN_PAGE_SHIFT || pageShift > buffer.pageShift) {
    throw new VerbsError(
      'INVALID_BUFFER_LIST',
      `page shift: expected ${MIN_PAGE_SHIFT}..${buffer.pageShift} as the buffer has, got ${pageShift}`,
    );
  }
  const size = 2 ** pageShift;
  const position = buffer.offset + Number(va - buffer.va);
  const first = Math.floor(position / size);
  const end = Math.ceil((position + Number(length)) / size);
  const pages = Array.from({ length: end - first }, (_, i) => buffer.page(first + i, pageShift));
  return { start, length, offset: BigInt(position - first * size), pageShift, pages, buffer };
}

/** Rights that a region cannot have. */
export function checkAccess(context: Context, access: number): void {
  const remoteChange = (access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) !== 0;
  context.require(
    (access & ~KNOWN_ACCESS) === 0 && (!remoteChange || (access & Access.LOCAL_WRITE) !== 0),
    'INVALID_ACCESS',
    () => `access: expected local write with remote write or atomic, got ${access}`,
  );
  context.require(
    (access & Access.ZERO_BASED) === 0,
    'NOT_SUPPORTED',
    () => 'access: the device has no zero-based addresses',
  );
  context.require(
    (access & Access.MW_BIND) === 0 || context.attributes.capability.mw === 1,
    'NOT_SUPPORTED',
    () => 'access: the device has no memory windows',
  );
}
