import { columns, hex, upper } from './names.ts';
import type { Field, RecordSpec, Spec } from './spec.ts';

const HEADER = `/* OpenHCA: numbers of the device interface and of the wire.
 *
 * Generated from src/spec by \`make gen\`: edit the YAML there.
 *
 * A field of a record has its _BIT, its _WIDTH and, up to 64 bits, its _MASK at bit 0. In a
 * little-endian record _BIT is the field's lowest bit in the record read as one little-endian number;
 * in a big-endian one it is the field's first bit on the wire, bit 0 opening byte 0. */

#ifndef OPENHCA_H
#define OPENHCA_H
`;

type Row = readonly [name: string, value: string, doc?: string];

/** sim/gen/openhca.h: macros only, for C and C++. */
export function emitCHeader(spec: Spec): string {
  const groups: (readonly [string, readonly Row[]])[] = [
    ['Constants', spec.constants.map((c) => [upper(c.name), number(c.value), c.doc])],
    ...spec.enums.map((e): [string, Row[]] => [
      `${e.name}: ${e.doc}`,
      e.values.map((v) => [`${upper(e.name)}_${v.name}`, number(v.value), v.doc]),
    ]),
    ['Opcodes of the BTH', spec.opcodes.map((op) => [`OP_${op.name}`, number(op.value), op.doc])],
    ['Registers: byte offsets in BAR0', spec.registers.flatMap(registerRows)],
    ['Regions: byte offsets in their BAR', spec.regions.flatMap(regionRows)],
    [
      'Doorbells: byte offsets in a page',
      spec.doorbells.map((d) => [`DB_${upper(d.name)}`, number(d.at), d.doc]),
    ],
    [
      'Attributes of modify_qp',
      spec.attributes.map((a) => [`QP_ATTR_${upper(a.name)}`, number(a.bit), a.doc]),
    ],
    ...spec.records.map((r): [string, Row[]] => [`${r.name}, ${r.endian}-endian: ${r.doc}`, recordRows(r)]),
  ];
  const text = groups
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => [`/* ${title.replace(/[.:]? *$/, '.')} */`, ...defines(rows), ''].join('\n'));
  return [HEADER, ...text, '#endif', ''].join('\n');
}

function number(value: number | bigint): string {
  return BigInt(value) >> 32n ? `0x${hex(value)}ull` : `0x${hex(value)}u`;
}

function defines(rows: readonly Row[]): string[] {
  return columns(
    rows.map(([name, value, doc]) => [`#define OPENHCA_${name}`, value, doc ? `/* ${doc} */` : '']),
  );
}

function fieldRows(prefix: string, fields: readonly Field[], bitOf: (field: Field) => number): Row[] {
  return fields
    .filter((field) => !field.reserved)
    .flatMap((field): Row[] => {
      const name = `${prefix}_${upper(field.name)}`;
      const mask: Row = [`${name}_MASK`, number((1n << BigInt(field.width)) - 1n)];
      return [
        [`${name}_BIT`, String(bitOf(field)), field.doc],
        [`${name}_WIDTH`, String(field.width)],
        ...(field.width <= 64 ? [mask] : []),
      ];
    });
}

function recordRows(record: RecordSpec): Row[] {
  const total = record.bytes * 8;
  const bitOf = (f: Field) => (record.endian === 'little' ? f.lsb : total - f.lsb - f.width);
  return [
    [`${upper(record.name)}_BYTES`, String(record.bytes)],
    ...fieldRows(upper(record.name), record.fields, bitOf),
  ];
}

function registerRows(register: Spec['registers'][number]): Row[] {
  const name = `REG_${upper(register.name)}`;
  return [
    [name, number(register.at), register.doc],
    [`${name}_RESET`, number(register.reset)],
    ...fieldRows(name, register.fields, (f) => f.lsb),
  ];
}

function regionRows(region: Spec['regions'][number]): Row[] {
  const name = `BAR${region.bar}_${upper(region.name)}`;
  return [
    [name, number(region.at), region.doc],
    ...(region.bytes === undefined ? [] : [[`${name}_BYTES`, number(region.bytes)] as const]),
    ...(region.entry === undefined ? [] : [[`${name}_STRIDE`, String(region.entry.bytes)] as const]),
  ];
}
