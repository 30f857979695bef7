import { describe, expect, it } from 'vitest';
import {
  askCq,
  type Context,
  type Cq,
  createCq,
  createEq,
  createQp,
  destroyCq,
  destroyEq,
  destroyQp,
  modifyCq,
  modifyEq,
  modifyQp,
  pollCq,
  postRecv,
  postSend,
  processEvents,
  type Qp,
  queryCq,
  queryEq,
  queryQp,
  reqNotifyCq,
  resizeCq,
  ringDoorbell,
  setAsyncHandler,
  setCompletionHandler,
  toInit,
  toReadyToReceive,
  toReadyToSend,
} from '../../src/host/index.ts';
import { CmdOp, QpState, qpStateName } from '../../src/spec/gen/enums.ts';
import { QP_ATTRIBUTES, QP_TRANSITIONS, type QpAttribute, qpAttributeMask } from '../../src/spec/gen/qp.ts';
import { QPC, type Qpc } from '../../src/spec/gen/records.ts';
import { answer, type Bench, devices, judgeBenches, openBench, type Side } from '../support/system-bench.ts';
import {
  exchange,
  failed,
  type Message,
  OPERATIONS,
  type Pair,
  receiveDone,
  sendDone,
} from '../support/system-messages.ts';
import { expectedPsn, inject, packetOf } from '../support/system-packets.ts';

judgeBenches();

type State = keyof typeof QpState;
const GOOD: Partial<Qpc> = {
  pkeyIndex: 0,
  port: 1,
  dlid: 2,
  pathMtu: 3,
  destQpn: 9,
  rqPsn: 0x123,
  sqPsn: 0x456,
  maxDestRdAtomic: 4,
  maxRdAtomic: 3,
  minRnrTimer: 5,
  ackTimeout: 14,
  retryCount: 3,
  rnrRetry: 2,
};
/** How to get to a state. */
const PATHS: Partial<Record<State, readonly State[]>> = {
  RESET: [],
  INIT: ['INIT'],
  RTR: ['INIT', 'RTR'],
  RTS: ['INIT', 'RTR', 'RTS'],
  SQD: ['INIT', 'RTR', 'RTS', 'SQD'],
  ERR: ['INIT', 'ERR'],
};
const transitionOf = (from: string, to: string) =>
  QP_TRANSITIONS.find((each) => each.from === from && each.to === to);

const modify = (
  qp: Qp,
  to: number,
  names: readonly QpAttribute[],
  values: Partial<Qpc> = GOOD,
): Promise<string> => {
  const mailbox = QPC.pack(values);
  const param = qpAttributeMask(names);
  return answer(qp.context.commands.execute(CmdOp.MODIFY_QP, qp.qpn, { modifier: to, param, mailbox }));
};

async function lonePair(bench: Bench, side: Side = 'b'): Promise<{ qp: Qp; cq: Cq; context: Context }> {
  const context = bench.context(side);
  const cq = await createCq(context, 64);
  const qp = await createQp(await bench.pd(side), { sendCq: cq, recvCq: cq });
  return { qp, cq, context };
}

async function bring(qp: Qp, state: State): Promise<void> {
  let from: State = 'RESET';
  for (const to of PATHS[state]!) {
    expect(await modify(qp, QpState[to], transitionOf(from, to)!.required)).toBe('OK');
    from = to;
  }
  await queryQp(qp);
}

const STATES = Object.keys(PATHS) as State[];

describe.each(devices)('queue pair states on the %s', (_, setup) => {
  describe.each(STATES)('from %s', (from) => {
    it.each(Object.keys(QpState) as State[])(
      'to %s by what the table of transitions says [C10-19]',
      async (to) => {
        const bench = await openBench(setup, { unchecked: true });
        const { qp } = await lonePair(bench);
        await bring(qp, from);
        const before = (await queryQp(qp)).context;
        const transition = transitionOf(from, to);
        if (!transition) {
          expect(await modify(qp, QpState[to], [])).toBe('BAD_QP_STATE');
          expect(await modify(qp, QpState[to], ['access', 'qkey'])).toBe('BAD_QP_STATE');
        } else {
          const { required, optional } = transition;
          for (const missing of required)
            expect(
              await modify(
                qp,
                QpState[to],
                required.filter((each) => each !== missing),
              ),
            ).toBe('MISSING_ATTR');
          const others = (Object.keys(QP_ATTRIBUTES) as QpAttribute[]).filter(
            (each) =>
              !required.includes(each) && !optional.includes(each) && each !== 'state' && each !== 'curState',
          );
          for (const stray of others)
            expect(await modify(qp, QpState[to], [...required, stray])).toBe('BAD_ATTR');
        }
        expect((await queryQp(qp)).context).toEqual(before);
        if (!transition) return;
        expect(
          await modify(qp, QpState[to], [
            ...transition.required,
            ...transition.optional,
            'state',
            'curState',
          ]),
        ).toBe('OK');
        expect((await queryQp(qp)).state).toBe(to);
      },
    );
  });

  it.each([
    ['path MTU 0', 'INIT', 'RTR', { pathMtu: 0 }],
    ['path MTU 6', 'INIT', 'RTR', { pathMtu: 6 }],
    ['a path MTU above that of the port', 'INIT', 'RTR', { pathMtu: 5 }],
    ['a source GID beyond the table', 'INIT', 'RTR', { sgidIndex: 8 }],
    ['too many responder resources', 'INIT', 'RTR', { maxDestRdAtomic: 17 }],
    ['too much initiator depth', 'RTR', 'RTS', { maxRdAtomic: 17 }],
    ['port 0', 'RESET', 'INIT', { port: 0 }],
    ['port 2', 'RESET', 'INIT', { port: 2 }],
    ['an empty P_Key entry', 'RESET', 'INIT', { pkeyIndex: 1 }],
    ['a P_Key without its low bits', 'RESET', 'INIT', { pkeyIndex: 2 }],
    ['a P_Key beyond the table', 'RESET', 'INIT', { pkeyIndex: 16 }],
  ] as const)('%s is refused and changes nothing', async (_, from, to, values) => {
    const bench = await openBench(setup, {
      unchecked: true,
      hosts: { b: { port: { mtu: 4, pkeys: [0xffff, 0, 0x8000] } } },
    });
    const { qp } = await lonePair(bench);
    await bring(qp, from);
    const before = (await queryQp(qp)).context;
    const { required } = transitionOf(from, to)!;
    expect(await modify(qp, QpState[to], required, { ...GOOD, ...values })).toBe('BAD_PARAM');
    expect((await queryQp(qp)).context).toEqual(before);
    expect(await modify(qp, QpState[to], required)).toBe('OK');
  });

  it('the query tells what was set, and the PSNs', async () => {
    const bench = await openBench(setup);
    const { qp } = await lonePair(bench);
    await bring(qp, 'RTS');
    expect(await queryQp(qp)).toMatchObject({
      state: 'RTS',
      pkeyIndex: 0,
      port: 1,
      pathMtu: 3,
      destQpn: 9,
      rqPsn: 0x123,
      sqPsn: 0x456,
      maxDestRdAtomic: 4,
      maxRdAtomic: 3,
      minRnrTimer: 5,
      timeout: 14,
      retryCnt: 3,
      rnrRetry: 2,
      av: { dlid: 2 },
    });
    expect(QpState[qpStateName(qp.state) as State]).toBe(QpState.RTS);
  });

  it('posts are refused and counted where a queue takes none', async () => {
    const bench = await openBench(setup);
    const refused = async (qp: Qp, context: Context, kinds: readonly ('sq' | 'rq')[]) => {
      for (const kind of kinds) ringDoorbell(context, kind, qp.qpn, 1);
      await bench.settle();
    };
    let count = 0;
    for (const [state, kinds] of [
      ['RESET', ['sq', 'rq']],
      ['INIT', ['sq']],
      ['RTR', ['sq']],
    ] as const) {
      const { qp, context } = await lonePair(bench);
      await bring(qp, state);
      await refused(qp, context, kinds);
      count += kinds.length;
      expect((await queryQp(qp)).context).toMatchObject({ sqProducer: 0, rqProducer: 0 });
    }
    bench.drops.b = { DOORBELL: count };
  });

  it.each([
    ['RESET', '[C10-23]'],
    ['INIT', '[C10-26]'],
    ['ERR', '[C10-41.2.1]'],
  ] as const)('packets for a queue pair in %s are dropped %s', async (state, _ids) => {
    const bench = await openBench(setup);
    const { qp, context } = await lonePair(bench);
    await bring(qp, state);
    const pair = {
      a: { context: bench.context('a'), qp: { qpn: 9 } },
      b: { context, qp },
    } as unknown as Pair;
    bench.drops.b = { STATE: 2 };
    await inject(bench, 'a', packetOf(pair, 'a', { opcode: 4, psn: 0x123, a: true }));
    await inject(
      bench,
      'a',
      packetOf(pair, 'a', { opcode: 0x11, psn: 0x455, aeth: { syndrome: 0x1f, msn: 0 } }),
    );
    expect(await bench.dropped('b')).toEqual({ STATE: 2 });
  });

  it('a queue pair in SQD starts no message and receives, and goes on in RTS [C10-33] [C10-34] [C10-37]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    await modifyQp(pair.a.qp, { state: 'SQD' });
    postRecv(pair.b.qp, { wrId: 5, sgList: [] });
    postSend(pair.a.qp, { wrId: 5, opcode: 'SEND', signaled: true });
    await bench.settle();
    expect(await pollCq(pair.a.sendCq)).toEqual([]);
    const [mine, theirs] = [await bench.region('a', 900), await bench.region('b', 900)];
    const incoming = OPERATIONS.map((op, i): Message => {
      const local = [{ region: theirs, at: i * 150, length: 99 }];
      const remote = { region: mine, at: i * 160 };
      if (op.startsWith('SEND')) return { op, from: 'b', local, receive: [{ ...remote, length: 99 }] };
      return { op, from: 'b', local, remote, receive: [] };
    });
    await exchange(bench, pair, incoming, { first: 20 });
    expect((await queryQp(pair.a.qp)).state).toBe('SQD');
    await modifyQp(pair.a.qp, { state: 'RTS' });
    await bench.completions(pair.a.sendCq, [sendDone(pair, 'a', 5, 'SEND', 0)]);
    await bench.completions(pair.b.recvCq, [receiveDone(pair, 'b', 5, { op: 'SEND' })]);
  });

  it('SQD with a message under way does not go back to RTS [S1]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const [source, sink] = [await bench.region('a', 60_000), await bench.region('b', 60_000)];
    const local = [source.sge(0, 60_000)];
    postSend(pair.a.qp, {
      wrId: 0,
      opcode: 'RDMA_READ',
      sgList: local,
      remoteAddr: sink.va(),
      rkey: sink.key,
      signaled: true,
    });
    source.image.set(sink.image);
    await bench.fabric.run({ cycles: 200 });
    const modifier = QpState.SQD;
    expect(await answer(pair.a.context.commands.execute(CmdOp.MODIFY_QP, pair.a.qp.qpn, { modifier }))).toBe(
      'OK',
    );
    const { context } = await queryQp(pair.a.qp);
    expect(context.sqOldest, 'the READ is under way').not.toBe(context.sqNext);
    const back = await answer(
      pair.a.context.commands.execute(CmdOp.MODIFY_QP, pair.a.qp.qpn, { modifier: QpState.RTS }),
    );
    expect(back).toBe('BAD_QP_STATE');
    await bench.completions(pair.a.sendCq, [sendDone(pair, 'a', 0, 'RDMA_READ', 60_000)]);
    await queryQp(pair.a.qp);
  });

  it('MODIFY to Error flushes what is posted, in order, and what is posted later [C10-42] [C10-106.2.1] [Q2]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const { qp, sendCq, recvCq } = pair.a;
    postRecv(
      qp,
      [0, 1, 2].map((wrId) => ({ wrId, sgList: [] })),
    );
    await modifyQp(qp, { state: 'ERR' });
    const flushed = (queue: 'send' | 'receive', wrId: number) =>
      failed(pair.a, queue, wrId, 'WR_FLUSH_ERR', {
        vendorErr: 0,
        opcode: queue === 'send' ? 'SEND' : 'RECV',
      });
    await bench.completions(
      recvCq,
      [0, 1, 2].map((wrId) => flushed('receive', wrId)),
    );
    for (let round = 0; round < 3; round++) {
      postSend(
        qp,
        [10, 11].map((wrId) => ({ wrId: wrId + round, opcode: 'RDMA_READ' as const })),
      );
      postRecv(qp, { wrId: 20 + round, sgList: [] });
      await bench.completions(sendCq, [flushed('send', 10 + round), flushed('send', 11 + round)]);
      await bench.completions(recvCq, [flushed('receive', 20 + round)]);
    }
  });

  it('one CQE for each of 32 work requests of which the third fails [Q3] [C10-91] [C10-105]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const source = await bench.region('a', 100);
    const sink = await bench.region('b', 100);
    const wrs = Array.from({ length: 32 }, (_, wrId) => ({
      wrId,
      opcode: 'RDMA_WRITE' as const,
      sgList: [source.sge(0, 10)],
      remoteAddr: sink.va(),
      rkey: wrId === 2 ? 0 : sink.key,
      signaled: wrId < 2,
    }));
    sink.image.set(source.image.subarray(0, 10));
    bench.drops.b = { STATE: 'any' };
    postSend(pair.a.qp, wrs);
    const done = wrs.map(({ wrId }) =>
      wrId < 2
        ? sendDone(pair, 'a', wrId, 'RDMA_WRITE', 10)
        : failed(pair.a, 'send', wrId, wrId === 2 ? 'REM_ACCESS_ERR' : 'WR_FLUSH_ERR'),
    );
    await bench.completions(pair.a.sendCq, done);
    expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
    postSend(pair.a.qp, { wrId: 99, opcode: 'SEND' });
    await bench.completions(pair.a.sendCq, [failed(pair.a, 'send', 99, 'WR_FLUSH_ERR')]);
  });

  it('Reset forgets work requests without completions, and the queue pair starts anew', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const [source, sink] = [await bench.region('a', 9000), await bench.region('b', 9000)];
    await exchange(bench, pair, [{ op: 'SEND' }, { op: 'SEND', from: 'b' }]);
    postRecv(
      pair.a.qp,
      [1, 2, 3].map((wrId) => ({ wrId, sgList: [] })),
    );
    postRecv(
      pair.b.qp,
      [1, 2].map((wrId) => ({ wrId, sgList: [] })),
    );
    for (const side of ['a', 'b'] as const) await modifyQp(pair[side].qp, { state: 'RESET' });
    await bench.settle();
    for (const side of ['a', 'b'] as const) {
      const { qp, sendCq, recvCq } = pair[side];
      expect(await pollCq(sendCq)).toEqual([]);
      expect(await pollCq(recvCq)).toEqual([]);
      const { context } = await queryQp(qp);
      expect(context).toMatchObject({ sqProducer: 0, rqProducer: 0, sqOldest: 0, rqConsumer: 0, sqNext: 0 });
      await toInit(qp);
    }
    await toReadyToReceive(pair.a.qp, pair.b, 0x777);
    await toReadyToReceive(pair.b.qp, pair.a, 0x888);
    await toReadyToSend(pair.a.qp, 0x888);
    await toReadyToSend(pair.b.qp, 0x777);
    await exchange(bench, pair, [
      {
        op: 'SEND',
        local: [{ region: source, at: 1, length: 8000 }],
        receive: [{ region: sink, at: 3, length: 8000 }],
      },
      { op: 'RDMA_READ', local: [{ region: source, at: 5, length: 8000 }], remote: { region: sink, at: 2 } },
    ]);
  });

  it.each([0, 30, 100, 250, 400, 700])(
    'destroy with messages in flight, %i cycles after they were posted [Q19] [Q20]',
    async (cycles) => {
      const bench = await openBench(setup);
      const pair = await bench.connect({ mtuBytes: 256 });
      const witness = await bench.connect();
      const [source, sink] = [await bench.region('a', 9000), await bench.region('b', 9000)];
      const fill = new Uint8Array(9000).fill(0x5a);
      for (const region of [source, sink]) {
        region.buffer.write(0, fill);
        region.image.set(fill);
      }
      const range = { remoteAddr: sink.va(), rkey: sink.key, sgList: [source.sge(0, 4000)], signaled: true };
      postRecv(
        pair.b.qp,
        [1, 2].map((wrId) => ({ wrId, sgList: [sink.sge(0, 5000)] })),
      );
      postSend(pair.a.qp, [
        { wrId: 1, opcode: 'RDMA_WRITE', ...range },
        { wrId: 2, opcode: 'RDMA_READ', ...range },
        { wrId: 3, opcode: 'SEND', ...range },
      ]);
      if (cycles > 0) await bench.fabric.run({ cycles });
      await destroyQp(pair.a.qp);
      await destroyQp(pair.b.qp);
      bench.drops.a = { QPN: 'any', STATE: 'any' };
      bench.drops.b = { QPN: 'any', STATE: 'any' };
      await bench.settle();
      await bench.events('b');
      for (const { sendCq, recvCq } of [pair.a, pair.b]) {
        expect(await pollCq(sendCq)).toEqual([]);
        expect(await pollCq(recvCq)).toEqual([]);
      }
      await exchange(bench, witness, [
        {
          op: 'RDMA_WRITE',
          local: [{ region: source, at: 0, length: 3000 }],
          remote: { region: sink, at: 6000 },
        },
      ]);
    },
  );
});

describe.each(devices)('completion and event queues on the %s', (_, setup) => {
  const small = async (bench: Bench, entries: number) => {
    const context = bench.context('b');
    const sendCq = await createCq(context, 64);
    const recvCq = await createCq(context, entries);
    const pair = await bench.connect({ b: { sendCq, recvCq } });
    return { pair, recvCq };
  };

  it('a completion that finds no room is an error of the CQ and of its queue pair, told once [C10-17] [C10-144] [Q6] [event: cq-error] [event: local-work-queue-catastrophic-error]', async () => {
    const bench = await openBench(setup);
    const { pair, recvCq } = await small(bench, 4);
    const other = await bench.connect({ b: { recvCq } });
    const sink = await bench.region('b', 100);
    const source = await bench.region('a', 100);
    postRecv(
      pair.b.qp,
      Array.from({ length: 8 }, (_, wrId) => ({ wrId, sgList: [sink.sge(wrId, 1)] })),
    );
    postRecv(
      other.b.qp,
      [7, 8].map((wrId) => ({ wrId, sgList: [] })),
    );
    const wrs = Array.from({ length: 5 }, (_, wrId) => ({
      wrId,
      opcode: 'SEND' as const,
      sgList: [source.sge(wrId, 1)],
      signaled: true,
    }));
    postSend(pair.a.qp, wrs);
    sink.image.set(source.image.subarray(0, 5));
    await bench.completions(
      pair.a.sendCq,
      wrs.map(({ wrId }) => sendDone(pair, 'a', wrId, 'SEND', 1)),
    );
    expect(await bench.events('b')).toEqual([`CQ_ERROR ${recvCq.cqn}`, `QP_FATAL ${pair.b.qp.qpn}`]);
    expect(await askCq(recvCq)).toMatchObject({ error: true, producer: 4 });
    await expect(queryCq(recvCq)).rejects.toMatchObject({ reason: 'CQ_ERROR_STATE' });
    await expect(resizeCq(recvCq, 8)).rejects.toMatchObject({ reason: 'CQ_ERROR_STATE' });
    expect((await queryQp(pair.b.qp)).state).toBe('ERR');
    await bench.completions(
      recvCq,
      [0, 1, 2, 3].map((wrId) =>
        receiveDone(pair, 'b', wrId, { op: 'SEND', local: [{ region: source, at: 0, length: 1 }] }),
      ),
    );

    // It writes nothing any more: the next one that wants to complete fails too.
    expect((await queryQp(other.b.qp)).state).toBe('RTS');
    postSend(other.a.qp, { wrId: 9, opcode: 'SEND', signaled: true });
    await bench.completions(other.a.sendCq, [sendDone(other, 'a', 9, 'SEND', 0)]);
    expect(await bench.events('b')).toEqual([`QP_FATAL ${other.b.qp.qpn}`]);
    expect(await pollCq(recvCq)).toEqual([]);
    bench.tolerated = [/CQ \d+: its error flag is set/, /QP \d+ RQ/];
  });

  it('all entries of a CQ can be used', async () => {
    const bench = await openBench(setup);
    const { pair, recvCq } = await small(bench, 4);
    for (let round = 0; round < 5; round++) {
      await exchange(
        bench,
        pair,
        Array.from({ length: 4 }, () => ({ op: 'SEND' as const })),
        { first: round * 4 },
      );
    }
    expect(await queryCq(recvCq)).toMatchObject({ error: false, producer: 20, consumer: 20 });
  });

  const arrive = (bench: Bench, pair: Pair, solicited = false): void => {
    postRecv(pair.b.qp, { wrId: 1, sgList: [] });
    postSend(pair.a.qp, { wrId: 1, opcode: 'SEND', solicited });
    expect(bench.seen.b).toEqual([]);
  };

  /** Counts the notifications of a CQ. */
  const notified = (of: Cq): { count: number } => {
    const fired = { count: 0 };
    setCompletionHandler(of.context, (cq) => {
      expect(cq).toBe(of);
      fired.count++;
    });
    return fired;
  };

  it('a request for the next completion fires once; what was there before does not fire [C10-109.2.1] [C10-111] [C10-112] [C10-113]', async () => {
    const bench = await openBench(setup);
    const { pair, recvCq } = await small(bench, 64);
    const fired = notified(recvCq);
    for (let i = 0; i < 9; i++) arrive(bench, pair);
    await bench.settle();
    await reqNotifyCq(recvCq);
    await bench.settle();
    expect(fired.count).toBe(0);
    for (const expected of [1, 1, 1]) {
      arrive(bench, pair);
      await bench.settle();
      expect(fired.count).toBe(expected);
    }
    await reqNotifyCq(recvCq, 'next');
    await reqNotifyCq(recvCq, 'solicited');
    expect(await queryCq(recvCq)).toMatchObject({ armed: 'next' });
    arrive(bench, pair);
    await bench.settle();
    expect(fired.count).toBe(2);
    expect(await queryCq(recvCq)).toMatchObject({ armed: 'no' });
    expect(await pollCq(recvCq)).toHaveLength(13);
  });

  it('a request for a solicited completion waits for one, or for an error', async () => {
    const bench = await openBench(setup);
    const { pair, recvCq } = await small(bench, 64);
    const fired = notified(recvCq);
    await reqNotifyCq(recvCq, 'solicited');
    arrive(bench, pair);
    await bench.settle();
    expect(fired.count).toBe(0);
    arrive(bench, pair, true);
    await bench.settle();
    expect(fired.count).toBe(1);
    await reqNotifyCq(recvCq, 'solicited');
    postRecv(pair.b.qp, { wrId: 2, sgList: [] });
    await modifyQp(pair.b.qp, { state: 'ERR' });
    await bench.settle();
    expect(fired.count).toBe(2);
    await reqNotifyCq(recvCq, 'solicited');
    await reqNotifyCq(recvCq, 'next');
    expect(await queryCq(recvCq)).toMatchObject({ armed: 'next' });
    expect(await pollCq(recvCq)).toHaveLength(3);
  });

  it('no completion slips between a request for notification and the poll behind it', async () => {
    const bench = await openBench(setup);
    const { pair, recvCq } = await small(bench, 64);
    const fired = notified(recvCq);
    const seen = { polled: 0, late: 0 };
    for (let cycles = 60; cycles < 240; cycles += 9) {
      fired.count = 0;
      arrive(bench, pair);
      await bench.fabric.run({ cycles });
      await reqNotifyCq(recvCq);
      const polled = (await pollCq(recvCq)).length;
      await bench.settle();
      const late = (await pollCq(recvCq)).length;
      expect(polled + late).toBe(1);
      seen.polled += polled;
      seen.late += late;
      if (late === 1) expect(fired.count).toBe(1);
      if (fired.count === 0) {
        arrive(bench, pair); // it is armed still
        await bench.settle();
        expect(fired.count).toBe(1);
        await pollCq(recvCq);
      }
    }
    expect(seen.polled).toBeGreaterThan(0);
    if (setup.kind !== 'model') expect(seen.late).toBeGreaterThan(0); // the model takes no time for a message
  });

  it('twice as many asynchronous events as there is room for come in two batches [Q8]', async () => {
    const bench = await openBench(setup, { hosts: { b: { asyncEqEntries: 4 } } });
    const context = bench.context('b');
    const pairs: Pair[] = [];
    for (let i = 0; i < 9; i++) pairs.push(await bench.connect());
    bench.drops.a = { RESPONSE: 9 };
    const fail = async (...of: Pair[]) => {
      const last = of.map((pair) => packetOf(pair, 'a', { opcode: 2, psn: 0x100 }));
      await inject(bench, 'a', ...last);
    };
    const names = (of: Pair[]) => of.map(({ b }) => `QP_REQ_ERR ${b.qp.qpn}`);
    const came: string[] = [];
    let again: (() => Promise<void>) | undefined;
    setAsyncHandler(context, async ({ event, number }) => {
      came.push(`${event} ${number}`);
      const next = again;
      again = undefined;
      await next?.();
    });
    // While the first of a full batch is told, the next batch comes: its room was given back before.
    again = async () => {
      const { producer, consumer } = await queryEq(context.asyncEq!);
      expect([producer, consumer]).toEqual([4, 4]);
      for (const pair of pairs.slice(4, 8))
        bench.fabric.inject(bench.index('b'), packetOf(pair, 'a', { opcode: 2, psn: 0x100 }));
      await bench.fabric.run({ cycles: 20_000, idle: true });
    };
    await fail(...pairs.slice(0, 4));
    await bench.settle();
    expect(came.sort()).toEqual(names(pairs.slice(0, 8)).sort());
    await fail(pairs[8]!);
    expect(came).toHaveLength(9);
    expect(await queryEq(context.asyncEq!)).toMatchObject({ producer: 9, consumer: 9, error: false });
  });

  it('an event that finds its EQ full is lost and sets the error flag', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    const eq = await createEq(context, { entries: 2, vector: 3 });
    const { pair, recvCq } = await small(bench, 64);
    await modifyCq(recvCq, eq);
    const message = async () => {
      postRecv(pair.b.qp, { wrId: 1, sgList: [] });
      postSend(pair.a.qp, { wrId: 1, opcode: 'SEND' });
      await reqNotifyCq(recvCq);
      await bench.fabric.run({ cycles: 20_000, idle: true });
    };
    await message();
    await message();
    expect(await queryEq(eq)).toMatchObject({ producer: 2, error: false });
    await message();
    expect(await queryEq(eq)).toMatchObject({ producer: 2, error: true });
    expect(await pollCq(recvCq)).toHaveLength(3);
    await processEvents(context, { poll: true });
    bench.tolerated = [/EQ \d+: its error flag is set/];
  });

  it('the vector of an EQ and the EQ of a CQ can change', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    const eq = await createEq(context, { vector: 3 });
    const { pair, recvCq } = await small(bench, 64);
    await modifyCq(recvCq, eq);
    await modifyEq(eq, 9);
    const vectors: number[] = [];
    context.device.onInterrupt((vector) => vectors.push(vector));
    await reqNotifyCq(recvCq);
    arrive(bench, pair);
    await bench.settle();
    expect(vectors).toEqual([9]);
    expect(await queryEq(eq)).toMatchObject({ vector: 9, producer: 1 });
    expect(await pollCq(recvCq)).toHaveLength(1);
  });

  it('objects in use are not taken away, and go on working [C10-18]', async () => {
    const bench = await openBench(setup, { unchecked: true });
    const pair = await bench.connect();
    const { context, sendCq, recvCq, qp } = pair.b;
    const eq = await createEq(context);
    await modifyCq(recvCq, eq);
    for (const busy of [
      () => destroyCq(sendCq),
      () => destroyCq(recvCq),
      () => destroyEq(eq),
      () => destroyEq(context.asyncEq!),
    ])
      expect(await answer(busy())).toBe('BUSY');
    await exchange(bench, pair, [{ op: 'SEND' }, { op: 'SEND', from: 'b' }]);
    await modifyQp(qp, { state: 'RESET' });
    expect(await answer(destroyCq(recvCq))).toBe('BUSY');
    await destroyQp(qp);
    expect(await answer(destroyEq(eq))).toBe('BUSY');
    await destroyCq(recvCq);
    await destroyCq(sendCq);
    await destroyEq(eq);
  });

  it('a queue pair number is used again, and its past completions are gone [Q7]', async () => {
    const bench = await openBench(setup);
    const { pair, recvCq } = await small(bench, 64);
    arrive(bench, pair);
    await bench.settle();
    await destroyQp(pair.b.qp);
    expect(await pollCq(recvCq)).toEqual([]);
    expect(await expectedPsn(pair, 'a')).toBe(0x200);
  });
});
