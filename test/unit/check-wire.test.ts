import { describe, expect, it } from 'vitest';
import { judge, type Kind, MTU, Talk } from './check-talk.ts';

const nothing: unknown[] = [];

describe('WireChecker accepts', () => {
  it.each<[Kind, number, number]>(
    (['SEND', 'WRITE'] as const).flatMap((kind) =>
      [0, 1, 3, MTU - 1, MTU, MTU + 1, 3 * MTU, 17 * MTU + 5].map(
        (bytes) => [kind, bytes, 0x100] as [Kind, number, number],
      ),
    ),
  )('a %s of %i bytes and its ACK', (kind, bytes, psn) => {
    for (const grh of [false, true]) {
      const talk = new Talk({ grh, psn: [psn, 5] });
      const packets = talk.request(0, kind, bytes);
      expect(judge(talk, [...packets, talk.ack(1, packets.at(-1)!)])).toEqual(nothing);
    }
  });

  it.each([0, 1, MTU, MTU + 1, 5 * MTU])('a READ of %i bytes and its responses', (bytes) => {
    const talk = new Talk();
    const [read] = talk.request(0, 'READ', bytes);
    expect(judge(talk, [read!, ...talk.data(1, read!)])).toEqual(nothing);
  });

  it('immediates, solicited events and invalidates', () => {
    const talk = new Talk();
    const packets = [
      ...talk.request(0, 'SEND', 600, { imm: 1, se: true }),
      ...talk.request(0, 'SEND', 6, { imm: 1 }),
      ...talk.request(0, 'WRITE', 600, { imm: 1, se: true }),
      ...talk.request(0, 'WRITE', 0, { imm: 1 }),
      ...talk.request(0, 'SEND', 600, { invalidate: 7 }),
      ...talk.request(0, 'SEND', 6, { invalidate: 7 }),
    ];
    expect(judge(talk, [...packets, talk.ack(1, packets.at(-1)!)], { invalidate: true })).toEqual(nothing);
  });

  it('PSNs that wrap within messages, READs and ACKs [P1] [P2] [P3]', () => {
    for (let start = 0xfffff0; start < 0xffffff; start++) {
      const talk = new Talk({ psn: [start, 0xffffff] });
      const send = talk.request(0, 'SEND', 5 * MTU);
      const first = talk.ack(1, send.at(-1)!);
      const [read] = talk.request(0, 'READ', 7 * MTU);
      const write = talk.request(0, 'WRITE', 6 * MTU);
      const back = talk.request(1, 'SEND', 2 * MTU);
      const packets = [...send, first, read!, ...write, ...talk.data(1, read!), talk.ack(1, write.at(-1)!)];
      expect(judge(talk, [...packets, ...back, talk.ack(0, back[1]!)])).toEqual(nothing);
    }
  });

  it('requests and responses of both ends mixed', () => {
    const talk = new Talk();
    const there = talk.request(0, 'WRITE', 3 * MTU);
    const back = talk.request(1, 'SEND', 2 * MTU);
    const [read] = talk.request(0, 'READ', 2 * MTU);
    const [left, right] = talk.data(1, read!);
    expect(
      judge(talk, [
        there[0]!,
        back[0]!,
        there[1]!,
        there[2]!,
        read!,
        left!,
        back[1]!,
        right!,
        talk.ack(0, back[1]!),
      ]),
    ).toEqual(nothing);
  });

  it('two queue pairs side by side', () => {
    const [one, two] = [new Talk(), new Talk({ qpn: [0x99, 0x98] })];
    const [a, b] = [one.request(0, 'SEND', 2 * MTU), two.request(0, 'WRITE', 2 * MTU)];
    const acks = [two.ack(1, b[1]!), one.ack(1, a[1]!)];
    expect(judge([one, two], [a[0]!, b[0]!, b[1]!, a[1]!, ...acks])).toEqual(nothing);
  });

  it('an RNR NAK, the packets under way behind it, and then silence', () => {
    const talk = new Talk();
    const first = talk.request(0, 'SEND', 10);
    const second = talk.request(0, 'SEND', 2 * MTU);
    const third = talk.request(0, 'SEND', 10);
    const nak = talk.ack(1, second[0]!, { syndrome: 0x2c, msn: 1 });
    expect(judge(talk, [...first, ...second, nak, ...third])).toEqual(nothing);
  });

  it.each([0x61, 0x62, 0x63])('a NAK 0x%s in the middle of a WRITE', (syndrome) => {
    const talk = new Talk();
    const send = talk.request(0, 'SEND', 10);
    const write = talk.request(0, 'WRITE', 3 * MTU);
    const nak = talk.ack(1, write[1]!, { syndrome, msn: 1 });
    expect(judge(talk, [...send, ...write, nak])).toEqual(nothing);
  });

  it('a NAK in place of a READ response', () => {
    const talk = new Talk();
    const [read] = talk.request(0, 'READ', 3 * MTU);
    const send = talk.request(0, 'SEND', 1);
    const data = talk.data(1, read!, 1);
    const nak = talk.packet(1, { opcode: 0x11, psn: data[1]!.psn, aeth: { syndrome: 0x63, msn: 1 } });
    expect(judge(talk, [read!, ...send, data[0]!, nak])).toEqual(nothing);
  });

  it('one NAK after a gap', () => {
    const talk = new Talk();
    const [, ...rest] = talk.request(0, 'SEND', 3 * MTU).map((spec) => ({ ...spec, injected: true }));
    const nak = talk.packet(1, { opcode: 0x11, psn: 0x100, aeth: { syndrome: 0x60, msn: 0 } });
    expect(judge(talk, [...rest, nak])).toEqual(nothing);
  });

  it('one NAK after a packet was lost on the way', () => {
    const talk = new Talk({ psn: [0xffffff, 0] });
    const [first, second, third] = talk.request(0, 'SEND', 3 * MTU);
    const nak = talk.ack(1, second!, { syndrome: 0x60, msn: 0 });
    expect(judge(talk, [first!, { ...second!, lost: true }, third!, nak])).toEqual(nothing);
  });

  it('an answer under way from a queue pair that gets a NAK', () => {
    const talk = new Talk();
    const send = talk.request(0, 'SEND', 1);
    const back = talk.request(1, 'SEND', 1);
    const nak = talk.ack(1, send[0]!, { syndrome: 0x2c, msn: 0 });
    expect(judge(talk, [...send, nak, ...back, talk.ack(0, back[0]!)])).toEqual(nothing);
  });

  it('an answer to an injected duplicate', () => {
    const talk = new Talk();
    const send = talk.request(0, 'SEND', 1);
    const ack = talk.ack(1, send[0]!);
    expect(judge(talk, [...send, ack, { ...send[0]!, injected: true }, ack])).toEqual(nothing);
  });

  it.each([
    ['ICRC', { icrcXor: 1 }],
    ['VCRC', { vcrcXor: 1 }],
    ['link version', { lver: 1 }],
    ['length', { pktLen: 99 }],
    ['VL 15', { vl: 15 }],
    ['DLID', { dlid: 0x77 }],
    ['SLID', { slid: 0x77 }],
    ['P_Key', { pkey: 0x1234 }],
    ['transport version', { tver: 1 }],
    ['service', { opcode: 0x24 }],
    ['destination', { destQpn: 0x777 }],
  ])('silence after an injected packet with a wrong %s', (_, fields) => {
    const talk = new Talk();
    const bad = { ...talk.packet(0, { opcode: 4, psn: 0x100, a: true }), ...fields, injected: true };
    const good = talk.request(0, 'SEND', 1);
    expect(judge(talk, [bad, ...good, talk.ack(1, good[0]!)])).toEqual(nothing);
  });

  it.each([
    ['a middle without a first', { opcode: 0x01 }],
    ['a reserved opcode', { opcode: 0x1f }],
    ['a short first', { opcode: 0x00, payload: new Uint8Array(8) }],
    ['a long only', { opcode: 0x04, payload: new Uint8Array(MTU + 4) }],
    ['a WRITE other than its RETH says', { opcode: 0x0a, reth: { va: 0n, rkey: 1, dmaLen: 9 } }],
    ['a READ above 2^31', { opcode: 0x0c, reth: { va: 0n, rkey: 1, dmaLen: 2 ** 31 + 1 } }],
  ])('NAK invalid request for %s', (_, fields) => {
    const talk = new Talk();
    const bad = talk.packet(0, { psn: 0x100, injected: true, ...fields });
    const nak = talk.ack(1, bad, { syndrome: 0x61, msn: 0 });
    expect(judge(talk, [bad, nak])).toEqual(nothing);
  });
});
