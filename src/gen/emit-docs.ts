import { hex } from './names.ts';
import type { Field, RecordSpec, Register, Spec } from './spec.ts';

const HEADER = `# Registers, tables and headers

Generated from \`src/spec/*.yaml\` by \`make gen\`: edit the YAML there.
`;

/** docs/registers.md: the interface for a reader. */
export function emitDocs(spec: Spec): string {
  const sections = [
    HEADER,
    heading('BAR0 registers', spec.registers, registerTable),
    heading('Regions', spec.regions, (regions) =>
      table(
        ['BAR', 'Offset', 'Name', 'Bytes', 'Entry', 'Meaning'],
        regions.map((r) => [
          r.bar,
          address(r.at),
          code(r.name),
          r.bytes ?? 'entries times stride',
          r.entry ? `${link(r.entry.name)}, ${r.entry.bytes} bytes` : '',
          r.doc,
        ]),
      ),
    ),
    heading('Doorbells', spec.doorbells, (doorbells) =>
      [
        'Byte offsets in a doorbell page.\n',
        table(
          ['Offset', 'Name', 'Record', 'Meaning'],
          doorbells.map((d) => [address(d.at), code(d.name), link(d.record.name), d.doc]),
        ),
      ].join('\n'),
    ),
    heading('Records', spec.records, (records) => records.map(recordSection).join('\n')),
    heading('Queue pair transitions', spec.transitions, (transitions) =>
      table(
        ['From', 'To', 'Required', 'Optional', 'Note'],
        transitions.map((t) => [
          t.from,
          t.to,
          t.required.map(code).join(' '),
          t.optional.map(code).join(' '),
          t.doc,
        ]),
      ),
    ),
    heading('Attributes of modify_qp', spec.attributes, (attributes) =>
      table(
        ['Bit', 'Name', 'Fields of the QPC', 'Meaning'],
        attributes.map((a) => [a.bit, code(a.name), attributeFields(spec, a.name), a.doc]),
      ),
    ),
    heading('Opcodes', spec.opcodes, (opcodes) =>
      table(
        ['Value', 'Name', 'Behind the BTH', 'Header bytes', 'Kind', 'Position', 'Payload'],
        opcodes.map((o) => [
          address(o.value, 2),
          code(o.name),
          o.headers.map(link).join(' '),
          o.headerBytes,
          o.kind,
          o.position,
          o.payload ? 'yes' : '',
        ]),
      ),
    ),
    heading('Enumerations', spec.enums, (enums) =>
      enums
        .map((e) =>
          [
            `### ${e.name}\n`,
            `${e.doc} ${e.width} bits.\n`.trimStart(),
            table(
              ['Value', 'Name', 'Meaning'],
              e.values.map((v) => [address(v.value), code(v.name), v.doc]),
            ),
          ].join('\n'),
        )
        .join('\n'),
    ),
    heading('Constants', spec.constants, (constants) =>
      table(
        ['Name', 'Value', 'Meaning'],
        constants.map((c) => [code(c.name), c.value > 4096n ? address(c.value) : c.value, c.doc]),
      ),
    ),
  ];
  return sections.filter(Boolean).join('\n');
}

const code = (text: string): string => `\`${text}\``;
const link = (record: string): string => `[${record}](#${record})`;
const address = (value: number | bigint, digits = 2): string => `0x${hex(value, digits)}`;

function heading<T>(title: string, items: readonly T[], body: (items: readonly T[]) => string): string {
  return items.length === 0 ? '' : `## ${title}\n\n${body(items)}`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number | bigint)[])[]): string {
  const line = (cells: readonly (string | number | bigint)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

function range(low: number, width: number): string {
  return width === 1 ? String(low) : `${low + width - 1}:${low}`;
}

const meaning = (f: Field): string =>
  [f.doc, f.enum && `[${f.enum}](#${f.enum})`, f.slice && `written by the ${f.slice}`]
    .filter(Boolean)
    .join('; ');

function registerTable(registers: readonly Register[]): string {
  const overview = table(
    ['Offset', 'Name', 'Bits', 'Access', 'Reset', 'Meaning'],
    registers.map((r) => [address(r.at, 3), code(r.name), r.width, r.access, address(r.reset, 1), r.doc]),
  );
  const details = registers
    .filter((r) => r.fields.length > 0)
    .map((r) =>
      [
        `### Register ${r.name}\n`,
        table(
          ['Bits', 'Field', 'Meaning'],
          r.fields.map((f) => [range(f.lsb, f.width), f.reserved ? 'reserved' : code(f.name), meaning(f)]),
        ),
      ].join('\n'),
    );
  return [overview, ...details].join('\n');
}

/** Positions are those of the standard's drawings: bits of a 32-bit word, big-endian ones on the wire. */
function recordSection(record: RecordSpec): string {
  const note =
    record.endian === 'little'
      ? 'Little-endian: bit 0 is the lowest bit of byte 0.'
      : 'Big-endian: bits of a byte count from 7 down to 0.';
  const withAttr = record.fields.some((f) => f.attr);
  return [
    `### ${record.name}\n`,
    `${record.doc} ${record.bytes} bytes. ${note}\n`.trimStart(),
    table(
      [
        'Byte',
        record.endian === 'little' ? 'Bits of the record' : 'Bits of its bytes',
        'Field',
        ...(withAttr ? ['Attribute'] : []),
        'Meaning',
      ],
      record.fields.map((f) => [
        ...position(record, f),
        f.reserved ? 'reserved' : code(f.name),
        ...(withAttr ? [f.attr ? code(f.attr) : ''] : []),
        meaning(f),
      ]),
    ),
  ].join('\n');
}

function position(record: RecordSpec, field: Field): [string, string] {
  const total = record.bytes * 8;
  const start = record.endian === 'little' ? field.lsb : total - field.lsb - field.width;
  const first = start >> 3;
  const last = (start + field.width - 1) >> 3;
  const bytes = first === last ? address(first) : `${address(first)}-${address(last)}`;
  if (record.endian === 'little') return [bytes, range(field.lsb, field.width)];
  return [bytes, range(field.lsb - (total - 8 * (last + 1)), field.width)];
}

function attributeFields(spec: Spec, attribute: string): string {
  const fields = spec.records.find((r) => r.name === 'qpc')?.fields.filter((f) => f.attr === attribute) ?? [];
  return fields.map((f) => code(f.name)).join(' ');
}
