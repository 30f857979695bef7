import { describe, expect, it } from 'vitest';
import { createQp, destroyQp, modifyQp, pollCq, postRecv, postSend } from '../../src/host/index.ts';
import { WQE_MARK } from '../../src/spec/gen/constants.ts';
import { WcOpcode, WcStatus, WrOpcode } from '../../src/spec/gen/enums.ts';
import { QPC, WQE_ATOMIC, WQE_DATA, WQE_HEADER } from '../../src/spec/gen/records.ts';
import { REGIONS } from '../../src/spec/gen/registers.ts';
import { fakeQp, readyQp } from '../support/host-fixture.ts';

const sge = (length: number) => ({ addr: 0x7000n, length, lkey: 0x5b });
const send = (wrId: number, signaled = true) =>
  ({ wrId, opcode: 'SEND', sgList: [sge(8)], signaled }) as const;

const fetchAdd = {
  opcode: 'ATOMIC_FETCH_AND_ADD',
  atomic: { remoteAddr: 8n, rkey: 1, compareAdd: 1n },
};

describe('createQp', () => {
  it('numbers queue pairs from 2 and rounds queues up to powers of two', async () => {
    const { device, qp, cq } = await fakeQp({
      cap: { maxSendWr: 100, maxRecvWr: 3, maxSendSge: 4, maxRecvSge: 2, maxInlineData: 200 },
    });
    expect(qp.qpn).toBe(2);
    expect(qp.cap).toEqual({
      maxSendWr: 128,
      maxRecvWr: 4,
      maxSendSge: 14,
      maxRecvSge: 2,
      maxInlineData: 224,
    });
    expect(device.entry(REGIONS.qpcTable, QPC, 2)).toMatchObject({
      service: 0,
      sqLogSize: 7,
      sqLogStride: 2,
      rqLogSize: 2,
      rqLogStride: 0,
      sendCqn: cq.cqn,
      recvCqn: cq.cqn,
    });
  });

  it.each([
    ['UC', 'INVALID_SERVICE_TYPE'],
    ['UD', 'INVALID_SERVICE_TYPE'],
    ['RD', 'NOT_SUPPORTED'],
    ['XRC', 'NOT_SUPPORTED'],
    [9, 'INVALID_SERVICE_TYPE'],
  ] as const)('refuses service %s', async (qpType, reason) => {
    const { pd, cq } = await fakeQp();
    await expect(createQp(pd, { sendCq: cq, recvCq: cq, qpType })).rejects.toMatchObject({ reason });
  });
});

describe('postSend', () => {
  it('writes the WQE into its slot, then rings with the index after it', async () => {
    const { device, qp } = await fakeQp();
    postSend(qp, {
      wrId: 1n,
      opcode: 'RDMA_WRITE_WITH_IMM',
      sgList: [sge(100)],
      immediate: 0x11223344,
      remoteAddr: 0x1234_5678_9abcn,
      rkey: 0x77,
      solicited: true,
    });

    const wqe = device.peekMemory(device.ringAddress(qp.sq.ring.mtt, 0), 64);
    expect(WQE_HEADER.unpack(wqe)).toMatchObject({
      mark: WQE_MARK,
      opcode: WrOpcode.RDMA_WRITE_WITH_IMM,
      segments: 1,
      signaled: 0,
      solicited: 1,
      index: 0,
      remoteAddr: 0x1234_5678_9abcn,
      rkey: 0x77,
    });
    expect([...wqe.subarray(4, 8)]).toEqual([0x11, 0x22, 0x33, 0x44]);
    expect(WQE_DATA.unpack(wqe, WQE_HEADER.bytes)).toEqual(sge(100));
    expect(device.doorbells.at(-1)).toEqual({ kind: 'sq', page: 0, number: 2, index: 1, command: 0 });
  });

  it('copies inline data behind the header', async () => {
    const { device, qp } = await fakeQp({ cap: { maxInlineData: 32 } });
    postSend(qp, { wrId: 1, opcode: 'SEND', inlineData: Uint8Array.of(9, 8, 7) });
    const wqe = device.peekMemory(device.ringAddress(qp.sq.ring.mtt, 0), 64);
    expect(WQE_HEADER.unpack(wqe)).toMatchObject({ segments: 0, inline: 1, inlineBytes: 3 });
    expect([...wqe.subarray(32, 36)]).toEqual([9, 8, 7, 0]);
  });

  it.each([
    ['ATOMIC_CMP_AND_SWP', { swapAdd: 7n, compare: 2n ** 64n - 1n }],
    ['ATOMIC_FETCH_AND_ADD', { swapAdd: 2n ** 64n - 1n, compare: 0n }],
  ] as const)('writes the operands of %s behind its segment', async (opcode, operands) => {
    const { device, qp } = await fakeQp();
    const atomic = { remoteAddr: 0x1238n, rkey: 0x99, compareAdd: 2n ** 64n - 1n, swap: 7n };
    postSend(qp, { wrId: 1, opcode, sgList: [sge(8)], atomic });
    const wqe = device.peekMemory(device.ringAddress(qp.sq.ring.mtt, 0), 64);
    expect(WQE_HEADER.unpack(wqe)).toMatchObject({
      opcode: WrOpcode[opcode],
      segments: 1,
      remoteAddr: 0x1238n,
      rkey: 0x99,
    });
    expect(WQE_DATA.unpack(wqe, 32)).toEqual(sge(8));
    expect(WQE_ATOMIC.unpack(wqe, 48)).toEqual(operands);
  });

  it('posts a list with one doorbell, stops at the first bad request and tells how many went', async () => {
    const { device, qp } = await fakeQp();
    const before = device.doorbells.length;
    const list = [send(1), send(2), { ...send(3), sgList: [sge(1), sge(1), sge(1)] }, send(4)];
    expect(() => postSend(qp, list)).toThrow(
      expect.objectContaining({ reason: 'INVALID_SGL_FORMAT', posted: 2, badWr: list[2] }),
    );
    expect(device.doorbells.slice(before)).toEqual([
      { kind: 'sq', page: 0, number: 2, index: 2, command: 0 },
    ]);
  });

  it('uses every slot and refuses one more until completions are polled', async () => {
    const { device, cq, qp } = await fakeQp({ cap: { maxSendWr: 4 } });
    expect(postSend(qp, [send(1, false), send(2, false), send(3), send(4)])).toBe(4);
    expect(() => postSend(qp, send(5))).toThrow(expect.objectContaining({ reason: 'QUEUE_FULL' }));

    device.writeCqe(cq.ring, 0, { qpn: 2, wqeIndex: 2, opcode: WcOpcode.SEND });
    expect(await pollCq(cq)).toMatchObject([{ wrId: 3, status: 'SUCCESS', opcode: 'SEND', qpNum: 2 }]);
    expect(postSend(qp, [send(5), send(6), send(7)])).toBe(3); // slots of 1, 2 and 3
    expect(() => postSend(qp, send(8))).toThrow(expect.objectContaining({ reason: 'QUEUE_FULL' }));
  });

  it('is refused in Reset, Init and RTR, and goes to the device with checks off', async () => {
    const { device, qp } = await fakeQp();
    await modifyQp(qp, { state: 'RESET' });
    expect(() => postSend(qp, send(1))).toThrow(expect.objectContaining({ reason: 'INVALID_QP_STATE' }));
    expect(() => postRecv(qp, { wrId: 1 })).toThrow(expect.objectContaining({ reason: 'INVALID_QP_STATE' }));
    qp.context.checks = false;
    expect(postSend(qp, send(1))).toBe(1);
    expect(device.doorbells.at(-1)).toMatchObject({ kind: 'sq', index: 1 });
  });

  it.each<[string, object]>([
    ['INVALID_OPCODE', { opcode: 'SEND_WITH_INV' }],
    ['INVALID_ATTR_VALUE', { opcode: 'ATOMIC_FETCH_AND_ADD' }],
    ['INVALID_SGL_FORMAT', { ...fetchAdd, sgList: [] }],
    ['INVALID_SGL_LENGTH', { ...fetchAdd, sgList: [sge(4)] }],
    ['INVALID_SGL_FORMAT', { ...fetchAdd, inlineData: new Uint8Array(8) }],
    ['INVALID_OPCODE', { opcode: 'RECV' }],
    ['INVALID_OPCODE', { opcode: 0x55 }],
    ['INVALID_SGL_FORMAT', { opcode: 'RDMA_READ', sgList: [], inlineData: new Uint8Array(1) }],
    ['INVALID_SGL_LENGTH', { inlineData: new Uint8Array(33) }],
  ])('answers %s to %o', async (reason, change) => {
    const { qp } = await fakeQp({ cap: { maxInlineData: 32 } });
    expect(() => postSend(qp, { ...send(1), ...change } as never)).toThrow(
      expect.objectContaining({ reason }),
    );
  });
});

describe('postRecv', () => {
  it('writes a WQE of its own mark and opcode and counts on without wrap', async () => {
    const { device, cq, qp } = await fakeQp({ cap: { maxRecvWr: 2, maxRecvSge: 2 } });
    for (let i = 0; i < 5; i++) {
      postRecv(qp, { wrId: i, sgList: [sge(1), sge(2)] });
      device.writeCqe(cq.ring, i, { qpn: 2, queue: 1, wqeIndex: i, opcode: WcOpcode.RECV });
      expect(await pollCq(cq)).toMatchObject([{ wrId: i, opcode: 'RECV', queue: 'receive' }]);
    }
    const wqe = device.peekMemory(device.ringAddress(qp.rq.ring.mtt, 0), 64); // index 4 in slot 0
    expect(WQE_HEADER.unpack(wqe)).toMatchObject({ mark: WQE_MARK, opcode: WrOpcode.RECV, index: 4 });
    expect(device.doorbells.findLast(({ kind }) => kind === 'rq')).toMatchObject({ index: 5 });
  });
});

describe('destroyQp', () => {
  it('removes its completions and leaves those of others', async () => {
    const { device, pd, cq, qp } = await fakeQp();
    const other = await createQp(pd, { sendCq: cq, recvCq: cq });
    await readyQp(other);
    postSend(qp, [send(1), send(2)]);
    postSend(other, send(3));
    device.writeCqe(cq.ring, 0, { qpn: qp.qpn, wqeIndex: 0 });
    device.writeCqe(cq.ring, 1, { qpn: other.qpn, wqeIndex: 0 });
    device.writeCqe(cq.ring, 2, { qpn: qp.qpn, wqeIndex: 1, status: WcStatus.WR_FLUSH_ERR });

    await destroyQp(qp);

    expect(await pollCq(cq)).toMatchObject([{ wrId: 3 }]);
    expect(device.doorbells.findLast(({ kind }) => kind === 'cq')).toMatchObject({ index: 3 });
    expect(() => postSend(qp, send(1))).toThrow(expect.objectContaining({ reason: 'INVALID_QP' }));
  });

  it('leaves its number to be used again after all others', async () => {
    const { pd, cq, qp } = await fakeQp();
    await destroyQp(qp);
    const numbers: number[] = [];
    for (let i = 0; i < 6; i++) numbers.push((await createQp(pd, { sendCq: cq, recvCq: cq })).qpn);
    expect(numbers).toEqual([3, 4, 5, 6, 7, 2]);
  });
});
