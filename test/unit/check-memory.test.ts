import { describe, expect, it } from 'vitest';
import { formatMemoryViolation, MemoryChecker } from '../../src/check/index.ts';

/** Memory of 64 KiB. */
function memory(): { bytes: Uint8Array; memRead(address: bigint, length: number): Promise<Uint8Array> } {
  const bytes = new Uint8Array(0x10000);
  return {
    bytes,
    memRead: async (address, length) => bytes.slice(Number(address), Number(address) + length),
  };
}

const EXTENTS = [
  { address: 0x1ffen, length: 2 },
  { address: 0x5000n, length: 3 },
];

describe('MemoryChecker', () => {
  it('accepts what was predicted, over pages in any order', async () => {
    const host = memory();
    host.bytes.set([1, 2], 0x1ffe);
    host.bytes.set([3, 4, 5], 0x5000);
    const checker = new MemoryChecker();
    checker.expect({ name: 'a', extents: EXTENTS, bytes: Uint8Array.of(1, 2, 3, 4, 5) });
    checker.guard('after a', 0x6000n);
    expect(await checker.check(host)).toEqual([]);
  });

  it('tells the first byte that differs', async () => {
    const host = memory();
    const checker = new MemoryChecker();
    checker.expect({ name: 'a', extents: EXTENTS, bytes: Uint8Array.of(0, 0, 0, 4, 5) });
    const found = await checker.check(host);
    expect(found.map(formatMemoryViolation)).toEqual([
      'buffer a: byte 3 (0x5001): expected 0x04, found 0x00; 2 bytes differ',
    ]);
  });

  it('tells a guard page that was touched', async () => {
    const host = memory();
    host.bytes.fill(0xa5, 0x6000, 0x7000);
    host.bytes[0x6fff] = 0;
    const checker = new MemoryChecker();
    checker.guard('after a', 0x6000n, { fill: 0xa5 });
    expect((await checker.check(host)).map(formatMemoryViolation)).toEqual([
      'guard page after a: byte 4095 (0x6fff): expected 0xa5, found 0x00; 1 byte differs',
    ]);
  });

  it('compares with what was told last, and not what was freed', async () => {
    const host = memory();
    const checker = new MemoryChecker();
    checker.expect({ name: 'a', extents: EXTENTS, bytes: Uint8Array.of(1, 1, 1, 1, 1) });
    checker.expect({ name: 'a', extents: EXTENTS, bytes: new Uint8Array(5) });
    checker.expect({ name: 'b', extents: EXTENTS, bytes: Uint8Array.of(1, 1, 1, 1, 1) });
    checker.forget('b');
    expect(await checker.check(host)).toEqual([]);
  });

  it('wants as many bytes as the buffer has', () => {
    const wrong = { name: 'a', extents: EXTENTS, bytes: new Uint8Array(4) };
    expect(() => new MemoryChecker().expect(wrong)).toThrow('a: expected 5 bytes, got 4');
  });
});
