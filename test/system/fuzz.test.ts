import { describe, expect, it } from 'vitest';
import { fuzzRtl, hostileProcess, hostileSession, PROCESS_KINDS } from '../../src/fuzz/index.ts';
import { ByteWriter } from '../../src/sim/bytes.ts';
import { simulatorBinary } from '../../src/sim/index.ts';
import { SimProcess } from '../../src/sim/process.ts';
import { OP, PROTOCOL_MAGIC, PROTOCOL_WORD } from '../../src/sim/protocol.ts';
import { anySeed, environment } from '../support/environment.ts';

const SEED = anySeed();
/** The native one, whatever the others run on: it is what takes the frames. */
const binary = simulatorBinary({ sim: 'verilator' });
const SESSIONS = 12;

describe('an HCA in RTL', () => {
  it.each([
    ['packets', { packets: true, wqes: false, writes: false }, 300],
    ['work requests', { packets: false, wqes: true, writes: false }, 100],
    ['doorbells and register writes', { packets: false, wqes: false, writes: true }, 150],
    ['all of them', { packets: true, wqes: true, writes: true }, 200],
  ])(`serves a victim by the letter beside hostile %s (SEED=${SEED})`, async (_, hostility, steps) => {
    const { profile } = environment;
    const { problems, counts } = await fuzzRtl({ seed: SEED, steps, profile, hostility });
    expect(problems).toEqual([]);
    expect(counts.messages).toBeGreaterThan(0);
  });
});

describe('a simulator', () => {
  it(`answers each frame of a hostile client, and ends as it should (SEED=${SEED})`, async () => {
    const ends = [];
    for (let number = 0; number < SESSIONS; number++) {
      const { end, problem } = await hostileSession(binary, SEED, number);
      expect(problem, `session ${number}`).toBeUndefined();
      ends.push(end);
    }
    expect(ends).toHaveLength(SESSIONS);
  });

  const GIB = 2 ** 30;
  const many = (count: number, each: (to: ByteWriter) => ByteWriter) => (to: ByteWriter) => {
    for (let i = 0; i < count; i++) each(to);
    return to;
  };
  it.each<[string, (to: ByteWriter) => ByteWriter, RegExp]>([
    [
      'a fill without end',
      (to) =>
        to
          .u8(OP.memFill)
          .u8(0)
          .u64(0)
          .u64(2 ** 40)
          .u8(0),
      /at most 67108864 bytes, got 1099511627776/,
    ],
    [
      'a fill of a GiB',
      (to) => to.u8(OP.memFill).u8(0).u64(0).u64(GIB).u8(1),
      /at most 67108864 bytes, got 1073741824/,
    ],
    [
      'results that no reply holds',
      many(5, (to) =>
        to
          .u8(OP.memRead)
          .u8(0)
          .u64(0)
          .u32(2 ** 26),
      ),
      /at most \d+ bytes of results, got more/,
    ],
    [
      'a setting beyond 32 bits',
      (to) =>
        to
          .u8(OP.setting)
          .u8(0)
          .u8(0)
          .u64(2 ** 32),
      /at most 4294967295, got 4294967296/,
    ],
    [
      'more fail rules than there may be',
      many(1025, (to) => to.u8(OP.failRule).u8(0).u8(0).u64(0).u64(1).u32(0).u32(0).u32(0)),
      /fail rule: expected at most 1024 of them, got more/,
    ],
    [
      'more packets than there may be',
      many(2 ** 17 + 1, (to) => to.u8(OP.inject).u8(0).u8(0).u64(0).u64(0).u32(1).u8(0)),
      /link: more than 131072 packets under way or not taken/,
    ],
  ])('ends with a clear error for %s', async (_, write, message) => {
    const hello = new ByteWriter().u8(OP.hello).u32(PROTOCOL_MAGIC).u16(PROTOCOL_WORD).u64(1).u32(16);
    const sim = new SimProcess({ binary });
    await expect(sim.exchange(write(hello).take())).rejects.toThrow(message);
    await sim.end();
  });
});

describe('a command', () => {
  it.each(PROCESS_KINDS)(`ends in one clear way: %s (SEED=${SEED})`, async (kind) => {
    for (const number of [0, 1]) {
      const { problem } = await hostileProcess(SEED, number, kind);
      expect(problem, `process ${number}`).toBeUndefined();
    }
  });
});
