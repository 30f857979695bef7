import { IbError } from '../spec/errors.ts';
import { WQE_MARK } from '../spec/gen/constants.ts';
import { WrOpcode } from '../spec/gen/enums.ts';
import { WQE_ATOMIC, WQE_DATA, WQE_HEADER } from '../spec/gen/records.ts';
import { recordNotes, recordSection, type Section } from './fields.ts';
import { hexOf } from './hex.ts';

const ATOMICS: readonly number[] = [WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD];

/** A whole WQE: its header, then segments or bytes, and the operands of an atomic. */
export function wqeSections(bytes: Uint8Array, at: number): Section[] {
  const header = WQE_HEADER.unpack(bytes, at);
  const mark = (value: number) => (value === WQE_MARK ? undefined : 'a stale slot: no mark of a WQE');
  const sections = [recordSection(recordNotes(WQE_HEADER.name), bytes, at, { mark })];
  let next = at + WQE_HEADER.bytes;
  const room = (count: number, what: string): void => {
    if (next + count > bytes.length)
      throw new IbError(
        'bad-argument',
        `wqe at ${at}: expected ${next - at + count} bytes with ${what}, found ${bytes.length - at}`,
      );
  };
  if (header.inline === 1) {
    room(header.inlineBytes, `${header.inlineBytes} inline bytes`);
    const text = hexOf(bytes.subarray(next, next + header.inlineBytes));
    const field = {
      field: 'inline',
      bytes: '',
      bits: '',
      value: header.inlineBytes,
      text,
      meaning: 'payload',
    };
    return [...sections, { name: 'inline bytes', offset: next, fields: [field] }];
  }
  for (let i = 0; i < header.segments; i++) {
    room(WQE_DATA.bytes, `${header.segments} segments`);
    sections.push(recordSection(recordNotes(WQE_DATA.name), bytes, next));
    next += WQE_DATA.bytes;
  }
  if (ATOMICS.includes(header.opcode)) {
    room(WQE_ATOMIC.bytes, 'the operands of an atomic');
    sections.push(recordSection(recordNotes(WQE_ATOMIC.name), bytes, next));
  }
  return sections;
}
