import { describe, expect, it } from 'vitest';
import {
  type Cq,
  createCq,
  destroyCq,
  pollCq,
  postRecv,
  postSend,
  processEvents,
  queryCq,
  reqNotifyCq,
  resizeCq,
  ringDoorbell,
  setCompletionHandler,
  type WorkCompletion,
} from '../../src/host/index.ts';
import { CmdOp } from '../../src/spec/gen/enums.ts';
import { CQC, type Cqc } from '../../src/spec/gen/records.ts';
import { anySeed } from '../support/environment.ts';
import {
  answer,
  type Bench,
  devices,
  judgeBenches,
  openBench,
  type Region,
} from '../support/system-bench.ts';
import { type Pair, receiveDone, sendDone } from '../support/system-messages.ts';

judgeBenches();

const SEED = anySeed();

/** Whole numbers below an end, the same for the same seed. */
function dice(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

interface Ground {
  bench: Bench;
  pair: Pair;
  source: Region;
  sink: Region;
}

async function open(setup: Parameters<typeof openBench>[0], cqEntries: number): Promise<Ground> {
  const bench = await openBench(setup);
  const cap = { maxSendWr: 512, maxRecvWr: 512 };
  const pair = await bench.connect({ cqEntries, mtuBytes: 256, cap });
  return { bench, pair, source: await bench.region('a', 600), sink: await bench.region('b', 600) };
}

/** Posts receives and then SENDs of one byte more each. */
function sendSome({ pair, source, sink }: Ground, from: number, to: number): void {
  for (let wrId = from; wrId < to; wrId++) {
    const length = 1 + (wrId % 500);
    postRecv(pair.b.qp, { wrId, sgList: [sink.sge(0, 600)] });
    postSend(pair.a.qp, { wrId, opcode: 'SEND', sgList: [source.sge(0, length)], signaled: true });
    sink.image.set(source.image.subarray(0, length));
  }
}

const received = ({ pair, source }: Ground, wrId: number): WorkCompletion =>
  receiveDone(pair, 'b', wrId, {
    op: 'SEND',
    local: [{ region: source, at: 0, length: 1 + (wrId % 500) }],
  });
const sent = ({ pair }: Ground, wrId: number): WorkCompletion =>
  sendDone(pair, 'a', wrId, 'SEND', 1 + (wrId % 500));
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** Asks the device itself. */
const ask = (cq: Cq, values: Partial<Cqc>, number = cq.cqn): Promise<string> =>
  answer(cq.context.commands.execute(CmdOp.RESIZE_CQ, number, { mailbox: CQC.pack(values) }));

describe.each(devices)('resizing a CQ of the %s', (_, setup) => {
  it(`keeps all completions in order, at random times under load (SEED=${SEED}) [Q5]`, async () => {
    const ground = await open(setup, 4);
    const { bench, pair } = ground;
    const throwDie = dice(SEED);
    const total = 250;
    const done: WorkCompletion[][] = [[], []];
    const cqs = [pair.a.sendCq, pair.b.recvCq];
    const poll = async (i: number, most?: number) => {
      done[i]!.push(...(await pollCq(cqs[i]!, most)));
    };
    let posted = 0;
    let moved = 0;
    for (let turn = 0; turn < 5000 && done.some(({ length }) => length < total); turn++) {
      const room = Math.min(...cqs.map((cq) => cq.capacity - cq.outstanding));
      const more = Math.min(throwDie(room + 1), total - posted, throwDie(6));
      const i = throwDie(2);
      const cq = cqs[i]!;
      const size = Math.max(1, cq.outstanding + more + throwDie(throwDie(4) === 0 ? 300 : 5));
      // What is called at once is done one after the other, and posting waits for nothing.
      const calls: Promise<unknown>[] = [];
      if (throwDie(2) === 0) {
        calls.push(resizeCq(cq, size).then((capacity) => expect(capacity).toBeGreaterThanOrEqual(size)));
        moved++;
      }
      if (throwDie(3) === 0) calls.push(poll(i, 1 + throwDie(4)));
      if (throwDie(4) === 0) calls.push(reqNotifyCq(cq));
      sendSome(ground, posted, posted + more);
      posted += more;
      await Promise.all(calls);
      await bench.fabric.run({ cycles: 1 + throwDie(300), idle: true });
      if (throwDie(3) === 0) for (const each of [0, 1]) await poll(each);
    }
    expect(done[0]).toEqual(range(0, total).map((wrId) => sent(ground, wrId)));
    expect(done[1]).toEqual(range(0, total).map((wrId) => received(ground, wrId)));
    expect(moved).toBeGreaterThan(20);
    for (const cq of cqs) expect(await queryCq(cq)).toMatchObject({ capacity: cq.capacity, error: false });
  });

  it.each([
    [4, 4],
    [4, 8],
    [4, 200],
    [128, 128],
    [128, 256],
  ])('takes a full one of %i to %i entries, and all room can be used [Q5] [Q6]', async (from, to) => {
    const ground = await open(setup, from);
    const { bench, pair } = ground;
    const { recvCq } = pair.b;
    const lots = async (first: number, end: number) => {
      for (let at = first; at < end; at += 32) {
        const next = Math.min(end, at + 32);
        sendSome(ground, at, next);
        await bench.settle();
        expect(await pollCq(pair.a.sendCq)).toHaveLength(next - at);
      }
    };
    await resizeCq(pair.a.sendCq, 64);
    await lots(0, from);
    expect(await resizeCq(recvCq, to)).toBeGreaterThanOrEqual(to);
    const full = recvCq.capacity;
    await lots(from, full);
    expect(await queryCq(recvCq)).toMatchObject({ capacity: full, error: false });
    await bench.completions(
      recvCq,
      range(0, full).map((wrId) => received(ground, wrId)),
    );
    // Once more around the ring.
    await lots(full, 2 * full + 1 > 300 ? full + 8 : 2 * full);
    expect((await pollCq(recvCq)).map(({ wrId }) => wrId)).toEqual(
      range(full, 2 * full + 1 > 300 ? full + 8 : 2 * full),
    );
  });

  it('is refused where more wait than would have room; what was handed out does not count', async () => {
    const ground = await open(setup, 8);
    const { bench, pair } = ground;
    const { recvCq } = pair.b;
    sendSome(ground, 0, 5);
    await bench.settle();
    await expect(resizeCq(recvCq, 4)).rejects.toMatchObject({
      reason: 'CQE_COUNT_EXCEEDS_NEW_SIZE',
      commandStatus: 'BAD_SIZE',
    });
    expect(recvCq.capacity).toBe(8);
    expect(await pollCq(recvCq, 1)).toEqual([received(ground, 0)]);
    expect(await pollCq(pair.a.sendCq)).toHaveLength(5);
    expect(await resizeCq(recvCq, 4)).toBe(4);
    expect(await pollCq(recvCq)).toEqual(range(1, 5).map((wrId) => received(ground, wrId)));
    sendSome(ground, 5, 9);
    await bench.completions(
      recvCq,
      range(5, 9).map((wrId) => received(ground, wrId)),
    );
    await pollCq(pair.a.sendCq);
  });

  it('goes on from ring to ring while nothing is polled, in rounds of either phase', async () => {
    const ground = await open(setup, 4);
    const { bench, pair } = ground;
    const { recvCq } = pair.b;
    let next = 0;
    for (const around of [3, 4, 5, 7]) {
      for (let i = 0; i < around; i++) {
        sendSome(ground, next, next + 1);
        await bench.completions(recvCq, [received(ground, next)]);
        await bench.completions(pair.a.sendCq, [sent(ground, next++)]);
      }
      const first = next;
      for (const size of [4, 8, 4]) {
        sendSome(ground, next, ++next);
        await bench.settle();
        await pollCq(pair.a.sendCq);
        await resizeCq(recvCq, size);
      }
      await bench.completions(
        recvCq,
        range(first, next).map((wrId) => received(ground, wrId)),
      );
    }
  });

  it('leaves the CQ armed, and an arming that comes meanwhile holds [C10-111]', async () => {
    const ground = await open(setup, 4);
    const { bench, pair } = ground;
    const { recvCq } = pair.b;
    const called: Cq[] = [];
    setCompletionHandler(recvCq.context, (cq) => void called.push(cq));
    await reqNotifyCq(recvCq);
    await resizeCq(recvCq, 16);
    expect(await queryCq(recvCq)).toMatchObject({ armed: 'next' });
    sendSome(ground, 0, 2);
    await bench.settle();
    expect(called).toEqual([recvCq]);
    await Promise.all([resizeCq(recvCq, 8), reqNotifyCq(recvCq), resizeCq(recvCq, 32)]);
    sendSome(ground, 2, 4);
    await bench.settle();
    expect(called).toEqual([recvCq, recvCq]);
    expect((await pollCq(recvCq)).map(({ wrId }) => wrId)).toEqual([0, 1, 2, 3]);
    await pollCq(pair.a.sendCq);
  });

  it('is refused of a CQ that is gone, beyond what the device has, and where it is masked', async () => {
    const bench = await openBench(setup, { hosts: { a: { capMask: 0xffff_ffff_ffff_7fffn } } });
    const [a, b] = [await createCq(bench.context('a'), 4), await createCq(bench.context('b'), 4)];
    await expect(resizeCq(a, 8)).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' });
    expect(await ask(a, { logSize: 3 })).toBe('BAD_OP');
    await expect(resizeCq(b, 0)).rejects.toMatchObject({ reason: 'MAX_CQE_EXCEEDED' });
    await expect(resizeCq(b, 2 ** 20 + 1)).rejects.toMatchObject({ reason: 'MAX_CQE_EXCEEDED' });
    await destroyCq(b);
    await expect(resizeCq(b, 8)).rejects.toMatchObject({ reason: 'INVALID_CQ' });
  });

  it('answers the command as the contract says, and nothing changes by what it refuses', async () => {
    const ground = await open(setup, 4);
    const { bench, pair } = ground;
    const { recvCq } = pair.b;
    sendSome(ground, 0, 3);
    await bench.settle();
    await pollCq(pair.a.sendCq);
    const { commands } = recvCq.context;
    const tell = async () => CQC.unpack(await commands.query(CmdOp.QUERY_CQ, recvCq.cqn, CQC.bytes));
    const before = await tell();
    const { mtt } = recvCq.ring;
    expect(await ask(recvCq, { mtt, logSize: 3 }, 9)).toBe('BAD_OWNER');
    expect(await ask(recvCq, { mtt, logSize: 3 }, 0xffff)).toBe('BAD_RESOURCE');
    expect(await ask(recvCq, { mtt, logSize: 21 })).toBe('BAD_PARAM');
    expect(await ask(recvCq, { mtt, logSize: 31 })).toBe('BAD_PARAM');
    expect(await ask(recvCq, { mtt, logSize: 1 })).toBe('BAD_SIZE');
    expect(await tell()).toEqual(before);

    const mailbox = CQC.pack({ mtt: 5, logSize: 2, eqn: 3, uar: 7 });
    const told = CQC.unpack(await commands.query(CmdOp.RESIZE_CQ, recvCq.cqn, CQC.bytes, { mailbox }));
    expect(told).toEqual(before);
    const moved = { ...before, mtt: 5, logSize: 2, producer: 0, consumer: 0xff_fffd };
    expect(await tell()).toEqual(moved);
    // Doorbells count on from below 0; what was freed, or was never written, is refused.
    bench.drops.b = { DOORBELL: 2 };
    for (const index of [-4, 1, -2]) ringDoorbell(recvCq.context, 'cq', recvCq.cqn, index);
    expect(await tell()).toEqual({ ...moved, consumer: 0xff_fffe });
    // And back, so that the driver finds all.
    expect(await ask(recvCq, { mtt: recvCq.ring.mtt, logSize: 2 })).toBe('OK');
    expect(await pollCq(recvCq)).toHaveLength(3);
    bench.drops.b = { DOORBELL: 4 };
    bench.tolerated = [/CQ \d+: \d+ entries/];
  });

  it('is done before a CQ that is destroyed meanwhile', async () => {
    const bench = await openBench(setup);
    const context = bench.context('a');
    const cq = await createCq(context, 4);
    const [size] = await Promise.all([resizeCq(cq, 100), destroyCq(cq)]);
    expect(size).toBe(128);
    await expect(pollCq(cq)).rejects.toMatchObject({ reason: 'INVALID_CQ' });
    await processEvents(context);
  });
});
