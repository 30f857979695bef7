import { beforeAll, describe, expect, it } from 'vitest';
import { buildTiny, TinyBench, type Write } from '../support/your-hca/bench.ts';

const MTUS = [256, 1024, 4096] as const;
const pattern = (length: number, first: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (first + 7 * i) & 0xff);
/** Around the edges of beats, MTUs and pages, at any alignment; no two overlap. */
const WRITES: Write[] = [];
let offset = 0;
for (const [i, length] of [0, 1, 31, 32, 33, 255, 256, 257, 1000, 4096, 5001].entries()) {
  WRITES.push({ bytes: pattern(length, i), offset });
  offset += length + (i % 5);
}
const SUCCESS = WRITES.map(() => 'SUCCESS');

describe("somebody else's HCA", () => {
  beforeAll(buildTiny);

  async function holds(bench: TinyBench): Promise<void> {
    for (const { bytes, offset } of WRITES) expect(await bench.read(offset, bytes.length)).toEqual(bytes);
  }

  it.each(MTUS)('takes WRITEs of our driver and model, MTU %i, by the rules of the wire', async (mtu) => {
    const bench = await TinyBench.open(mtu);
    expect(await bench.write(WRITES)).toEqual(SUCCESS);
    await holds(bench);
    expect(await bench.tiny.status()).toEqual({ messages: WRITES.length, dropped: 0, stopped: false });
    const { packets, violations } = await bench.verdict();
    expect(violations).toEqual([]);
    expect(packets).toBeGreaterThan(2 * WRITES.length - 1);
  });

  it.each(['drop', 'duplicate', 'corrupt'] as const)('goes on over a link that fails: %s', async (what) => {
    const bench = await TinyBench.open(256);
    bench.setFaults([
      { what, from: 'a', nth: 1, count: 1, ...(what === 'corrupt' ? { bit: 100 } : {}) },
      { what, from: 'b', nth: 5, count: 2, ...(what === 'corrupt' ? { bit: 333 } : {}) },
    ]);
    expect(await bench.write(WRITES)).toEqual(SUCCESS);
    await holds(bench);
    const counts = await bench.fabric.faultCounts();
    expect(counts.link.map(({ strikes }) => strikes)).toEqual([1, 2]);
    expect((await bench.verdict()).violations).toEqual([]);
  });

  it.each([
    ['another key', { offset: 0, rkey: 0x1234_5679 }],
    ['a byte behind the window', { offset: 20_000 - 63 }],
    ['a byte before the window', { offset: -1 }],
  ])('refuses %s, and nothing is written', async (_, where) => {
    const bench = await TinyBench.open(1024);
    const before = await bench.read(-64, 20_128);
    expect(await bench.write([{ bytes: pattern(64, 1), ...where }])).toEqual(['REM_ACCESS_ERR']);
    expect(await bench.read(-64, 20_128)).toEqual(before);
    expect(await bench.tiny.status()).toMatchObject({ messages: 0, stopped: true });
    expect((await bench.verdict()).violations).toEqual([]);
  });

  it('with a bug is found out', async () => {
    const bench = await TinyBench.open(1024, true);
    expect(await bench.write(WRITES.slice(1, 4))).toEqual(SUCCESS.slice(1, 4));
    const { violations } = await bench.verdict();
    expect(violations.length).toBeGreaterThan(0);
    for (const violation of violations) expect(violation).toMatch(/\bmsn\b/i);
  });
});
