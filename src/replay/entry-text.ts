import { RECORD_NOTES } from '../spec/gen/fields.ts';
import type { Entry } from './decode.ts';
import { recordNotes, type Section } from './fields.ts';

/** Columns of what a field is told by, but the last. */
const COLUMNS = ['bytes', 'bits', 'field', 'text'] as const;

/** An entry for people, a field a line. */
export function entryLines({ kind, index, offset, sections }: Entry): string[] {
  const title = kind === 'packet' && index === 0 ? kind : `${kind} ${index}`;
  return [`${title}${offset > 0 ? ` at byte ${offset}` : ''}`, ...sections.flatMap(sectionLines)];
}

function sectionLines({ name, fields }: Section): string[] {
  const widths = COLUMNS.map((column) => Math.max(...fields.map((field) => field[column].length)));
  // What is longer than a line, as payload, does not widen the others.
  const widest = (i: number): number => Math.min(widths[i]!, MOST_WIDTH);
  const is = RECORD_NOTES.some(({ layout }) => layout.name === name);
  const doc = is ? recordNotes(name) : undefined;
  return [
    `  ${name}${doc ? `: ${doc.doc} ${doc.layout.bytes} bytes, ${doc.layout.endian}-endian` : ''}`,
    ...fields.map((field) =>
      `    ${COLUMNS.map((column, i) => field[column].padEnd(widest(i))).join('  ')}  ${field.meaning}`.trimEnd(),
    ),
  ];
}

const MOST_WIDTH = 34; // a GID

/** An entry for programs: numbers of more than 32 bits as hexadecimal text. */
export const entryJson = ({ kind, index, offset, sections }: Entry) => ({
  kind,
  index,
  offset,
  sections: sections.map((section) => ({
    ...section,
    fields: section.fields.map(({ value, ...rest }) => ({
      ...rest,
      value: typeof value === 'bigint' ? rest.text : value,
    })),
  })),
});
