import { describe, expect, it } from 'vitest';
import { type FaultRule, LinkFaults } from '../../src/fault/index.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { encodePacket, icrcIsRight, vcrcIsRight } from '../../src/wire/index.ts';

const packet = (psn: number): Uint8Array =>
  encodePacket({
    lrh: { dlid: 2, slid: 1 },
    bth: { opcode: Op.RC_SEND_ONLY, destQpn: 3, pkey: 0xffff, psn },
    payload: Uint8Array.of(psn),
  });

/** Sends packets of A with PSNs 0, 1, ... in cycles 0, 10, ...; tells when each comes out. */
function through(rules: FaultRule[], count = 4, seed = 1) {
  const link = new LinkFaults();
  link.set(rules, seed);
  const seen: [number, number][] = [];
  const bytes: Uint8Array[] = [];
  for (let cycle = 0; cycle <= 2000; cycle++) {
    if (cycle % 10 === 0 && cycle / 10 < count) link.send(0, cycle / 10, packet(cycle / 10), cycle);
    for (const arrival of link.arrivals(0, cycle)) {
      seen.push([arrival.number, cycle]);
      bytes.push(arrival.bytes);
    }
  }
  expect(link.arrivals(1, 1e6)).toEqual([]);
  expect(link.nextCycle()).toBeUndefined();
  return { seen, bytes, counts: link.counts };
}

describe('a link with faults', () => {
  it.each<[string, FaultRule, [number, number][]]>([
    [
      'drops',
      { what: 'drop', nth: 1, count: 2 },
      [
        [0, 0],
        [3, 30],
      ],
    ],
    ['drops all', { what: 'drop', nth: 1, count: 0 }, [[0, 0]]],
    [
      'duplicates',
      { what: 'duplicate', psn: 3 },
      [
        [0, 0],
        [1, 10],
        [2, 20],
        [3, 30],
        [3, 30],
      ],
    ],
    [
      'duplicates later',
      { what: 'duplicate', cycles: 15 },
      [
        [0, 0],
        [1, 10],
        [0, 15],
        [2, 20],
        [3, 30],
      ],
    ],
    [
      'delays',
      { what: 'delay', cycles: 25, psn: 0 },
      [
        [1, 10],
        [2, 20],
        [0, 25],
        [3, 30],
      ],
    ],
    [
      'reorders',
      { what: 'reorder', psn: 1 },
      [
        [0, 0],
        [2, 20],
        [1, 20],
        [3, 30],
      ],
    ],
    [
      'reorders the last',
      { what: 'reorder', psn: 3, cycles: 100 },
      [
        [0, 0],
        [1, 10],
        [2, 20],
        [3, 130],
      ],
    ],
    [
      'holds',
      { what: 'hold', psn: 1, cycles: 50 },
      [
        [0, 0],
        [1, 60],
        [2, 60],
        [3, 60],
      ],
    ],
    [
      'strikes no other',
      { what: 'drop', count: 0, from: 'b' },
      [
        [0, 0],
        [1, 10],
        [2, 20],
        [3, 30],
      ],
    ],
    [
      'strikes an opcode',
      { what: 'drop', count: 0, opcode: Op.RC_SEND_FIRST },
      [
        [0, 0],
        [1, 10],
        [2, 20],
        [3, 30],
      ],
    ],
    ['strikes a queue pair', { what: 'drop', count: 3, qpn: 3 }, [[3, 30]]],
  ])('%s', (_, rule, wanted) => {
    expect(through([rule]).seen).toEqual(wanted);
  });

  it.each<[FaultRule['what'], number | undefined, boolean, boolean]>([
    ['corrupt', 8 * 27 + 3, false, false],
    ['badIcrc', undefined, false, true],
    ['badVcrc', undefined, true, false],
  ])('spoils by %s', (what, bit, icrc, vcrc) => {
    const { bytes } = through([{ what, psn: 1, ...(bit === undefined ? {} : { bit }) }]);
    expect(bytes.map(icrcIsRight)).toEqual([true, icrc, true, true]);
    expect(bytes.map(vcrcIsRight)).toEqual([true, vcrc, true, true]);
  });

  it('strikes with the first rule that fits, and counts for all', () => {
    const { seen, counts } = through([
      { what: 'drop', nth: 2 },
      { what: 'drop', nth: 2, count: 2 },
    ]);
    expect(seen.map(([number]) => number)).toEqual([0, 1]);
    expect(counts).toEqual([
      { matches: 4, strikes: 1 },
      { matches: 4, strikes: 1 },
    ]);
  });

  it('throws its dice by the seed', () => {
    const rule: FaultRule = { what: 'drop', probability: 0.3 };
    const lost = (seed: number) => 100 - through([rule], 100, seed).seen.length;
    expect(lost(1)).toBe(lost(1));
    const losses = [1, 2, 3, 4, 5].map(lost);
    expect(new Set(losses).size).toBeGreaterThan(1);
    for (const count of losses) expect(Math.abs(count - 30)).toBeLessThan(20);
  });
});
