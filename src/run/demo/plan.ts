import type { Operation } from '../wire-limit.ts';

export const OPERATIONS: readonly Operation[] = [
  'SEND',
  'SEND_WITH_IMM',
  'RDMA_WRITE',
  'RDMA_WRITE_WITH_IMM',
  'RDMA_READ',
];

export const MAX_FILE_BYTES = 64 * 2 ** 20;

/** How a file of some size is moved. */
export interface Plan {
  fileBytes: number;
  messageBytes: number;
  messages: number;
  /** Messages under way at once, in each direction. */
  window: number;
  /** log2 of the pages that hold it: large ones for large files. */
  pageShift: number;
  mtuBytes: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const MANY_MESSAGES = 16;
const SMALL_PAGE_SHIFT = 12;
const LARGE_PAGE_SHIFT = 21;

/** About sixteen messages, but of 4 KiB to 1 MiB each. */
export function planFor(fileBytes: number, mtuBytes: number): Plan {
  const wanted = 2 ** Math.ceil(Math.log2(Math.max(1, fileBytes / MANY_MESSAGES)));
  const messageBytes = Math.min(Math.max(wanted, 4 * KIB), MIB);
  return {
    fileBytes,
    messageBytes,
    messages: Math.max(1, Math.ceil(fileBytes / messageBytes)),
    window: 32,
    pageShift: fileBytes > 4 * MIB ? LARGE_PAGE_SHIFT : SMALL_PAGE_SHIFT,
    mtuBytes,
  };
}

/** Offset and length of a message. */
export function messageOf({ fileBytes, messageBytes }: Plan, index: number): { at: number; length: number } {
  const at = index * messageBytes;
  return { at, length: Math.min(messageBytes, fileBytes - at) };
}
