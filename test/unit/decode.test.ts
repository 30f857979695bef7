import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { roceFrame } from '../../src/check/index.ts';
import {
  bytesOfHex,
  decodePacket,
  decodeRecords,
  type Entry,
  entryJson,
  entryLines,
  RECORD_KINDS,
} from '../../src/replay/index.ts';
import { bytesOf, hexOf, VECTORS, vector } from '../support/vectors.ts';
import { build } from './check-build.ts';

const root = resolve(import.meta.dirname, '../..');

interface Row {
  record: string;
  littleEndian: boolean;
  bytes: string;
  bits: string;
  field: string;
}

/** Fields by the page on registers, which is written from positions that the layouts do not use. */
function rowsOfPage(): Row[] {
  const rows: Row[] = [];
  let [record, littleEndian] = ['', true];
  for (const line of readFileSync(`${root}/docs/registers.md`, 'utf8').split('\n')) {
    if (line.startsWith('#')) record = /^### (\w+)$/.exec(line)?.[1] ?? '';
    if (line.startsWith('| Byte |')) littleEndian = line.includes('Bits of the record');
    const cells = /^\| (0x[\w-]+) \| ([\d:]+) \| (\S+) \|/.exec(line);
    if (cells && RECORD_KINDS.includes(record))
      rows.push({
        record,
        littleEndian,
        bytes: cells[1]!,
        bits: cells[2]!,
        field: cells[3]!.replaceAll('`', ''),
      });
  }
  return rows;
}

const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const sizeOf = (record: string): number => {
  const page = readFileSync(`${root}/docs/registers.md`, 'utf8');
  return Number(new RegExp(`### ${record}\\n\\n.*?(\\d+) bytes\\.`).exec(page)![1]);
};

/** A record whose field is all ones and the rest all zeros. */
function onesAt({ record, littleEndian, bytes, bits }: Row): Uint8Array {
  const [first, last = first] = bytes.split('-').map(Number) as [number, number?];
  const [high, low = high] = bits.split(':').map(Number) as [number, number?];
  const output = new Uint8Array(sizeOf(record));
  for (let bit = low; bit <= high; bit++) {
    const byte = littleEndian ? bit >> 3 : last - (bit >> 3);
    output[byte]! |= 1 << (bit & 7);
    expect(byte >= first && byte <= last).toBe(true);
  }
  return output;
}

const fieldsOf = ({ sections }: Entry) => sections.flatMap((section) => section.fields);
const ROWS = rowsOfPage();

describe('a record', () => {
  it('has its fields where the page on registers draws them', () => {
    expect(ROWS.length).toBeGreaterThan(150);
    for (const row of ROWS) {
      const set = fieldsOf(decodeRecords(row.record, onesAt(row))[0]!).filter(
        ({ value }) => BigInt(value) !== 0n,
      );
      const [high, low = high] = row.bits.split(':').map(Number) as [number, number?];
      expect(set).toEqual([
        expect.objectContaining({
          field: row.field === 'reserved' ? 'reserved' : camel(row.field),
          bytes: row.bytes,
          bits: row.bits,
        }),
      ]);
      expect(BigInt(set[0]!.value)).toBe(2n ** BigInt(high - low + 1) - 1n);
    }
  });

  it.each(RECORD_KINDS.filter((kind) => kind !== 'wqe'))('is refused with another length: %s', (kind) => {
    const size = sizeOf(kind);
    for (const length of [0, size - 1, size + 1])
      expect(() => decodeRecords(kind, new Uint8Array(length))).toThrow(
        `${kind}: expected ${size} bytes, found ${length}`,
      );
  });

  it('tells names of values, and what has none', () => {
    const qpc = new Uint8Array(256);
    qpc[0] = 0x73; // state 3, service 7
    const [state, service] = fieldsOf(decodeRecords('qpc', qpc)[0]!);
    expect([state!.meaning, service!.meaning]).toEqual(['RTS', 'service(7)']);
  });

  it('is one of many in a dump', () => {
    const dump = Uint8Array.from({ length: 100 }, (_, i) => i);
    const found = decodeRecords('mtt', dump, { offset: 4, count: 3 });
    expect(found.map(({ index, offset }) => [index, offset])).toEqual([
      [0, 4],
      [1, 12],
      [2, 20],
    ]);
    expect(decodeRecords('mtt', dump, { count: 2, stride: 16 })[1]!.offset).toBe(16);
    expect(() => decodeRecords('mtt', dump, { offset: 4, count: 13 })).toThrow(
      'mtt: expected at least 108 bytes, found 100',
    );
    expect(() => decodeRecords('mtt', dump, { count: 2, stride: 7 })).toThrow(
      'stride: expected at least 8 bytes',
    );
  });
});

describe('a WQE', () => {
  const header = (opcode: number, segments: number, flags = 0): number[] => [0x5a, opcode, segments, flags];
  const slot = (start: readonly number[], rest: readonly number[] = []): Uint8Array => {
    const bytes = new Uint8Array(64);
    bytes.set(start);
    bytes.set(rest, 32);
    return bytes;
  };
  const names = (bytes: Uint8Array): string[] =>
    decodeRecords('wqe', bytes)[0]!.sections.map(({ name, offset }) => `${name} ${offset}`);

  it('has segments behind its header', () => {
    expect(names(slot(header(2, 2)))).toEqual(['wqe_header 0', 'wqe_data 32', 'wqe_data 48']);
  });

  it('has operands behind the segment of an atomic', () => {
    expect(names(slot(header(5, 1)))).toEqual(['wqe_header 0', 'wqe_data 32', 'wqe_atomic 48']);
  });

  it('has its payload in itself with inline', () => {
    const inline = header(2, 0, 0x08);
    const start = [...inline, 0, 0, 0, 0, 0, 0, 3]; // length at byte 10
    const [, bytes] = decodeRecords('wqe', slot(start, [7, 8, 9]))[0]!.sections;
    expect(bytes!.fields[0]!.text).toBe('070809');
  });

  it('is refused when its segments are not there, and told when it is stale', () => {
    expect(() => decodeRecords('wqe', slot(header(2, 3)))).toThrow(
      'wqe at 0: expected 80 bytes with 3 segments, found 64',
    );
    const [mark] = fieldsOf(decodeRecords('wqe', slot([1, 2, 0, 0]))[0]!);
    expect(mark!.meaning).toContain('stale slot');
  });
});

describe('a packet', () => {
  it('is told header by header, with its CRCs', () => {
    const { sections } = decodePacket(vector('P1'));
    expect(sections.map(({ name }) => name)).toEqual(['lrh', 'bth', 'reth', 'behind the headers']);
    const told = Object.fromEntries(
      fieldsOf({ sections } as Entry).map(({ field, text, meaning }) => [field, `${text} ${meaning}`.trim()]),
    );
    expect(told).toMatchObject({
      vl: '7',
      lnh: '2 IBA_LOCAL',
      opcode: '0x0a (10) RC_WRITE_ONLY',
      destQpn: '0x87b1b3 (8892851)',
      psn: '0x0dec2a (912426)',
      va: '0x01710a1c015d4002',
      payload: 'bb884d85fd5cfba4728bc0690ed4 14 bytes',
      pad: '0000 2 bytes',
      icrc: '0x5ab72596 right',
      vcrc: '0xfa45 right',
    });
  });

  it('says which CRC is wrong', () => {
    const spec = { sender: 0, slid: 1, dlid: 2, destQpn: 3, opcode: 4, psn: 5 } as const;
    const crcs = (bytes: Uint8Array): string[] =>
      fieldsOf(decodePacket(bytes))
        .filter(({ field }) => field.endsWith('crc'))
        .map(({ meaning }) => meaning);
    expect(crcs(build(spec))).toEqual(['right', 'right']);
    expect(crcs(build({ ...spec, icrcXor: 1 }))).toEqual([
      expect.stringMatching(/^wrong: expected 0x/),
      'right',
    ]);
    expect(crcs(build({ ...spec, vcrcXor: 1 }))).toEqual([
      'right',
      expect.stringMatching(/^wrong: expected 0x/),
    ]);
  });

  it.each([
    [0x1f, 'ACK_NO_CREDITS'],
    [0x05, 'ACK, credit code 5'],
    [0x2c, 'RNR, timer code 12'],
    [0x62, 'NAK_REMOTE_ACCESS'],
    [0x6f, 'nak_syndrome(111)'],
  ])('names the syndrome %i: %s', (syndrome, name) => {
    const bytes = build({
      sender: 1,
      slid: 2,
      dlid: 1,
      destQpn: 3,
      opcode: 17,
      psn: 5,
      aeth: { syndrome, msn: 1 },
    });
    expect(fieldsOf(decodePacket(bytes)).find(({ field }) => field === 'syndrome')!.meaning).toBe(name);
  });

  it('of RoCEv2 has the ICRC that others have computed', () => {
    const roce = VECTORS.filter(({ framing }) => framing.startsWith('roce2'));
    expect(roce.length).toBeGreaterThanOrEqual(2);
    for (const { bytes, icrc, framing } of roce) {
      const type = framing === 'roce2-ipv4' ? '0800' : '86dd';
      const frame = bytesOf(`${'00'.repeat(12)}${type}${hexOf(bytes)}${icrc}`);
      const framed = roceFrame(frame);
      expect(framed).toHaveProperty('frame');
      const { found, expected } = (framed as Extract<typeof framed, { frame: object }>).frame.icrc!;
      expect(found).toBe(expected);
      expect(bytesOf(icrc)).toEqual(Uint8Array.from([0, 8, 16, 24], (shift) => (found >>> shift) & 0xff));
      expect(decodePacket(frame, 'ethernet').sections[0]!.name).toBe('RoCEv2');
    }
  });
});

describe('text', () => {
  it.each([
    ['01 0x02,03:04\n', '01020304'],
    ['ABcd', 'abcd'],
  ])('of bytes may be written as %j', (text, bytes) => {
    expect(hexOf(bytesOfHex(text, 'bytes'))).toBe(bytes);
  });

  it.each([
    ['0g', 'bytes: expected bytes in hexadecimal, found "g"'],
    ['012', 'bytes: expected two digits for each byte, found 3 digits'],
    [' ', 'bytes: expected bytes in hexadecimal, found nothing'],
  ])('of no bytes is refused: %j', (text, message) => {
    expect(() => bytesOfHex(text, 'bytes')).toThrow(message);
  });

  it('tells an entry for people and for programs', () => {
    const [entry] = decodeRecords(
      'gid',
      Uint8Array.from({ length: 16 }, (_, i) => i),
    );
    expect(entryLines(entry!)).toEqual([
      'gid 0',
      expect.stringMatching(/^ {2}gid: .*16 bytes, little-endian$/),
      expect.stringMatching(/^ {4}0x00-0x0f {2}127:0 {2}gid {2}0x0f0e0d0c0b0a09080706050403020100 {2}/),
    ]);
    expect(JSON.parse(JSON.stringify(entryJson(entry!))).sections[0].fields[0]).toMatchObject({
      field: 'gid',
      bits: '127:0',
      value: '0x0f0e0d0c0b0a09080706050403020100',
    });
  });
});
