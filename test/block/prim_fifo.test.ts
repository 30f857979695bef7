import { describe, expect, it } from 'vitest';
import { openBlock, PAUSES, Random, seed } from '../support/block.ts';

const words = (count: number, width: number) => {
  const random = new Random();
  return Array.from({ length: count }, () => ({ data: random.bits(width) }));
};

describe.each(PAUSES)(`prim_fifo, pauses: %s (seed ${seed})`, (pauses) => {
  it.each([2, 16])('passes every word once, in order, %d deep', async (DEPTH) => {
    const block = await openBlock('prim_fifo', { WIDTH: 70, DEPTH }, pauses);
    const source = block.source('s', words(500, 70));
    const sink = block.sink('m');

    const cycles = block.until(() => sink.words.length === 500);

    expect(sink.all()).toEqual(source.words.map((word) => word.data));
    if (pauses === 'none') expect(cycles).toBeLessThan(503);
  });

  it('holds as many words as it is deep, and counts them', async () => {
    const block = await openBlock('prim_fifo', { WIDTH: 70, DEPTH: 16 }, pauses);
    const source = block.source('s', words(20, 70));
    block.set('m_ready', 0);

    block.steps(100);

    expect(source.sent).toBe(16);
    expect(block.num('level')).toBe(16);
  });
});
