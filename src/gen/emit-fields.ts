import { camel, docLine, quote, upper } from './names.ts';
import type { RecordSpec, Spec } from './spec.ts';

/** What a decoder for people says of the fields of a record. */
export function emitFields(spec: Spec): string {
  const enums = new Set(spec.records.flatMap((r) => r.fields.flatMap((f) => (f.enum ? [f.enum] : []))));
  const names = [...enums].map((name) => `${camel(name)}Name`).sort();
  const note = ({ name, enum: of, doc }: RecordSpec['fields'][number]): string[] => {
    const parts = [...(doc ? [`doc: ${quote(doc)}`] : []), ...(of ? [`valueName: ${camel(of)}Name`] : [])];
    return parts.length > 0 ? [`      ${camel(name)}: { ${parts.join(', ')} },`] : [];
  };
  return [
    `import { ${names.join(', ')} } from './enums.ts';`,
    `import { ${spec.records.map((r) => upper(r.name)).join(', ')} } from './records.ts';`,
    "import type { Fields, Layout } from '../layout.ts';",
    '',
    'export interface FieldNote {',
    '  readonly doc?: string;',
    '  /** Of a field that holds an enumeration. */',
    '  readonly valueName?: (value: number) => string;',
    '}',
    '',
    'export interface RecordNotes {',
    '  readonly layout: Layout<Fields>;',
    '  readonly doc: string;',
    '  readonly notes: Readonly<Record<string, FieldNote>>;',
    '}',
    '',
    ...docLine('All records, with what their fields mean.'),
    'export const RECORD_NOTES: readonly RecordNotes[] = [',
    ...spec.records.flatMap((r) => [
      '  {',
      `    layout: ${upper(r.name)} as unknown as Layout<Fields>,`,
      `    doc: ${quote(r.doc)},`,
      '    notes: {',
      ...r.fields.flatMap(note),
      '    },',
      '  },',
    ]),
    '];',
    '',
  ].join('\n');
}
