import { IbError } from '../spec/errors.ts';
import { columns, sized, upper } from './names.ts';
import type { Opcode, Spec } from './spec.ts';
import { attrWordMask, transitionFunctions } from './verilog-qp.ts';

const HEADER = `// ib_pkg: numbers of the standard and of the device interface.
//
// Generated from src/spec by \`make gen\`: edit the YAML there.

/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off DECLFILENAME */

package ib_pkg;
`;

const FOOTER = `endpackage

/* verilator lint_on DECLFILENAME */
/* verilator lint_on UNUSEDPARAM */
`;

/** One localparam: type, name, value, comment. */
type Row = readonly [type: string, name: string, value: string, doc: string];

/** rtl/ib/ib_pkg.sv. Only localparams and functions: all that Verilator, Icarus and Yosys share. */
export function emitPackage(spec: Spec): string {
  const groups: (readonly [title: string, rows: readonly Row[]])[] = [
    ['Constants.', constantRows(spec)],
    ...enumGroups(spec),
    ['Opcodes of the BTH.', spec.opcodes.map((op) => bits(8, `OP_${op.name}`, op.value, op.doc))],
    ['Sizes of the records.', recordRows(spec)],
    ['Registers: byte offsets in BAR0, reset values, positions of fields.', registerRows(spec)],
    ['Regions: byte offsets in their BAR, sizes, strides of their entries.', regionRows(spec)],
    [
      'Doorbells: byte offsets in a page.',
      spec.doorbells.map((d) => bits(12, `DB_${upper(d.name)}`, d.at, d.doc)),
    ],
    ['Attributes of modify_qp: positions in its bit vector.', attributeRows(spec)],
  ];
  const used = groups.filter(([, rows]) => rows.length > 0);
  refuseTwins(used.flatMap(([, rows]) => rows));

  const parameters = used.map(([title, rows]) => [`  // ${title}`, ...declarations(rows), ''].join('\n'));
  const functions = [...opcodeFunctions(spec.opcodes), ...transitionFunctions(spec), ...attrWordMask(spec)];
  return [HEADER, ...parameters, functions.join('\n'), FOOTER].join('\n');
}

const int = (name: string, value: number | bigint, doc = ''): Row => ['int', name, String(value), doc];
const bits = (width: number, name: string, value: number | bigint, doc = ''): Row => [
  `logic [${width - 1}:0]`,
  name,
  sized(width, value),
  doc,
];

function declarations(rows: readonly Row[]): string[] {
  return columns(
    rows.map(([type, name, value, doc]) => [
      `  localparam ${type}`,
      name,
      '=',
      `${value};`,
      doc && `// ${doc}`,
    ]),
  );
}

function refuseTwins(rows: readonly Row[]): void {
  const seen = new Set<string>();
  for (const [, name] of rows) {
    if (seen.has(name)) throw new IbError('bad-spec', `ib_pkg: expected one ${name}, found two`);
    seen.add(name);
  }
}

function constantRows(spec: Spec): Row[] {
  return spec.constants.map(({ name, value, doc }) => {
    if (value >= 0x8000_0000n) return bits(value >> 32n ? 64 : 32, upper(name), value, doc);
    return value > 0xffffn ? ['int', upper(name), sized(32, value), doc] : int(upper(name), value, doc);
  });
}

function enumGroups(spec: Spec): (readonly [string, Row[]])[] {
  return spec.enums.map((e) => [
    `${e.name}: ${e.doc}`,
    [
      int(`${upper(e.name)}_W`, e.width, 'bits'),
      ...e.values.map((v) => bits(e.width, `${upper(e.name)}_${v.name}`, v.value, v.doc)),
    ],
  ]);
}

function recordRows(spec: Spec): Row[] {
  return spec.records.flatMap(({ name, bytes, doc }) => [
    int(`${upper(name)}_BYTES`, bytes, doc),
    int(`${upper(name)}_W`, bytes * 8, 'bits'),
  ]);
}

function registerRows(spec: Spec): Row[] {
  return spec.registers.flatMap((r) => {
    const name = `REG_${upper(r.name)}`;
    return [
      bits(32, name, r.at, r.doc),
      bits(r.width, `${name}_RESET`, r.reset),
      ...r.fields
        .filter((field) => !field.reserved)
        .flatMap((field) => [
          int(`${name}_${upper(field.name)}_LSB`, field.lsb, field.doc),
          int(`${name}_${upper(field.name)}_W`, field.width),
        ]),
    ];
  });
}

function regionRows(spec: Spec): Row[] {
  return spec.regions.flatMap((r) => {
    const name = `BAR${r.bar}_${upper(r.name)}`;
    return [
      bits(32, name, r.at, r.doc),
      ...(r.bytes === undefined ? [] : [int(`${name}_BYTES`, r.bytes)]),
      ...(r.entry === undefined ? [] : [int(`${name}_STRIDE`, r.entry.bytes, `bytes of a ${r.entry.name}`)]),
    ];
  });
}

function attributeRows(spec: Spec): Row[] {
  if (spec.attributes.length === 0) return [];
  const count = Math.max(...spec.attributes.map((a) => a.bit)) + 1;
  return [
    int('QP_ATTR_W', count, 'bits of the vector'),
    ...spec.attributes.map((a) => int(`QP_ATTR_${upper(a.name)}`, a.bit, a.doc)),
  ];
}

function opcodeFunctions(opcodes: readonly Opcode[]): string[] {
  if (opcodes.length === 0) return [];
  const headers = [...new Set(opcodes.flatMap((op) => op.headers))];
  const test = (name: string, doc: string, holds: (op: Opcode) => boolean) =>
    caseFunction(name, doc, 'logic', opcodes, (op) => (holds(op) ? "1'b1" : undefined), "1'b0");

  return [
    caseFunction(
      'op_header_bytes',
      'Bytes of LRH, BTH and extension headers, without a GRH; 0 of an unknown opcode.',
      'logic [6:0]',
      opcodes,
      (op) => `7'd${op.headerBytes}`,
      "7'd0",
    ),
    test('op_known', 'The opcode is one of ours.', () => true),
    ...headers.map((h) =>
      test(`op_has_${h}`, `The ${upper(h)} stands behind the BTH.`, (op) => op.headers.includes(h)),
    ),
    test('op_has_payload', 'Data may follow the headers.', (op) => op.payload),
    test('op_is_request', 'From requester to responder.', (op) => op.kind === 'request'),
    test('op_is_response', 'From responder to requester.', (op) => op.kind === 'response'),
    test('op_is_first', 'Opens its message: first or only.', (op) => /first|only/.test(op.position)),
    test('op_is_last', 'Ends its message: last or only.', (op) => /last|only/.test(op.position)),
    ...[...new Set(opcodes.map((op) => op.op))].map((kind) =>
      test(`op_is_${kind}`, `Belongs to the operation ${kind}.`, (op) => op.op === kind),
    ),
  ];
}

/** A function of the opcode as one case; opcodes of the same value share a line. */
function caseFunction(
  name: string,
  doc: string,
  type: string,
  opcodes: readonly Opcode[],
  choose: (op: Opcode) => string | undefined,
  fallback: string,
): string {
  const groups = new Map<string, string[]>();
  for (const op of opcodes) {
    const value = choose(op);
    if (value !== undefined) groups.set(value, [...(groups.get(value) ?? []), `OP_${op.name}`]);
  }
  const arms = [...groups].map(([value, names]) => `      ${names.join(',\n      ')}: ${name} = ${value};`);
  return [
    `  // ${doc}`,
    `  function automatic ${type} ${name}(input logic [7:0] opcode);`,
    '    case (opcode)',
    ...arms,
    `      default: ${name} = ${fallback};`,
    '    endcase',
    '  endfunction',
    '',
  ].join('\n');
}
