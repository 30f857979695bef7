import { emitFields } from './emit-fields.ts';
import { camel, docLine, hex, pascal, quote, upper } from './names.ts';
import type { Output } from './output.ts';
import type { Enum, RecordSpec, Spec } from './spec.ts';

const HEADER = '// Generated from src/spec by `make gen`: edit the YAML there.\n';

const list = (names: readonly string[]): string => `[${names.map(quote).join(', ')}]`;

/** src/spec/gen: a file for each subject. */
export function emitTypescript(spec: Spec): Output[] {
  const files: Record<string, string> = {
    constants: constants(spec),
    enums: spec.enums.map(enumeration).join('\n'),
    records: `import { layout, type ValuesOf } from '../layout.ts';\n\n${spec.records.map(record).join('\n')}`,
    fields: emitFields(spec),
    registers: registers(spec),
    opcodes: opcodes(spec),
    qp: queuePair(spec),
  };
  return Object.entries(files).map(([name, text]) => ({
    path: `src/spec/gen/${name}.ts`,
    text: `${HEADER}\n${text}`,
  }));
}

function constants(spec: Spec): string {
  return spec.constants
    .flatMap(({ name, value, doc }) => [
      ...docLine(doc),
      `export const ${upper(name)} = ${value > BigInt(Number.MAX_SAFE_INTEGER) ? `0x${hex(value)}n` : value};`,
    ])
    .concat('')
    .join('\n');
}

function enumeration({ name, doc, width, values }: Enum): string {
  const type = pascal(name);
  return [
    ...docLine(doc),
    `export const ${type} = {`,
    ...values.flatMap((v) => [
      ...docLine(v.doc, '  '),
      `  ${v.name}: ${width > 4 ? `0x${hex(v.value, 2)}` : v.value},`,
    ]),
    '} as const;',
    `export type ${type} = (typeof ${type})[keyof typeof ${type}];`,
    '',
    `const ${camel(name)}Names = new Map<number, keyof typeof ${type}>([`,
    ...values.map((v) => `  [${type}.${v.name}, ${quote(v.name)}],`),
    ']);',
    '',
    `/** The name of a value, or \`${name}(n)\` of one that has none. */`,
    `export const ${camel(name)}Name = (value: number): string => ${camel(name)}Names.get(value) ?? \`${name}(\${value})\`;`,
    '',
  ].join('\n');
}

function record({ name, endian, bytes, doc, fields }: RecordSpec): string {
  const constant = upper(name);
  return [
    ...docLine(`${doc || name} ${bytes} bytes, ${endian}-endian.`.trim()),
    `export const ${constant} = layout('${name}', '${endian}', {`,
    ...fields.map((f) => {
      const note = [f.doc, f.enum && pascal(f.enum)].filter(Boolean).join('; ');
      return `  ${camel(f.name)}: ${f.width},${note && ` // ${note}`}`;
    }),
    '});',
    `export type ${pascal(name)} = ValuesOf<typeof ${constant}>;`,
    '',
  ].join('\n');
}

function registers(spec: Spec): string {
  const widths = spec.registers
    .filter((r) => r.fields.length > 0)
    .map((r) => {
      const used = r.fields.reduce((sum, f) => sum + f.width, 0);
      const rest = r.width - used;
      const fields = [
        ...r.fields.map((f) => `${camel(f.name)}: ${f.width}`),
        ...(rest ? [`_rest: ${rest}`] : []),
      ];
      return [
        ...docLine(`Fields of the register ${r.name}.`),
        `export const ${upper(r.name)}_REG = layout('${r.name}', 'little', { ${fields.join(', ')} });`,
      ].join('\n');
    });
  const table = (name: string, doc: string, rows: readonly string[]) =>
    [...docLine(doc), `export const ${name} = {`, ...rows, '} as const;', ''].join('\n');

  return [
    "import { layout } from '../layout.ts';\n",
    table(
      'REGISTERS',
      'Registers of BAR0: byte offset, bits, reset value.',
      spec.registers.flatMap((r) => [
        ...docLine(r.doc, '  '),
        `  ${camel(r.name)}: { name: '${r.name}', at: 0x${hex(r.at, 3)}, width: ${r.width}, access: '${r.access}', reset: 0x${hex(r.reset)}n },`,
      ]),
    ),
    ...widths.map((text) => `${text}\n`),
    table(
      'REGIONS',
      'Regions of the BARs: byte offset, bytes (a table has as many entries as the device says), bytes of an entry.',
      spec.regions.flatMap((r) => [
        ...docLine(r.doc, '  '),
        `  ${camel(r.name)}: { name: '${r.name}', bar: ${r.bar}, at: 0x${hex(r.at)}` +
          `${r.bytes === undefined ? '' : `, bytes: ${r.bytes}`}${r.entry ? `, stride: ${r.entry.bytes}` : ''} },`,
      ]),
    ),
    table(
      'DOORBELLS',
      'Byte offsets in a doorbell page.',
      spec.doorbells.flatMap((d) => [...docLine(d.doc, '  '), `  ${camel(d.name)}: 0x${hex(d.at, 2)},`]),
    ),
  ].join('\n');
}

function opcodes(spec: Spec): string {
  return [
    ...docLine('Opcodes of the BTH.'),
    'export const Op = {',
    ...spec.opcodes.map((op) => `  ${op.name}: 0x${hex(op.value, 2)},`),
    '} as const;',
    'export type Op = (typeof Op)[keyof typeof Op];',
    '',
    'export interface Opcode {',
    '  readonly name: keyof typeof Op;',
    '  readonly value: number;',
    '  readonly headers: readonly string[]; // behind the BTH, in wire order',
    '  readonly headerBytes: number; // LRH, BTH and the extension headers, without a GRH',
    "  readonly kind: 'request' | 'response';",
    "  readonly position: 'first' | 'middle' | 'last' | 'only';",
    '  readonly op: string;',
    '  readonly payload: boolean;',
    '}',
    '',
    'export const OPCODES: readonly Opcode[] = [',
    ...spec.opcodes.map(
      (op) =>
        `  { name: '${op.name}', value: 0x${hex(op.value, 2)}, headers: ${list(op.headers)}, headerBytes: ${op.headerBytes}, ` +
        `kind: '${op.kind}', position: '${op.position}', op: '${op.op}', payload: ${op.payload} },`,
    ),
    '];',
    '',
    'const byValue = new Map(OPCODES.map((opcode) => [opcode.value, opcode]));',
    '',
    '/** The opcode of that value, if it is one of ours. */',
    'export const opcodeOf = (value: number): Opcode | undefined => byValue.get(value);',
    '',
  ].join('\n');
}

function queuePair(spec: Spec): string {
  const name = (text: string) => quote(camel(text));
  const names = (texts: readonly string[]) => `[${texts.map(name).join(', ')}]`;
  const fields = spec.records
    .find((r) => r.name === 'qpc')
    ?.fields.filter((f) => f.attr)
    .reduce(
      (map, f) => map.set(f.attr ?? '', [...(map.get(f.attr ?? '') ?? []), f.name]),
      new Map<string, string[]>(),
    );
  return [
    ...docLine('Attributes of modify_qp: their bits in the command parameter.'),
    'export const QP_ATTRIBUTES = {',
    ...spec.attributes.flatMap((a) => [...docLine(a.doc, '  '), `  ${camel(a.name)}: ${a.bit},`]),
    '} as const;',
    'export type QpAttribute = keyof typeof QP_ATTRIBUTES;',
    '',
    '/** The bit vector of some attributes. */',
    'export const qpAttributeMask = (names: Iterable<QpAttribute>): number => {',
    '  let mask = 0;',
    '  for (const name of names) mask |= 1 << QP_ATTRIBUTES[name];',
    '  return mask >>> 0;',
    '};',
    '',
    ...docLine('Fields of the QPC that an attribute carries.'),
    'export const QP_ATTRIBUTE_FIELDS: Readonly<Partial<Record<QpAttribute, readonly string[]>>> = {',
    ...[...(fields ?? [])].map(([attr, list]) => `  ${camel(attr)}: ${names(list)},`),
    '};',
    '',
    'export interface QpTransition {',
    '  readonly from: string;',
    '  readonly to: string;',
    '  readonly required: readonly QpAttribute[];',
    '  readonly optional: readonly QpAttribute[];',
    '}',
    '',
    ...docLine('What modify_qp may do; states are named as in QpState.'),
    'export const QP_TRANSITIONS: readonly QpTransition[] = [',
    ...spec.transitions.map(
      (t) =>
        `  { from: '${t.from}', to: '${t.to}', required: ${names(t.required)}, optional: ${names(t.optional)} },`,
    ),
    '];',
    '',
    'export const qpTransition = (from: string, to: string): QpTransition | undefined =>',
    '  QP_TRANSITIONS.find((t) => t.from === from && t.to === to);',
    '',
  ].join('\n');
}
