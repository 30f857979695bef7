import { describe, expect, it } from 'vitest';
import {
  type CapturedPacket,
  CaptureWriter,
  readCapture,
  Timeline,
  writeCapture,
} from '../../src/capture/index.ts';

const packets: CapturedPacket[] = [
  { cycle: 0, sender: 0, bytes: Uint8Array.from({ length: 26 }, (_, i) => i) },
  { cycle: 1, sender: 1, bytes: Uint8Array.from({ length: 30 }, (_, i) => i + 1), injected: true },
  { cycle: 2, sender: 0, bytes: new Uint8Array(30), fault: 'lost ACK' },
  { cycle: 250_000_000 * 5 + 3, sender: 0, bytes: new Uint8Array(4222).fill(0xa5) },
  { cycle: 2 ** 40, sender: 1, bytes: new Uint8Array(32) },
];

const word = (file: Uint8Array, at: number): number => Buffer.from(file).readUInt32LE(at);

describe('a capture', () => {
  it('reads as it was written', () => {
    expect(readCapture(writeCapture(packets))).toEqual(packets);
  });

  it('is written piece by piece, a packet each', () => {
    const pieces: Uint8Array[] = [];
    const writer = new CaptureWriter((piece) => pieces.push(piece));
    expect(pieces.length).toBe(3);
    for (const packet of packets) writer.write(packet);
    expect(pieces.length).toBe(8);
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(writeCapture(packets)));
    for (const piece of pieces) expect(word(piece, 4)).toBe(piece.length);
  });

  it('holds ERF records of type 21 with lengths, time stamp and the VCRC', () => {
    const pieces: Uint8Array[] = [];
    new CaptureWriter((piece) => pieces.push(piece)).write({
      ...packets[3]!,
      cycle: 250_000_000 * 2 + 125_000_000,
    });
    const record = Buffer.from(pieces[3]!).subarray(28);
    expect(record.readUInt32LE(0)).toBe(0x80000000); // half a second
    expect(record.readUInt32LE(4)).toBe(2); // and two
    expect([record[8], record[9]]).toEqual([21, 0x04]);
    expect(record.readUInt16BE(10)).toBe(4240); // of 16 + 4222, to 8
    expect(record.readUInt16BE(14)).toBe(4222);
  });

  it.each<[string, string, Uint8Array]>([
    ['NOT_PCAPNG', 'another file', new Uint8Array(100)],
    ['NOT_PCAPNG', 'an empty file', new Uint8Array()],
    ['TRUNCATED', 'a file cut short', writeCapture(packets).slice(0, -5)],
    [
      'UNSUPPORTED',
      'another link type',
      edited(writeCapture([]), (view) => view.setUint16(sectionEnd() + 8, 1, true)),
    ],
    [
      'UNSUPPORTED',
      'no order of bytes',
      edited(writeCapture([]), (view) => view.setUint32(8, 0x4d3c2b1b, true)),
    ],
  ])('is refused with %s: %s', (code, _, file) => {
    expect(() => readCapture(file)).toThrow(expect.objectContaining({ code }));
  });
});

function edited(file: Uint8Array, edit: (view: DataView) => void): Uint8Array {
  edit(new DataView(file.buffer));
  return file;
}

function sectionEnd(): number {
  return word(writeCapture([]), 4);
}

describe('a time line', () => {
  it('is JSON by section and cycle', () => {
    const timeline = new Timeline();
    timeline.add('dma', { cycle: 9, device: 1, kind: 'read', address: 0x1_0000_0000n, length: 64 });
    timeline.add('dma', { cycle: 5, device: 0, kind: 'write', address: 0n, length: 32 });
    timeline.add('verbs', { cycle: 1, device: 0, call: 'postSend' });
    expect(JSON.parse(timeline.toString())).toEqual({
      verbs: [{ cycle: 1, device: 0, call: 'postSend' }],
      packets: [],
      dma: [
        { cycle: 5, device: 0, kind: 'write', address: '0x0', length: 32 },
        { cycle: 9, device: 1, kind: 'read', address: '0x100000000', length: 64 },
      ],
      completions: [],
    });
  });

  it('comes in pieces', () => {
    const timeline = new Timeline();
    for (let cycle = 0; cycle < 10; cycle++) timeline.add('packets', { cycle, device: 0 });
    expect([...timeline.chunks()].length).toBeGreaterThan(10);
  });
});
