import { describe, expect, it } from 'vitest';
import { bytesOf, lanes, openBlock, PAUSES, Random, seed, type Word } from '../support/block.ts';

/** The alignment that gather and scatter share: every lane of a beat to every other one. */
describe.each([128, 256, 512])('mem_align at %d bits', (DATA_W) => {
  const lane = DATA_W / 8;

  it.each(PAUSES)(`moves bytes from any lane to any lane, pauses: %s (seed ${seed})`, async (pauses) => {
    const block = await openBlock('mem_align', { DATA_W }, pauses);
    const random = new Random();
    const steps: Word[] = [];
    const expected: { at: number; bytes: Uint8Array }[] = [];
    for (let src = 0; src < lane; src++)
      for (let dst = 0; dst < lane; dst++) {
        const all = [1, lane - 1, lane, lane + 1, 2 * lane + 3];
        const bytes = random.bytes(all[(src + 3 * dst) % all.length]!);
        for (let at = 0; at < bytes.length; ) {
          const from = at === 0 ? src : 0;
          const n = Math.min(bytes.length - at, lane - from);
          const beat = random.bytes(lane);
          beat.set(bytes.subarray(at, at + n), from);
          steps.push({
            data: lanes(beat),
            zero: 0n,
            src: BigInt(from),
            n: BigInt(n),
            first: at === 0 ? 1n : 0n,
            last: at + n === bytes.length ? 1n : 0n,
            dst: BigInt(dst),
            blank: 0n,
          });
          at += n;
        }
        expected.push({ at: dst, bytes });
      }
    block.source('s', steps);
    const sink = block.sink('m');
    const beats = expected.reduce((sum, { at, bytes }) => sum + Math.ceil((at + bytes.length) / lane), 0);

    block.until(() => sink.words.length === beats, 200_000);

    let word = 0;
    for (const { at, bytes } of expected) {
      const count = Math.ceil((at + bytes.length) / lane);
      const got = sink.words.slice(word, word + count);
      const whole = got.flatMap(({ data }) => [...bytesOf(data!, lane)]);
      expect(Buffer.from(whole.slice(at, at + bytes.length)).equals(bytes)).toBe(true);
      expect(got.map(({ last }) => Number(last))).toEqual(
        Array.from({ length: count }, (_, i) => (i === count - 1 ? 1 : 0)),
      );
      word += count;
    }
  });
});
