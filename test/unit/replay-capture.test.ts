import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  CaptureError,
  type CaptureRecord,
  captureRecords,
  newFacts,
  readerOf,
  writeCapture,
} from '../../src/capture/index.ts';
import { checkCapture } from '../../src/replay/index.ts';
import { build } from './check-build.ts';

const folder = mkdtempSync(join(tmpdir(), 'openhca-capture-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Word = [bytes: 2 | 4 | 8, value: number | bigint];
/** Numbers of 2, 4 or 8 bytes in one order. */
function pack(little: boolean, ...words: readonly (Word | Uint8Array)[]): Uint8Array {
  return Buffer.concat(
    words.map((word) => {
      if (word instanceof Uint8Array) return word;
      const bytes = new Uint8Array(word[0]);
      const view = new DataView(bytes.buffer);
      for (let i = 0; i < word[0]; i++)
        view.setUint8(little ? i : word[0] - 1 - i, Number((BigInt(word[1]) >> BigInt(8 * i)) & 0xffn));
      return bytes;
    }),
  );
}

const payload = Uint8Array.of(1, 2, 3, 4, 5);

function pcap(little: boolean, magic: number, captured = payload.length, ...more: Uint8Array[]): Uint8Array {
  const head = pack(little, [4, magic], [2, 2], [2, 4], [4, 0], [4, 0], [4, 65535], [4, 247]);
  return Buffer.concat([head, pack(little, [4, 7], [4, 5], [4, captured], [4, 60]), payload, ...more]);
}

const block = (little: boolean, type: number, ...body: (Word | Uint8Array)[]): Uint8Array => {
  const inner = pack(little, ...body);
  return pack(little, [4, type], [4, inner.length + 12], inner, [4, inner.length + 12]);
};
const section = (little: boolean): Uint8Array =>
  block(little, 0x0a0d0d0a, [4, 0x1a2b3c4d], [2, 1], [2, 0], [8, 0xffff_ffff_ffff_ffffn]);
const ports = (little: boolean, ...more: (Word | Uint8Array)[]): Uint8Array =>
  block(little, 1, [2, 247], [2, 0], [4, 0], ...more);
const padded = Uint8Array.of(...payload, 0, 0, 0);
const packet = (little: boolean, ...more: (Word | Uint8Array)[]): Uint8Array =>
  block(little, 6, [4, 0], [4, 0], [4, 7_000_005], [4, 5], [4, 60], padded, ...more);

function recordsOf(file: Uint8Array) {
  const facts = newFacts();
  const records: CaptureRecord[] = [];
  for (const record of captureRecords(readerOf(file), facts))
    records.push({ ...record, bytes: record.bytes.slice() });
  return { records, facts };
}

const first = { number: 1, linkType: 247, port: 0, bytes: payload, wireBytes: 60, comment: '' };

describe.each([true, false])('a capture, little-endian: %s', (little) => {
  it('is read as pcap, with microseconds or nanoseconds', () => {
    const at = { ...first, offset: 24 };
    expect(recordsOf(pcap(little, 0xa1b2c3d4)).records).toEqual([{ ...at, nanoseconds: 7_000_005_000n }]);
    expect(recordsOf(pcap(little, 0xa1b23c4d)).records).toEqual([{ ...at, nanoseconds: 7_000_000_005n }]);
  });

  it('is read as pcapng, with any unit of time, comments and what it has lost', () => {
    const kept = pack(
      little,
      [2, 4],
      [2, 8],
      [8, 3],
      [2, 1],
      [2, 2],
      Uint8Array.of(0x68, 0x69, 0, 0),
      [4, 0],
    );
    const dropped = pack(little, [2, 5], [2, 8], [8, 4], [4, 0]);
    const file = Buffer.concat([
      section(little),
      ports(little),
      block(little, 0x0bad, Uint8Array.of(9, 9, 9, 9)),
      packet(little, kept),
      block(little, 5, [4, 0], [8, 0], dropped),
      section(!little),
      ports(!little, [2, 9], [2, 1], Uint8Array.of(0x80 | 10, 0, 0, 0), [4, 0]),
      packet(!little),
      block(!little, 3, [4, 5], padded),
    ]);
    const { records, facts } = recordsOf(file);
    expect(records.map(({ offset: _, ...rest }) => rest)).toEqual([
      { ...first, nanoseconds: 7_000_005_000n, comment: 'hi' },
      { ...first, number: 2, nanoseconds: (7_000_005n * 1_000_000_000n) / 1024n },
      { ...first, number: 3, nanoseconds: 0n, wireBytes: 5 },
    ]);
    expect(facts).toEqual({ linkTypes: [247, 247], lost: 7 });
    for (const { offset } of records)
      expect([6, 3]).toContain(file[little === offset < 200 ? offset : offset + 3]);
  });
});

describe('a hostile file', () => {
  const good = Buffer.concat([section(true), ports(true), packet(true)]);
  const huge = pack(true, [4, 6], [4, 0x7ffffffc]);
  it.each<[string, Uint8Array, string, string]>([
    [
      'empty',
      new Uint8Array(),
      'NOT_PCAPNG',
      'offset 0: expected the begin of a pcap or pcapng file, found an empty file',
    ],
    [
      'of text',
      Buffer.from('name: x\n'),
      'NOT_PCAPNG',
      'offset 0: expected the begin of a pcap or pcapng file, found 6e 61 6d 65',
    ],
    [
      'cut in the header of pcap',
      pcap(true, 0xa1b2c3d4).subarray(0, 20),
      'TRUNCATED',
      'offset 4: expected 20 bytes of the file header, found 16 bytes',
    ],
    [
      'cut in a record header',
      pcap(true, 0xa1b2c3d4).subarray(0, 30),
      'TRUNCATED',
      'offset 24: expected a record header of 16 bytes, found 6 bytes',
    ],
    [
      'cut in a packet',
      pcap(true, 0xa1b2c3d4).subarray(0, 43),
      'TRUNCATED',
      'offset 24: expected a packet of 5 bytes, found 3 bytes',
    ],
    [
      'with a packet of 4 GB',
      pcap(false, 0xa1b2c3d4, 0xffffffff),
      'BAD_RECORD',
      'record at offset 24: expected a packet of at most 262144 bytes, found 4294967295',
    ],
    [
      'cut in a block',
      good.subarray(0, -3),
      'TRUNCATED',
      'offset 48: expected a block of 40 bytes, found 37 bytes',
    ],
    [
      'with a block of 2 GB',
      Buffer.concat([good, huge]),
      'BAD_RECORD',
      'block at offset 88: expected a length of 12 to 524288, a multiple of 4, found 2147483644',
    ],
    [
      'with a block of no length',
      Buffer.concat([good, pack(true, [4, 6], [4, 0])]),
      'BAD_RECORD',
      'block at offset 88: expected a length of 12 to 524288',
    ],
    [
      'with a block of an odd length',
      Buffer.concat([good, pack(true, [4, 99], [4, 13])]),
      'BAD_RECORD',
      'a multiple of 4, found 13',
    ],
    [
      'with a packet of no interface',
      Buffer.concat([section(true), packet(true)]),
      'BAD_RECORD',
      'block at offset 28: expected an interface below 0, found 0',
    ],
    [
      'with a packet longer than its block',
      Buffer.concat([section(true), ports(true), block(true, 6, [4, 0], [8, 0], [4, 100], [4, 100])]),
      'BAD_RECORD',
      'block at offset 48: expected 100 bytes of a packet, found 0',
    ],
    [
      'with an unknown order of bytes',
      block(true, 0x0a0d0d0a, [4, 5], [8, 0], [4, 0]),
      'UNSUPPORTED',
      'section at offset 0: expected a byte-order magic, found 0x5000000',
    ],
  ])('is refused with its place: %s', (_, file, code, message) => {
    expect(() => recordsOf(file)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  it('never does more than be refused, whatever a byte says', () => {
    const bytes = Array.from({ length: 6 }, (_, i) =>
      build({ sender: 0, slid: 1, dlid: 2, destQpn: 3, opcode: i, psn: i }),
    );
    const file = writeCapture(bytes.map((each, cycle) => ({ cycle, sender: 0, bytes: each })));
    let refused = 0;
    for (let at = 0; at < file.length; at++) {
      for (const value of [0, 0x7f, 0xff]) {
        const hurt = file.slice();
        hurt[at] = value;
        const path = join(folder, 'hurt.pcapng');
        writeFileSync(path, hurt);
        try {
          checkCapture(path);
        } catch (error) {
          expect(error).toBeInstanceOf(CaptureError);
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(50);
  });

  it('may be of ERF records of other kinds, which are counted', () => {
    const file = writeCapture([
      { cycle: 0, sender: 0, bytes: build({ sender: 0, slid: 1, dlid: 2, destQpn: 3, opcode: 4, psn: 5 }) },
    ]);
    const at = file.length - 4 - 4 - 48 + 8;
    const ethernet = file.slice();
    const type = ethernet.indexOf(21, at - 8);
    ethernet[type] = 2;
    const path = join(folder, 'ethernet.pcapng');
    writeFileSync(path, ethernet);
    expect(checkCapture(path)).toMatchObject({
      packets: 1,
      checked: 0,
      skipped: { 'ERF records of other types': 1 },
    });
  });
});
