import type { Frame } from '../check/index.ts';
import { AethClass, aethClassName, Lnh, lnhName, NakSyndrome, nakSyndromeName } from '../spec/gen/enums.ts';
import { opcodeOf } from '../spec/gen/opcodes.ts';
import { AETH, BTH, GRH, LRH } from '../spec/gen/records.ts';
import { type FieldText, type Meaning, recordNotes, recordSection, type Section } from './fields.ts';
import { hexOf } from './hex.ts';

/** A packet header by header; `bytes` begins with its LRH, if it has one. */
export function packetSections(frame: Frame, bytes: Uint8Array): Section[] {
  const { body, payload, pad, icrc, vcrc } = frame;
  const sections: Section[] = [];
  if (frame.link) {
    sections.push(recordSection(recordNotes(LRH.name), bytes, 0, { lnh: lnhName }));
    if (frame.link.lrh.lnh === Lnh.IBA_GLOBAL)
      sections.push(recordSection(recordNotes(GRH.name), bytes, LRH.bytes));
  } else sections.push(addresses(frame));

  const start = body.byteOffset - bytes.byteOffset;
  const headers = [BTH.name, ...(opcodeOf(frame.bth.opcode)?.headers ?? [])];
  let at = start;
  for (const name of headers) {
    const notes = recordNotes(name);
    sections.push(recordSection(notes, bytes, at, MEANINGS));
    at += notes.layout.bytes;
  }
  // An opcode beyond our table has headers that count as payload here.
  const rest = bytes.subarray(at, payload.byteOffset + payload.length - bytes.byteOffset);
  const tail = [
    blob(
      'payload',
      rest,
      opcodeOf(frame.bth.opcode) ? '' : 'and the headers of its opcode, which is none of ours',
    ),
    blob('pad', pad, ''),
    ...crcField('icrc', icrc, 8),
    ...crcField('vcrc', vcrc, 4),
  ].filter(({ text }) => text !== '');
  if (tail.length > 0) sections.push({ name: 'behind the headers', offset: at, fields: tail });
  return sections;
}

const MEANINGS: Record<string, Meaning> = {
  opcode: (value) => opcodeOf(value)?.name ?? 'no opcode of ours',
  [syndromeField()]: (value) => syndromeName(value),
};

/** The first field of the AETH, by its layout. */
function syndromeField(): string {
  return Object.keys(AETH.fields)[0]!;
}

const CLASS_BITS = 5;

function syndromeName(value: number): string {
  const kind = value >> CLASS_BITS;
  const low = value & (2 ** CLASS_BITS - 1);
  if (kind === AethClass.NAK || value === NakSyndrome.ACK_NO_CREDITS) return nakSyndromeName(value);
  const what = kind === AethClass.ACK ? 'credit code' : kind === AethClass.RNR ? 'timer code' : 'code';
  return `${aethClassName(kind)}, ${what} ${low}`;
}

function addresses({ from, to }: Frame): Section {
  const field = (name: string, text: string): FieldText => {
    return { field: name, bytes: '', bits: '', value: 0, text, meaning: '' };
  };
  return { name: 'RoCEv2', offset: 0, fields: [field('from', from), field('to', to)] };
}

const blob = (field: string, bytes: Uint8Array, meaning: string): FieldText => {
  const size = `${bytes.length} byte${bytes.length === 1 ? '' : 's'}`;
  const text = hexOf(bytes);
  return {
    field,
    bytes: '',
    bits: '',
    value: bytes.length,
    text,
    meaning: [size, meaning].filter(Boolean).join(' '),
  };
};

function crcField(field: string, crc: Frame['icrc'], digits: number): FieldText[] {
  if (!crc) return [];
  const hex = (value: number): string => `0x${value.toString(16).padStart(digits, '0')}`;
  const meaning = crc.found === crc.expected ? 'right' : `wrong: expected ${hex(crc.expected)}`;
  return [{ field, bytes: '', bits: '', value: crc.found, text: hex(crc.found), meaning }];
}
