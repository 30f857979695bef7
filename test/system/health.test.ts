import { describe, expect, it } from 'vitest';
import type { DmaFaultRule, FaultRule } from '../../src/fault/index.ts';
import {
  askCq,
  type Cq,
  closeDevice,
  createCq,
  createEq,
  destroyQp,
  type Eq,
  modifyQp,
  pollCq,
  postRecv,
  postSend,
  processEvents,
  queryCq,
  queryEq,
  queryNaks,
  queryQp,
  queryStalls,
  queryStatistics,
  readHealth,
  reqNotifyCq,
  resizeCq,
  type SendWr,
} from '../../src/host/index.ts';
import { NakCounter } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { CQE, EQE } from '../../src/spec/gen/records.ts';
import { REGIONS } from '../../src/spec/gen/registers.ts';
import { type Bench, devices, judgeBenches, openBench, type Side } from '../support/system-bench.ts';
import { type Pair, receiveDone, sendDone } from '../support/system-messages.ts';
import { inject, packetOf } from '../support/system-packets.ts';

judgeBenches();

/** The host of a side refuses what its HCA writes to entry `index` of a ring. */
function refuseEntry(bench: Bench, side: Side, { ring }: Cq | Eq, index: number): DmaFaultRule {
  const from = ring.address(index);
  const host = bench.index(side) === 0 ? 'a' : 'b';
  return { host, kind: 'write', what: 'fail', from, to: from + BigInt(ring.slotBytes) };
}

const empty = (wrId: number): SendWr => ({ wrId, opcode: 'SEND', signaled: true });
const postEmpty = (pair: Pair, from: Side, ...wrIds: number[]): void => {
  for (const wrId of wrIds) {
    postRecv(pair[from === 'a' ? 'b' : 'a'].qp, { wrId, sgList: [] });
    postSend(pair[from].qp, empty(wrId));
  }
};
const emptyReceived = (pair: Pair, wrId: number) => receiveDone(pair, 'b', wrId, { op: 'SEND' });

describe.each(devices)('a completion that the host of the %s refuses', (_, setup) => {
  it.each(['send', 'receive'] as const)(
    'is a CQ error: of the %s queue [event: cq-error] [event: local-work-queue-catastrophic-error] [C10-144]',
    async (queue) => {
      const bench = await openBench(setup);
      const pair = await bench.connect({ cqEntries: 8 });
      const side: Side = queue === 'send' ? 'a' : 'b';
      const cq = queue === 'send' ? pair.a.sendCq : pair.b.recvCq;
      const other = await bench.connect(queue === 'send' ? { a: { sendCq: cq } } : { b: { recvCq: cq } });
      await bench.run.setFaults([], [refuseEntry(bench, side, cq, 1)]);
      postEmpty(pair, 'a', 0);
      await bench.settle();
      postEmpty(pair, 'a', 1);
      expect(await bench.events(side)).toEqual([`CQ_ERROR ${cq.cqn}`, `QP_FATAL ${pair[side].qp.qpn}`]);
      expect((await queryQp(pair[side].qp)).state).toBe('ERR');
      const { device } = cq.context;
      expect(await device.memRead(cq.ring.address(1), CQE.bytes)).toEqual(new Uint8Array(CQE.bytes));

      // What came before can be had; nothing comes any more, whichever queue pair it is of.
      const first = queue === 'send' ? sendDone(pair, 'a', 0, 'SEND', 0) : emptyReceived(pair, 0);
      await bench.completions(cq, [first]);
      postEmpty(other, 'a', 7);
      expect(await bench.events(side)).toEqual([`QP_FATAL ${other[side].qp.qpn}`]);
      expect(await pollCq(cq)).toEqual([]);
      expect(await askCq(cq)).toMatchObject({ error: true });
      await expect(queryCq(cq)).rejects.toMatchObject({ reason: 'CQ_ERROR_STATE' });
      await expect(resizeCq(cq, 32)).rejects.toMatchObject({ reason: 'CQ_ERROR_STATE' });
      expect(cq.capacity).toBe(8);

      // The message was executed all the same.
      const done = queue === 'send' ? pair.b.recvCq : pair.a.sendCq;
      expect(await pollCq(done)).toMatchObject([
        { wrId: 0, status: 'SUCCESS' },
        { wrId: 1, status: 'SUCCESS' },
      ]);
      if (done !== other.b.recvCq) await pollCq(other[side === 'a' ? 'b' : 'a'].recvCq);
      await pollCq(other.a.sendCq);
      bench.tolerated = [/CQ \d+: /, /QP \d+ [SR]Q: \d+ W/];
    },
  );

  it('fires no event of a CQ that was armed', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ cqEntries: 8 });
    const { recvCq } = pair.b;
    await bench.run.setFaults([], [refuseEntry(bench, 'b', recvCq, 0)]);
    await reqNotifyCq(recvCq);
    postEmpty(pair, 'a', 0);
    await bench.settle();
    expect(await pollCq(pair.a.sendCq)).toHaveLength(1);
    expect(await bench.events('b')).toEqual([`CQ_ERROR ${recvCq.cqn}`, `QP_FATAL ${pair.b.qp.qpn}`]);
    expect((await queryEq(recvCq.eq)).producer).toBe(2);
    bench.tolerated = [/CQ \d+: /, /QP \d+ [SR]Q: \d+ W/];
  });
});

/** The device does nothing any more, but answers and lets all go. */
async function hasStopped(bench: Bench, pair: Pair, eqn: number): Promise<void> {
  const { context } = pair.b;
  expect(await readHealth(context)).toEqual({ fatal: true, cause: 1, number: eqn });
  const { lastEvent } = await queryStatistics(context);
  expect(`${lastEvent?.event} ${lastEvent?.number}`).toBe(`DEVICE_FATAL ${eqn}`);
  bench.fabric.setTaps({ packets: true });
  postSend(pair.b.qp, empty(99));
  await bench.settle();
  const sent = (await bench.fabric.takeTaps()).filter((tap) => tap.device === bench.index('b'));
  expect(sent).toEqual([]);
  expect(await processEvents(context, { poll: true })).toBe(0);
  expect((await queryQp(pair.b.qp)).state).toMatch(/RTS|ERR/);
  await closeDevice(context);
}

describe.each(devices)('an event that the host of the %s refuses', (_, setup) => {
  it('is a local catastrophic error: of the asynchronous event queue [event: local-catastrophic-error]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const second = await bench.connect();
    const { context } = pair.b;
    const eq = context.asyncEq!;
    await bench.run.setFaults([], [refuseEntry(bench, 'b', eq, 1)]);
    bench.drops.a = { RESPONSE: 'any' };
    const spoil = (of: Pair) =>
      inject(bench, 'a', packetOf(of, 'a', { opcode: Op.RC_SEND_LAST, psn: 0x100 }));
    await spoil(second);
    expect(await bench.events('b')).toEqual([`QP_REQ_ERR ${second.b.qp.qpn}`]);
    await spoil(pair);
    expect(await bench.events('b')).toEqual([`DEVICE_FATAL ${eq.eqn}`]);
    expect(await queryEq(eq)).toMatchObject({ error: true });
    expect(await context.device.memRead(eq.ring.address(1), EQE.bytes)).toEqual(new Uint8Array(EQE.bytes));
    await hasStopped(bench, pair, eq.eqn);
  });

  it('is one too of a queue for completions, and the asynchronous one tells it [event: local-catastrophic-error]', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    const eq = await createEq(context, { entries: 8, vector: 3 });
    const recvCq = await createCq(context, 16, { eq });
    const pair = await bench.connect({ b: { recvCq } });
    await bench.run.setFaults([], [refuseEntry(bench, 'b', eq, 0)]);
    bench.fabric.setTaps({ interrupts: true });
    await reqNotifyCq(recvCq);
    postEmpty(pair, 'a', 1);
    expect(await bench.events('b')).toEqual([`DEVICE_FATAL ${eq.eqn}`]);
    const interrupts = (await bench.fabric.takeTaps()).flatMap((tap) =>
      tap.kind === 'interrupt' && tap.device === bench.index('b') ? [tap.vector] : [],
    );
    expect(interrupts.sort()).toEqual([context.asyncEq!.vector, 3]);
    expect(await queryEq(eq)).toMatchObject({ error: true });
    expect(await queryEq(context.asyncEq!)).toMatchObject({ error: false, producer: 1 });
    expect(await pollCq(recvCq)).toMatchObject([{ wrId: 1, status: 'SUCCESS' }]);
    await destroyQp(pair.a.qp); // its acknowledge may never come
    bench.tolerated = [/^wire: .*owed-/];
    await hasStopped(bench, pair, eq.eqn);
  });

  it('is one too where the page of the ring is gone [event: local-catastrophic-error]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const { context } = pair.b;
    const eq = context.asyncEq!;
    const { bar, at, stride } = REGIONS.mttTable;
    context.device.barWrite(bar, at + eq.ring.mtt * stride, 0n);
    bench.drops.a = { RESPONSE: 'any' };
    await inject(bench, 'a', packetOf(pair, 'a', { opcode: Op.RC_SEND_LAST, psn: 0x100 }));
    expect(await bench.events('b')).toEqual([`DEVICE_FATAL ${eq.eqn}`]);
    await hasStopped(bench, pair, eq.eqn);
  });

  it('is none where the ring is full: that event is lost, the others come [Q8]', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    const eq = await createEq(context, { entries: 2 });
    const cqs: Cq[] = [];
    for (let i = 0; i < 4; i++) cqs.push(await createCq(context, 4, { eq }));
    const pairs: Pair[] = [];
    for (const recvCq of cqs) pairs.push(await bench.connect({ b: { recvCq } }));
    for (const [i, pair] of pairs.entries()) {
      await reqNotifyCq(cqs[i]!);
      postEmpty(pair, 'a', i);
      await bench.fabric.run({ cycles: 20_000, idle: true });
      if (i === 1) expect(await queryEq(eq)).toMatchObject({ producer: 2, consumer: 0, error: false });
      if (i === 2) {
        expect(await queryEq(eq)).toMatchObject({ producer: 2, consumer: 0, error: true });
        await processEvents(context);
        expect(await queryEq(eq)).toMatchObject({ producer: 2, consumer: 2 });
      }
    }
    expect(await queryEq(eq)).toMatchObject({ producer: 3, consumer: 2 });
    expect(await readHealth(context)).toMatchObject({ fatal: false });
    for (const pair of pairs) {
      expect(await pollCq(pair.b.recvCq)).toHaveLength(1);
      expect(await pollCq(pair.a.sendCq)).toHaveLength(1);
    }
    bench.tolerated = [/EQ \d+: its error flag is set/];
  });
});

interface Nak {
  counter: 'RNR' | 'SEQUENCE' | 'INV_REQ' | 'ACCESS' | 'OP';
  wr(sink: { va: bigint; key: number }): Partial<SendWr>;
  receive?: { lkey: number };
  access?: number;
  fault?: Omit<FaultRule, 'from'>;
  status: string;
  vendor: number;
  event?: string;
}

const write = (va: bigint, rkey: number): Partial<SendWr> => ({
  opcode: 'RDMA_WRITE',
  remoteAddr: va,
  rkey,
});

const NAKS: readonly Nak[] = [
  { counter: 'RNR', wr: () => ({}), status: 'RNR_RETRY_EXC_ERR', vendor: 0x21 },
  {
    counter: 'SEQUENCE',
    wr: ({ va, key }) => write(va, key),
    fault: { what: 'drop', psn: 0x101 },
    status: 'SUCCESS',
    vendor: 0,
  },
  {
    counter: 'INV_REQ',
    access: 0,
    wr: ({ va, key }) => write(va, key),
    status: 'REM_INV_REQ_ERR',
    vendor: 0x61,
    event: 'QP_REQ_ERR',
  },
  {
    counter: 'ACCESS',
    wr: ({ va, key }) => write(va, key ^ 1),
    status: 'REM_ACCESS_ERR',
    vendor: 0x62,
    event: 'QP_ACCESS_ERR',
  },
  { counter: 'OP', receive: { lkey: 0x2100 }, wr: () => ({}), status: 'REM_OP_ERR', vendor: 0x63 },
];

const NONE = Object.fromEntries(Object.keys(NakCounter).map((name) => [name, 0]));

describe.each(devices)('counters of the %s', (_, setup) => {
  it.each(NAKS.map((nak) => [nak.counter, nak] as const))(
    'tell each NAK by its syndrome, and the last error: %s',
    async (counter, nak) => {
      const { wr, receive, access, fault, status, vendor, event } = nak;
      const bench = await openBench(setup);
      const attr = { rnrRetry: 0, minRnrTimer: 1 };
      const pair = await bench.connect({ mtuBytes: 256, attr, ...(access === undefined ? {} : { access }) });
      const [source, sink] = [await bench.region('a', 800), await bench.region('b', 800)];
      if (receive) postRecv(pair.b.qp, { wrId: 5, sgList: [{ ...sink.sge(0, 800), ...receive }] });
      const from = bench.index('a') === 0 ? 'a' : 'b';
      if (fault) await bench.run.setFaults([{ from, ...fault }]);
      const part = wr({ va: sink.va(), key: sink.key });
      postSend(pair.a.qp, { ...empty(1), sgList: [source.sge(0, 800)], ...part });
      if (status === 'SUCCESS') sink.image.set(source.image);
      else bench.drops.b = { STATE: 'any', SEQUENCE: 'any' };
      if (fault) bench.drops.b = { SEQUENCE: 'any' };
      await bench.completions(pair.a.sendCq, [{ wrId: 1, status, vendorErr: vendor }]);

      expect(await queryNaks(bench.context('b'))).toEqual({ ...NONE, [`SENT_${counter}`]: 1 });
      expect(await queryNaks(bench.context('a'))).toEqual({ ...NONE, [`RECEIVED_${counter}`]: 1 });
      const [a, b] = [await queryStatistics(bench.context('a')), await queryStatistics(bench.context('b'))];
      expect([a.naksSent, a.naksReceived, b.naksSent, b.naksReceived]).toEqual([0, 1, 1, 0]);
      const { qpn } = pair.a.qp;
      expect(a.lastError).toEqual(status === 'SUCCESS' ? undefined : { qpn, queue: 'send', status, vendor });
      expect(b.lastEvent).toEqual(event && { event, number: pair.b.qp.qpn });
      expect(await bench.events('b')).toEqual(event ? [`${event} ${pair.b.qp.qpn}`] : []);
      if (receive) {
        const { lastError } = b;
        expect(lastError).toMatchObject({ qpn: pair.b.qp.qpn, queue: 'receive', status: 'LOC_PROT_ERR' });
        expect(await pollCq(pair.b.recvCq)).toMatchObject([{ wrId: 5, status: 'LOC_PROT_ERR' }]);
      }
      for (const { health } of [a, b]) expect(health).toEqual({ fatal: false, cause: 0, number: 0 });
    },
  );

  it('tell an RNR NAK that comes during a wait too, and what was flushed is no last error', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ attr: { rnrRetry: 7, minRnrTimer: 20 } });
    bench.tolerated = [/^wire: /];
    bench.drops.a = { RESPONSE: 1 };
    bench.drops.b = { SEQUENCE: 'any' };
    for (const wrId of [1, 2]) postSend(pair.a.qp, empty(wrId));
    await bench.fabric.run({ cycles: 3000 });
    const nak = { opcode: Op.RC_ACKNOWLEDGE, psn: 0x100, aeth: { syndrome: 0x21, msn: 0 } };
    bench.fabric.inject(bench.index('a'), packetOf(pair, 'b', nak));
    await bench.fabric.run({ cycles: 3000 });
    expect(await queryNaks(bench.context('a'))).toEqual({ ...NONE, RECEIVED_RNR: 2 });
    await modifyQp(pair.a.qp, { state: 'ERR' });
    await bench.completions(
      pair.a.sendCq,
      [1, 2].map((wrId) => ({ wrId, status: 'WR_FLUSH_ERR' })),
    );
    expect((await queryStatistics(bench.context('a'))).lastError).toBeUndefined();
  });

  it('count cycles of stalls, or none where there are no cycles', async () => {
    const bench = await openBench(setup);
    const stalls = await queryStalls(bench.context('a'));
    expect(Object.values(stalls).every((cycles) => cycles >= 0)).toBe(true);
    if (setup.kind === 'model') expect(Object.values(stalls).every((cycles) => cycles === 0)).toBe(true);
  });
});
