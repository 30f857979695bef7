import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** A packed struct of the RTL: its first field stands on top. */
export interface Struct {
  readonly bits: number;
  pack(fields: Readonly<Record<string, bigint | number | boolean>>): bigint;
  unpack(value: bigint): Record<string, bigint>;
}

const root = resolve(import.meta.dirname, '../..');
const files = [
  'rtl/transport/hca_types.svh',
  'rtl/transport/answers.svh',
  'rtl/memory/mem_types.svh',
  'rtl/ib/ib_types.svh',
];
const source = files.map((file) => readFileSync(`${root}/${file}`, 'utf8').replace(/\/\/.*/g, '')).join('\n');

/** A struct by its name in the headers, as `tx_desc_t`. */
export function struct(name: string): Struct {
  const body = new RegExp(`typedef struct packed \\{([^}]*)\\} ${name};`).exec(source)?.[1];
  if (!body) throw new Error(`expected a struct ${name} in ${files.join(' ')}`);
  const fields = [...body.matchAll(/logic\s*(?:\[(\d+):0\])?\s*(\w+);/g)].map(([, high, field]) => ({
    name: field!,
    bits: Number(high ?? 0) + 1,
  }));
  const bits = fields.reduce((sum, field) => sum + field.bits, 0);
  return {
    bits,
    pack(values) {
      const strange = Object.keys(values).find((key) => !fields.some((field) => field.name === key));
      if (strange) throw new Error(`${name}: expected no field ${strange}`);
      return fields.reduce(
        (word, field) =>
          (word << BigInt(field.bits)) | BigInt.asUintN(field.bits, BigInt(values[field.name] ?? 0)),
        0n,
      );
    },
    unpack(value) {
      let at = bits;
      return Object.fromEntries(
        fields.map((field) => {
          at -= field.bits;
          return [field.name, BigInt.asUintN(field.bits, value >> BigInt(at))];
        }),
      );
    },
  };
}
