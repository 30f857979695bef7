import { describe, expect, it } from 'vitest';
import {
  createCq,
  destroyCq,
  destroyQp,
  modifyQp,
  pollCq,
  postSend,
  queryCq,
  reqNotifyCq,
} from '../../src/host/index.ts';
import { WcStatus } from '../../src/spec/gen/enums.ts';
import { CQC } from '../../src/spec/gen/records.ts';
import { REGIONS } from '../../src/spec/gen/registers.ts';
import { fakeQp, openFake, type QpFixture } from '../support/host-fixture.ts';

/** The device completes sends `from`..`to` of QP 2. */
function completeSends({ device, cq }: QpFixture, from: number, to: number): void {
  for (let i = from; i < to; i++) device.writeCqe(cq.ring, i, { qpn: 2, wqeIndex: i & 0xffff });
}

const post = ({ qp }: QpFixture, from: number, to: number) =>
  postSend(
    qp,
    Array.from({ length: to - from }, (_, i) => ({
      wrId: from + i,
      opcode: 'SEND' as const,
      signaled: true,
    })),
  );

const cqDoorbells = ({ device }: QpFixture) =>
  device.doorbells.filter(({ kind }) => kind === 'cq').map(({ index, command }) => ({ index, command }));

describe('createCq', () => {
  it('rounds the capacity up to a power of two and clears the ring', async () => {
    const { device, context } = await openFake();
    const cq = await createCq(context, 100);
    expect(cq.capacity).toBe(128);
    expect(device.entry(REGIONS.cqcTable, CQC, cq.cqn)).toMatchObject({ logSize: 7, eqn: 0, uar: 0 });
    expect(await queryCq(cq)).toMatchObject({ capacity: 128, armed: 'no', error: false });
  });

  it('refuses more entries than the device has', async () => {
    const { context } = await openFake();
    await expect(createCq(context, 2 ** 17)).rejects.toMatchObject({ reason: 'MAX_CQE_EXCEEDED' });
    await expect(createCq(context, 0)).rejects.toMatchObject({ reason: 'MAX_CQE_EXCEEDED' });
  });

  it('clears the completions that the pages of an earlier CQ still hold', async () => {
    const fixture = await fakeQp({ cqEntries: 4 });
    const { context, cq, qp } = fixture;
    post(fixture, 0, 4);
    completeSends(fixture, 0, 4);
    await destroyQp(qp);
    await destroyCq(cq);
    let next = await createCq(context, 4);
    while (next.ring.address(0) !== cq.ring.address(0)) next = await createCq(context, 4);
    expect(await pollCq(next)).toEqual([]);
  });
});

describe('destroyCq', () => {
  it('is refused while a queue pair completes to it', async () => {
    const { cq, qp } = await fakeQp();
    await expect(destroyCq(cq)).rejects.toMatchObject({ reason: 'BUSY' });
    await destroyQp(qp);
    await destroyCq(cq);
    await expect(pollCq(cq)).rejects.toMatchObject({ reason: 'INVALID_CQ' });
  });
});

describe('pollCq', () => {
  it('reads many completions at once and hands them out in order', async () => {
    const fixture = await fakeQp({ cqEntries: 64, cap: { maxSendWr: 64 } });
    post(fixture, 0, 40);
    completeSends(fixture, 0, 40);
    fixture.device.memReads = 0;
    const completions = [...(await pollCq(fixture.cq, 10)), ...(await pollCq(fixture.cq))];
    expect(completions.map(({ wrId }) => wrId)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    expect(fixture.device.memReads).toBe(2); // one for all, one that finds no more
  });

  it('follows the phase bit through rounds of the ring', async () => {
    const fixture = await fakeQp({ cqEntries: 4, cap: { maxSendWr: 4 } });
    for (let i = 0; i < 20; i += 3) {
      post(fixture, i, i + 3);
      completeSends(fixture, i, i + 3);
      expect((await pollCq(fixture.cq)).map(({ wrId }) => wrId)).toEqual([i, i + 1, i + 2]);
      expect(await pollCq(fixture.cq)).toEqual([]);
    }
  });

  it('reads a ring whose pages are scattered', async () => {
    const fixture = await fakeQp({
      cqEntries: 512,
      cap: { maxSendWr: 512 },
      open: { memory: { seed: 3 } },
    });
    post(fixture, 0, 500);
    completeSends(fixture, 0, 500);
    expect((await pollCq(fixture.cq)).map(({ wrId }) => wrId)).toEqual(
      Array.from({ length: 500 }, (_, i) => i),
    );
  });

  it('frees half a ring at once, the rest when it finds the ring empty', async () => {
    const fixture = await fakeQp({ cqEntries: 16 });
    post(fixture, 0, 12);
    completeSends(fixture, 0, 12);
    await pollCq(fixture.cq, 7);
    expect(cqDoorbells(fixture)).toEqual([]);
    await pollCq(fixture.cq, 2);
    expect(cqDoorbells(fixture)).toEqual([{ index: 8, command: 0 }]);
    await pollCq(fixture.cq);
    expect(cqDoorbells(fixture).at(-1)).toEqual({ index: 12, command: 0 });
    await pollCq(fixture.cq);
    expect(cqDoorbells(fixture)).toHaveLength(2);
  });

  it('frees entries before a new work request could overflow the ring', async () => {
    const fixture = await fakeQp({ cqEntries: 4, cap: { maxSendWr: 4 } });
    post(fixture, 0, 4);
    completeSends(fixture, 0, 4);
    await pollCq(fixture.cq, 1);
    expect(cqDoorbells(fixture)).toEqual([]);
    post(fixture, 4, 5);
    expect(fixture.device.log.slice(-2)).toEqual(['cq 0', 'sq 2']);
    expect(cqDoorbells(fixture)).toEqual([{ index: 1, command: 0 }]);
  });

  it('tells failed requests by status and takes the queue pair for one in Error', async () => {
    const fixture = await fakeQp();
    post(fixture, 0, 2);
    fixture.device.writeCqe(fixture.cq.ring, 0, {
      qpn: 2,
      status: WcStatus.REM_ACCESS_ERR,
      vendor: 0x62,
    });
    expect(await pollCq(fixture.cq)).toMatchObject([
      { wrId: 0, status: 'REM_ACCESS_ERR', statusCode: 10, vendorErr: 0x62 },
    ]);
    await expect(modifyQp(fixture.qp, { state: 'RTS' })).rejects.toMatchObject({
      reason: 'INVALID_QP_STATE',
    });
  });

  it('calls an impossible completion a fault of the device', async () => {
    const fixture = await fakeQp();
    fixture.device.writeCqe(fixture.cq.ring, 0, { qpn: 2, wqeIndex: 0 });
    await expect(pollCq(fixture.cq)).rejects.toMatchObject({ reason: 'DEVICE_FAULT' });
    fixture.device.writeCqe(fixture.cq.ring, 1, { qpn: 7 });
    await expect(pollCq(fixture.cq)).rejects.toMatchObject({ reason: 'DEVICE_FAULT' });
  });

  it('never hands a completion out twice to callers that do not wait for each other', async () => {
    const fixture = await fakeQp();
    post(fixture, 0, 6);
    completeSends(fixture, 0, 6);
    const polls = await Promise.all([pollCq(fixture.cq, 4), pollCq(fixture.cq, 4)]);
    expect(polls.map((list) => list.map(({ wrId }) => wrId))).toEqual([
      [0, 1, 2, 3],
      [4, 5],
    ]);
  });
});

describe('modifyQp to Reset', () => {
  it('forgets work requests and completions and starts again at index 0', async () => {
    const fixture = await fakeQp();
    post(fixture, 0, 3);
    completeSends(fixture, 0, 2);
    await modifyQp(fixture.qp, { state: 'RESET' });
    expect(await pollCq(fixture.cq)).toEqual([]);
    expect(fixture.qp.sq.outstanding).toBe(0);
    expect(fixture.qp.sq.producer).toBe(0);
    expect(fixture.cq.outstanding).toBe(0);
  });
});

describe('reqNotifyCq', () => {
  it('rings with the command and then reads once, so that the request is in effect', async () => {
    const fixture = await fakeQp();
    const reads = fixture.device.barReads;
    await reqNotifyCq(fixture.cq, 'solicited');
    await reqNotifyCq(fixture.cq);
    expect(cqDoorbells(fixture)).toEqual([
      { index: 0, command: 1 },
      { index: 0, command: 2 },
    ]);
    expect(fixture.device.barReads - reads).toBe(2);
  });
});
