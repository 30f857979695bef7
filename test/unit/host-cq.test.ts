import { describe, expect, it } from 'vitest';
import {
  askCq,
  createCq,
  destroyCq,
  destroyQp,
  modifyQp,
  pollCq,
  postSend,
  queryCq,
  reqNotifyCq,
  resizeCq,
} from '../../src/host/index.ts';
import { CmdOp, CmdStatus, WcStatus } from '../../src/spec/gen/enums.ts';
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

describe('resizeCq', () => {
  /** The device has written so many completions to the old ring. */
  const tellProducer = ({ device }: QpFixture, producer: number) =>
    device.answers.set(CmdOp.RESIZE_CQ, CQC.pack({ producer }));

  it('hands out what the old ring holds up to the producer told, then goes on at slot 0 of the new one', async () => {
    const fixture = await fakeQp({ cqEntries: 4 });
    const { cq, device } = fixture;
    post(fixture, 0, 3);
    completeSends(fixture, 0, 3);
    expect(await pollCq(cq, 1)).toMatchObject([{ wrId: 0 }]);
    tellProducer(fixture, 3);
    expect(await resizeCq(cq, 10)).toBe(16);
    const command = device.commands.at(-1)!;
    expect(CQC.unpack(command.mailbox)).toMatchObject({ mtt: cq.ring.mtt, logSize: 4 });
    post(fixture, 3, 5);
    completeSends(fixture, 3, 5);
    for (const i of [0, 1]) device.writeCqe(cq.ring, i, { qpn: 2, wqeIndex: 3 + i });
    expect((await pollCq(cq)).map(({ wrId }) => wrId)).toEqual([1, 2, 3, 4]);
    expect(cqDoorbells(fixture).at(-1)).toEqual({ index: 2, command: 0 });
  });

  it('counts what is left below 0 for the doorbells', async () => {
    const fixture = await fakeQp({ cqEntries: 4 });
    post(fixture, 0, 3);
    completeSends(fixture, 0, 3);
    tellProducer(fixture, 3);
    await resizeCq(fixture.cq, 4);
    await pollCq(fixture.cq, 1);
    await reqNotifyCq(fixture.cq);
    expect(cqDoorbells(fixture)).toEqual([{ index: 0xff_fffe, command: 2 }]);
  });

  it('rings nothing of the CQ until it is done, whatever is called meanwhile', async () => {
    let meanwhile = () => {};
    const advance = async () => meanwhile();
    const fixture = await fakeQp({ cqEntries: 4, open: { advance } });
    const { cq, device } = fixture;
    post(fixture, 0, 2);
    completeSends(fixture, 0, 2);
    await pollCq(cq, 1);
    tellProducer(fixture, 2);
    device.busyPolls = 3;
    const calls: Promise<unknown>[] = [];
    meanwhile = () => {
      meanwhile = () => {};
      device.log.splice(0);
      post(fixture, 2, 6);
      calls.push(reqNotifyCq(cq), pollCq(cq), destroyQp(fixture.qp));
    };
    await resizeCq(cq, 8);
    expect(device.log.filter((line) => line.startsWith('cq '))).toEqual([]);
    await Promise.all(calls);
    expect(device.log.filter((line) => line.startsWith('cq '))).not.toEqual([]);
  });

  it('gives the new ring back where the device refuses, and says why', async () => {
    const { device, cq } = await fakeQp();
    for (const [status, reason] of [
      [CmdStatus.BAD_SIZE, 'CQE_COUNT_EXCEEDS_NEW_SIZE'],
      [CmdStatus.BAD_CQ_STATE, 'CQ_ERROR_STATE'],
    ] as const) {
      const { ring } = cq;
      device.refusals.set(CmdOp.RESIZE_CQ, status);
      await expect(resizeCq(cq, 64)).rejects.toMatchObject({ reason });
      expect(cq.ring).toBe(ring);
    }
    const mailboxes = device.commands.slice(-2).map(({ mailbox }) => CQC.unpack(mailbox).mtt);
    expect(mailboxes[1]).toBe(mailboxes[0]);
  });

  it('calls entries that are not there a fault of the device', async () => {
    const fixture = await fakeQp();
    tellProducer(fixture, 2);
    await expect(resizeCq(fixture.cq, 4)).rejects.toMatchObject({ reason: 'DEVICE_FAULT' });
  });
});

describe('queryCq', () => {
  it('is refused of a CQ in error, and the device can be asked all the same', async () => {
    const { device, cq } = await fakeQp();
    const inError = CQC.pack({ logSize: 4, producer: 16, error: 1 });
    device.answers.set(CmdOp.QUERY_CQ, inError);
    await expect(queryCq(cq)).rejects.toMatchObject({ reason: 'CQ_ERROR_STATE' });
    device.answers.set(CmdOp.QUERY_CQ, inError);
    expect(await askCq(cq)).toMatchObject({ capacity: 16, producer: 16, error: true });
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
