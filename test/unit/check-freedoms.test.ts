import { describe, expect, it } from 'vitest';
import { FREEDOMS, type FreedomName } from '../../src/check/index.ts';
import type { PacketSpec } from './check-build.ts';
import {
  answer,
  at,
  judge,
  lost,
  MTU,
  pattern,
  RETRY,
  rulesOf,
  sends,
  Talk,
  type TalkOptions,
} from './check-talk.ts';

const retry = { options: { retry: RETRY } };
const counted = { options: { credits: true, posted: 3 } };

/** What a freedom allows, and the same one step further. */
interface Pair {
  options?: TalkOptions;
  inside(talk: Talk): PacketSpec[];
  outside(talk: Talk): PacketSpec[];
}

const nak = (talk: Talk, psn: number, syndrome: number, msn: number): PacketSpec =>
  talk.packet(1, { opcode: 0x11, psn, aeth: { syndrome, msn } });

const injected = (spec: PacketSpec): PacketSpec => ({ ...spec, injected: true });

/** An answer to three SENDs, `step` behind the newest. */
const coalesced = (talk: Talk, step: number): PacketSpec[] => {
  const sends = [1, 2, 3].flatMap((bytes) => talk.request(0, 'SEND', bytes));
  return [...sends, talk.packet(1, { opcode: 0x11, psn: 0x102 + step, aeth: { syndrome: 0x1f, msn: 3 } })];
};

/** Two packets of which only the last asks, each answered as often as told. */
const unasked = (talk: Talk, answers: number): PacketSpec[] => {
  const [first, last] = talk.request(0, 'SEND', 2 * MTU);
  const early = talk.ack(1, first!, { msn: 0 });
  return [first!, ...Array.from({ length: answers }, () => early), last!, talk.ack(1, last!)];
};

/** A SEND and a READ; the answer to the READ comes before the SEND or after it. */
const byResponse = (talk: Talk, readFirst: boolean): PacketSpec[] => {
  const send = readFirst ? [] : talk.request(0, 'SEND', 1);
  const [read] = talk.request(0, 'READ', 1);
  const late = readFirst ? talk.request(0, 'SEND', 1) : [];
  return [...send, read!, ...late, ...talk.data(1, read!)];
};

const askedAt = (talk: Talk, asks: readonly boolean[]): PacketSpec[] => {
  const send = talk.request(0, 'SEND', 3 * MTU).map((spec, i) => ({ ...spec, a: asks[i]! }));
  return [...send, talk.ack(1, send[2]!)];
};

const msnAhead = (talk: Talk, msn: number): PacketSpec[] => {
  const [first, second] = [...talk.request(0, 'SEND', 1), ...talk.request(0, 'SEND', 1)];
  return [first!, second!, talk.ack(1, first!, { msn }), talk.ack(1, second!)];
};

/** Two duplicates that do not ask, and some ACKs. */
const duplicates = (talk: Talk, answers: number): PacketSpec[] => {
  const [send] = talk.request(0, 'SEND', 1);
  const again = injected({ ...send!, a: false });
  const ack = talk.ack(1, send!);
  return [send!, ack, again, again, ...Array.from({ length: answers }, () => ack)];
};

const interleaved = (talk: Talk, sameQueuePair: boolean): PacketSpec[] => {
  const there = talk.request(0, 'SEND', 2 * MTU);
  const back = talk.request(sameQueuePair ? 0 : 1, 'SEND', 2 * MTU);
  const acks = [talk.ack(1, there[1]!), talk.ack(0, back[1]!)];
  return [there[0]!, back[0]!, there[1]!, back[1]!, ...acks];
};

const drained = (talk: Talk, cycles: number): PacketSpec[] => {
  const [first, second] = [...talk.request(0, 'SEND', 1), ...talk.request(0, 'SEND', 1)];
  return [first!, { ...nak(talk, 0x100, 0x61, 0), cycle: 1000 }, { ...second!, cycle: 1000 + cycles }];
};

/** A WRITE of two packets, too short for its RETH, refused at its first or taken at its last. */
const wrongLength = (talk: Talk, refuse: boolean): PacketSpec[] => {
  const [first, last] = talk.request(0, 'WRITE', 2 * MTU).map(injected);
  const write = [{ ...first!, reth: { ...first!.reth!, dmaLen: 2 * MTU + 1 } }, last!];
  return [...write, refuse ? nak(talk, 0x100, 0x61, 0) : talk.ack(1, last!)];
};

const underWay = (talk: Talk, cycles: number): PacketSpec[] => {
  const [first, second] = sends(talk, 2);
  const refused = [first!, at(1000, answer(talk, 0x100, 0x2c, 0)), at(1000 + cycles, second!)];
  return [...refused, at(20_000, first!), at(20_001, second!), at(20_002, talk.ack(1, second!))];
};

/** Of four SENDs three are acknowledged after a time-out; `next` is the one that follows. */
const skipped = (talk: Talk, next: number): PacketSpec[] => {
  const all = sends(talk, 5);
  return [
    ...all.slice(0, 4),
    at(20_000, all[0]!),
    at(20_001, answer(talk, 0x102, 0x1f, 3)),
    at(20_002, all[next]!),
    at(20_003, answer(talk, 0x103, 0x1f, 4)),
  ];
};

/** The first of two packets is sent again with other fields. */
const again = (talk: Talk, fields: Partial<PacketSpec>): PacketSpec[] => {
  const [first, last] = talk.request(0, 'SEND', 2 * MTU);
  const nak = answer(talk, 0x100, 0x60, 0);
  return [{ ...first!, lost: true }, last!, nak, { ...first!, ...fields }, last!, talk.ack(1, last!)];
};

/** A gap that is filled before its NAK leaves. */
const lateNak = (talk: Talk, naks: number): PacketSpec[] => {
  const [first, second, third] = sends(talk, 3);
  const filled = [first!, { ...second!, lost: true }, third!, { ...second!, arrives: true }];
  const late = Array.from({ length: naks }, () => answer(talk, 0x101, 0x60, 1));
  return [...filled, ...late, answer(talk, 0x101, 0x1f, 2)];
};

/** A READ that comes twice before it is answered. */
const twice = (talk: Talk, answers: number): PacketSpec[] => {
  const [read] = talk.request(0, 'READ', 2 * MTU);
  const data = talk.data(1, read!);
  return [read!, injected(read!), ...Array.from({ length: answers }, () => data).flat()];
};

/** Two READs that come again; their responses in this order. */
const anyOrder = (talk: Talk, order: readonly number[]): PacketSpec[] => {
  const reads = [1, 2].map(() => talk.request(0, 'READ', 2 * MTU)[0]!);
  const data = reads.flatMap((read, i) => talk.data(1, read, i + 1));
  return [...reads, ...data, ...reads.map(injected), ...order.map((i) => data[i]!)];
};

const readLater = (talk: Talk, memoryChanged: boolean): PacketSpec[] => {
  const [read] = talk.request(0, 'READ', 1);
  const [data] = talk.data(1, read!);
  return [read!, data!, { ...injected(read!), memoryChanged }, { ...data!, payload: Uint8Array.of(9) }];
};

/** A response that is late comes while its READ is given up; of what is sent again nothing but the READ is answered. */
const givenUp = (talk: Talk, cycles: number): PacketSpec[] => {
  const [read, first, second] = [
    ...talk.request(0, 'READ', 1),
    ...talk.request(0, 'SEND', 1),
    ...talk.request(0, 'SEND', 2),
  ] as [PacketSpec, PacketSpec, PacketSpec];
  const [data] = talk.data(1, read, 1);
  const acks = [talk.ack(1, first, { msn: 2 }), talk.ack(1, second, { msn: 3 })];
  return [
    ...[read, first, second, lost(data!), acks[0]!, { ...data!, arrives: true }, acks[1]!],
    ...[read, first, second].map((spec, i) => at(10 + i, spec)),
    ...[at(20, { ...data!, aeth: { syndrome: 0x1f, msn: 3 } }), at(21, lost(acks[1]!))],
    ...[at(20 + cycles, first), at(21 + cycles, second), at(22 + cycles, acks[1]!)],
  ];
};

const told = (talk: Talk, code: number): PacketSpec[] => [...sends(talk, 1), answer(talk, 0x100, code, 1)];

/** Credits for one message more; so many begin. */
const beyond = (talk: Talk, count: number): PacketSpec[] => {
  const all = sends(talk, count + 1);
  return [all[0]!, answer(talk, 0x100, 1, 1), ...all.slice(1), answer(talk, 0x100 + count, 0, count + 1)];
};

const PAIRS: Record<FreedomName, Pair> = {
  'ack-coalescing': { inside: (talk) => coalesced(talk, 0), outside: (talk) => coalesced(talk, 1) },
  'ack-unasked-packet': { inside: (talk) => unasked(talk, 1), outside: (talk) => unasked(talk, 2) },
  'ack-by-response': { inside: (talk) => byResponse(talk, false), outside: (talk) => byResponse(talk, true) },
  'ack-req-anywhere': {
    inside: (talk) => askedAt(talk, [true, true, true]),
    outside: (talk) => askedAt(talk, [true, true, false]),
  },
  'msn-runs-ahead': { inside: (talk) => msnAhead(talk, 2), outside: (talk) => msnAhead(talk, 3) },
  'duplicate-answer': { inside: (talk) => duplicates(talk, 2), outside: (talk) => duplicates(talk, 3) },
  'queue-pairs-interleave': {
    inside: (talk) => interleaved(talk, false),
    outside: (talk) => interleaved(talk, true),
  },
  'drain-after-error': { inside: (talk) => drained(talk, 4096), outside: (talk) => drained(talk, 4097) },
  'length-fault-later': {
    inside: (talk) => wrongLength(talk, true),
    outside: (talk) => wrongLength(talk, false),
  },
  'under-way': { ...retry, inside: (talk) => underWay(talk, 4096), outside: (talk) => underWay(talk, 4097) },
  'acknowledged-is-skipped': {
    ...retry,
    inside: (talk) => skipped(talk, 3),
    outside: (talk) => skipped(talk, 4),
  },
  'answers-given-up': {
    ...retry,
    inside: (talk) => givenUp(talk, 16384),
    outside: (talk) => givenUp(talk, 16383),
  },
  'ack-req-again': {
    ...retry,
    inside: (talk) => again(talk, { a: true }),
    outside: (talk) => again(talk, { payload: pattern(MTU, 5) }),
  },
  'late-nak': { inside: (talk) => lateNak(talk, 1), outside: (talk) => lateNak(talk, 2) },
  'duplicate-of-pending': { inside: (talk) => twice(talk, 2), outside: (talk) => twice(talk, 3) },
  'duplicates-in-any-order': {
    inside: (talk) => anyOrder(talk, [2, 3, 0, 1]),
    outside: (talk) => anyOrder(talk, [2, 0, 3, 1]),
  },
  'read-again-later': { inside: (talk) => readLater(talk, true), outside: (talk) => readLater(talk, false) },
  'fewer-credits': { ...counted, inside: (talk) => told(talk, 1), outside: (talk) => told(talk, 3) },
  'one-beyond-credits': { ...counted, inside: (talk) => beyond(talk, 2), outside: (talk) => beyond(talk, 3) },
};

describe.each(Object.keys(PAIRS) as FreedomName[])('the freedom %s', (name) => {
  it('is granted', () => {
    const talk = new Talk(PAIRS[name].options);
    expect(judge(talk, PAIRS[name].inside(talk))).toEqual([]);
  });

  it(`ends where ${FREEDOMS[name].guard} holds`, () => {
    const talk = new Talk(PAIRS[name].options);
    expect(rulesOf(judge(talk, PAIRS[name].outside(talk)))).toContain(FREEDOMS[name].guard);
  });
});

describe.each([
  ['drain-after-error', drained, {}],
  ['under-way', underWay, retry],
] as const)(
  '%s counts no cycle in which the link takes nothing, or the host answers nothing',
  (name, play, { options }: { options?: TalkOptions }) => {
    // It is closed from 0 to 5000; what is under way is so from 1000 on.
    const held = (by: 'holds' | 'waits', cycles: number) => {
      const talk = new Talk(options);
      const [first, ...others] = play(talk, 4000 + cycles);
      return rulesOf(judge(talk, [{ ...first!, [by]: 5000 }, ...others]));
    };

    it.each(['holds', 'waits'] as const)('and all others: %s', (by) => {
      expect(held(by, 4096)).toEqual([]);
      expect(held(by, 4097)).toContain(FREEDOMS[name].guard);
    });
  },
);

describe('a response that comes while its READ is given up', () => {
  it('may still acknowledge what was before it', () => {
    const talk = new Talk(retry.options);
    const [early, send, late] = [
      ...talk.request(0, 'READ', 1),
      ...talk.request(0, 'SEND', 1),
      ...talk.request(0, 'READ', 2),
    ] as [PacketSpec, PacketSpec, PacketSpec];
    const [first] = talk.data(1, early, 1);
    const [second] = talk.data(1, late, 3);
    const beyond = talk.ack(1, send, { msn: 2 });
    const heard = [early, send, late, lost(first!), beyond, { ...first!, arrives: true }, second!];
    expect(judge(talk, [...heard, late, second!])).toEqual([]);
  });
});

describe('a time-out just before a NAK', () => {
  // T is 16384 cycles: the NAK of the second SEND comes before it is over, or behind.
  const goesBack = (nakAt: number) => {
    const talk = new Talk(retry.options);
    const [first, second] = sends(talk, 2);
    return rulesOf(
      judge(talk, [
        first!,
        { ...second!, lost: true },
        at(nakAt, answer(talk, 0x101, 0x60, 1)),
        at(nakAt + 100, first!),
        at(nakAt + 101, second!),
        at(nakAt + 200, talk.ack(1, second!)),
      ]),
    );
  };

  it('goes back to what was oldest then', () => {
    expect(goesBack(16_500)).not.toContain('go-back-psn');
    expect(goesBack(1000)).toContain('go-back-psn');
  });
});

describe('a time-out before progress', () => {
  // T is 2048 cycles, less than packets may be under way.
  const short = { retry: { ...RETRY, tick: 16, ackTimeout: 7 } };

  /** The first SEND is acknowledged then, and leaves again. */
  const comesLate = (ackAt: number) => {
    const talk = new Talk(short);
    const [first, second] = sends(talk, 2);
    return rulesOf(
      judge(talk, [
        at(0, first!),
        at(ackAt, answer(talk, 0x100, 0x1f, 1)),
        at(ackAt + 2100, first!),
        at(ackAt + 2101, second!),
        at(ackAt + 2200, answer(talk, 0x101, 0x1f, 2)),
      ]),
    );
  };

  it('goes back to what is acknowledged since', () => {
    expect(comesLate(2100)).toEqual([]);
    expect(comesLate(2047)).toContain('ack-timeout');
  });

  /** What goes back late to the first SEND leaves the timer of the second as it was; so often the third goes back by that. */
  const runsOn = (times: number) => {
    const talk = new Talk(short);
    const [first, second, third] = sends(talk, 3);
    return rulesOf(
      judge(talk, [
        at(0, first!),
        at(2100, answer(talk, 0x100, 0x1f, 1)),
        at(4500, first!),
        at(4501, second!),
        at(4502, lost(third!)),
        at(4900, answer(talk, 0x101, 0x1f, 2)),
        ...Array.from({ length: times }, (_, i) => at(6300 + 300 * i, third!)),
        at(8000, answer(talk, 0x102, 0x1f, 3)),
      ]),
    );
  };

  it('leaves the timer that runs since then as it is, and counts once', () => {
    expect(runsOn(1)).toEqual([]);
    expect(runsOn(2)).toContain('ack-timeout');
  });
});

describe('a duplicate WRITE to an end that has refused WRITEs', () => {
  it.each(['WRITE', 'SEND'] as const)('may go unanswered, a SEND not: %s', (kind) => {
    const talk = new Talk({ refusedWrites: true });
    const [packet] = talk.request(0, kind, 8);
    const rules = rulesOf(judge(talk, [packet!, talk.ack(1, packet!), injected(packet!)]));
    expect(rules).toEqual(kind === 'WRITE' ? [] : ['owed-ack']);
  });
});

describe('responses of a READ', () => {
  const read = (talk: Talk, msn: number) => {
    const [request] = talk.request(0, 'READ', 2 * MTU);
    return { request: request!, data: talk.data(1, request!, msn) };
  };

  it.each([
    ['for the first time', false],
    ['again', true],
  ])('are parted by those of an older one only if it comes once more: answered %s', (_, again) => {
    const judged = (anew: boolean) => {
      const talk = new Talk();
      const [one, two] = [read(talk, 1), read(talk, 2)];
      const before = again ? [...two.data, injected(two.request)] : [];
      return rulesOf(
        judge(talk, [
          ...[one.request, two.request, ...one.data],
          ...[...before, two.data[0]!, injected(one.request)],
          ...(anew ? [injected(two.request)] : []),
          ...talk.data(1, one.request, 2),
          ...(anew ? two.data : [two.data[1]!]),
        ]),
      );
    };
    expect(judged(true)).toEqual([]);
    expect(judged(false)).not.toEqual([]);
  });
});
