import { describe, expect, it } from 'vitest';
import { createModelFabric } from '../../src/model/index.ts';
import { CmdOp, DropReason, QpState } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import type { Qpc, Reth } from '../../src/spec/gen/records.ts';
import { encodePacket, type Packet, type PacketToSend } from '../../src/wire/index.ts';
import { connectedPair, pattern, type Side } from '../support/model-node.ts';
import { wireLog } from '../support/wire-log.ts';

const PSN = 0xff_fffd;
const MTU = 1024;
const ALIGNED = 5;

/** A responder that is talked to by hand: `tell` puts requests on the wire and returns the answers. */
async function responder(values: Partial<Qpc> = {}, packetsPerTurn = 8) {
  const fabric = createModelFabric({ packetsPerTurn });
  const pair = await connectedPair(fabric, { sqPsn: PSN, rqPsn: PSN, remoteAtomic: 1, ...values });
  fabric.setTaps({ packets: true });
  pair.a.node.device.setLink(false); // the real peer hears nothing
  pair.b.region.write(pattern(10_000));
  const tell = async (...packets: PacketToSend[]) => {
    for (const packet of packets) fabric.inject(1, encodePacket(packet));
    await fabric.run({ cycles: 5000, idle: true });
    return (await wireLog(fabric, 1)).map(({ packet }) => summary(packet));
  };
  const duplicates = () => pair.b.node.dropped(DropReason.DUPLICATE);
  return { b: pair.b, fabric, tell, duplicates };
}

const summary = ({ opcode, bth, aeth, payload }: Packet) =>
  [opcode.name.replace('RC_', ''), offsetOf(bth.psn), aeth?.msn, payload.length] as const;
const offsetOf = (psn: number) => (psn - PSN) & 0xff_ffff;

const request = (opcode: number, at: number, more: Partial<PacketToSend> = {}): PacketToSend => ({
  lrh: { dlid: 2, slid: 1 },
  bth: { opcode, destQpn: 3, pkey: 0xffff, psn: (PSN + at) & 0xff_ffff, ackReq: 1, migReq: 1 },
  ...more,
});
const read = ({ region }: Side, at: number, from: number, length: number, change: Partial<Reth> = {}) =>
  request(Op.RC_READ_REQUEST, at, {
    reth: { va: region.start + BigInt(from), rkey: region.key, dmaLen: length, ...change },
  });
const write = ({ region }: Side, at: number, bytes: Uint8Array) =>
  request(Op.RC_WRITE_ONLY, at, {
    reth: { va: region.start + 20_000n, rkey: region.key, dmaLen: bytes.length },
    payload: bytes,
  });
const add = ({ region }: Side, at: number, opcode: number = Op.RC_FETCH_ADD) =>
  request(opcode, at, {
    atomiceth: { va: region.start + BigInt(ALIGNED), rkey: region.key, swapAdd: 1n, compare: 0n },
  });

describe('a duplicate WRITE', () => {
  it('is acknowledged with the newest PSN and MSN, and not executed', async () => {
    const { b, tell, duplicates } = await responder();
    await tell(write(b, 0, pattern(8, 1)), write(b, 1, pattern(8, 2)));
    expect(await tell(write(b, 0, pattern(8, 1)))).toEqual([['ACKNOWLEDGE', 1, 2, 0]]);
    expect(await b.region.read(20_000, 8)).toEqual(pattern(8, 2));
    expect(await duplicates()).toBe(1n);
    expect(await b.qp.query()).toMatchObject({ msn: 2, epsn: (PSN + 2) & 0xff_ffff });
  });
});

describe('a duplicate READ', () => {
  it('is answered again, whole or from a PSN on, with memory as it is now', async () => {
    const { b, fabric, tell, duplicates } = await responder();
    await tell(read(b, 0, 100, 3 * MTU + 1), write(b, 4, pattern(4)));
    expect(await tell(read(b, 0, 100, 3 * MTU + 1))).toEqual([
      ['READ_RESPONSE_FIRST', 0, 2, MTU],
      ['READ_RESPONSE_MIDDLE', 1, undefined, MTU],
      ['READ_RESPONSE_MIDDLE', 2, undefined, MTU],
      ['READ_RESPONSE_LAST', 3, 2, 1],
    ]);
    b.region.write(pattern(10_000, 9));
    fabric.inject(1, encodePacket(read(b, 2, 100 + 2 * MTU, MTU + 1)));
    await fabric.run({ cycles: 5000, idle: true });
    const [first, last] = (await wireLog(fabric, 1)).map(({ packet }) => packet);
    expect([summary(first!), summary(last!)]).toEqual([
      ['READ_RESPONSE_FIRST', 2, 2, MTU],
      ['READ_RESPONSE_LAST', 3, 2, 1],
    ]);
    expect(first!.payload).toEqual(pattern(10_000, 9).subarray(100 + 2 * MTU, 100 + 3 * MTU));
    expect(await tell(read(b, 3, 100 + 3 * MTU, 1))).toEqual([['READ_RESPONSE_ONLY', 3, 2, 1]]);
    expect(await duplicates()).toBe(3n);
    expect((await b.qp.query()).msn).toBe(2);
  });

  it.each<[string, (b: Side) => PacketToSend]>([
    ['ends before it', (b) => read(b, 0, 100, 3 * MTU)],
    ['ends behind it', (b) => read(b, 0, 100, 3 * MTU + 2)],
    ['starts elsewhere', (b) => read(b, 0, 101, 3 * MTU + 1)],
    ['starts at a byte that its PSN does not stand for', (b) => read(b, 1, 100 + 2 * MTU, MTU + 1)],
    ['has another key', (b) => read(b, 0, 100, 3 * MTU + 1, { rkey: b.region.key ^ 1 })],
    ['is older than all that is remembered', (b) => read(b, -1, 100, 10)],
    ['is an atomic', (b) => add(b, 0)],
  ])('is dropped if it %s', async (_, again) => {
    const { b, tell, duplicates } = await responder();
    await tell(read(b, 0, 100, 3 * MTU + 1));
    expect(await tell(again(b))).toEqual([]);
    expect(await duplicates()).toBe(1n);
    expect((await b.qp.query()).state).toBe(QpState.RTS);
  });

  it('is dropped if its key is gone, and nothing is NAKed', async () => {
    const { b, tell } = await responder();
    await tell(read(b, 0, 0, 10));
    await b.node.command(CmdOp.HW2SW_MPT, 0);
    expect(await tell(read(b, 0, 0, 10))).toEqual([]);
    expect(await b.node.dropped(DropReason.POISONED)).toBe(0n);
    expect((await b.qp.query()).state).toBe(QpState.RTS);
  });

  it('ends without a NAK if its key goes while it is answered', async () => {
    const { b, fabric, tell } = await responder({}, 1);
    await tell(read(b, 0, 0, 3 * MTU));
    fabric.inject(1, encodePacket(read(b, 0, 0, 3 * MTU)));
    await fabric.run({ cycles: 20 });
    await b.node.command(CmdOp.HW2SW_MPT, 0);
    expect(await tell()).toEqual([['READ_RESPONSE_FIRST', 0, 1, MTU]]);
    expect(await b.node.dropped(DropReason.POISONED)).toBe(1n);
    expect((await b.qp.query()).state).toBe(QpState.RTS);
  });

  it('is dropped if it has another key to the same memory', async () => {
    const { b, tell } = await responder();
    const other = await b.node.region(1000, { start: b.region.start });
    await tell(read(b, 0, 0, 10));
    expect(await tell(read(b, 0, 0, 10, { rkey: other.key }))).toEqual([]);
    expect(await tell(read(b, 1, 0, 10, { rkey: other.key }))).toHaveLength(1);
  });

  it('is remembered as long as there are responder resources', async () => {
    const { b, tell } = await responder({ maxDestRdAtomic: 2 });
    for (let i = 0; i < 3; i++) await tell(read(b, i, 10 * i, 10));
    expect(await tell(read(b, 0, 0, 10), read(b, 1, 10, 10), read(b, 2, 20, 10))).toEqual([
      ['READ_RESPONSE_ONLY', 1, 3, 10],
      ['READ_RESPONSE_ONLY', 2, 3, 10],
    ]);
  });

  it('is answered once if it is still to be answered, and holds no resource', async () => {
    const { b, tell } = await responder({ maxDestRdAtomic: 2 });
    const first = read(b, 0, 0, 2 * MTU);
    expect(await tell(first, first, read(b, 1, MTU, MTU), read(b, 2, 0, 5), first, read(b, 2, 0, 5))).toEqual(
      [
        ['READ_RESPONSE_FIRST', 0, 1, MTU],
        ['READ_RESPONSE_LAST', 1, 1, MTU],
        ['READ_RESPONSE_ONLY', 2, 2, 5],
      ],
    );
  });

  it('is answered before what is owed for newer PSNs', async () => {
    const { b, tell } = await responder();
    await tell(read(b, 0, 0, 10));
    expect(await tell(read(b, 1, 0, 20), write(b, 2, pattern(4)), read(b, 0, 0, 10))).toEqual([
      ['READ_RESPONSE_ONLY', 0, 3, 10],
      ['READ_RESPONSE_ONLY', 1, 2, 20],
      ['ACKNOWLEDGE', 2, 3, 0],
    ]);
  });
});

describe('a duplicate READ that comes while another is answered', () => {
  it('waits for its end', async () => {
    const { b, fabric, tell } = await responder({}, 1);
    await tell(read(b, 0, 0, 10));
    fabric.inject(1, encodePacket(read(b, 1, 0, 3 * MTU)));
    await fabric.run({ cycles: 20 });
    expect((await tell(read(b, 0, 0, 10))).map(([name, at]) => [name, at])).toEqual([
      ['READ_RESPONSE_FIRST', 1],
      ['READ_RESPONSE_MIDDLE', 2],
      ['READ_RESPONSE_LAST', 3],
      ['READ_RESPONSE_ONLY', 0],
    ]);
  });
});

describe('a duplicate atomic', () => {
  it('gets the stored result and is not executed', async () => {
    const { b, fabric, tell } = await responder();
    b.region.write(Uint8Array.of(40, 0, 0, 0, 0, 0, 0, 0), ALIGNED);
    await tell(add(b, 0), add(b, 1));
    b.region.write(Uint8Array.of(99), ALIGNED);
    for (const at of [0, 1, 0]) fabric.inject(1, encodePacket(add(b, at)));
    await fabric.run({ cycles: 1000, idle: true });
    const answers = await wireLog(fabric, 1);
    expect(answers.map(({ packet }) => [offsetOf(packet.bth.psn), packet.atomicacketh?.original])).toEqual([
      [0, 40n],
      [1, 41n],
    ]); // the third found its answer still owed
    expect((await b.region.read(ALIGNED, 1))[0]).toBe(99);
    expect(await b.node.register('atomics')).toBe(2n);
  });

  it('is dropped if it is another operation, or forgotten', async () => {
    const { b, tell, duplicates } = await responder({ maxDestRdAtomic: 1 });
    for (const at of [0, 1]) await tell(add(b, at));
    expect(await tell(add(b, 1, Op.RC_COMPARE_SWAP), add(b, 0))).toEqual([]);
    expect(await tell(add(b, 1))).toEqual([['ATOMIC_ACKNOWLEDGE', 1, 2, 0]]);
    expect(await duplicates()).toBe(3n);
  });
});
