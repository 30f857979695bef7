import { describe, expect, it } from 'vitest';
import { readMany } from '../../src/fuzz/index.ts';
import { ByteReader, ByteWriter } from '../../src/sim/bytes.ts';
import { framed, Replies } from '../../src/sim/frames.ts';
import { readTaps } from '../../src/sim/taps.ts';
import { anySeed } from '../support/environment.ts';

const SEED = anySeed();

const of = (write: (to: ByteWriter) => ByteWriter): ByteReader =>
  new ByteReader(write(new ByteWriter()).take());

describe('a client of a hostile simulator', () => {
  it(`has from each call its value or one clear error (SEED=${SEED})`, async () => {
    const tally = await readMany('replies', SEED, 0, 2000);
    expect(tally.problem).toBeUndefined();
    expect(tally.ends.value).toBeGreaterThan(100);
    expect(tally.ends['error died']).toBeGreaterThan(100);
  });

  it.each([
    [
      'of a device that there is not',
      (to: ByteWriter) => to.u32(1).u8(4).u8(2).u8(0).u64(1).u8(0),
      /device 0 or 1, got 2/,
    ],
    ['of no kind', (to: ByteWriter) => to.u32(1).u8(6).u8(0).u8(0).u64(1).u8(0), /kind 1\.\.5, got 6/],
    ['that are not there', (to: ByteWriter) => to.u32(0xffff_ffff), /expected 1 more bytes, got 0/],
  ])('takes no tap records %s', (_, write, message) => {
    expect(() => readTaps(of(write))).toThrow(message);
  });

  it('puts a long reply together that begins in the middle of its length', () => {
    const body = new Uint8Array(2 ** 22);
    const bytes = framed(body);
    const replies = new Replies();
    const start = performance.now();
    expect([...replies.take(bytes.subarray(0, 1))]).toEqual([]);
    let whole = 0;
    for (let at = 1; at < bytes.length; at += 512)
      whole += [...replies.take(bytes.subarray(at, at + 512))].length;
    expect(whole).toBe(1);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('tells people what a simulator says in one line', () => {
    const error = new ByteWriter().u8(1).u64(5).u8(1).text('a\n\x1b[2Jb').take();
    expect([...new Replies().take(framed(error))]).toEqual([
      { kind: 'error', why: 'protocol', message: 'simulator: a  [2Jb' },
    ]);
  });
});
