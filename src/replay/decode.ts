import { type Framed, nativeFrame, roceFrame } from '../check/index.ts';
import { IbError } from '../spec/errors.ts';
import { WQE_BLOCK_BYTES } from '../spec/gen/constants.ts';
import { RECORD_NOTES } from '../spec/gen/fields.ts';
import { WQE_HEADER } from '../spec/gen/records.ts';
import { recordSection, type Section } from './fields.ts';
import { packetSections } from './packet-sections.ts';
import { wqeSections } from './wqe.ts';

/** What `decode` knows, beside packets. */
export const RECORD_KINDS: readonly string[] = ['wqe', ...RECORD_NOTES.map(({ layout }) => layout.name)];

/** How a packet begins. */
export const PACKET_BEGINS = ['lrh', 'ethernet'] as const;
export type PacketBegin = (typeof PACKET_BEGINS)[number];

/** One record, or one packet. */
export interface Entry {
  kind: string;
  /** From 0 on; of packets of a capture from 1 on, as there. */
  index: number;
  offset: number;
  sections: Section[];
}

export interface Selection {
  /** Of the first one. */
  offset?: number | undefined;
  count?: number | undefined;
  /** Bytes from one to the next, if not those of the record. */
  stride?: number | undefined;
}

/** Records that stand one after another. Without a selection the bytes must be one record. */
export function decodeRecords(kind: string, bytes: Uint8Array, selection: Selection = {}): Entry[] {
  const notes = RECORD_NOTES.find(({ layout }) => layout.name === kind);
  if (!notes && kind !== 'wqe') throw unknownKind(kind);
  const size = notes?.layout.bytes ?? WQE_HEADER.bytes;
  const { offset = 0, count = 1, stride = notes ? size : WQE_BLOCK_BYTES } = selection;
  const isOne = selection.offset === undefined && selection.count === undefined;
  if (stride < size)
    throw new IbError('bad-argument', `stride: expected at least ${size} bytes, found ${stride}`);
  const needed = offset + (count - 1) * stride + size;
  if (bytes.length < needed || (isOne && notes && bytes.length > needed)) {
    const expected = isOne ? `${notes ? '' : 'at least '}${size}` : `at least ${needed}`;
    const hint = bytes.length > needed ? ' (--offset and --count choose from more)' : '';
    throw new IbError('short-buffer', `${kind}: expected ${expected} bytes, found ${bytes.length}${hint}`);
  }
  return Array.from({ length: count }, (_, index) => {
    const at = offset + index * stride;
    const sections = notes ? [recordSection(notes, bytes, at)] : wqeSections(bytes, at);
    return { kind, index, offset: at, sections };
  });
}

export function decodePacket(bytes: Uint8Array, begin: PacketBegin = 'lrh'): Entry {
  const framed = begin === 'lrh' ? nativeFrame(bytes) : roceFrame(bytes);
  return packetEntry(framed, bytes, 0);
}

/** A packet of a capture, or of bytes; `bytes` is what was framed. */
export function packetEntry(framed: Framed, bytes: Uint8Array, index: number): Entry {
  if ('frame' in framed)
    return { kind: 'packet', index, offset: 0, sections: packetSections(framed.frame, bytes) };
  const found = 'fault' in framed ? framed.fault : framed.skipped;
  throw new IbError('bad-argument', `packet: expected one of InfiniBand or RoCEv2, found ${found}`);
}

export const unknownKind = (kind: string): IbError =>
  new IbError(
    'bad-argument',
    `kind: expected packet or one of ${RECORD_KINDS.join(', ')}, found ${JSON.stringify(kind)}`,
  );
