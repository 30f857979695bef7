import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/fault/index.ts';
import { createModelFabric, GateCause } from '../../src/model/index.ts';
import { CmdOp, DropReason, QpState, WcStatus, WrOpcode } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import type { Qpc } from '../../src/spec/gen/records.ts';
import { CAPABILITY_REG, REGISTERS } from '../../src/spec/gen/registers.ts';
import { encodePacket } from '../../src/wire/index.ts';
import { connectedPair, type Pair, packed, pattern } from '../support/model-node.ts';
import { steps, wireLog } from '../support/wire-log.ts';

const PSN = 100;
const MTU = 1024;
const TICK = 16;
const VALUES = { sqPsn: PSN, rqPsn: PSN, retryCount: 7, rnrRetry: 7, ackTimeout: 8 };

/** A response of the peer, by hand. */
const answer = (at: number, syndrome: number): Uint8Array =>
  encodePacket({
    lrh: { dlid: 1, slid: 2 },
    bth: { opcode: Op.RC_ACKNOWLEDGE, destQpn: 2, pkey: 0xffff, psn: PSN + at, migReq: 1 },
    aeth: { syndrome, msn: 0 },
  });

/** Timers of both sides count in the shortest tick, so that time-outs are near. */
async function connected(faults: FaultRule[], values: Partial<Qpc> = {}) {
  const fabric = createModelFabric({ faults });
  const pair = await connectedPair(fabric, { ...VALUES, ...values });
  for (const { node } of [pair.a, pair.b]) node.device.barWrite(0, REGISTERS.timing.at, BigInt(TICK));
  fabric.setTaps({ packets: true });
  return { ...pair, fabric };
}

const write = ({ a, b }: Pair, length: number) =>
  a.qp.send({ opcode: WrOpcode.RDMA_WRITE, sge: [{ region: a.region, length }], remote: b.region });
const read = ({ a, b }: Pair, length: number) =>
  a.qp.send({ opcode: WrOpcode.RDMA_READ, sge: [{ region: a.region, length }], remote: b.region });
const counts = async ({ a }: Pair) =>
  Promise.all((['retries', 'timeouts', 'naksReceived'] as const).map((name) => a.node.register(name)));

describe('a NAK of sequence', () => {
  it('has everything sent again from its PSN on', async () => {
    const pair = await connected([{ from: 'a', psn: PSN + 2, what: 'drop' }]);
    write(pair, 5 * MTU);
    await pair.settle();
    expect(steps(await wireLog(pair.fabric), PSN)).toEqual([
      ['WRITE_FIRST', 0],
      ['WRITE_MIDDLE', 1],
      ['WRITE_MIDDLE', 2],
      ['WRITE_MIDDLE', 3],
      ['WRITE_LAST', 4],
      ['ACKNOWLEDGE', 2],
      ['WRITE_MIDDLE', 2],
      ['WRITE_MIDDLE', 3],
      ['WRITE_LAST', 4],
      ['ACKNOWLEDGE', 4],
    ]);
    expect(await counts(pair)).toEqual([1n, 0n, 1n]);
    expect(await pair.b.node.dropped(DropReason.SEQUENCE)).toBe(2n);
  });

  it('completes what lies before it', async () => {
    const pair = await connected([{ from: 'a', psn: PSN + 2, what: 'drop', count: 0 }], { ackTimeout: 0 });
    for (let i = 0; i < 4; i++) write(pair, 10);
    await pair.settle();
    expect(await pair.a.send.poll()).toHaveLength(2);
    expect(await pair.a.qp.query()).toMatchObject({ sqOldest: 2, sqAckedPsn: PSN + 1, sqNextPsn: PSN + 4 });
  });

  it('is heard once until there is progress or a time-out', async () => {
    const pair = await connected([
      { from: 'b', nth: 0, what: 'duplicate', cycles: 1000 },
      { from: 'a', psn: PSN, count: 2, what: 'drop' },
    ]);
    write(pair, 2 * MTU);
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS }]);
    expect(await counts(pair)).toEqual([2n, 1n, 2n]);
    expect(await pair.a.node.dropped(DropReason.RESPONSE)).toBe(1n);
  });

  it('is heard again after a time-out', async () => {
    const pair = await connected([{ from: 'a', what: 'drop', count: 0 }]);
    const { fabric } = pair;
    write(pair, 10);
    const tell = async (cycles: number) => {
      await fabric.run({ cycles });
      fabric.inject(0, answer(0, 0x60));
      await fabric.run({ cycles: 10 });
      return counts(pair);
    };
    expect(await tell(10)).toEqual([1n, 0n, 1n]);
    expect(await tell(10)).toEqual([1n, 0n, 2n]);
    expect(await tell(TICK * 2 ** 8)).toEqual([3n, 1n, 3n]);
    expect(await tell(10)).toEqual([3n, 1n, 4n]);
  });

  it('takes a try, and progress gives all back', async () => {
    const faults = [0, 1, 2, 3].map(
      (nth): FaultRule => ({ from: 'a', psn: PSN + 3 * nth, nth, what: 'drop' }),
    );
    const pair = await connected(faults, { retryCount: 1 });
    write(pair, 12 * MTU);
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS }]);
    expect(await counts(pair)).toEqual([4n, 0n, 4n]);
  });

  it('ends the work request at its PSN when no try is left', async () => {
    const pair = await connected([{ from: 'a', psn: PSN + 1, what: 'drop' }], { retryCount: 0 });
    write(pair, 10);
    write(pair, 10);
    write(pair, 10);
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([
      { wqeIndex: 0, status: WcStatus.SUCCESS },
      { wqeIndex: 1, status: WcStatus.RETRY_EXC_ERR, vendor: 0x60 },
      { wqeIndex: 2, status: WcStatus.WR_FLUSH_ERR },
    ]);
    expect(await counts(pair)).toEqual([0n, 0n, 1n]);
  });
});

describe('a READ that loses a response', () => {
  it('asks for what is missing, moved by whole MTUs', async () => {
    const pair = await connected([{ from: 'b', psn: PSN + 2, what: 'drop' }]);
    const { a, b, fabric } = pair;
    b.region.write(pattern(4 * MTU + 9));
    read(pair, 4 * MTU + 9);
    await pair.settle();
    const log = await wireLog(fabric);
    expect(steps(log, PSN)).toEqual([
      ['READ_REQUEST', 0],
      ['READ_RESPONSE_FIRST', 0],
      ['READ_RESPONSE_MIDDLE', 1],
      ['READ_RESPONSE_MIDDLE', 2],
      ['READ_RESPONSE_MIDDLE', 3],
      ['READ_RESPONSE_LAST', 4],
      ['READ_REQUEST', 2],
      ['READ_RESPONSE_FIRST', 2],
      ['READ_RESPONSE_MIDDLE', 3],
      ['READ_RESPONSE_LAST', 4],
    ]);
    expect(log[6]!.packet.reth).toMatchObject({ va: b.region.start + BigInt(2 * MTU), dmaLen: 2 * MTU + 9 });
    expect(await a.region.read(0, 4 * MTU + 9)).toEqual(pattern(4 * MTU + 9));
    expect(await counts(pair)).toEqual([1n, 0n, 0n]);
    expect(await a.node.dropped(DropReason.RESPONSE)).toBe(1n); // the last of the first answer
    expect(await b.node.dropped(DropReason.DUPLICATE)).toBe(1n);
    expect((await b.qp.query()).msn).toBe(1);
  });

  it('is asked for again by an acknowledge from beyond it', async () => {
    const pair = await connected([{ from: 'b', psn: PSN, what: 'drop' }]);
    read(pair, 10);
    write(pair, 10);
    await pair.settle();
    expect(steps(await wireLog(pair.fabric), PSN)).toEqual([
      ['READ_REQUEST', 0],
      ['WRITE_ONLY', 1],
      ['READ_RESPONSE_ONLY', 0],
      ['ACKNOWLEDGE', 1],
      ['READ_REQUEST', 0],
      ['WRITE_ONLY', 1],
      ['READ_RESPONSE_ONLY', 0],
      ['ACKNOWLEDGE', 1],
    ]);
  });

  it('keeps a fenced WRITE waiting', async () => {
    const pair = await connected([{ from: 'b', count: 5, what: 'drop' }]);
    const { a, b } = pair;
    read(pair, 3 * MTU);
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE, fence: 1, inlineData: pattern(4), remote: b.region });
    await pair.settle();
    const log = steps(await wireLog(pair.fabric), PSN);
    expect(log.slice(-3)).toEqual([
      ['READ_RESPONSE_LAST', 2],
      ['WRITE_ONLY', 3],
      ['ACKNOWLEDGE', 3],
    ]);
    expect(log.filter(([name]) => name === 'WRITE_ONLY')).toHaveLength(1);
  });
});

describe('the ACK time-out', () => {
  it.each(Array.from({ length: 31 }, (_, i) => i + 1))('%i expires between T and 2T', async (ackTimeout) => {
    const pair = await connected([{ from: 'a', what: 'drop' }], { ackTimeout });
    write(pair, 10);
    const t = TICK * 2 ** ackTimeout;
    await pair.fabric.run({ cycles: 3 * t + 1000, idle: true });
    const [first, second] = (await wireLog(pair.fabric)).map(({ cycle }) => cycle);
    expect(second! - first!).toBeGreaterThanOrEqual(t - 4); // of a turn of the fabric
    expect(second! - first!).toBeLessThanOrEqual(2 * t);
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS }]);
    expect((await counts(pair)).slice(0, 2)).toEqual([1n, 1n]);
  });

  it('0 never expires', async () => {
    const pair = await connected([{ from: 'a', what: 'drop' }], { ackTimeout: 0 });
    write(pair, 10);
    expect((await pair.fabric.run({ cycles: 1e12, idle: true })).reason).toBe('idle');
    expect(await pair.a.send.poll()).toEqual([]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('has %i tries', async (retryCount) => {
    const pair = await connected([{ from: 'a', count: 0, what: 'drop' }], { retryCount });
    write(pair, 10);
    write(pair, 10);
    await pair.settle();
    expect(await wireLog(pair.fabric)).toHaveLength(2 * (1 + retryCount));
    expect(await pair.a.send.poll()).toMatchObject([
      { wqeIndex: 0, status: WcStatus.RETRY_EXC_ERR, vendor: 0 },
      { wqeIndex: 1, status: WcStatus.WR_FLUSH_ERR },
    ]);
    expect(await counts(pair)).toEqual([BigInt(retryCount), BigInt(retryCount + 1), 0n]);
  });

  it('starts with a packet, not when nothing is outstanding', async () => {
    const pair = await connected([]);
    write(pair, 10);
    await pair.settle();
    await pair.fabric.run({ cycles: 1e6 });
    write(pair, 10);
    await pair.settle();
    expect(await counts(pair)).toEqual([0n, 0n, 0n]);
  });

  it('is found after what has come meanwhile', async () => {
    // T of 512 cycles passes from the first message to the second one's end; the first one's acknowledge comes meanwhile.
    const pair = await connected([], { ackTimeout: 5 });
    write(pair, 8 * MTU);
    write(pair, 8 * MTU);
    await pair.settle();
    expect(await wireLog(pair.fabric, 1)).toHaveLength(2);
    expect(await counts(pair)).toEqual([0n, 0n, 0n]);
  });

  it('starts anew with progress', async () => {
    const pair = await connected([{ from: 'a', count: 0, what: 'drop' }]);
    const { fabric } = pair;
    const t = TICK * 2 ** 8;
    write(pair, 10);
    write(pair, 10);
    await fabric.run({ cycles: t - 100 });
    fabric.inject(0, answer(0, 0x1f));
    await fabric.run({ cycles: t - 100 });
    expect(await wireLog(fabric)).toHaveLength(2);
    await fabric.run({ cycles: 200 });
    expect((await wireLog(fabric)).map(({ packet }) => packet.bth.psn)).toEqual([PSN + 1]);
  });

  it('counts in ticks of 16 cycles at least', async () => {
    const pair = await connected([{ from: 'a', what: 'drop' }]);
    pair.a.node.device.barWrite(0, REGISTERS.timing.at, 0xabc_0003n);
    expect(await pair.a.node.register('timing')).toBe(3n);
    write(pair, 10);
    await pair.settle();
    const [first, second] = (await wireLog(pair.fabric)).map(({ cycle }) => cycle);
    expect(second! - first!).toBeGreaterThanOrEqual(16 * 2 ** 8 - 4);
  });

  it('lets time pass to it and no further', async () => {
    const pair = await connected([{ from: 'a', count: 0, what: 'drop' }], { ackTimeout: 20, retryCount: 1 });
    const { fabric } = pair;
    write(pair, 10);
    const start = fabric.now();
    expect(await fabric.run({ cycles: 5000, idle: true })).toEqual({ cycle: start + 5000, reason: 'cycles' });
    const { cycle, reason } = await fabric.run({ cycles: 1e9, idle: true });
    expect(reason).toBe('idle');
    expect(cycle - start).toBeGreaterThanOrEqual(2 * TICK * 2 ** 20);
    expect(cycle - start).toBeLessThan(3 * TICK * 2 ** 20);
  });

  it('goes on to the next PSN that a READ needs', async () => {
    const pair = await connected([{ from: 'b', nth: 1, count: 2, what: 'drop' }]);
    read(pair, 3 * MTU);
    await pair.fabric.run({ cycles: 8000, idle: true });
    const log = (await wireLog(pair.fabric, 0)).map(({ packet }) => packet.bth.psn - PSN);
    expect(log).toEqual([0, 1]);
    expect(await counts(pair)).toEqual([1n, 1n, 0n]);
  });
});

describe('what is sent again', () => {
  it('is read again from memory', async () => {
    const pair = await connected([{ from: 'a', psn: PSN, what: 'drop' }]);
    const { a, b, fabric } = pair;
    a.region.write(pattern(10, 1));
    write(pair, 10);
    await fabric.run({ cycles: 100 });
    a.region.write(pattern(10, 2));
    await pair.settle();
    expect(await b.region.read(0, 10)).toEqual(pattern(10, 2));
  });

  it('starts in the middle of its segments', async () => {
    const pair = await connected([{ from: 'a', psn: PSN + 2, what: 'drop' }]);
    const { a, b } = pair;
    a.region.write(pattern(9000));
    const sge = [
      { region: a.region, length: 1001 },
      { region: a.region, offset: 1001, length: 0 },
      { region: a.region, offset: 1001, length: 1999 },
      { region: a.region, offset: 3000, length: 1500 },
    ];
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE, sge, remote: b.region });
    await pair.settle();
    expect(await b.region.read(0, 4500)).toEqual(pattern(9000).subarray(0, 4500));
  });

  it.each([
    ['opcode', { opcode: WrOpcode.RDMA_READ }, 10],
    ['length', {}, 11],
    ['mark', { mark: 0 }, 10],
  ])('must have the %s that it had', async (_, change, length) => {
    const pair = await connected([{ from: 'a', psn: PSN + 1, what: 'drop' }], { ackTimeout: 12 });
    const { a, b, fabric } = pair;
    for (let i = 0; i < 3; i++) write(pair, 10);
    fabric.setFaults([{ from: 'a', count: 0, what: 'drop' }]);
    await fabric.run({ cycles: 100 });
    fabric.setFaults([]);
    const wqe = { opcode: WrOpcode.RDMA_WRITE, sge: [{ region: a.region, length }], remote: b.region };
    a.qp.write(a.qp.sq, 1, { ...wqe, ...change });
    await pair.settle();
    expect((await a.send.poll()).map(({ wqeIndex, status }) => [wqeIndex, status])).toEqual([
      [0, WcStatus.SUCCESS],
      [1, WcStatus.LOC_QP_OP_ERR],
      [2, WcStatus.WR_FLUSH_ERR],
    ]);
  });

  it('is refused by the gate when its key is gone', async () => {
    const pair = await connected([{ from: 'a', psn: PSN, what: 'drop' }]);
    const { a, fabric } = pair;
    write(pair, 10);
    await fabric.run({ cycles: 100 });
    await a.node.command(CmdOp.HW2SW_MPT, 0);
    await pair.settle();
    expect(await a.send.poll()).toMatchObject([{ status: WcStatus.LOC_PROT_ERR, vendor: GateCause.KEY }]);
    expect(await a.node.dropped(DropReason.POISONED)).toBe(1n);
  });

  it('is what an acknowledge leaves that comes meanwhile', async () => {
    const pair = await connected([{ from: 'b', what: 'delay', cycles: TICK * 2 ** 8 + 1 }], {
      ackTimeout: 8,
    });
    write(pair, 20 * MTU);
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS }]);
    expect((await wireLog(pair.fabric, 0)).length).toBeLessThan(40);
  });
});

describe('what was sent before', () => {
  it('is acknowledged though it is being sent again', async () => {
    const fabric = createModelFabric({ packetsPerTurn: 1, faults: [{ from: 'a', count: 0, what: 'drop' }] });
    const pair = await connectedPair(fabric, { ...VALUES, ackTimeout: 1 });
    fabric.setTaps({ packets: true });
    write(pair, 5 * MTU);
    await fabric.run({ cycles: 2048 + 30 });
    const sent = (await wireLog(fabric)).length;
    expect(sent).toBeGreaterThan(5);
    expect(sent).toBeLessThan(8);
    fabric.inject(0, answer(4, 0x1f));
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS }]);
    expect((await wireLog(fabric)).length).toBeLessThan(2);
  });
});

describe('a queue pair in SQD', () => {
  it('still sends again what was started', async () => {
    const pair = await connected([{ from: 'a', what: 'drop' }]);
    write(pair, 10);
    await pair.fabric.run({ cycles: 100 });
    await pair.a.qp.modify(QpState.SQD, {}, []);
    write(pair, 10);
    await pair.settle();
    expect(await pair.a.send.poll()).toHaveLength(1);
  });
});

describe('without the capability of retry', () => {
  const masked = async (faults: FaultRule[]) => {
    const fabric = createModelFabric({ faults });
    const mask = ~packed(CAPABILITY_REG, { retry: 1 });
    for (const device of fabric.devices) device.barWrite(0, REGISTERS.capMask.at, mask);
    return connectedPair(fabric, VALUES);
  };

  it('no timer runs', async () => {
    const pair = await masked([{ from: 'a', what: 'drop' }]);
    write(pair, 10);
    expect((await pair.fabric.run({ cycles: 1e12, idle: true })).reason).toBe('idle');
    expect(await pair.a.send.poll()).toEqual([]);
    expect(await counts(pair)).toEqual([0n, 0n, 0n]);
  });

  it('a NAK of sequence has no try', async () => {
    const pair = await masked([{ from: 'a', what: 'drop' }]);
    write(pair, 2 * MTU);
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.RETRY_EXC_ERR }]);
  });

  it('an RNR NAK has no try, even with 7', async () => {
    const pair = await masked([]);
    pair.a.qp.send({ opcode: WrOpcode.SEND });
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.RNR_RETRY_EXC_ERR }]);
  });
});

describe('a response', () => {
  it('of an atomic with payload is dropped', async () => {
    const pair = await connected([{ from: 'b', what: 'drop' }], { remoteAtomic: 1, ackTimeout: 0 });
    const { a, b, fabric } = pair;
    a.qp.send({
      opcode: WrOpcode.ATOMIC_FETCH_AND_ADD,
      sge: [{ region: a.region, length: 8 }],
      remote: b.region,
      remoteOffset: 5,
    });
    await pair.settle();
    const bth = { opcode: Op.RC_ATOMIC_ACKNOWLEDGE, destQpn: 2, pkey: 0xffff, psn: PSN, migReq: 1 };
    const aeth = { syndrome: 0x1f, msn: 1 };
    const packet = { lrh: { dlid: 1, slid: 2 }, bth, aeth, atomicacketh: { original: 5n } };
    fabric.inject(0, encodePacket({ ...packet, payload: pattern(4) }));
    await pair.settle();
    expect(await a.node.dropped(DropReason.RESPONSE)).toBe(1n);
    fabric.inject(0, encodePacket(packet));
    await pair.settle();
    expect(await a.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS, byteLen: 8 }]);
  });
});
