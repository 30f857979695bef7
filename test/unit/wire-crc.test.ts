import { describe, expect, it } from 'vitest';
import { crc32, icrcIsRight, icrcOf, putIcrc, putVcrc, vcrcIsRight, vcrcOf } from '../../src/wire/index.ts';
import { bytesOf, hexOf, NATIVE, nativePacket, VECTORS, type Vector } from '../support/vectors.ts';

const roce = VECTORS.filter((vector) => vector.framing !== 'native');
const littleEndian = (value: number, bytes: number) =>
  hexOf(Uint8Array.from({ length: bytes }, (_, i) => value >>> (8 * i)));
const title = (vector: Vector) => [`${vector.id} ${vector.name}`, vector] as const;

/** What a RoCE packet's ICRC covers: eight bytes of ones, then the packet with its mutable fields as ones. */
function roceMasked({ bytes, framing }: Vector): Uint8Array {
  const masked = Uint8Array.from([...new Uint8Array(8).fill(0xff), ...bytes]);
  const ones = (...at: number[]) => {
    for (const i of at) masked[8 + i] = 0xff;
  };
  if (framing === 'roce2-ipv4') ones(1, 8, 10, 11, 26, 27, 32);
  else {
    masked[8]! |= 0x0f;
    ones(1, 2, 3, 7, ...(framing === 'roce1' ? [44] : [46, 47, 52]));
  }
  return masked;
}

/** Bit by bit, as the standard draws it: shares nothing with the tables under test. */
function bitwise(bytes: Uint8Array, polynomial: number, width: number): number {
  let register = 2 ** width - 1;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit++) {
      const feedback = (register ^ (byte >> bit)) & 1;
      register = (register >>> 1) ^ (feedback ? polynomial : 0);
    }
  }
  return (~register & (2 ** width - 1)) >>> 0;
}

describe('invariant CRC', () => {
  it('is the CRC-32 of zlib', () => {
    expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
  });

  it.each(NATIVE.map(title))('of %s is as published [R12]', (_, vector) => {
    expect(littleEndian(icrcOf(vector.bytes), 4)).toBe(vector.icrc);
    expect(icrcIsRight(nativePacket(vector))).toBe(true);
  });

  it.each(roce.map(title))('of %s follows from the masked bytes [R12]', (_, vector) => {
    expect(littleEndian(crc32(roceMasked(vector)), 4)).toBe(vector.icrc);
  });

  it('masks what there is of a GRH, where a packet ends within it', () => {
    const packet = Uint8Array.of(0, 3, 0, 2, 0, 6, 0, 1, 0x60, 1, 2, 3, 0, 0, 0x1b, 64, 5, 5, 5, 5);
    for (const at of [0, 7, 9, 10, 11, 15]) {
      const other = packet.slice();
      other[at]! ^= 0x40;
      expect([at, icrcOf(other)]).toEqual([at, icrcOf(packet)]);
    }
    const other = packet.slice();
    other[16]! ^= 1;
    expect(icrcOf(other)).not.toBe(icrcOf(packet));
  });

  it('notices each bit of a packet that is not masked', () => {
    const good = nativePacket(VECTORS.find(({ id }) => id === 'N1')!);
    const masked = new Set([4, 5, 6, 7, ...Array.from({ length: 8 }, (_, i) => 12 * 8 + i)]);
    for (let bit = 0; bit < (good.length - 2) * 8; bit++) {
      const bad = good.slice();
      bad[bit >> 3]! ^= 1 << (bit & 7);
      expect([bit, icrcIsRight(bad)]).toEqual([bit, masked.has(bit)]);
    }
  });
});

describe('variant CRC', () => {
  it.each([
    ['ASCII 123456789', hexOf(Buffer.from('123456789')), '3d0a'],
    ['eight zero bytes', '0000000000000000', '9960'],
  ])('of %s is as published', (_, hex, vcrc) => {
    expect(littleEndian(vcrcOf(bytesOf(hex)), 2)).toBe(vcrc);
  });

  it.each(NATIVE.map(title))('of %s is as published', (_, vector) => {
    expect(littleEndian(vcrcOf(bytesOf(hexOf(vector.bytes) + vector.icrc)), 2)).toBe(vector.vcrc);
    expect(vcrcIsRight(nativePacket(vector))).toBe(true);
  });

  it('of any length up to 40 bytes is that of the bitwise definition', () => {
    for (let length = 0; length <= 40; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => i * 37 + length);
      expect(vcrcOf(bytes)).toBe(bitwise(bytes, 0xd008, 16));
      expect(crc32(bytes)).toBe(bitwise(bytes, 0xedb88320, 32));
    }
  });
});

describe('both CRCs', () => {
  it('of 16 MiB take less than a second', () => {
    const packet = new Uint8Array(4096 + 42);
    packet[1] = 2;
    const start = performance.now();
    for (let i = 0; i < 4096; i++) {
      putIcrc(packet, packet.length - 6);
      putVcrc(packet, packet.length - 2);
    }
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
