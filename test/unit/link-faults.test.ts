import { describe, expect, it } from 'vitest';
import {
  checkDmaFaultRules,
  checkFaultRules,
  type DmaFaultRule,
  type FaultRule,
  LinkFaults,
  Prng,
  unstruck,
} from '../../src/fault/index.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { encodePacket, icrcIsRight, vcrcIsRight } from '../../src/wire/index.ts';
import { anySeed } from '../support/environment.ts';

const SEED = anySeed();

interface Told {
  opcode?: number;
  qpn?: number;
  psn?: number;
  grh?: boolean;
  payload?: number;
}

function packet({
  opcode = Op.RC_SEND_ONLY,
  qpn = 5,
  psn = 0,
  grh = false,
  payload = 64,
}: Told = {}): Uint8Array {
  return encodePacket({
    lrh: { vl: 0, lver: 0, sl: 0, dlid: 2, slid: 1 },
    bth: { opcode, solicited: 0, migReq: 1, tver: 0, pkey: 0xffff, destQpn: qpn, ackReq: 1, psn },
    ...(grh
      ? { grh: { ipVer: 6, nxtHdr: 0x1b, hopLimit: 1, tclass: 0, flowLabel: 0, sgid: 1n, dgid: 2n } }
      : {}),
    payload: new Uint8Array(payload),
  });
}

/** Sends packets of PSN 0, 1, ... from host a, one a cycle; the PSNs struck, and those that arrive. */
function stream(rules: FaultRule[], count = 6, make: (psn: number) => Uint8Array = (psn) => packet({ psn })) {
  const faults = new LinkFaults();
  faults.set(rules, SEED);
  const struck: number[] = [];
  const came: number[] = [];
  for (let psn = 0; psn < count; psn++) {
    if (faults.send(0, psn, make(psn), psn) !== undefined) struck.push(psn);
    came.push(...faults.arrivals(0, psn).map(({ number }) => number));
  }
  const now = came.slice();
  const rest = faults.arrivals(0, 1e9).map(({ number }) => number);
  return { faults, struck, came: now, all: [...now, ...rest] };
}

const one = (rule: FaultRule, bytes = packet()) => {
  const faults = new LinkFaults();
  faults.set([rule], 1);
  const struck = faults.send(0, 0, bytes, 0);
  return { struck, arrived: faults.arrivals(0, 0).map((each) => each.bytes) };
};

describe('a rule of the link strikes', () => {
  it.each<[string, FaultRule, number[]]>([
    ['the first match, once, unless told', { what: 'drop' }, [0]],
    ['the nth match, counted from 0', { what: 'drop', nth: 2 }, [2]],
    ['so many from there on', { what: 'drop', nth: 2, count: 3 }, [2, 3, 4]],
    ['all from there on with count 0', { what: 'drop', nth: 3, count: 0 }, [3, 4, 5]],
    ['the PSN told', { what: 'drop', psn: 4, count: 0 }, [4]],
    ['nothing of another direction', { what: 'drop', from: 'b', count: 0 }, []],
    ['the direction told', { what: 'drop', from: 'a' }, [0]],
    ['nothing of another queue pair', { what: 'drop', qpn: 6, count: 0 }, []],
    ['only what fits in all', { what: 'drop', qpn: 5, opcode: Op.RC_SEND_ONLY, psn: 1, count: 0 }, [1]],
    ['always with probability 1', { what: 'drop', probability: 1 }, [0, 1, 2, 3, 4, 5]],
  ])('%s', (_, rule, expected) => {
    const { struck, all } = stream([rule]);
    expect(struck).toEqual(expected);
    expect(all).toEqual([0, 1, 2, 3, 4, 5].filter((psn) => !expected.includes(psn)));
  });

  it('behind a global route header, too', () => {
    const make = (psn: number) => packet({ psn, grh: true });
    expect(stream([{ what: 'drop', psn: 3, qpn: 5 }], 6, make).struck).toEqual([3]);
  });

  it('packets without a BTH only when it asks for none of its fields', () => {
    const raw = Uint8Array.from(packet(), (byte, i) => (i === 1 ? byte & 0xfc : byte));
    expect(one({ what: 'drop', qpn: 5 }, raw).struck).toBeUndefined();
    expect(one({ what: 'drop' }, raw).struck).toBe(0);
    expect(one({ what: 'drop', qpn: 5 }, packet().subarray(0, 19)).struck).toBeUndefined();
  });

  it('first in the list, while all count their matches', () => {
    const { faults, struck } = stream([
      { what: 'drop', nth: 1 },
      { what: 'delay', cycles: 5, nth: 1, count: 2 },
      { what: 'drop', psn: 1 },
    ]);
    expect(struck).toEqual([1, 2]);
    expect(faults.counts).toEqual([
      { matches: 6, strikes: 1 },
      { matches: 6, strikes: 1 },
      { matches: 1, strikes: 0 },
    ]);
  });

  it(`the same packets by the same seed, whatever other rules there are (SEED=${SEED})`, () => {
    const rule: FaultRule = { what: 'drop', probability: 0.3 };
    const first = stream([rule], 2000).struck;
    expect(stream([rule], 2000).struck).toEqual(first);
    expect(stream([rule, { what: 'drop', probability: 0.5, from: 'b' }], 2000).struck).toEqual(first);
    expect(first.length).toBeGreaterThan(450);
    expect(first.length).toBeLessThan(750);
  });
});

describe('what a rule of the link does', () => {
  it.each<[string, FaultRule[], number[], number[]]>([
    ['duplicate: a copy right behind', [{ what: 'duplicate', nth: 1 }], [0, 1, 1, 2, 3, 4, 5], []],
    ['duplicate: a copy later', [{ what: 'duplicate', nth: 1, cycles: 3 }], [0, 1, 2, 3, 1, 4, 5], []],
    ['delay: others pass', [{ what: 'delay', nth: 1, cycles: 2 }], [0, 2, 1, 3, 4, 5], []],
    [
      'delay: two, in the order of their time',
      [{ what: 'delay', nth: 1, count: 2, cycles: 2 }],
      [0, 1, 3, 2, 4, 5],
      [],
    ],
    ['reorder: the next one first', [{ what: 'reorder', nth: 1 }], [0, 2, 1, 3, 4, 5], []],
    [
      'reorder: not by a packet that is lost',
      [
        { what: 'reorder', nth: 1 },
        { what: 'drop', psn: 2 },
      ],
      [0, 3, 1, 4, 5],
      [],
    ],
    ['reorder: two in a row', [{ what: 'reorder', nth: 1, count: 2 }], [0, 3, 1, 2, 4, 5], []],
    [
      'reorder: before its copy',
      [{ what: 'reorder' }, { what: 'duplicate', psn: 1 }],
      [1, 1, 0, 2, 3, 4, 5],
      [],
    ],
    ['reorder: the last waits', [{ what: 'reorder', nth: 5 }], [0, 1, 2, 3, 4], [5]],
    ['hold: nothing for so long', [{ what: 'hold', nth: 1, cycles: 3 }], [0, 1, 2, 3, 4, 5], []],
    ['hold: not even what was delayed', [{ what: 'hold', nth: 1, cycles: 9 }], [0], [1, 2, 3, 4, 5]],
  ])('%s', (_, rules, now, later) => {
    const { came, all } = stream(rules);
    expect(came).toEqual(now);
    expect(all).toEqual([...now, ...later]);
  });

  it('reorder: it comes by itself after its time, no earlier', () => {
    const faults = new LinkFaults();
    faults.set([{ what: 'reorder', cycles: 10 }], 1);
    faults.send(0, 7, packet(), 100);
    expect(faults.holds).toBe(true);
    expect(faults.nextCycle()).toBe(110);
    expect(faults.arrivals(0, 109)).toEqual([]);
    faults.send(0, 8, packet(), 115);
    expect(faults.arrivals(0, 115).map(({ number }) => number)).toEqual([7, 8]);
    expect(faults.holds).toBe(false);
  });

  it('hold: what had arrived before is not held', () => {
    const faults = new LinkFaults();
    faults.set([{ what: 'hold', nth: 1, cycles: 10 }], 1);
    faults.send(0, 0, packet(), 1);
    faults.send(0, 1, packet(), 2);
    expect(faults.arrivals(0, 2).map(({ number }) => number)).toEqual([0]);
    expect(faults.arrivals(1, 99)).toEqual([]);
    expect(faults.nextCycle()).toBe(12);
  });

  it('corrupt: that bit, and no CRC follows', () => {
    const { arrived } = one({ what: 'corrupt', bit: 8 * 30 + 3 });
    const expected = packet();
    expected[30]! ^= 8;
    expect(arrived).toEqual([expected]);
    expect(one({ what: 'corrupt', bit: 8 * 4000 }).struck).toBeUndefined();
  });

  it('badIcrc: with a right VCRC; badVcrc: with a right ICRC', () => {
    const [icrc] = one({ what: 'badIcrc' }).arrived;
    expect([icrcIsRight(icrc!), vcrcIsRight(icrc!)]).toEqual([false, true]);
    const [vcrc] = one({ what: 'badVcrc' }).arrived;
    expect([icrcIsRight(vcrc!), vcrcIsRight(vcrc!)]).toEqual([true, false]);
  });

  it('leaves the packet of the sender alone', () => {
    const sent = packet();
    one({ what: 'corrupt', bit: 0 }, sent);
    expect(sent).toEqual(packet());
  });
});

describe('the dice', () => {
  it('are SplitMix64', () => {
    const prng = new Prng(1234567);
    expect([prng.next(), prng.next()]).toEqual([6457827717110365317n, 3203168211198807973n]);
  });
});

describe('rules that cannot be', () => {
  it.each<[Record<string, unknown>, string]>([
    [
      { what: 'eat' },
      'what: expected drop or duplicate or delay or reorder or corrupt or badIcrc or badVcrc or hold, got eat',
    ],
    [
      {},
      'what: expected drop or duplicate or delay or reorder or corrupt or badIcrc or badVcrc or hold, got undefined',
    ],
    [{ what: 'drop', from: 'c' }, 'from: expected a or b, got c'],
    [{ what: 'drop', qpn: 2 ** 24 }, 'qpn: expected a whole number 0..16777215, got 16777216'],
    [{ what: 'drop', opcode: 256 }, 'opcode: expected a whole number 0..255, got 256'],
    [{ what: 'drop', psn: -1 }, 'psn: expected a whole number 0..16777215, got -1'],
    [{ what: 'drop', psn: 1.5 }, 'psn: expected a whole number 0..16777215, got 1.5'],
    [{ what: 'drop', nth: '1' }, 'nth: expected a whole number 0..4294967295, got 1'],
    [{ what: 'drop', count: Number.NaN }, 'count: expected a whole number 0..4294967295, got NaN'],
    [{ what: 'drop', probability: 0 }, 'probability: expected a number above 0, at most 1, got 0'],
    [{ what: 'drop', probability: 1.1 }, 'probability: expected a number above 0, at most 1, got 1.1'],
    [{ what: 'drop', probability: 0.5, nth: 1 }, 'probability: expected none beside nth or count, got 0.5'],
    [{ what: 'corrupt' }, 'bit: expected a number with corrupt, got undefined'],
    [{ what: 'corrupt', bit: 34816 }, 'bit: expected a whole number 0..34815, got 34816'],
    [{ what: 'drop', bit: 1 }, 'bit: expected none with drop, got 1'],
    [{ what: 'delay' }, 'cycles: expected a number with delay, got undefined'],
    [{ what: 'hold', cycles: 0 }, 'cycles: expected a whole number 1..4294967295, got 0'],
    [{ what: 'drop', cycles: 5 }, 'cycles: expected none with drop, got 5'],
  ])('%j', (rule, message) => {
    const rules = [{ what: 'drop' }, rule as unknown as FaultRule] satisfies FaultRule[];
    expect(() => checkFaultRules(rules)).toThrow(`faults[1].${message}`);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ what: 'fail' }, 'what: expected timeout or unsupported or poison, got fail'],
    [{ kind: 'write' }, 'what: expected fail, got poison'],
    [{ kind: 'peek' }, 'kind: expected read or write, got peek'],
    [{ host: 0 }, 'host: expected a or b, got 0'],
    [{ from: 5 }, 'from: expected an address, a bigint, got 5'],
    [{ from: -1n }, 'from: expected an address, a bigint, got -1'],
    [{ from: 5n, to: 5n }, 'to: expected an address beyond 5, got 5'],
    [{ to: 2n ** 64n + 1n }, 'to: expected an address beyond 0, got 18446744073709551617'],
    [{ count: -1 }, 'count: expected a whole number 0..4294967295, got -1'],
  ])('of a host: %s', (part, message) => {
    const rule = { host: 'a', kind: 'read', what: 'poison', ...part } as DmaFaultRule;
    expect(() => checkDmaFaultRules([rule])).toThrow(`dma faults[0].${message}`);
  });

  it('are no list, too many, or nothing', () => {
    expect(() => checkFaultRules('drop' as unknown as FaultRule[])).toThrow(
      'expected a list of at most 1024 rules',
    );
    expect(() => checkFaultRules(Array(1025).fill({ what: 'drop' }))).toThrow('at most 1024');
    expect(() => checkFaultRules([null as unknown as FaultRule])).toThrow(
      'faults[0].rule: expected an object',
    );
  });
});

describe('a rule that never struck', () => {
  it('is told, unless optional', () => {
    const rules: FaultRule[] = [
      { what: 'drop', opcode: Op.RC_WRITE_MIDDLE, psn: 7, from: 'b' },
      { what: 'drop', name: 'late loss', nth: 9 },
      { what: 'drop', nth: 9, optional: true },
      { what: 'drop' },
    ];
    const matched = { matches: 2, strikes: 0 };
    expect(
      unstruck('link', rules, [{ matches: 0, strikes: 0 }, matched, matched, { matches: 1, strikes: 1 }]),
    ).toEqual([
      'link rule 0 (drop RC_WRITE_MIDDLE PSN 7 from b): expected to strike, found no match',
      'link rule "late loss": expected to strike, found 2 matches, none struck',
    ]);
    const dma: DmaFaultRule[] = [{ host: 'b', kind: 'read', what: 'poison' }];
    expect(unstruck('dma', dma, [{ matches: 0, strikes: 0 }])).toEqual([
      'dma rule 0 (poison of a read on host b): expected to strike, found no match',
    ]);
  });
});
