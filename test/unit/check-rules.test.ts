import { describe, expect, it } from 'vitest';
import { formatViolation, RULE_NAMES, RULES, type RuleName, WireChecker } from '../../src/check/index.ts';
import { build, type PacketSpec } from './check-build.ts';
import {
  answer,
  at,
  fetchAdd,
  inject,
  judge,
  lost,
  MTU,
  original,
  PORTS,
  pattern,
  RETRY,
  rulesOf,
  sends,
  Talk,
  type TalkOptions,
} from './check-talk.ts';

/** A conversation that breaks one rule first, by what is wrong with it. */
interface Case {
  title: string;
  options?: TalkOptions;
  offers?: { atomic?: boolean; invalidate?: boolean };
  packets(talk: Talk): PacketSpec[];
}

type Fields = Partial<PacketSpec>;

/** A SEND of three packets and its ACK, packet `at` with other fields. */
const sendWith = (title: string, at: number, fields: Fields, options: TalkOptions = {}): Case => ({
  title,
  options,
  packets: (talk) => {
    const send = talk.request(0, 'SEND', 2 * MTU + 5);
    return edit([...send, talk.ack(1, send[2]!)], at, fields);
  },
});

const writeWith = (title: string, at: number, fields: Fields): Case => ({
  title,
  packets: (talk) => {
    const write = talk.request(0, 'WRITE', 2 * MTU + 5);
    return edit([...write, talk.ack(1, write[2]!)], at, fields);
  },
});

/** A READ of three responses, packet `at` with other fields. */
const readWith = (title: string, at: number, fields: Fields): Case => ({
  title,
  packets: (talk) => {
    const [read] = talk.request(0, 'READ', 2 * MTU + 5);
    return edit([read!, ...talk.data(1, read!)], at, fields);
  },
});

const globalWith = (
  title: string,
  fields: NonNullable<PacketSpec['grh']> | Record<string, unknown>,
): Case => ({
  title,
  options: { grh: true },
  packets: (talk) => {
    const send = talk.request(0, 'SEND', 5);
    const grh = { ...send[0]!.grh!, ...fields };
    return edit([...send, talk.ack(1, send[0]!)], 0, { grh });
  },
});

const of = (title: string, packets: Case['packets'], rest: Omit<Case, 'title' | 'packets'> = {}): Case => ({
  title,
  packets,
  ...rest,
});

function edit(specs: PacketSpec[], at: number, fields: Fields): PacketSpec[] {
  return specs.map((spec, i) => (i === at ? { ...spec, ...fields } : spec));
}

const flat = (talk: Talk, ...kinds: [kind: 'SEND' | 'WRITE' | 'READ', bytes: number][]): PacketSpec[] =>
  kinds.flatMap(([kind, bytes]) => talk.request(0, kind, bytes));

const nak = (talk: Talk, psn: number, syndrome: number, msn: number): PacketSpec =>
  talk.packet(1, { opcode: 0x11, psn, aeth: { syndrome, msn } });

const atomic = (talk: Talk, psn: number, va = 8n): PacketSpec =>
  talk.packet(0, { opcode: 0x14, psn, a: true, atomic: { va, rkey: 1, swapAdd: 1n, compare: 0n } });

const retry = { options: { retry: RETRY } };

/** Three SENDs of which the second was lost, and the NAK. */
const gap = (talk: Talk): PacketSpec[] => {
  const [first, second, third] = sends(talk, 3);
  return [first!, lost(second!), third!, answer(talk, 0x101, 0x60, 1)];
};

/** A SEND whose packet is sent again after a NAK with other fields. */
const againWith = (title: string, fields: Fields): Case => ({
  title,
  ...retry,
  packets: (talk) => {
    const talked = gap(talk);
    return [...talked, { ...talked[1]!, lost: false, ...fields }];
  },
});

/** A READ of three responses of which the second was lost, and the READ that asks again for it. */
const readAgain = (title: string, fields: (rest: PacketSpec) => Fields, psn = 0x101): Case => ({
  title,
  ...retry,
  packets: (talk) => {
    const [read] = talk.request(0, 'READ', 2 * MTU + 5);
    const [first, second, third] = talk.data(1, read!);
    const { va, rkey, dmaLen } = read!.reth!;
    const rest = { ...read!, psn, reth: { va: va + BigInt(MTU), rkey, dmaLen: dmaLen - MTU } };
    return [read!, first!, lost(second!), third!, { ...rest, ...fields(rest) }];
  },
});

const CASES: Record<RuleName, Case[]> = {
  decodable: [
    sendWith('LNH of a raw packet', 0, { lnh: 1 }),
    readWith('a READ request without its RETH', 0, { cut: 16 }),
  ],
  vcrc: [sendWith('a bit of the VCRC', 1, { vcrcXor: 0x10 })],
  icrc: [sendWith('a bit of the ICRC', 1, { icrcXor: 0x10 })],
  lver: [sendWith('version 1', 1, { lver: 1 })],
  'lrh-reserved': [
    sendWith('a bit of byte 1', 1, { lrhReserved: 1 }),
    sendWith('a bit of byte 4', 1, { lrhReserved: 0x40 }),
  ],
  'pkt-len': [
    sendWith('one word less', 1, { pktLen: 69 }),
    sendWith('bytes without PktLen', 3, { pktLen: 8 }),
  ],
  'pkt-max': [sendWith('more than the port takes', 0, { payload: pattern(2176) })],
  slid: [
    sendWith('a LID beyond those of the port', 1, { slid: 0x14 }),
    sendWith('other path bits', 3, { slid: 0x22 }),
    sendWith('path bits where there are none', 0, { slid: 0x11 }),
  ],
  dlid: [sendWith('the base LID of the peer', 1, { dlid: 0x20 }), sendWith('of an ACK', 3, { dlid: 0x11 })],
  sl: [sendWith('SL 4, which maps to VL 0', 1, { sl: 4, vl: 0 })],
  vl: [sendWith('VL 0 for SL 3', 1, { vl: 0 }), sendWith('VL 15', 3, { vl: 15 })],
  'grh-present': [
    of('no GRH', (talk) => [{ ...talk.request(0, 'SEND', 1)[0]!, grh: undefined! }], {
      options: { grh: true },
    }),
    sendWith('a GRH', 0, { grh: { tclass: 0, flowLabel: 0, hopLimit: 0, sgid: 0n, dgid: 0n } }),
  ],
  'grh-fixed': [globalWith('version 4', { ipVer: 4 }), globalWith('next header', { nxtHdr: 0x11 })],
  'pay-len': [globalWith('without the ICRC', { payLen: 20 })],
  'grh-path': [
    globalWith('SGID', { sgid: 1n }),
    globalWith('DGID', { dgid: 1n }),
    globalWith('traffic class', { tclass: 8 }),
    globalWith('flow label', { flowLabel: 0x12346 }),
    globalWith('hop limit', { hopLimit: 8 }),
  ],
  tver: [sendWith('version 1', 1, { tver: 1 })],
  migreq: [sendWith('a request', 1, { m: false }), sendWith('an ACK', 3, { m: false })],
  pkey: [sendWith('a limited member', 1, { pkey: 0x7fff }), sendWith('of an ACK', 3, { pkey: 0xfffe })],
  'bth-reserved': [
    sendWith('FECN', 1, { reserved8: 0x80 }),
    sendWith('BECN', 3, { reserved8: 0x40 }),
    sendWith('a bit of byte 4', 1, { reserved8: 1 }),
    sendWith('a bit of byte 8', 1, { reserved7: 1 }),
  ],
  'dest-qp': [
    sendWith('a QPN nobody has', 1, { destQpn: 0x35 }),
    sendWith('of the sender', 3, { destQpn: 0x34 }),
  ],
  opcode: [
    ...[0x15, 0x18, 0x1c, 0x1f].map((opcode) => sendWith(`RC ${opcode}`, 1, { opcode })),
    sendWith('a SEND of UC', 1, { opcode: 0x21 }),
    sendWith('a SEND of XRC', 1, { opcode: 0xa1 }),
  ],
  'opcode-offered': [
    of('SEND with invalidate', (talk) => talk.request(0, 'SEND', 1, { invalidate: 1 })),
    of('an atomic', (talk) => [atomic(talk, 0x100)]),
    of('the answer to one', (talk) => [
      ...inject(atomic(talk, 0x100)),
      talk.packet(1, { opcode: 0x12, psn: 0x100, aeth: { syndrome: 0x1f, msn: 1 }, atomicAck: 0n }),
    ]),
  ],
  se: [
    sendWith('in a first', 0, { se: true }),
    sendWith('in a middle', 1, { se: true }),
    sendWith('in an ACK', 3, { se: true }),
    writeWith('in the last of a WRITE', 2, { se: true }),
    readWith('in a READ', 0, { se: true }),
    readWith('in a response', 3, { se: true }),
  ],
  'ackreq-response': [sendWith('an ACK', 3, { a: true }), readWith('a READ response', 2, { a: true })],
  'pad-count': [
    sendWith('an ACK with pad', 3, { padCount: 1 }),
    readWith('a READ with pad', 0, { padCount: 3 }),
  ],
  'pad-zero': [sendWith('ones', 2, { padByte: 0xff }), readWith('of a response', 3, { padByte: 1 })],
  'payload-size': [
    sendWith('a short first', 0, { payload: pattern(MTU - 4) }),
    sendWith('a padded first', 0, { payload: pattern(MTU - 1) }),
    sendWith('a long middle', 1, { payload: pattern(MTU + 4) }),
    sendWith('an empty last', 2, { payload: pattern(0) }),
    sendWith('a long last', 2, { payload: pattern(MTU + 1) }),
    sendWith('a full middle with a pad count', 1, { padCount: 1, payload: new Uint8Array(MTU) }),
    sendWith('an ACK with payload', 3, { payload: pattern(4) }),
    of('a long only', (talk) => [{ ...talk.request(0, 'SEND', 1)[0]!, payload: pattern(MTU + 1) }]),
    readWith('a READ with payload', 0, { payload: pattern(4) }),
  ],
  'request-psn': [
    sendWith('one left out', 1, { psn: 0x102 }),
    sendWith('the same again', 1, { psn: 0x100 }),
    sendWith('no wrap', 1, { psn: 1 }, { psn: [0xffffff, 0] }),
    of('a READ takes as many as responses', (talk) => {
      const [read] = talk.request(0, 'READ', 3 * MTU);
      const data = talk.data(1, read!);
      return [read!, ...data, talk.packet(0, { opcode: 4, psn: read!.psn + 1, a: true })];
    }),
  ],
  'request-sequence': [
    sendWith('a middle at first', 0, { opcode: 1 }),
    sendWith('a first in the middle', 1, { opcode: 0 }),
    sendWith('an only in the middle', 2, { opcode: 4 }),
    sendWith('a WRITE in the middle', 1, { opcode: 7 }),
    sendWith('the last of a WRITE', 2, { opcode: 8 }),
    sendWith('a READ in the middle', 1, {
      opcode: 0x0c,
      reth: { va: 0n, rkey: 1, dmaLen: 1 },
      payload: pattern(0),
    }),
    of('a last alone', (talk) => [talk.packet(0, { opcode: 2, psn: 0x100, a: true, payload: pattern(1) })]),
  ],
  'request-length': [
    writeWith('one byte less', 2, { payload: pattern(4) }),
    writeWith('one byte more', 2, { payload: pattern(6) }),
    of('more already in the middle', (talk) => {
      const write = talk.request(0, 'WRITE', 3 * MTU);
      return edit(write, 0, { reth: { va: 0n, rkey: 1, dmaLen: 2 * MTU - 1 } });
    }),
    of('an only', (talk) => [{ ...talk.request(0, 'WRITE', 8)[0]!, payload: pattern(7) }]),
  ],
  'reth-max': [readWith('a READ of 2^31 + 1', 0, { reth: { va: 0n, rkey: 1, dmaLen: 2 ** 31 + 1 } })],
  'ack-req': [
    sendWith('a SEND', 2, { a: false }),
    writeWith('a WRITE', 2, { a: false }),
    of('an only', (talk) => edit(talk.request(0, 'SEND', 1), 0, { a: false })),
  ],
  'ack-interval': [of('packet 16', (talk) => edit(talk.request(0, 'SEND', 20 * MTU), 15, { a: false }))],
  'read-depth': [
    of('three READs with two allowed', (talk) => flat(talk, ['READ', 1], ['READ', 1], ['READ', 1])),
    of('one READ with none allowed', (talk) => flat(talk, ['READ', 1]), { options: { depth: 0 } }),
    of('an atomic above the depth', (talk) => [...flat(talk, ['READ', 1]), atomic(talk, 0x101)], {
      options: { depth: 1 },
      offers: { atomic: true },
    }),
    of(
      'a READ before the last response of another',
      (talk) => {
        const [read] = talk.request(0, 'READ', 2 * MTU);
        return [read!, talk.data(1, read!)[0]!, ...talk.request(0, 'READ', 1)];
      },
      { options: { depth: 1 } },
    ),
  ],
  inflight: [
    of('three with two allowed', (talk) => flat(talk, ['SEND', 1], ['WRITE', 1], ['SEND', 1]), {
      options: { maxInflight: 2 },
    }),
  ],
  'psn-window': [
    of('2^23 + 1 after a READ of 2^31 bytes', (talk) => flat(talk, ['READ', 2 ** 31], ['SEND', 1])),
  ],
  'credits-kept': [
    of('two SENDs before any credit', (talk) => sends(talk, 2), { options: { credits: true } }),
    of('one SEND too many', (talk) => [...sends(talk, 1), answer(talk, 0x100, 2, 1), ...sends(talk, 4)], {
      options: { credits: true, posted: 9 },
    }),
    of(
      'a WRITE with immediate',
      (talk) => [...sends(talk, 1), ...talk.request(0, 'WRITE', 2 * MTU, { imm: 1 })],
      {
        options: { credits: true },
      },
    ),
  ],
  'go-back': [
    of(
      'without a NAK or a timer',
      (talk) => {
        const [send] = sends(talk, 1);
        return [lost(send!), at(1_000_000, send!)];
      },
      { options: { retry: { ...RETRY, ackTimeout: 0 } } },
    ),
    of(
      'twice for one NAK',
      (talk) => {
        const talked = gap(talk);
        return [...talked, ...[1, 2, 1].map((i) => lost(talked[i]!))];
      },
      { options: { retry: { ...RETRY, ackTimeout: 0 } } },
    ),
    of(
      'for a NAK that was told before',
      (talk) => {
        const [first, ...rest] = sends(talk, 3);
        const nak = answer(talk, 0x100, 0x60, 0);
        return [
          lost(first!),
          rest[0]!,
          nak,
          lost(first!),
          lost(rest[0]!),
          { ...nak, arrives: true },
          lost(first!),
        ];
      },
      { options: { retry: { ...RETRY, ackTimeout: 0 } } },
    ),
  ],
  'go-back-psn': [
    of(
      'to a PSN before that of the NAK',
      (talk) => {
        const talked = gap(talk);
        return [...talked, talked[0]!];
      },
      retry,
    ),
    of(
      'to a PSN behind it',
      (talk) => {
        const talked = gap(talk);
        return [...talked, lost(talked[2]!)];
      },
      retry,
    ),
    of(
      'to what is acknowledged, after a time-out',
      (talk) => {
        const [first, second] = sends(talk, 2);
        return [first!, answer(talk, 0x100, 0x1f, 1), lost(second!), at(100_000, first!)];
      },
      retry,
    ),
    readAgain('a READ from its begin', (rest) => ({ psn: rest.psn - 1 })),
    readAgain('a READ from behind what is missing', (rest) => ({ psn: rest.psn + 1 })),
  ],
  'go-back-owed': [
    of('a new packet long after a NAK', (talk) => [...gap(talk), at(5000, sends(talk, 1)[0]!)], retry),
  ],
  'ack-timeout': [
    of(
      'a cycle too early',
      (talk) => {
        const [send] = sends(talk, 1);
        return [at(10_000, lost(send!)), at(10_000 - 4096 + 16_383, send!)];
      },
      retry,
    ),
    of(
      'too early after an ACK',
      (talk) => {
        const [first, second] = sends(talk, 2);
        return [first!, lost(second!), at(10_000, answer(talk, 0x100, 0x1f, 1)), at(26_383, second!)];
      },
      retry,
    ),
    of(
      'too early after another',
      (talk) => {
        const [send] = sends(talk, 1);
        return [lost(send!), at(20_000, lost(send!)), at(20_000 - 4096 + 16_383, send!)];
      },
      retry,
    ),
  ],
  'rnr-wait': [
    of(
      'a cycle too early',
      (talk) => {
        const [send] = sends(talk, 1);
        return [send!, at(1000, answer(talk, 0x100, 0x2c, 0)), at(11_239, send!)];
      },
      retry,
    ),
    of(
      'a new packet in the wait',
      (talk) => {
        const [first, second] = sends(talk, 2);
        return [first!, at(1000, answer(talk, 0x100, 0x2c, 0)), at(5097, second!)];
      },
      retry,
    ),
    of(
      'a time-out within it',
      (talk) => {
        const [send] = sends(talk, 1);
        return [send!, at(15_000, answer(talk, 0x100, 0x2c, 0)), at(20_000, send!)];
      },
      retry,
    ),
  ],
  'retry-count': [
    of(
      'three time-outs with two tries',
      (talk) => {
        const [send] = sends(talk, 1);
        return [lost(send!), ...[1, 2, 3].map((i) => at(i * 20_000, lost(send!)))];
      },
      retry,
    ),
    of(
      'a NAK and two time-outs',
      (talk) => {
        const talked = gap(talk);
        return [...talked, lost(talked[1]!), ...[1, 2].map((i) => at(i * 20_000, lost(talked[1]!)))];
      },
      retry,
    ),
  ],
  'rnr-retry-count': [
    of(
      'two with one try',
      (talk) => {
        const [send] = sends(talk, 1);
        const nak = answer(talk, 0x100, 0x21, 0);
        return [send!, at(1000, nak), at(1160, send!), at(2000, nak), at(2160, send!)];
      },
      { options: { retry: RETRY, rnrTimer: 1 } },
    ),
  ],
  'resent-same': [
    againWith('other payload', { payload: pattern(2, 1) }),
    againWith('less payload', { payload: pattern(1) }),
    againWith('an immediate', { opcode: 5, imm: 1 }),
    againWith('solicited', { se: true }),
  ],
  'resent-read': [
    readAgain('another address', ({ reth }) => ({ reth: { ...reth!, va: reth!.va + 1n } })),
    readAgain('the whole length', ({ reth }) => ({ reth: { ...reth!, dmaLen: reth!.dmaLen + MTU } })),
    readAgain('another R_Key', ({ reth }) => ({ reth: { ...reth!, rkey: 0x1235 } })),
    readAgain('as a SEND', () => ({ opcode: 4, reth: undefined! })),
    of(
      'what has come long ago',
      (talk) => {
        const [send] = sends(talk, 1);
        const [read] = talk.request(0, 'READ', 2 * MTU);
        const [data] = talk.data(1, read!);
        return [
          lost(send!),
          lost(read!),
          at(20_000, lost(send!)),
          at(20_001, { ...data!, arrives: true }),
          at(30_000, lost(read!)),
        ];
      },
      retry,
    ),
  ],
  'silent-after-error': [
    of('a request long after a NAK', (talk) => {
      const send = talk.request(0, 'SEND', 1);
      const late = { ...talk.request(0, 'SEND', 1)[0]!, cycle: 100_000 };
      return [...send, nak(talk, 0x100, 0x61, 0), late];
    }),
    of('an answer of the one that got a NAK', (talk) => {
      const send = talk.request(0, 'SEND', 1);
      const back = { ...talk.request(1, 'SEND', 1)[0]!, cycle: 99_999 };
      return [...send, nak(talk, 0x100, 0x2c, 0), back, { ...talk.ack(0, back), cycle: 100_000 }];
    }),
    of('a request of the one that sent a NAK', (talk) => {
      const send = talk.request(0, 'SEND', 1);
      return [...send, nak(talk, 0x100, 0x63, 0), { ...talk.request(1, 'SEND', 1)[0]!, cycle: 100_000 }];
    }),
  ],
  'response-unasked': [
    of('an ACK before any packet', (talk) => [talk.ack(1, { ...talk.packet(0, { opcode: 4, psn: 0xff }) })]),
    of('a second ACK', (talk) => {
      const send = talk.request(0, 'SEND', 1);
      return [...send, talk.ack(1, send[0]!), talk.ack(1, send[0]!)];
    }),
    readWith('a READ response without a READ', 0, { opcode: 4, reth: undefined! }),
    of(
      'an answer to an atomic between two words',
      (talk) => [atomic(talk, 0x100, 4n), original(talk, 0x100, 0n, 1)],
      { offers: { atomic: true } },
    ),
    of('an ACK of an injected packet with a bad ICRC', (talk) => {
      const bad = { ...talk.packet(0, { opcode: 4, psn: 0xff, a: true, icrcXor: 1 }), injected: true };
      return [bad, talk.ack(1, bad, { msn: 0 })];
    }),
    of('two ACKs of one duplicate', (talk) => {
      const send = talk.request(0, 'SEND', 1);
      const ack = talk.ack(1, send[0]!);
      return [...send, ack, ...inject(send[0]!), ack, ack];
    }),
    of('an ACK of a duplicate WRITE that brings other data than its RETH tells', (talk) => {
      const [write] = talk.request(0, 'WRITE', 8);
      const ack = talk.ack(1, write!);
      return [write!, ack, ...inject({ ...write!, reth: { ...write!.reth!, dmaLen: 9 } }), ack];
    }),
    of('an ACK of a duplicate READ', (talk) => {
      const [read] = talk.request(0, 'READ', 1);
      return [read!, ...talk.data(1, read!), ...inject(read!), talk.ack(1, read!)];
    }),
  ],
  'response-of-sent': [
    sendWith('the PSN after the last', 3, { psn: 0x103 }),
    sendWith('the PSN after the last, at the wrap', 3, { psn: 2 }, { psn: [0xffffff, 0] }),
    of('a packet with a bad P_Key', (talk) => {
      const bad = { ...talk.packet(0, { opcode: 4, psn: 0x100, a: true, pkey: 0x1234 }), injected: true };
      return [bad, talk.ack(1, bad, { msn: 1 })];
    }),
  ],
  'response-order': [
    of('an ACK back', (talk) => {
      const send = talk.request(0, 'SEND', 3 * MTU);
      return [...send, talk.ack(1, send[2]!), talk.ack(1, send[1]!)];
    }),
    of(
      'an ACK back over the wrap',
      (talk) => {
        const send = talk.request(0, 'SEND', 3 * MTU);
        return [...send, talk.ack(1, send[2]!), talk.ack(1, send[0]!)];
      },
      { options: { psn: [0xffffff, 0] } },
    ),
  ],
  'ack-passes-read': [
    of('an ACK', (talk) => {
      const packets = flat(talk, ['READ', 2 * MTU], ['SEND', 1]);
      return [...packets, talk.ack(1, packets[1]!)];
    }),
    of('an ACK within a READ', (talk) => {
      const [read] = talk.request(0, 'READ', 3 * MTU);
      const [first, second] = talk.data(1, read!);
      return [read!, first!, second!, nak(talk, 0x102, 0x1f, 1)];
    }),
    of('an ACK of the READ', (talk) => {
      const packets = flat(talk, ['READ', 2 * MTU]);
      return [...packets, talk.ack(1, packets[0]!)];
    }),
    of('a NAK', (talk) => {
      const packets = flat(talk, ['READ', 2 * MTU], ['SEND', 1]);
      return [...packets, nak(talk, packets[1]!.psn, 0x61, 1)];
    }),
  ],
  'ack-of-invalid': [
    of('an ACK of a reserved opcode', (talk) => {
      const bad = talk.packet(0, { opcode: 0x1f, psn: 0x100, a: true });
      return [...inject(bad), talk.ack(1, bad, { msn: 0 })];
    }),
    of('an ACK of a WRITE with a wrong length', (talk) => {
      const bad = { ...talk.request(0, 'WRITE', 8)[0]!, payload: pattern(7) };
      return [...inject(bad), talk.ack(1, bad)];
    }),
    of('another NAK', (talk) => {
      const bad = talk.packet(0, { opcode: 0x01, psn: 0x100, payload: pattern(MTU) });
      return [...inject(bad), nak(talk, 0x100, 0x62, 0)];
    }),
    of(
      'another NAK of an atomic between two words',
      (talk) => [atomic(talk, 0x100, 4n), nak(talk, 0x100, 0x62, 0)],
      { offers: { atomic: true } },
    ),
  ],
  'read-response-psn': [
    readWith('one left out', 2, { psn: 0x102 }),
    readWith('the first again', 2, { psn: 0x100 }),
    readWith('beyond the READ', 3, { psn: 0x103 }),
  ],
  'read-response-opcode': [
    readWith('first as only', 1, { opcode: 0x10 }),
    readWith('middle as last', 2, { opcode: 0x0f, aeth: { syndrome: 0x1f, msn: 1 } }),
    readWith('last as middle', 3, { opcode: 0x0e, aeth: undefined! }),
    of('only as last', (talk) => {
      const [read] = talk.request(0, 'READ', 5);
      return [read!, ...edit(talk.data(1, read!), 0, { opcode: 0x0f })];
    }),
  ],
  'read-response-length': [
    readWith('a short first', 1, { payload: pattern(MTU - 4) }),
    readWith('a long middle', 2, { payload: pattern(MTU + 4) }),
    readWith('one byte less in the last', 3, { payload: pattern(4) }),
    readWith('one byte more in the last', 3, { payload: pattern(6) }),
  ],
  'atomic-response': [
    of(
      'READ data for an atomic',
      (talk) => [
        atomic(talk, 0x100),
        talk.packet(1, { opcode: 0x10, psn: 0x100, aeth: { syndrome: 0x1f, msn: 1 }, payload: pattern(8) }),
      ],
      { offers: { atomic: true } },
    ),
    of(
      'an ATOMIC acknowledge for a READ',
      (talk) => [
        ...talk.request(0, 'READ', 8),
        talk.packet(1, { opcode: 0x12, psn: 0x100, aeth: { syndrome: 0x1f, msn: 1 }, atomicAck: 0n }),
      ],
      { offers: { atomic: true } },
    ),
  ],
  msn: [
    sendWith('one less', 3, { aeth: { syndrome: 0x1f, msn: 0 } }),
    sendWith('one more', 3, { aeth: { syndrome: 0x1f, msn: 2 } }),
    readWith('in a first', 1, { aeth: { syndrome: 0x1f, msn: 0 } }),
    readWith('in a last', 3, { aeth: { syndrome: 0x1f, msn: 2 } }),
    of('a NAK that counts its message', (talk) => [...talk.request(0, 'SEND', 1), nak(talk, 0x100, 0x2c, 1)]),
    of('a duplicate that counts', (talk) => {
      const send = talk.request(0, 'SEND', 1);
      return [...send, talk.ack(1, send[0]!), ...inject(send[0]!), talk.ack(1, send[0]!, { msn: 2 })];
    }),
    of('backwards', (talk) => {
      const packets = flat(talk, ['SEND', 2 * MTU], ['SEND', 1]);
      return [...packets, talk.ack(1, packets[0]!, { msn: 2 }), talk.ack(1, packets[1]!, { msn: 1 })];
    }),
  ],
  syndrome: [
    ...[0x40, 0x5f, 0x64, 0x7f, 0x80, 0xff].map((syndrome) =>
      sendWith(`0x${syndrome.toString(16)}`, 3, { aeth: { syndrome, msn: 1 } }),
    ),
    readWith('a NAK in a READ response', 1, { aeth: { syndrome: 0x62, msn: 1 } }),
  ],
  'nak-psn': [
    sendWith('before the oldest', 3, { psn: 0xff, aeth: { syndrome: 0x61, msn: 0 } }),
    sendWith('after the last', 3, { psn: 0x103, aeth: { syndrome: 0x2c, msn: 0 } }),
    of('what was acknowledged', (talk) => {
      const send = talk.request(0, 'SEND', 1);
      return [...send, talk.ack(1, send[0]!), nak(talk, 0x100, 0x61, 0)];
    }),
    of('another than the next response of a READ', (talk) => {
      const [read] = talk.request(0, 'READ', 3 * MTU);
      return [read!, talk.data(1, read!)[0]!, nak(talk, 0x102, 0x63, 1)];
    }),
  ],
  'nak-gap': [
    sendWith('no gap', 3, { psn: 0x103, aeth: { syndrome: 0x60, msn: 1 } }),
    of('the PSN that came [P11]', (talk) => [
      ...inject(...talk.request(0, 'SEND', 2 * MTU).slice(1)),
      nak(talk, 0x101, 0x60, 0),
    ]),
    of('the last good PSN [P11]', (talk) => [
      ...inject(...talk.request(0, 'SEND', 2 * MTU).slice(1)),
      nak(talk, 0x0ff, 0x60, 0),
    ]),
  ],
  'one-nak-per-gap': [
    of('a second packet after the gap', (talk) => {
      const [, second, third] = inject(...talk.request(0, 'SEND', 3 * MTU));
      return [second!, nak(talk, 0x100, 0x60, 0), third!, nak(talk, 0x100, 0x60, 0)];
    }),
    of('a gap after an RNR NAK', (talk) => {
      const [first, second] = flat(talk, ['SEND', 1], ['SEND', 1]);
      return [first!, second!, nak(talk, 0x100, 0x2c, 0), nak(talk, 0x100, 0x60, 0)];
    }),
  ],
  'nak-fits': [
    of('RNR NAK of a WRITE', (talk) => [...talk.request(0, 'WRITE', 1), nak(talk, 0x100, 0x2c, 0)]),
    of('RNR NAK of a middle', (talk) => [...talk.request(0, 'SEND', 3 * MTU), nak(talk, 0x101, 0x2c, 0)]),
    of('RNR NAK of a READ', (talk) => [...talk.request(0, 'READ', 1), nak(talk, 0x100, 0x2c, 0)]),
    of('NAK remote access of a SEND', (talk) => [...talk.request(0, 'SEND', 1), nak(talk, 0x100, 0x62, 0)]),
  ],
  'read-again': [
    of('other bytes', (talk) => {
      const [read] = talk.request(0, 'READ', 2 * MTU);
      const data = talk.data(1, read!);
      return [read!, ...data, ...inject(read!), data[0]!, { ...data[1]!, payload: pattern(MTU, 9) }];
    }),
  ],
  'atomic-again': [
    of(
      'another value',
      (talk) => {
        const atomic = fetchAdd(talk, 0x100);
        return [atomic, original(talk, 0x100, 5n, 1), ...inject(atomic), original(talk, 0x100, 6n, 1)];
      },
      { offers: { atomic: true } },
    ),
  ],
  'atomic-chain': [
    of(
      'the same value twice',
      (talk) => [
        fetchAdd(talk, 0x100),
        original(talk, 0x100, 5n, 1),
        fetchAdd(talk, 0x101),
        original(talk, 0x101, 5n, 2),
      ],
      { offers: { atomic: true } },
    ),
    of(
      'a value too many',
      (talk) => [
        fetchAdd(talk, 0x100),
        original(talk, 0x100, 5n, 1),
        fetchAdd(talk, 0x101),
        original(talk, 0x101, 7n, 2),
      ],
      { offers: { atomic: true } },
    ),
  ],
  'credits-told': [
    of('one more than there are', (talk) => [...sends(talk, 1), answer(talk, 0x100, 3, 1)], {
      options: { credits: true, posted: 3 },
    }),
    of(
      'in a READ response',
      (talk) => {
        const [read] = talk.request(0, 'READ', 1);
        return [read!, { ...talk.data(1, read!)[0]!, aeth: { syndrome: 4, msn: 1 } }];
      },
      { options: { credits: true, posted: 3 } },
    ),
    of('none by a device that counts them', (talk) => [...sends(talk, 1), answer(talk, 0x100, 31, 1)], {
      options: { credits: true, posted: 3 },
    }),
    of('some by a device that counts none', (talk) => [...sends(talk, 1), answer(talk, 0x100, 0, 1)], {
      options: { credits: false, posted: 3 },
    }),
  ],
  'rnr-timer': [
    of('a longer one', (talk) => [...talk.request(0, 'SEND', 1), nak(talk, 0x100, 0x2d, 0)]),
    of('a shorter one', (talk) => [...talk.request(0, 'SEND', 1), nak(talk, 0x100, 0x2b, 0)]),
  ],
  'error-once': [
    of('an ACK after a fatal NAK', (talk) => {
      const packets = flat(talk, ['SEND', 1], ['SEND', 1]);
      return [...packets, nak(talk, 0x101, 0x61, 1), talk.ack(1, packets[0]!, { msn: 1 })];
    }),
    of('the same NAK again', (talk) => {
      const bad = nak(talk, 0x100, 0x61, 0);
      return [...talk.request(0, 'SEND', 1), bad, bad];
    }),
  ],
  'owed-ack': [
    of('a SEND', (talk) => talk.request(0, 'SEND', 1)),
    of('an ACK of a part', (talk) => {
      const send = talk.request(0, 'SEND', 2 * MTU);
      return [...send, talk.ack(1, send[0]!, { msn: 0 })];
    }),
    of('a duplicate', (talk) => {
      const send = talk.request(0, 'SEND', 1);
      return [...send, talk.ack(1, send[0]!), ...inject(send[0]!)];
    }),
    of('a duplicate WRITE', (talk) => {
      const write = talk.request(0, 'WRITE', 8);
      return [...write, talk.ack(1, write[0]!), ...inject(write[0]!)];
    }),
  ],
  'owed-read': [
    of('all of it', (talk) => talk.request(0, 'READ', 1)),
    of('its last response', (talk) => {
      const [read] = talk.request(0, 'READ', 2 * MTU);
      return [read!, talk.data(1, read!)[0]!];
    }),
    of('an atomic', (talk) => [atomic(talk, 0x100)], { offers: { atomic: true } }),
    of('a READ that came again', (talk) => {
      const [read] = talk.request(0, 'READ', 1);
      return [read!, ...talk.data(1, read!), ...inject(read!)];
    }),
  ],
  'owed-nak': [
    of('a gap', (talk) => inject(...talk.request(0, 'SEND', 2 * MTU).slice(1))),
    of('an opcode out of sequence', (talk) =>
      inject(talk.packet(0, { opcode: 2, psn: 0x100, payload: pattern(1) })),
    ),
    of('an atomic between two words', (talk) => [atomic(talk, 0x100, 4n)], { offers: { atomic: true } }),
  ],
  'owed-retry': [
    of('a lost SEND', (talk) => sends(talk, 1).map(lost), retry),
    of(
      'a lost ACK',
      (talk) => {
        const [send] = sends(talk, 1);
        return [send!, lost(answer(talk, 0x100, 0x1f, 1))];
      },
      retry,
    ),
  ],
  'owed-message': [
    of('the last packet', (talk) => talk.request(0, 'SEND', 3 * MTU).slice(0, 2)),
    of('the last packet of a WRITE', (talk) => talk.request(1, 'WRITE', 3 * MTU).slice(0, 1)),
  ],
};

describe('a conversation that breaks', () => {
  const cases = RULE_NAMES.flatMap((rule) =>
    CASES[rule].map((example) => [rule, example.title, example] as const),
  );

  it.each(cases)('%s (%s) is told by that name', (rule, _, { options, offers, packets }) => {
    const talk = new Talk(options);
    expect(rulesOf(judge(talk, packets(talk), offers))[0]).toBe(rule);
  });

  it.each(RULE_NAMES)('%s has an example', (rule) => {
    expect(CASES[rule].length).toBeGreaterThan(0);
    expect(RULES[rule].every((part) => part.length > 0)).toBe(true);
  });
});

describe('a violation', () => {
  it('tells cycle, packet, rule, clause, expected and found', () => {
    const talk = new Talk();
    const send = talk.request(0, 'SEND', 5);
    const [violation] = judge(talk, [{ ...send[0]!, psn: 0x105, cycle: 77 }]);
    expect(formatViolation(violation!)).toBe(
      'cycle 77, packet 0 of device 0 (RC SEND_ONLY to QP 0x34, PSN 0x000105, 5 bytes, A): request-psn: ' +
        'each request packet has the next PSN; a READ takes one for each response [ch. 9: request PSNs]: ' +
        'expected 0x000100, found 0x000105',
    );
  });
});

describe('WireChecker', () => {
  it('counts packets and forgets a connection whose queue pair is connected anew', () => {
    const checker = new WireChecker({ ports: PORTS });
    const [first, second] = [new Talk(), new Talk({ psn: [9, 9] })];
    checker.connect(...first.ends);
    checker.packet({ cycle: 0, sender: 0, bytes: build(first.request(0, 'SEND', 1)[0]!) });
    checker.connect(...second.ends);
    const send = second.request(0, 'SEND', 1)[0]!;
    checker.packet({ cycle: 1, sender: 0, bytes: build(send) });
    checker.packet({ cycle: 2, sender: 1, bytes: build(second.ack(1, send)) });
    expect(checker.finish()).toEqual([]);
    expect(checker.packets).toBe(3);
  });

  it('asks nothing of a queue pair that was stopped, and wants it silent', () => {
    const checker = new WireChecker({ ports: PORTS });
    const talk = new Talk();
    checker.connect(...talk.ends);
    const [first, second] = talk.request(0, 'SEND', 3 * MTU);
    checker.packet({ cycle: 0, sender: 0, bytes: build(first!) });
    checker.stop(0, 0x12, 10);
    checker.stop(1, 0x34, 10);
    expect(checker.finish()).toEqual([]);
    checker.packet({ cycle: 9000, sender: 0, bytes: build(second!) });
    expect(rulesOf(checker.violations)).toEqual(['silent-after-error']);
  });
});
