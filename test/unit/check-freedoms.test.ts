import { describe, expect, it } from 'vitest';
import { FREEDOMS, type FreedomName } from '../../src/check/index.ts';
import type { PacketSpec } from './check-build.ts';
import { judge, MTU, rulesOf, Talk } from './check-talk.ts';

/** What a freedom allows, and the same one step further. */
interface Pair {
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

const rnr = (talk: Talk, code: number): PacketSpec[] => [
  ...talk.request(0, 'SEND', 1),
  nak(talk, 0x100, 0x20 + code, 0),
];

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
  'rnr-longer': { inside: (talk) => rnr(talk, 0), outside: (talk) => rnr(talk, 11) },
};

describe.each(Object.keys(PAIRS) as FreedomName[])('the freedom %s', (name) => {
  it('is granted', () => {
    const talk = new Talk();
    expect(judge(talk, PAIRS[name].inside(talk))).toEqual([]);
  });

  it(`ends where ${FREEDOMS[name].guard} holds`, () => {
    const talk = new Talk();
    expect(rulesOf(judge(talk, PAIRS[name].outside(talk)))).toContain(FREEDOMS[name].guard);
  });
});
