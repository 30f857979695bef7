import { describe, expect, it } from 'vitest';
import {
  nativeFrame,
  Survey,
  TraceChecker,
  type TraceOptions,
  type TraceVerdict,
} from '../../src/check/index.ts';
import { build, type PacketSpec } from './check-build.ts';

const MTU = 256;
const OP = {
  sendFirst: 0,
  sendMiddle: 1,
  sendLast: 2,
  sendOnly: 4,
  writeOnly: 10,
  read: 12,
  readFirst: 13,
  readMiddle: 14,
  readLast: 15,
  ack: 17,
  atomicAck: 18,
  fetchAdd: 20,
} as const;

type Fields = Partial<PacketSpec>;
const bytes = (length: number, fill = 0): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i + fill) & 0xff);

/** From host a to its peer's QP 0x20, and back to QP 0x10. */
const a = (opcode: number, psn: number, fields: Fields = {}): PacketSpec => ({
  sender: 0,
  slid: 1,
  dlid: 2,
  destQpn: 0x20,
  opcode,
  psn,
  ...fields,
});
const b = (opcode: number, psn: number, fields: Fields = {}): PacketSpec => ({
  ...a(opcode, psn, fields),
  sender: 1,
  slid: 2,
  dlid: 1,
  destQpn: 0x10,
  ...fields,
});
const ack = (psn: number, msn: number, syndrome = 0x1f, fields: Fields = {}): PacketSpec =>
  b(OP.ack, psn, { aeth: { syndrome, msn }, ...fields });
const send = (psn: number, fill = 0, fields: Fields = {}): PacketSpec =>
  a(OP.sendOnly, psn, { a: true, payload: bytes(8, fill), ...fields });
const atomic = { va: 0x1000n, rkey: 5, swapAdd: 1n, compare: 0n };

function judge(specs: readonly PacketSpec[], options: TraceOptions = {}): TraceVerdict {
  const frames = specs.map((spec) => {
    const framed = nativeFrame(build(spec));
    if (!('frame' in framed)) throw new Error(JSON.stringify(framed));
    return framed.frame;
  });
  const survey = new Survey();
  for (const [i, frame] of frames.entries()) survey.see(frame, i + 1);
  const checker = new TraceChecker(survey.learned(), options);
  for (const [i, frame] of frames.entries()) checker.packet(frame, i + 1, specs[i]!.injected);
  return checker.finish();
}

const found = ({ connections }: TraceVerdict): [number, string][] =>
  connections.flatMap((each) => each.violations).map(({ packet, rule }) => [packet, rule]);
const unchecked = ({ connections }: TraceVerdict): string =>
  connections.flatMap((each) => each.unchecked).join('\n');

const three = (psn: number): PacketSpec[] => [
  a(OP.sendFirst, psn, { payload: bytes(MTU) }),
  a(OP.sendMiddle, psn + 1, { payload: bytes(MTU) }),
  a(OP.sendLast, psn + 2, { a: true, payload: bytes(9) }),
];
const readOf = (psn: number, dmaLen: number): PacketSpec =>
  a(OP.read, psn, { a: true, reth: { va: 0x2000n, rkey: 7, dmaLen } });
const aeth = { syndrome: 0x1f, msn: 1 };

describe('what a capture cannot be blamed for', () => {
  it.each<[string, PacketSpec[]]>([
    [
      'a connection that begins anew with the PSNs of before',
      [...three(5), ack(7, 1), send(5), ack(5, 1), send(6), ack(6, 2)],
    ],
    [
      'one that begins anew with the very same message',
      [send(5), ack(5, 1), send(6), ack(6, 2), send(5), ack(5, 1)],
    ],
    ['one that begins anew far away', [send(5), ack(5, 9), send(0x900000), ack(0x900000, 1)]],
    ['one that begins anew after a fatal NAK', [send(5), ack(5, 0, 0x63), send(5, 1), ack(5, 1)]],
    ['a READ of unknown PSNs in front', [readOf(5, 2000), send(13), ack(13, 2)]],
    ['an ACK that counts a message that came later', [send(5), send(6), ack(5, 2), ack(6, 2)]],
    [
      'a NAK of what was lost behind the capture',
      [...three(5), ack(6, 0, 0x60), three(5)[1]!, three(5)[2]!, ack(7, 1)],
    ],
    ['responses from before its begin', [ack(2, 40), send(5), ack(5, 41)]],
    [
      'a READ that is asked again for its end',
      [
        readOf(5, 600),
        b(OP.readFirst, 5, { aeth, payload: bytes(MTU) }),
        b(OP.readLast, 7, { aeth, payload: bytes(88) }),
        a(OP.read, 6, { a: true, reth: { va: 0x2100n, rkey: 7, dmaLen: 344 } }),
        b(OP.readFirst, 6, { aeth, payload: bytes(MTU) }),
        b(OP.readLast, 7, { aeth, payload: bytes(88) }),
      ],
    ],
    ['FECN and BECN', [send(5, 0, { reserved8: 0xc0 }), ack(5, 1)]],
  ])('passes: %s', (_, specs) => {
    const verdict = judge(specs);
    expect(found(verdict)).toEqual([]);
    expect(verdict.connections.length).toBe(1);
  });

  it('is a gap, when the capture says that it has lost packets', () => {
    const gap = [...three(5).toSpliced(1, 1), ack(7, 1)];
    expect(found(judge(gap))).toEqual([[2, 'request-psn']]);
    expect(found(judge(gap, { lost: true }))).toEqual([]);
    expect(unchecked(judge(gap, { lost: true }))).toContain('gaps: the capture itself has lost packets');
  });

  it('is a gap that is open at its end', () => {
    const verdict = judge([send(5), ack(5, 1), send(7)]);
    expect(found(verdict)).toEqual([]);
    expect(unchecked(verdict)).toContain('PSN 0x000006 before packet 3: not sent again and not acknowledged');
  });

  it('is what a test has injected', () => {
    const verdict = judge([send(5), ack(5, 1), { ...send(6), injected: true }, send(6, 3), ack(6, 9)]);
    expect(found(verdict)).toEqual([]);
    expect(unchecked(verdict)).toContain('from packet 4 on, before which a test put one on the wire');
  });
});

describe('a violation', () => {
  it.each<[string, [number, string], PacketSpec[]]>([
    ['an ACK that goes back', [4, 'response-order'], [send(5), send(6), ack(6, 2), ack(5, 2)]],
    ['an MSN that runs ahead', [4, 'msn'], [send(5), ack(5, 1), send(6), ack(6, 3)]],
    ['an MSN that stays behind', [4, 'msn'], [send(5), ack(5, 1), send(6), ack(6, 1)]],
    ['an answer after a fatal NAK', [3, 'error-once'], [send(5), ack(5, 0, 0x61), ack(5, 1)]],
    ['a NAK of sequence with nothing behind the gap', [2, 'nak-gap'], [send(5), ack(5, 0, 0x60)]],
    ['an RNR NAK of a READ', [2, 'nak-fits'], [readOf(5, 8), ack(5, 0, 0x21)]],
    ['an access NAK of a SEND', [2, 'nak-fits'], [send(5), ack(5, 0, 0x62)]],
    ['an ACK of a READ', [2, 'atomic-response'], [readOf(5, 8), ack(5, 1)]],
    [
      'an atomic answered otherwise the second time',
      [4, 'atomic-again'],
      [
        a(OP.fetchAdd, 5, { a: true, atomic }),
        b(OP.atomicAck, 5, { aeth, atomicAck: 1n }),
        a(OP.fetchAdd, 5, { a: true, atomic }),
        b(OP.atomicAck, 5, { aeth, atomicAck: 2n }),
      ],
    ],
    [
      'a middle packet that is not full',
      [2, 'payload-size'],
      [
        three(5)[0]!,
        a(OP.sendMiddle, 6, { payload: bytes(128) }),
        a(OP.sendMiddle, 7, { payload: bytes(MTU) }),
        a(OP.sendLast, 8, { a: true, payload: bytes(4) }),
      ],
    ],
    [
      'a READ asked again for something else',
      [3, 'resent-read'],
      [
        readOf(5, 600),
        b(OP.readFirst, 5, { aeth, payload: bytes(MTU) }),
        a(OP.read, 6, { a: true, reth: { va: 0x2104n, rkey: 7, dmaLen: 344 } }),
      ],
    ],
    ['another payload under the PSN of one that waits', [3, 'resent-same'], [send(5), send(6), send(5, 1)]],
    [
      'a message that ends without its begin',
      [2, 'request-sequence'],
      [send(5), a(OP.sendLast, 6, { a: true, payload: bytes(4) })],
    ],
    ['reserved bits', [1, 'bth-reserved'], [send(5, 0, { reserved8: 0x01 }), ack(5, 1)]],
    ['a wrong VCRC', [1, 'vcrc'], [send(5, 0, { vcrcXor: 1 }), ack(5, 1)]],
    ['a length of the LRH', [1, 'pkt-len'], [send(5, 0, { pktLen: 40 }), ack(5, 1)]],
  ])('is found: %s', (_, expected, specs) => {
    expect(found(judge(specs))).toEqual([expected]);
  });

  it('is told with its field, and what was expected', () => {
    const [violation] = judge([send(5), ack(5, 1), send(6), ack(6, 3)]).connections[0]!.violations;
    expect(violation).toMatchObject({ field: 'AETH.MSN', expected: '2', found: '3', packet: 4 });
  });
});

describe('the two directions of a connection', () => {
  const pair = (qpn: number, psn: number, msn: number): [PacketSpec, PacketSpec] => [
    send(psn, 0, { destQpn: qpn }),
    ack(psn, msn, 0x1f, { destQpn: qpn + 0x100 }),
  ];
  const qpns = ({ connections }: TraceVerdict) => connections.map(({ ends }) => ends.map(({ qpn }) => qpn));

  it('are found among many with the same PSNs, one after another', () => {
    const specs = [3, 4, 5].flatMap((qpn) => [0, 1, 2].flatMap((psn) => pair(qpn, psn, psn + 1)));
    const verdict = judge(specs);
    expect(found(verdict)).toEqual([]);
    expect(qpns(verdict)).toEqual([
      [0x103, 3],
      [0x104, 4],
      [0x105, 5],
    ]);
  });

  it('are not guessed when nothing tells them apart', () => {
    const [x, y] = [pair(3, 0, 1), pair(4, 0, 1)];
    const verdict = judge([x[0], y[0], x[1], y[1]]);
    expect(qpns(verdict)).toEqual([
      [undefined, 3],
      [undefined, 4],
      [undefined, 0x103],
      [undefined, 0x104],
    ]);
    expect(unchecked(verdict)).toContain('not to be told from others');
  });

  it('are found again when a queue pair has another peer later', () => {
    const first = [0, 1, 2].flatMap((psn) => pair(3, psn, psn + 1));
    const later = [7, 8, 9].flatMap((psn, i) => [
      send(psn, 0, { destQpn: 4 }),
      ack(psn, i + 1, 0x1f, { destQpn: 0x103 }),
    ]);
    const verdict = judge([...first, ...later]);
    expect(found(verdict)).toEqual([]);
    expect(qpns(verdict)).toEqual([
      [0x103, 3],
      [0x103, 4],
    ]);
  });
});

describe('a native packet', () => {
  const packet = build(send(5));

  it('may come without its VCRC', () => {
    const framed = nativeFrame(packet.subarray(0, -2));
    expect(framed).toMatchObject({ frame: { whole: true, vcrc: undefined, icrc: expect.anything() } });
    const { icrc } = (framed as Extract<typeof framed, { frame: object }>).frame;
    expect(icrc!.found).toBe(icrc!.expected);
  });

  it('may be cut off behind its headers, and no earlier', () => {
    expect(nativeFrame(packet.subarray(0, 20), packet.length)).toMatchObject({
      frame: { whole: false, icrc: undefined, payloadBytes: 8 },
    });
    expect(nativeFrame(packet.subarray(0, 19), packet.length)).toEqual({ fault: 'cut off in the BTH' });
    expect(nativeFrame(packet.subarray(0, 7))).toEqual({ fault: '7 bytes, less than an LRH' });
  });
});

describe('a connection that begins anew time after time', () => {
  it('is told in one line, in bounded room', () => {
    const once = (i: number): PacketSpec[] => [send(5, i), send(6, i + 1), ack(6, 2)];
    const verdict = judge(Array.from({ length: 200 }, (_, i) => once(i)).flat());
    expect(found(verdict)).toEqual([]);
    expect(unchecked(verdict).match(/began anew/g)).toHaveLength(1);
    expect(unchecked(verdict)).toContain('at packet 4, 7, 10 and 199 times in all');
    expect(verdict.connections[0]!.ends[0]).toMatchObject({ packets: 400 });
  });
});
