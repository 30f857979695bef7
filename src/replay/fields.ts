import { type FieldNote, RECORD_NOTES, type RecordNotes } from '../spec/gen/fields.ts';
import { type Fields, type Layout, layout } from '../spec/layout.ts';

/** One field of a record, for people. */
export interface FieldText {
  field: string;
  /** Bytes of the record that it lies in. */
  bytes: string;
  /** Its bits: of the whole record if that is little-endian, else of those bytes. */
  bits: string;
  value: number | bigint;
  /** As it is shown. */
  text: string;
  /** The name of the value, and what the field is. */
  meaning: string;
}

/** A record, or another part of what was decoded. */
export interface Section {
  name: string;
  /** Of its first byte in what was given. */
  offset: number;
  fields: FieldText[];
}

/** What a value of a field stands for, beside the enumeration of the layout. */
export type Meaning = (value: number) => string | undefined;

export const recordNotes = (name: string): RecordNotes => {
  const notes = RECORD_NOTES.find((each) => each.layout.name === name);
  if (!notes) throw new Error(`${name}: expected a record`);
  return notes;
};

/** A record at `at`; reserved bits are left out where they are 0. */
export function recordSection(
  { layout: record, notes }: RecordNotes,
  bytes: Uint8Array,
  at: number,
  meanings: Readonly<Record<string, Meaning>> = {},
): Section {
  const values = withReserved(record).unpack(bytes, at) as Record<string, number | bigint>;
  const fields: FieldText[] = [];
  let bit = 0;
  for (const [name, width] of Object.entries(record.fields)) {
    const reserved = name.startsWith('_');
    const value = values[reserved ? RESERVED + name : name]!;
    if (!reserved || BigInt(value) !== 0n) {
      fields.push({
        field: reserved ? 'reserved' : name,
        ...positionOf(record, bit, width),
        value,
        text: textOf(value, width),
        meaning: reserved ? 'expected to be 0' : meaningOf(value, notes[name] ?? {}, meanings[name]),
      });
    }
    bit += width;
  }
  return { name: record.name, offset: at, fields };
}

const RESERVED = 'reserved';
const known = new Map<string, Layout<Fields>>();

/** The same layout with names for its reserved bits, so that they are decoded too. */
function withReserved({ name, endian, fields }: Layout<Fields>): Layout<Fields> {
  const made =
    known.get(name) ??
    layout(
      name,
      endian,
      Object.fromEntries(
        Object.entries(fields).map(([field, width]) => [
          field.startsWith('_') ? RESERVED + field : field,
          width,
        ]),
      ),
    );
  known.set(name, made);
  return made;
}

function positionOf({ endian }: Layout<Fields>, bit: number, width: number): { bytes: string; bits: string } {
  const [first, last] = [bit >> 3, (bit + width - 1) >> 3];
  const low = endian === 'little' ? bit : 8 * (last + 1) - bit - width;
  return {
    bytes: first === last ? address(first) : `${address(first)}-${address(last)}`,
    bits: width === 1 ? `${low}` : `${low + width - 1}:${low}`,
  };
}

const address = (byte: number): string => `0x${byte.toString(16).padStart(2, '0')}`;

/** Numbers of more than a byte in hexadecimal as well. */
function textOf(value: number | bigint, width: number): string {
  const hex = `0x${value.toString(16).padStart(Math.ceil(width / 4), '0')}`;
  if (width <= 4) return `${value}`;
  return width > 32 ? hex : `${hex} (${value})`;
}

function meaningOf(value: number | bigint, { doc, valueName }: FieldNote, more: Meaning | undefined): string {
  const name = more?.(Number(value)) ?? valueName?.(Number(value));
  return [name, doc].filter(Boolean).join('; ');
}
