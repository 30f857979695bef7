import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generate } from '../../src/gen/generate.ts';
import { writeOutputs } from '../../src/gen/output.ts';
import { resolve } from '../../src/gen/resolve.ts';
import { repositoryRoot } from '../../src/gen/root.ts';
import { parseSource } from '../../src/gen/source.ts';
import { Op, opcodeOf } from '../../src/spec/gen/opcodes.ts';
import * as records from '../../src/spec/gen/records.ts';
import { type Fields, type Layout, layout } from '../../src/spec/layout.ts';
import { anySeed } from '../support/environment.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const wrongFile = (lines: string[]) => () => resolve([parseSource('wrong.yaml', lines.join('\n'))]);

describe('the generator', () => {
  it('changes no file of a clean tree', () => {
    expect(writeOutputs(repositoryRoot, generate(repositoryRoot), { dryRun: true })).toEqual([]);
  });

  it.each<[string, string[], string]>([
    [
      'a record whose fields do not fill it',
      ['records:', '  cqe: {endian: little, bytes: 4, fields: {qpn: 24}}'],
      'wrong.yaml:2:35: expected 32 bits in cqe, found 24',
    ],
    [
      'a wrong choice',
      ['records:', '  cqe:', '    endian: middle', '    bytes: 1', '    fields: {a: 8}'],
      'wrong.yaml:3:5: expected little or big, found "middle"',
    ],
    [
      'a missing key',
      ['registers:', '  magic: {at: 0, width: 32}'],
      'wrong.yaml:2:3: expected the key "access", ro or rw or wo, found nothing',
    ],
    [
      'an unknown key',
      ['constants:', '  a: {value: 1, unit: s}'],
      'wrong.yaml:2:17: expected a known key (value, doc), found "unit"',
    ],
    [
      'a wrong type',
      ['enums:', '  e: {width: x, values: {A: 0}}'],
      'wrong.yaml:2:7: expected a number, found "x"',
    ],
    [
      'an enum value beyond its width',
      ['enums:', '  e: {width: 1, values: {A: 2}}'],
      'wrong.yaml:2:26: expected a value of 1 bits, found 2',
    ],
    [
      'a field of an unknown enum',
      ['records:', '  r: {endian: big, bytes: 1, fields: {a: {width: 8, enum: e}}}'],
      'wrong.yaml:2:53: expected the name of an enum, found "e"',
    ],
    [
      'registers that overlap',
      ['registers:', '  a: {at: 0, width: 64, access: ro}', '  b: {at: 4, width: 32, access: ro}'],
      'wrong.yaml:3:7: expected an offset outside a, found 4',
    ],
    [
      'an alias of nothing',
      ['constants:', '  a: *none'],
      'wrong.yaml:2:6: expected YAML, found Unresolved alias',
    ],
    [
      'a name in another style',
      ['constants:', '  bigOne: 1'],
      'wrong.yaml:2:3: expected a name in snake_case, found "bigOne"',
    ],
    [
      'a number of 65 bits',
      ['constants:', '  a: 0x10000000000000000'],
      'wrong.yaml:2:3: expected at most 18446744073709551615, found 18446744073709551616',
    ],
    [
      'a key given twice',
      ['constants:', '  a: 1', '  a: 2'],
      'wrong.yaml:3:3: expected YAML, found Map keys must be unique',
    ],
  ])('reports %s where it stands', (_, lines, message) => {
    expect(wrongFile(lines)).toThrow(message);
  });
});

describe('a layout', () => {
  it('packs the headers of vector N1 (RC SEND only, 5 bytes, solicited, AckReq)', () => {
    const lrh = records.LRH.pack({ lnh: 2, dlid: 2, pktLen: 8, slid: 1 });
    const bth = records.BTH.pack({
      opcode: Op.RC_SEND_ONLY,
      solicited: 1,
      migReq: 1,
      padCount: 3,
      pkey: 0xffff,
      destQpn: 0x000102,
      ackReq: 1,
      psn: 0x000010,
    });
    expect(hex(lrh) + hex(bth)).toBe('0002000200080001' + '04f0ffff0000010280000010');
  });

  it('unpacks the GRH of vector N18', () => {
    const bytes = Buffer.from(
      '6201234500241b3ffe800000000000000002c90300000001fe800000000000000002c90300000002',
      'hex',
    );
    expect(records.GRH.unpack(bytes)).toEqual({
      ipVer: 6,
      tclass: 0x20,
      flowLabel: 0x12345,
      payLen: 0x24,
      nxtHdr: 0x1b,
      hopLimit: 0x3f,
      sgid: 0xfe800000000000000002c90300000001n,
      dgid: 0xfe800000000000000002c90300000002n,
    });
  });

  it('puts the first field of a little-endian record at bit 0', () => {
    const record = layout('r', 'little', { a: 4, b: 24, c: 4, d: 64 });
    expect(hex(record.pack({ a: 0x1, b: 0x234567, c: 0x8, d: 0x1122334455667788n }))).toBe(
      '715634828877665544332211',
    );
  });

  it('sets one field and leaves its neighbours', () => {
    const bytes = new Uint8Array(12).fill(0xff);
    records.BTH.set(bytes, 'psn', 0x000345);
    records.BTH.set(bytes, 'padCount', 0);
    expect(hex(bytes)).toBe('ffcfffffffffffffff000345');
    expect(records.BTH.get(bytes, 'psn')).toBe(0x345);
  });

  it('refuses a value that does not fit, an unknown field and a short buffer', () => {
    expect(() => records.BTH.pack({ psn: 1 << 24 })).toThrow('bth.psn: expected 24 bits, got 16777216');
    expect(() => records.RETH.pack({ va: 1n << 64n })).toThrow('reth.va: expected 64 bits');
    expect(() => records.BTH.pack({ typo: 1 } as object)).toThrow('bth: expected a field of it, got typo');
    expect(() => records.BTH.unpack(new Uint8Array(11))).toThrow('bth: expected 12 bytes, got 11');
  });

  const seed = anySeed();
  const layouts = Object.values(records) as unknown as Layout<Fields>[];

  it.each(layouts.map((l) => [l.name, l] as const))(
    `gives back what was packed: %s (SEED=${seed})`,
    (_, record) => {
      const shape = Object.entries(record.fields).filter(([name]) => !name.startsWith('_'));
      const values = fc.record(
        Object.fromEntries(
          shape.map(([name, width]) => [
            name,
            width <= 32
              ? fc.integer({ min: 0, max: 2 ** width - 1 })
              : fc.bigInt(0n, (1n << BigInt(width)) - 1n),
          ]),
        ),
      );
      const property = fc.property(values, (given) => {
        const bytes = record.pack(given as never);
        expect(record.unpack(bytes)).toEqual(given);
        expect(asOneNumber(record, given)).toBe(integer(bytes, record.endian));
      });
      fc.assert(property, { seed, numRuns: 50 });
    },
  );
});

/** The record as one number, computed the slow and obvious way. */
function asOneNumber(record: Layout<Fields>, values: Record<string, number | bigint>): bigint {
  const widths = Object.entries(record.fields);
  const lowFirst = record.endian === 'little' ? widths : widths.reverse();
  let shift = 0n;
  let sum = 0n;
  for (const [name, width] of lowFirst) {
    sum |= BigInt(values[name] ?? 0) << shift;
    shift += BigInt(width);
  }
  return sum;
}

const integer = (bytes: Uint8Array, endian: string): bigint =>
  BigInt(`0x${hex(endian === 'little' ? bytes.toReversed() : bytes)}`);

describe('the opcode table', () => {
  it.each([
    ['RC_SEND_ONLY', 20, true],
    ['RC_WRITE_ONLY_IMM', 40, true],
    ['RC_READ_REQUEST', 36, false],
    ['RC_ACKNOWLEDGE', 24, false],
  ] as const)('%s has %i bytes of headers', (name, headerBytes, payload) => {
    expect(opcodeOf(Op[name])).toMatchObject({ name, headerBytes, payload });
  });
});
