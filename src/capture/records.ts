import type { ByteReader } from './bytes.ts';
import { CaptureError } from './error.ts';
import { pcapRecords } from './pcap.ts';
import { SECTION_HEADER } from './pcapng.ts';
import { pcapngRecords } from './pcapng-reader.ts';

/** A packet of any capture. */
export interface CaptureRecord {
  /** From 1 on. */
  number: number;
  /** Of its record in the file. */
  offset: number;
  linkType: number;
  /** Interface that it was captured on. */
  port: number;
  nanoseconds: bigint;
  /** What was captured; it stays until the next record is asked for. */
  bytes: Uint8Array;
  /** Length on the wire. */
  wireBytes: number;
  comment: string;
}

/** What a file says of itself beside its packets, as far as it was read. */
export interface CaptureFacts {
  /** Link type of each interface. */
  linkTypes: number[];
  /** Packets that the capture says it has lost. */
  lost: number;
}

export const newFacts = (): CaptureFacts => ({ linkTypes: [], lost: 0 });

/** The packets of a pcap or pcapng file, one by one. */
export function captureRecords(
  reader: ByteReader,
  facts: CaptureFacts = newFacts(),
): Iterable<CaptureRecord> {
  const magic = reader.take(4).slice();
  const kind = kindOf(magic);
  if (kind === undefined) {
    const found = magic.length === 0 ? 'an empty file' : [...magic].map(byteOf).join(' ');
    throw new CaptureError(
      'NOT_PCAPNG',
      `offset 0: expected the begin of a pcap or pcapng file, found ${found}`,
    );
  }
  return kind === 'pcapng' ? pcapngRecords(reader, facts) : pcapRecords(reader, magic, facts);
}

/** By the first four bytes. */
export function kindOf(magic: Uint8Array): 'pcap' | 'pcapng' | undefined {
  if (magic.length < 4) return undefined;
  const view = new DataView(magic.buffer, magic.byteOffset, 4);
  if (view.getUint32(0) === SECTION_HEADER) return 'pcapng';
  const known = [view.getUint32(0), view.getUint32(0, true)].some((word) => PCAP_MAGICS.includes(word));
  return known ? 'pcap' : undefined;
}

const PCAP_MAGICS: readonly number[] = [0xa1b2c3d4, 0xa1b23c4d];
const byteOf = (byte: number): string => byte.toString(16).padStart(2, '0');
