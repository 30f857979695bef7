import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/fault/index.ts';
import {
  Access,
  allocBuffer,
  closeDevice,
  connectPair,
  modifyQp,
  type OpenOptions,
  openDevice,
  postRecv,
  postSend,
  processEvents,
  queryCounters,
  queryDevice,
  queryQp,
  regMr,
  setAsyncHandler,
  waitCompletions,
} from '../../src/host/index.ts';
import { createModelFabric } from '../../src/model/index.ts';
import { CmdOp } from '../../src/spec/gen/enums.ts';
import { CAPABILITY_REG, REGISTERS } from '../../src/spec/gen/registers.ts';
import { packed, pattern } from '../support/model-node.ts';

const ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

/** Two models under the driver, with a region of 64 KiB each. */
async function drivenPair(
  options: Partial<OpenOptions> = {},
  faults: FaultRule[] = [],
  fabric = createModelFabric({ faults }),
) {
  const advance = () => fabric.run({ cycles: 200, idle: true });
  const open = (index: 0 | 1) =>
    openDevice(fabric.devices[index], { ...options, advance, port: { lid: index + 1 } });
  const contexts = [await open(0), await open(1)] as const;
  const pair = await connectPair(...contexts, { mtuBytes: 1024, sqSigAll: true });
  const region = async (end: typeof pair.a) => {
    const buffer = allocBuffer(end.context, 65_536);
    return { ...end, buffer, mr: await regMr(end.pd, buffer, 65_536, ALL) };
  };
  return { fabric, a: await region(pair.a), b: await region(pair.b) };
}

describe('the driver on the model', () => {
  it.each([0, 1, 1024, 5000])('sends %i bytes', async (length) => {
    const { fabric, a, b } = await drivenPair();
    a.buffer.write(0, pattern(length));
    postRecv(b.qp, { wrId: 9, sgList: [{ addr: b.mr.addr, length: 8192, lkey: b.mr.lkey }] });
    postSend(a.qp, {
      wrId: 8,
      opcode: 'SEND_WITH_IMM',
      immediate: 0x01020304,
      sgList: [{ addr: a.mr.addr, length, lkey: a.mr.lkey }],
    });
    expect(await waitCompletions(fabric, a.sendCq, 1)).toMatchObject([{ wrId: 8, status: 'SUCCESS' }]);
    expect(await waitCompletions(fabric, b.recvCq, 1)).toMatchObject([
      { wrId: 9, status: 'SUCCESS', byteLen: length, immediate: 0x01020304, srcQp: a.qp.qpn },
    ]);
    expect(await b.buffer.read(0, length)).toEqual(pattern(length));
  });

  it('writes and reads back', async () => {
    const { fabric, a, b } = await drivenPair();
    a.buffer.write(0, pattern(20_000));
    const remote = { remoteAddr: b.mr.addr + 11n, rkey: b.mr.rkey };
    const local = (offset: bigint) => [{ addr: a.mr.addr + offset, length: 20_000, lkey: a.mr.lkey }];
    postSend(a.qp, { wrId: 1, opcode: 'RDMA_WRITE', sgList: local(0n), ...remote });
    postSend(a.qp, { wrId: 2, opcode: 'RDMA_READ', sgList: local(30_000n), ...remote });
    expect(await waitCompletions(fabric, a.sendCq, 2)).toMatchObject([
      { wrId: 1, status: 'SUCCESS' },
      { wrId: 2, status: 'SUCCESS', byteLen: 20_000 },
    ]);
    expect(await a.buffer.read(30_000, 20_000)).toEqual(pattern(20_000));
  });

  it('swaps, and adds across a link that loses packets', async () => {
    const faults: FaultRule[] = [0, 2, 4].map((nth) => ({ from: 'b', nth, what: 'drop' }));
    const { fabric, a, b } = await drivenPair({ tick: 16 }, faults);
    b.buffer.write(64, Uint8Array.of(5));
    const remote = { remoteAddr: b.mr.addr + 64n, rkey: b.mr.rkey };
    const result = (at: bigint) => [{ addr: a.mr.addr + at, length: 8, lkey: a.mr.lkey }];
    const swap = { ...remote, compareAdd: 5n, swap: 1n << 63n };
    postSend(a.qp, { wrId: 1, opcode: 'ATOMIC_CMP_AND_SWP', sgList: result(0n), atomic: swap });
    const add = { ...remote, compareAdd: (1n << 63n) + 7n };
    postSend(a.qp, { wrId: 2, opcode: 'ATOMIC_FETCH_AND_ADD', sgList: result(8n), atomic: add });
    expect(await waitCompletions(fabric, a.sendCq, 2)).toMatchObject([
      { wrId: 1, status: 'SUCCESS', opcode: 'COMP_SWAP', byteLen: 8 },
      { wrId: 2, status: 'SUCCESS', opcode: 'FETCH_ADD', byteLen: 8 },
    ]);
    expect([...(await a.buffer.read(0, 16))]).toEqual([5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80]);
    expect([...(await b.buffer.read(64, 8))]).toEqual([7, 0, 0, 0, 0, 0, 0, 0]);
    expect(await queryCounters(b.context)).toMatchObject({ atomics: 2, retries: 0 });
    const { retries, timeouts } = await queryCounters(a.context);
    expect(retries).toBeGreaterThan(0);
    expect(timeouts).toBeLessThanOrEqual(retries);
  });

  it('offers no atomics where they are masked', async () => {
    const { a, b } = await drivenPair({ capMask: ~packed(CAPABILITY_REG, { atomics: 1 }) });
    const sgList = [{ addr: a.mr.addr, length: 8, lkey: a.mr.lkey }];
    const atomic = { remoteAddr: b.mr.addr, rkey: b.mr.rkey, compareAdd: 1n };
    expect(() => postSend(a.qp, { wrId: 1, opcode: 'ATOMIC_FETCH_AND_ADD', sgList, atomic })).toThrow(
      expect.objectContaining({ reason: 'INVALID_OPCODE' }),
    );
  });

  it('hears of the drained send queue', async () => {
    const { fabric, a, b } = await drivenPair();
    const events: string[] = [];
    setAsyncHandler(a.context, ({ event, qp }) => {
      events.push(`${event} ${qp?.qpn}`);
    });
    const sgList = [{ addr: a.mr.addr, length: 60_000, lkey: a.mr.lkey }];
    postSend(a.qp, { wrId: 1, opcode: 'RDMA_WRITE', sgList, remoteAddr: b.mr.addr, rkey: b.mr.rkey });
    await fabric.run({ cycles: 100 });
    await modifyQp(a.qp, { state: 'SQD', sqdNotify: true });
    await expect(modifyQp(a.qp, { state: 'RTS' })).rejects.toMatchObject({ commandStatus: 'BAD_QP_STATE' });
    await waitCompletions(fabric, a.sendCq, 1);
    await processEvents(a.context);
    expect(events).toEqual(['SQ_DRAINED 2']);
    await modifyQp(a.qp, { state: 'SQD', timeout: 3, retryCnt: 1, rnrRetry: 2 });
    await modifyQp(a.qp, { state: 'RTS' });
    expect(await queryQp(a.qp)).toMatchObject({ state: 'RTS', timeout: 3, retryCnt: 1, rnrRetry: 2 });
  });

  it('waits no longer than told for completions that never come [Q10]', async () => {
    const { fabric, a, b } = await drivenPair();
    postRecv(b.qp, { wrId: 9, sgList: [] });
    const start = fabric.now();
    await expect(waitCompletions(fabric, b.recvCq, 1, 50_000)).rejects.toMatchObject({
      reason: 'TIMEOUT',
      message: expect.stringMatching(/expected 1 completions within 50000 cycles, got 0\n.*1 receives out/),
    });
    expect(fabric.now() - start).toBe(50_000);
    postSend(a.qp, { wrId: 8, opcode: 'SEND' });
    expect(await waitCompletions(fabric, b.recvCq, 1, 50_000)).toMatchObject([{ wrId: 9 }]);
  });

  it('closes both devices: they own nothing, send nothing, and open anew', async () => {
    const { fabric, a, b } = await drivenPair();
    postSend(a.qp, { wrId: 1, opcode: 'SEND' });
    for (const { context, qp, sendCq, mr } of [a, b]) {
      await closeDevice(context);
      expect([context.open, qp.alive, sendCq.alive]).toEqual([false, false, false]);
      expect([...context.memory.pages.live()].map(({ label }) => label)).toEqual(['buffer']);
      await expect(queryDevice(context)).rejects.toMatchObject({ reason: 'INVALID_HCA_HANDLE' });
      const { device } = context;
      expect(await device.barRead(0, REGISTERS.control.at, 8)).toBe(0n);
      for (const [op, number] of [
        [CmdOp.QUERY_QP, qp.qpn],
        [CmdOp.QUERY_CQ, sendCq.cqn],
        [CmdOp.QUERY_MPT, mr.index],
        [CmdOp.QUERY_EQ, 0],
      ] as const)
        await expect(context.commands.execute(op, number)).rejects.toMatchObject({
          commandStatus: 'BAD_OWNER',
        });
    }
    const again = await drivenPair({}, [], fabric);
    postRecv(again.b.qp, { wrId: 2, sgList: [] });
    postSend(again.a.qp, { wrId: 3, opcode: 'SEND' });
    expect(await waitCompletions(fabric, again.b.recvCq, 1)).toMatchObject([{ wrId: 2, status: 'SUCCESS' }]);
  });
});
