import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/fault/index.ts';
import { createModelFabric } from '../../src/model/index.ts';
import { DropReason, WcStatus, WrOpcode } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import type { Qpc } from '../../src/spec/gen/records.ts';
import { REGISTERS } from '../../src/spec/gen/registers.ts';
import { encodePacket } from '../../src/wire/index.ts';
import { connectedPair, type Pair, pattern } from '../support/model-node.ts';
import { wireLog } from '../support/wire-log.ts';

const PSN = 0xff_fffe;
const TICK = 16;
/** Milliseconds by timer code (IBA vol. 1, table 45). */
const MILLISECONDS = [
  655.36, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92, 2.56,
  3.84, 5.12, 7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52,
];
/** Ten microseconds count as 2.5 ticks. */
const cyclesOf = (code: number) => (MILLISECONDS[code]! / 0.01) * 2.5 * TICK;

async function connected(values: Partial<Qpc> = {}, faults: FaultRule[] = []) {
  const fabric = createModelFabric({ faults });
  const pair = await connectedPair(fabric, { retryCount: 7, rnrRetry: 7, minRnrTimer: 1, ...values });
  for (const { node } of [pair.a, pair.b]) node.device.barWrite(0, REGISTERS.timing.at, BigInt(TICK));
  fabric.setTaps({ packets: true });
  return { ...pair, fabric };
}

const send = ({ a }: Pair) => a.qp.send({ opcode: WrOpcode.SEND, inlineData: pattern(5) });
const receive = ({ b }: Pair) => b.qp.receive({ sge: [{ region: b.region, length: 100 }] });
const counts = ({ a }: Pair) =>
  Promise.all((['rnrWaits', 'retries', 'timeouts'] as const).map((name) => a.node.register(name)));

describe('an RNR NAK', () => {
  it.each(MILLISECONDS.map((ms, code) => [code, ms]))(
    'of code %i delays by %d ms and no less',
    async (code) => {
      const pair = await connected({ minRnrTimer: code });
      send(pair);
      await pair.fabric.run({ cycles: 12 });
      receive(pair);
      await pair.settle();
      const log = await wireLog(pair.fabric);
      expect(log.map(({ device, packet }) => [device, packet.bth.psn, packet.aeth?.syndrome])).toEqual([
        [0, PSN, undefined],
        [1, PSN, 0x20 | code],
        [0, PSN, undefined],
        [1, PSN, 0],
      ]);
      const delay = log[2]!.cycle - log[1]!.cycle;
      expect(delay).toBeGreaterThanOrEqual(Math.round(cyclesOf(code)));
      expect(delay).toBeLessThanOrEqual(cyclesOf(code) + 20);
      expect(await counts(pair)).toEqual([1n, 0n, 0n]);
      expect(await pair.b.receive.poll()).toMatchObject([{ byteLen: 5 }]);
      expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS }]);
    },
  );

  it('delays no less where ticks are odd', async () => {
    const pair = await connected({ minRnrTimer: 1 });
    pair.a.node.device.barWrite(0, REGISTERS.timing.at, 17n);
    send(pair);
    await pair.fabric.run({ cycles: 200 });
    const [, nak, again] = (await wireLog(pair.fabric)).map(({ cycle }) => cycle);
    expect(again! - nak!).toBeGreaterThanOrEqual(2.5 * 17 + 2); // it takes two cycles to leave
  });

  it('completes what comes before it and holds what follows', async () => {
    const pair = await connected({ minRnrTimer: 20 });
    const write = { opcode: WrOpcode.RDMA_WRITE, inlineData: pattern(9), remote: pair.b.region };
    pair.a.qp.send(write);
    send(pair);
    pair.a.qp.send(write);
    await pair.fabric.run({ cycles: 1000 });
    pair.a.qp.send(write);
    await pair.fabric.run({ cycles: 20_000 });
    expect(await pair.a.send.poll()).toMatchObject([{ wqeIndex: 0, status: WcStatus.SUCCESS }]);
    expect((await wireLog(pair.fabric, 0)).map(({ packet }) => packet.bth.psn)).toEqual([PSN, PSN + 1, 0]);
    receive(pair);
    await pair.settle();
    expect((await pair.a.send.poll()).map(({ wqeIndex }) => wqeIndex)).toEqual([1, 2, 3]);
  });

  it('does not stop the responses of its queue pair', async () => {
    const pair = await connected({ minRnrTimer: 20 });
    const { a, b } = pair;
    send(pair);
    await pair.fabric.run({ cycles: 100 });
    b.qp.send({ opcode: WrOpcode.RDMA_READ, sge: [{ region: b.region, length: 3000 }], remote: a.region });
    await pair.fabric.run({ cycles: 5000 });
    expect(await b.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS }]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])('is tried %i times again', async (rnrRetry) => {
    const pair = await connected({ rnrRetry, minRnrTimer: 5 });
    send(pair);
    send(pair);
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([
      { wqeIndex: 0, status: WcStatus.RNR_RETRY_EXC_ERR, vendor: 0x25 },
      { wqeIndex: 1, status: WcStatus.WR_FLUSH_ERR },
    ]);
    expect(await counts(pair)).toEqual([BigInt(rnrRetry), 0n, 0n]);
    expect(await pair.a.node.register('naksReceived')).toBe(BigInt(rnrRetry + 1));
  });

  it('is tried again for ever with 7', async () => {
    const pair = await connected({ rnrRetry: 7, retryCount: 0 });
    send(pair);
    await pair.fabric.run({ cycles: 100 * cyclesOf(1) + 10_000 });
    expect(await pair.a.send.poll()).toEqual([]);
    expect(await pair.a.node.register('rnrWaits')).toBeGreaterThan(90n);
    receive(pair);
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS }]);
  });

  it('gets its tries back by progress', async () => {
    const pair = await connected({ rnrRetry: 1, minRnrTimer: 10 });
    for (let i = 0; i < 5; i++) {
      send(pair);
      await pair.fabric.run({ cycles: 1000 });
      receive(pair);
      await pair.settle();
    }
    expect((await pair.a.send.poll()).map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
    expect(await counts(pair)).toEqual([5n, 0n, 0n]);
  });

  it('is waited for though the ACK time-out is shorter', async () => {
    const pair = await connected({ minRnrTimer: 20, ackTimeout: 1 });
    send(pair);
    await pair.fabric.run({ cycles: cyclesOf(20) - 1000 });
    expect(await wireLog(pair.fabric, 0)).toHaveLength(1);
    receive(pair);
    await pair.settle();
    expect(await counts(pair)).toEqual([1n, 0n, 0n]);
  });

  it('starts the ACK time-out anew when its delay ends', async () => {
    const pair = await connected({ minRnrTimer: 12, ackTimeout: 8 }, [{ from: 'a', nth: 1, what: 'drop' }]);
    send(pair);
    await pair.fabric.run({ cycles: 100 });
    receive(pair);
    await pair.settle();
    const [, second, third] = (await wireLog(pair.fabric, 0)).map(({ cycle }) => cycle);
    expect(third! - second!).toBeGreaterThanOrEqual(TICK * 2 ** 8 - 4);
    expect(await counts(pair)).toEqual([1n, 1n, 1n]);
  });

  it('is dropped during the delay, as a NAK of sequence is', async () => {
    const pair = await connected({ minRnrTimer: 20, rnrRetry: 1, retryCount: 1 });
    const { fabric, a } = pair;
    send(pair);
    await fabric.run({ cycles: 100 });
    const bth = { opcode: Op.RC_ACKNOWLEDGE, destQpn: 2, pkey: 0xffff, psn: PSN, migReq: 1 };
    for (const syndrome of [0x21, 0x21, 0x60])
      fabric.inject(0, encodePacket({ lrh: { dlid: 1, slid: 2 }, bth, aeth: { syndrome, msn: 0 } }));
    await fabric.run({ cycles: 1000 });
    expect(await a.node.dropped(DropReason.RESPONSE)).toBe(3n);
    expect(await counts(pair)).toEqual([1n, 0n, 0n]);
    expect(await wireLog(fabric, 0)).toHaveLength(1);
    receive(pair);
    await pair.settle();
    expect(await a.send.poll()).toMatchObject([{ status: WcStatus.SUCCESS }]);
  });

  it('for a WRITE with immediate comes with its last packet', async () => {
    const pair = await connected({ minRnrTimer: 15 });
    const { a, b } = pair;
    a.region.write(pattern(3000));
    const sge = [{ region: a.region, length: 3000 }];
    a.qp.send({
      opcode: WrOpcode.RDMA_WRITE_WITH_IMM,
      immediate: 7,
      sge,
      remote: b.region,
      remoteOffset: 500,
    });
    await pair.fabric.run({ cycles: 500 });
    b.qp.receive({});
    await pair.settle();
    expect((await wireLog(pair.fabric, 0)).map(({ packet }) => packet.bth.psn)).toEqual([PSN, PSN + 1, 0, 0]);
    expect(await b.receive.poll()).toMatchObject([{ byteLen: 3000, immediate: 7 }]);
    expect(await b.region.read(500, 3000)).toEqual(pattern(3000));
  });
});
