import { describe, expect, it } from 'vitest';
import { openBlock } from '../support/block.ts';

const MTU_CODES: Record<number, number> = { 256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5 };
const AT_ONCE = 1_000_000;

/** Sends one message and gives the counts of tb/block/requester_run.sv. */
async function send(length: number, mtuBytes: number, psn: number) {
  const block = await openBlock('requester_run');
  block.set('psn', psn);
  block.set('mtu', MTU_CODES[mtuBytes]!);
  block.set('length', length);
  block.set('rst', 1);
  block.run(3);
  block.set('rst', 0);
  const packets = Math.max(1, Math.ceil(length / mtuBytes));
  const limit = 30 * packets + 100;
  const start = block.cycle;
  while (!block.num('done') && block.cycle - start < limit) block.run(Math.min(AT_ONCE, limit));
  expect(block.num('done')).toBe(1);
  return block;
}

describe('rc_requester', () => {
  // The longest message at the smallest MTU takes half of all PSNs.
  it.each([
    [0, 256, 0x10],
    [1, 256, 0x10],
    [256, 256, 0xffffff],
    [257, 256, 0xffffff],
    [5000, 1024, 0xfffffe],
    [2 ** 20 + 3, 512, 0xfff000],
    [2 ** 31, 4096, 5],
    [2 ** 31, 256, 0xc00000],
  ])('cuts %d bytes at an MTU of %d from PSN %d on, without gap [9.7.2]', async (length, mtuBytes, psn) => {
    const block = await send(length, mtuBytes, psn);
    const packets = Math.max(1, Math.ceil(length / mtuBytes));

    expect(block.num('packets')).toBe(packets);
    expect(block.get('bytes')).toBe(BigInt(length));
    expect(block.num('faults')).toBe(0);
    expect(block.num('flights')).toBe(1);
    expect(block.num('next_psn')).toBe((psn + packets) % 2 ** 24);
    expect(block.num('flight_last_psn')).toBe((psn + packets - 1) % 2 ** 24);
    expect(block.num('acks')).toBeGreaterThanOrEqual(Math.floor(packets / 16));
  });
});
