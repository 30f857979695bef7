import { describe, expect, it } from 'vitest';
import {
  Access,
  allocBuffer,
  allocPd,
  type Cq,
  createCq,
  createQp,
  deallocPd,
  deregMr,
  destroyCq,
  destroyQp,
  freeBuffer,
  modifyQp,
  pollCq,
  postRecv,
  postSend,
  processEvents,
  type Qp,
  queryDevice,
  queryGid,
  queryMr,
  queryQp,
  regMr,
  reqNotifyCq,
  reregMr,
  setAsyncHandler,
  setCompletionHandler,
  toInit,
  toReadyToReceive,
  toReadyToSend,
  waitCompletions,
} from '../../src/host/index.ts';
import { takeSent } from '../support/sent.ts';
import {
  ALL_ACCESS,
  type Bench,
  devices,
  judgeBenches,
  openBench,
  type Region,
} from '../support/system-bench.ts';
import {
  exchange,
  failed,
  type Message,
  OPERATIONS,
  type Pair,
  receiveDone,
  sendDone,
} from '../support/system-messages.ts';
import { inject, packetOf } from '../support/system-packets.ts';

judgeBenches();

const { LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE } = Access;
const send = { wrId: 1, opcode: 'SEND', signaled: true } as const;

/** A queue pair at each side, in Reset; `to` brings that of `b` to a state. */
async function lone(bench: Bench) {
  const side = async (at: 'a' | 'b') => {
    const context = bench.context(at);
    const pd = await bench.pd(at);
    const [sendCq, recvCq] = [await createCq(context, 16), await createCq(context, 16)];
    const qp = await createQp(pd, { sendCq, recvCq, cap: { maxSendWr: 4, maxRecvWr: 4 } });
    return { context, pd, sendCq, recvCq, qp };
  };
  const pair: Pair = { a: await side('a'), b: await side('b') };
  const steps: Record<string, () => Promise<void>> = {
    INIT: () => toInit(pair.b.qp),
    RTR: () => toReadyToReceive(pair.b.qp, pair.a, 0x100),
    RTS: () => toReadyToSend(pair.b.qp, 0x200),
    SQD: () => modifyQp(pair.b.qp, { state: 'SQD' }),
    ERR: () => modifyQp(pair.b.qp, { state: 'ERR' }),
  };
  const to = async (state: string): Promise<void> => {
    const path = ['INIT', 'RTR', 'RTS', 'SQD', 'ERR'];
    for (const step of path.slice(0, path.indexOf(state) + 1)) {
      if (state === 'ERR' && step !== 'INIT' && step !== 'ERR') continue;
      await steps[step]!();
    }
  };
  const partner = async (): Promise<void> => {
    await toInit(pair.a.qp);
    await toReadyToReceive(pair.a.qp, pair.b, 0x200);
    await toReadyToSend(pair.a.qp, 0x100);
  };
  return { pair, to, partner };
}

const refused = (verb: () => unknown, reason: string) => expect(verb).toThrow(reason);

describe.each(devices)('verbs by state on the %s', (_, setup) => {
  it.each([
    ['RESET', '[C10-22]'],
    ['INIT', '[C10-25]'],
    ['RTR', '[C10-29]'],
  ])(
    'in %s a send is refused at once and leaves nothing behind %s [C10-96] [C10-135] [C10-136]',
    async (state) => {
      const bench = await openBench(setup);
      const { pair, to } = await lone(bench);
      await to(state);
      bench.fabric.setTaps({ packets: true });
      refused(() => postSend(pair.b.qp, send), 'INVALID_QP_STATE');
      if (state === 'RESET') refused(() => postRecv(pair.b.qp, { wrId: 1 }), 'INVALID_QP_STATE');
      await bench.settle();
      expect(await takeSent(bench)).toEqual([]);
      for (const cq of [pair.b.sendCq, pair.b.recvCq]) expect(await pollCq(cq)).toEqual([]);
      expect((await queryQp(pair.b.qp)).context).toMatchObject({ sqProducer: 0, rqProducer: 0 });
      expect([pair.b.qp.sq.outstanding, pair.b.qp.rq.outstanding]).toEqual([0, 0]);
    },
  );

  it('a receive that is posted in Init waits there, and is used in RTR, as one of RTR is; what comes in Init is dropped [C10-24] [C10-26] [C10-27] [C10-97.2.1]', async () => {
    const bench = await openBench(setup);
    const { pair, to } = await lone(bench);
    const sink = await bench.region('b', 100);
    await to('INIT');
    postRecv(pair.b.qp, { wrId: 7, sgList: [sink.sge(0, 50)] });
    bench.fabric.setTaps({ packets: true });
    const payload = Uint8Array.of(1, 2, 3, 4);
    const packet = (psn: number) => packetOf(pair, 'a', { opcode: 4, psn, a: true, payload });
    bench.drops.b = { STATE: 1 };
    await inject(bench, 'a', packet(0x100));
    expect(await bench.dropped('b')).toEqual({ STATE: 1 });
    expect(await pollCq(pair.b.recvCq)).toEqual([]);
    expect(await takeSent(bench)).toEqual([]);
    await toReadyToReceive(pair.b.qp, pair.a, 0x100);
    postRecv(pair.b.qp, { wrId: 8, sgList: [sink.sge(50, 50)] });
    bench.drops.a = { STATE: 'any' };
    bench.tolerated = [/^wire: .*dest-qp/]; // the queue pair of `a` is none yet
    sink.image.set(payload, 0);
    sink.image.set(payload, 50);
    await inject(bench, 'a', packet(0x100), packet(0x101));
    await bench.completions(pair.b.recvCq, [
      { wrId: 7, status: 'SUCCESS', byteLen: 4 },
      { wrId: 8, status: 'SUCCESS', byteLen: 4 },
    ]);
    expect(await bench.events('b')).toEqual([`COMM_EST ${pair.b.qp.qpn}`]);
  });

  it('in RTR every kind of request is executed and acknowledged [C10-28]', async () => {
    const bench = await openBench(setup);
    const { pair, to, partner } = await lone(bench);
    await to('RTR');
    await partner();
    const [source, sink] = [await bench.region('a', 5000), await bench.region('b', 5000)];
    const messages = (['SEND', 'RDMA_WRITE', 'RDMA_READ', 'RDMA_WRITE_WITH_IMM'] as const).map(
      (op, i): Message => {
        const local = [{ region: source, at: 1000 * i, length: 700 }];
        const remote = { region: sink, at: 1000 * i + 3 };
        return op === 'SEND'
          ? { op, local, receive: [{ ...remote, length: 700 }] }
          : { op, local, remote, receive: [] };
      },
    );
    await exchange(bench, pair, messages);
    expect((await queryQp(pair.b.qp)).state).toBe('RTR');
    expect(await bench.events('b')).toEqual([`COMM_EST ${pair.b.qp.qpn}`]);
  });

  it('in Error sends and receives are flushed, in SQD they wait, in RTS they are done [C10-96] [C10-97.2.1] [C10-30]', async () => {
    const bench = await openBench(setup);
    const { pair, to, partner } = await lone(bench);
    await to('SQD');
    await partner();
    postRecv(pair.a.qp, { wrId: 2 });
    postRecv(pair.b.qp, { wrId: 3 });
    postSend(pair.b.qp, send);
    await bench.settle();
    expect(await pollCq(pair.b.sendCq)).toEqual([]);
    await modifyQp(pair.b.qp, { state: 'RTS' });
    await bench.completions(pair.b.sendCq, [sendDone(pair, 'b', 1, 'SEND', 0)]);
    await bench.completions(pair.a.recvCq, [receiveDone(pair, 'a', 2, { op: 'SEND', from: 'b' })]);
    postSend(pair.a.qp, send);
    await bench.completions(pair.b.recvCq, [receiveDone(pair, 'b', 3, { op: 'SEND' })]);
    await bench.completions(pair.a.sendCq, [sendDone(pair, 'a', 1, 'SEND', 0)]);
    await modifyQp(pair.b.qp, { state: 'ERR' });
    postSend(pair.b.qp, send);
    postRecv(pair.b.qp, { wrId: 4 });
    await bench.completions(pair.b.sendCq, [failed(pair.b, 'send', 1, 'WR_FLUSH_ERR')]);
    await bench.completions(pair.b.recvCq, [failed(pair.b, 'receive', 4, 'WR_FLUSH_ERR')]);
  });

  it.each(['INIT', 'RTR', 'RTS', 'SQD', 'ERR'])(
    'a queue pair is made in Reset and comes back there from %s [C10-20]',
    async (state) => {
      const bench = await openBench(setup);
      const { pair, to } = await lone(bench);
      expect((await queryQp(pair.b.qp)).state).toBe('RESET');
      await to(state);
      expect((await queryQp(pair.b.qp)).state).toBe(state);
      await modifyQp(pair.b.qp, { state: 'RESET' });
      bench.drops.b = { STATE: 1 };
      await inject(bench, 'a', packetOf(pair, 'a', { opcode: 4, psn: 0x100, a: true }));
      expect((await queryQp(pair.b.qp)).state).toBe('RESET');
    },
  );

  it('sends that are refused among good ones harm nothing [C10-135] [C10-136] [C10-141]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ cap: { maxSendWr: 4, maxSendSge: 2 } });
    for (let wrId = 0; wrId < 6; wrId++) postRecv(pair.b.qp, { wrId });
    const bad = [
      { ...send, opcode: 'SEND_WITH_INV' as const },
      { ...send, sgList: Array.from({ length: 3 }, () => ({ addr: 0n, length: 1, lkey: 0 })) },
      { ...send, inlineData: new Uint8Array(4096) },
    ];
    const { sq } = pair.a.qp;
    for (const [i, wr] of bad.entries()) {
      postSend(pair.a.qp, { ...send, wrId: 10 + i });
      const before = sq.producer;
      refused(() => postSend(pair.a.qp, wr), 'INVALID_');
      expect(sq.producer).toBe(before);
    }
    postSend(pair.a.qp, { ...send, wrId: 13 });
    refused(() => postSend(pair.a.qp, send), 'QUEUE_FULL');
    await bench.completions(
      pair.a.sendCq,
      [10, 11, 12, 13].map((wrId) => sendDone(pair, 'a', wrId, 'SEND', 0)),
    );
    await bench.completions(
      pair.b.recvCq,
      [0, 1, 2, 3].map((wrId) => receiveDone(pair, 'b', wrId, { op: 'SEND' })),
    );
    expect((await queryQp(pair.a.qp)).state).toBe('RTS');
    expect((await queryQp(pair.b.qp)).context.rqConsumer).toBe(4);
  });
});

describe.each(devices)('objects and their domains on the %s', (_, setup) => {
  it('queue pairs and regions belong to one domain each, which several share and which stays while they live [C10-7] [C10-8] [C10-11.2.1]', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    await allocPd(context); // another one
    const pd = await allocPd(context);
    const cq = await createCq(context, 16);
    const buffer = context.memory.allocate(100);
    const options = { sendCq: cq, recvCq: cq };
    const [one, two] = [await createQp(pd, options), await createQp(pd, options)];
    const [mr, other] = [await regMr(pd, buffer, 100, LOCAL_WRITE), await regMr(pd, buffer, 50, LOCAL_WRITE)];
    for (const qp of [one, two]) expect((await queryQp(qp)).context.pd).toBe(pd.number);
    for (const each of [mr, other]) expect((await queryMr(each)).pd).toBe(pd.number);
    const steps = [() => destroyQp(one), () => destroyQp(two), () => deregMr(mr), () => deregMr(other)];
    for (const step of steps) {
      await expect(deallocPd(pd)).rejects.toThrow('BUSY');
      await step();
    }
    await deallocPd(pd);
    await expect(createQp(pd, options)).rejects.toThrow('INVALID_PD');
    await expect(regMr(pd, buffer, 100, LOCAL_WRITE)).rejects.toThrow('INVALID_PD');
    await destroyCq(cq);
  });

  it('a domain that was not given back goes on working [C10-11.2.1]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    await expect(deallocPd(pair.b.pd)).rejects.toThrow('BUSY');
    await exchange(bench, pair, [{ op: 'SEND' }, { op: 'SEND', from: 'b' }]);
  });

  it('one CQ serves all queues of several queue pairs, or only sends, or only receives, or none [C10-16]', async () => {
    const bench = await openBench(setup);
    const make = (side: 'a' | 'b', entries = 64) => createCq(bench.context(side), entries);
    const [all, sends, receives, none] = [await make('a'), await make('b'), await make('b'), await make('b')];
    const objects = { a: { sendCq: all, recvCq: all }, b: { sendCq: sends, recvCq: receives } };
    const pairs = [await bench.connect(objects), await bench.connect(objects)];
    for (const [i, { a, b }] of pairs.entries()) {
      postRecv(a.qp, { wrId: 10 + i });
      postRecv(b.qp, { wrId: 20 + i });
      postSend(a.qp, { ...send, wrId: 30 + i });
      postSend(b.qp, { ...send, wrId: 40 + i });
    }
    await bench.settle();
    const ids = async (cq: typeof all) => (await pollCq(cq)).map(({ wrId }) => Number(wrId)).sort();
    expect(await ids(all)).toEqual([10, 11, 30, 31]);
    expect(await ids(sends)).toEqual([40, 41]);
    expect(await ids(receives)).toEqual([20, 21]);
    expect(await ids(none)).toEqual([]);
  });

  it('each completion is handed out once, to whoever asks [C10-103] [C10-104]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const count = 30;
    for (let wrId = 0; wrId < count; wrId++) postRecv(pair.b.qp, { wrId });
    postSend(
      pair.a.qp,
      Array.from({ length: count }, (_, wrId) => ({ ...send, wrId })),
    );
    const found: unknown[] = [];
    const poller = async () => {
      for (let i = 0; i < 40; i++) {
        found.push(...(await pollCq(pair.a.sendCq, 3)).map(({ wrId }) => wrId));
        await bench.fabric.run({ cycles: 100 });
      }
    };
    await Promise.all([poller(), poller()]);
    expect(found).toHaveLength(count);
    expect(new Set(found).size).toBe(count);
    expect(await pollCq(pair.b.recvCq)).toHaveLength(count);
  });

  it('READs and WRITEs use no receive, whether there is one or not; a WRITE with immediate that is refused uses none either [C10-85] [C10-87]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const [source, sink] = [await bench.region('a', 1000), await bench.region('b', 1000)];
    const both: Message[] = (['RDMA_WRITE', 'RDMA_READ'] as const).map((op, i) => ({
      op,
      local: [{ region: source, at: 200 * i, length: 100 }],
      remote: { region: sink, at: 300 * i },
    }));
    await exchange(bench, pair, both);
    for (const wrId of [5, 6]) postRecv(pair.b.qp, { wrId });
    await exchange(bench, pair, both, { first: 10 });
    expect((await queryQp(pair.b.qp)).context).toMatchObject({ rqProducer: 2, rqConsumer: 0 });
    postSend(pair.a.qp, {
      ...send,
      opcode: 'RDMA_WRITE_WITH_IMM',
      sgList: [source.sge(0, 8)],
      remoteAddr: 0n,
      rkey: 1,
    });
    await bench.completions(pair.a.sendCq, [failed(pair.a, 'send', 1, 'REM_ACCESS_ERR')]);
    await bench.completions(
      pair.b.recvCq,
      [5, 6].map((wrId) => failed(pair.b, 'receive', wrId, 'WR_FLUSH_ERR')),
    );
    expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
  });

  it('a message of length 0 looks at no key of the receive that it takes [C10-54.1.2]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const bogus = [{ addr: 0xdead_0000n, length: 64, lkey: 0xdead_beef }];
    for (const wrId of [0, 1, 2]) postRecv(pair.b.qp, { wrId, sgList: bogus });
    postSend(
      pair.a.qp,
      (['SEND', 'SEND_WITH_IMM', 'RDMA_WRITE_WITH_IMM'] as const).map((opcode, wrId) => ({
        ...send,
        opcode,
        wrId,
      })),
    );
    await bench.completions(
      pair.b.recvCq,
      [0, 1, 2].map((wrId) => ({ wrId, status: 'SUCCESS' as const, byteLen: 0 })),
    );
    await bench.completions(
      pair.a.sendCq,
      [0, 1, 2].map((wrId) => ({ wrId, status: 'SUCCESS' as const })),
    );
  });
});

const RIGHTS = [
  0,
  LOCAL_WRITE,
  REMOTE_READ,
  LOCAL_WRITE | REMOTE_READ,
  LOCAL_WRITE | REMOTE_WRITE,
  LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ,
];

describe.each(devices)('registration on the %s', (_, setup) => {
  it.each(RIGHTS)('rights %i allow what they name and nothing else [C10-46] [C10-57]', async (access) => {
    const bench = await openBench(setup);
    const source = await bench.region('a', 100);
    const own = await bench.region('b', 100, { access });
    bench.drops.b = { STATE: 'any' };
    // Sending from it is always allowed.
    const first = await bench.connect();
    const back = await bench.region('a', 10);
    await exchange(bench, first, [
      {
        op: 'SEND',
        from: 'b',
        local: [{ region: own, at: 0, length: 9 }],
        receive: [{ region: back, at: 0, length: 9 }],
      },
    ]);
    for (const [op, right] of [
      ['SEND', LOCAL_WRITE],
      ['RDMA_WRITE', REMOTE_WRITE],
      ['RDMA_READ', REMOTE_READ],
    ] as const) {
      const pair = await bench.connect();
      const local = [{ region: source, at: 20, length: 8 }];
      const remote = { region: own, at: 40 };
      if ((access & right) !== 0) {
        await exchange(bench, pair, [
          op === 'SEND' ? { op, local, receive: [{ ...remote, length: 8 }] } : { op, local, remote },
        ]);
        continue;
      }
      if (op === 'SEND') postRecv(pair.b.qp, { wrId: 1, sgList: [own.sge(40, 8)] });
      const target = op === 'SEND' ? {} : { remoteAddr: own.va(40), rkey: own.key };
      postSend(pair.a.qp, { ...send, opcode: op, sgList: [source.sge(20, 8)], ...target });
      await bench.completions(pair.a.sendCq, [
        failed(pair.a, 'send', 1, op === 'SEND' ? 'REM_OP_ERR' : 'REM_ACCESS_ERR'),
      ]);
      if (op === 'SEND')
        await bench.completions(pair.b.recvCq, [failed(pair.b, 'receive', 1, 'LOC_PROT_ERR')]);
      expect(await bench.events('b')).toEqual(op === 'SEND' ? [] : [`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
    }
  });

  it.each([Access.REMOTE_WRITE, Access.REMOTE_ATOMIC])(
    'right %i without local write is refused, with it it is not [C10-48]',
    async (right) => {
      const bench = await openBench(setup);
      const buffer = bench.context('b').memory.allocate(64);
      const pd = await bench.pd('b');
      await expect(regMr(pd, buffer, 64, right)).rejects.toThrow('INVALID_ACCESS');
      const mr = await regMr(pd, buffer, 64, right | LOCAL_WRITE);
      expect((await queryMr(mr)).access).toBe(right | LOCAL_WRITE);
      await deregMr(mr);
    },
  );

  it('regions over the same memory keep to their own rules, and end one by one [C10-49] [C10-58]', async () => {
    const bench = await openBench(setup);
    const source = await bench.region('a', 100);
    const whole = await bench.region('b', 200);
    const part = await regMr(await bench.pd('b'), whole.buffer.va + 50n, 100, REMOTE_READ);
    const foreign = await regMr(await allocPd(bench.context('b')), whole.buffer, 200, ALL_ACCESS);
    const attempt = async (op: 'RDMA_WRITE' | 'RDMA_READ', key: number) => {
      const pair = await bench.connect();
      bench.drops.b = { STATE: 'any' };
      postSend(pair.a.qp, {
        ...send,
        opcode: op,
        sgList: [source.sge(0, 8)],
        remoteAddr: whole.buffer.va + 60n,
        rkey: key,
      });
      const [wc] = await waitCompletions(bench.fabric, pair.a.sendCq, 1);
      const { status } = wc!;
      const events = await bench.events('b');
      expect(events).toEqual(status === 'SUCCESS' ? [] : [`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
      if (status === 'SUCCESS' && op === 'RDMA_WRITE') whole.image.set(source.image.subarray(0, 8), 60);
      if (status === 'SUCCESS' && op === 'RDMA_READ') source.image.set(whole.image.subarray(60, 68), 0);
      return status === 'SUCCESS';
    };
    expect(await attempt('RDMA_WRITE', whole.key)).toBe(true);
    expect(await attempt('RDMA_READ', part.key)).toBe(true);
    expect(await attempt('RDMA_WRITE', part.key)).toBe(false);
    expect(await attempt('RDMA_READ', foreign.key)).toBe(false);
    await deregMr(part);
    expect(await attempt('RDMA_READ', part.key)).toBe(false);
    expect(await attempt('RDMA_READ', whole.key)).toBe(true);
    await deregMr(foreign);
  });

  it('a buffer may begin at any byte of a page [C10-50]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const offsets = [
      ...Array.from({ length: 33 }, (_, i) => i),
      ...Array.from({ length: 24 }, (_, i) => 60 + 171 * i),
      4094,
      4095,
    ];
    for (const [i, offset] of offsets.entries()) {
      const [source, sink] = [
        await bench.region('a', 70, { offset: 4095 - offset }),
        await bench.region('b', 70, { offset }),
      ];
      await exchange(
        bench,
        pair,
        [
          {
            op: 'RDMA_WRITE',
            local: [{ region: source, at: 0, length: 35 }],
            remote: { region: sink, at: 0 },
          },
          {
            op: 'RDMA_READ',
            local: [{ region: source, at: 35, length: 35 }],
            remote: { region: sink, at: 35 },
          },
        ],
        { first: 2 * i },
      );
      for (const region of [source, sink]) {
        expect(await region.buffer.read()).toEqual(region.image);
        await deregMr(region.mr);
      }
    }
  });

  it('a buffer may have any length, to the most that there is [C10-51]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const source = await bench.region('a', 5000);
    for (const length of [1, 3, 63, 4095, 4096, 4097, 12_289]) {
      const sink = await bench.region('b', length);
      const part = Math.min(length, 4000);
      await exchange(bench, pair, [
        {
          op: 'RDMA_WRITE',
          local: [{ region: source, at: 0, length: part }],
          remote: { region: sink, at: length - part },
        },
      ]);
    }
    const { context, pd } = pair.b;
    const gib = 2n ** 30n;
    // All translation entries that are left, each of the largest page.
    const pages = Array.from({ length: 64 }, (_, i) => BigInt(i) * gib);
    const most = await regMr(pd, 0n, 64n * gib, REMOTE_READ, { pages, pageShift: 30 });
    expect((await queryMr(most)).length).toBe(64n * gib);
    await deregMr(most);
    await expect(regMr(pd, 0n, 64n * gib + 1n, REMOTE_READ, { pages, pageShift: 30 })).rejects.toThrow(
      'INVALID_BUFFER_LIST',
    );
    await expect(regMr(pd, 0n, 2n ** 63n + 1n, REMOTE_READ, { pages, pageShift: 30 })).rejects.toThrow(
      'INVALID_LENGTH',
    );
    const tooMany = Array.from(
      { length: 2 ** context.attributes.sizes.logMtts + 1 },
      (_, i) => BigInt(i) * 4096n,
    );
    await expect(regMr(pd, 0n, 4096, REMOTE_READ, { pages: tooMany })).rejects.toThrow(
      'INSUFFICIENT_RESOURCES',
    );
  });

  it('a registration that fails leaves nothing behind, however often [C10-45] [C10-53.2.1]', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    const pd = await bench.pd('b');
    const entries = 2 ** context.attributes.sizes.logMtts;
    const good = [0x10_0000n, 0x20_0000n];
    const bad = [
      { pages: [0x10_0000n, 0x20_0800n] },
      { pages: [0x10_0001n, 0x20_0000n] },
      { pages: good, pageShift: 21 },
      { pages: good, offset: 4096 },
      { pages: Array.from({ length: entries + 1 }, (_, i) => BigInt(i) * 4096n) },
    ];
    for (let round = 0; round < 30; round++)
      for (const options of bad)
        await expect(regMr(pd, 0x1000n, 8000, REMOTE_READ, options)).rejects.toThrow(
          /INVALID_BUFFER_LIST|INSUFFICIENT/,
        );
    expect(pd.users).toBe(0);
    const mr = await regMr(pd, 0x1000n, 8000, REMOTE_READ, { pages: good });
    expect(await queryMr(mr)).toMatchObject({ length: 8000n, start: 0x1000n });
    await deregMr(mr);
  });

  it('nobody touches a buffer whose completion has been polled, not even for what comes late [C10-107] [C10-108]', async () => {
    const bench = await openBench(setup, { hosts: { a: { tick: 16 }, b: { tick: 16 } } });
    const pair = await bench.connect({ mtuBytes: 256, attr: { timeout: 7 } });
    for (const side of ['a', 'b'] as const)
      bench.drops[side] = { DUPLICATE: 'any', RESPONSE: 'any', SEQUENCE: 'any' };
    const [source, sink] = [await bench.region('a', 4000), await bench.region('b', 4000)];
    await bench.run.setFaults([
      { what: 'duplicate', count: 6, cycles: 9000 },
      { what: 'drop', nth: 7, count: 2 },
    ]);
    const quiet = { signaled: false };
    const at = (from: number, to: number) => ({
      local: [{ region: source, at: from, length: 600 }],
      remote: { region: sink, at: to },
    });
    await exchange(bench, pair, [
      { op: 'RDMA_WRITE', ...at(0, 0), flags: quiet },
      { op: 'SEND', local: at(700, 0).local, receive: [{ region: sink, at: 700, length: 600 }] },
      { op: 'RDMA_WRITE', ...at(1400, 1400), flags: quiet },
      { op: 'RDMA_WRITE', ...at(2100, 2100) },
    ]);
    bench.fabric.setTaps({ dma: true });
    await bench.fabric.takeTaps();
    await bench.fabric.run({ cycles: 40_000 });
    const pages = [source, sink].map(({ buffer, side }) => ({
      device: bench.index(side),
      from: buffer.physical(0) & ~0xfffn,
    }));
    const touched = (await bench.fabric.takeTaps()).filter(
      (tap) =>
        (tap.kind === 'dma-read' || tap.kind === 'dma-write') &&
        pages.some(
          ({ device, from }) => tap.device === device && tap.address >= from && tap.address < from + 8192n,
        ),
    );
    expect(touched).toEqual([]);
  });
});

describe.each(devices)('handlers on the %s', (_, setup) => {
  const fail = async (bench: Bench): Promise<Qp> => {
    const pair = await bench.connect({ psns: [0x100, 0x200] });
    bench.drops.a = { RESPONSE: 'any' };
    await inject(bench, 'a', packetOf(pair, 'a', { opcode: 2, psn: 0x100 }));
    return pair.b.qp;
  };

  it('an error calls the handler that was set last, with what it is about; one before any is lost [C10-138] [C10-139]', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    const calls: string[] = [];
    setAsyncHandler(context, undefined);
    await fail(bench);
    for (const name of ['A', 'B'])
      setAsyncHandler(context, ({ event, number, qp }) => {
        calls.push(`${name}: ${event} ${number} ${qp?.qpn}`);
      });
    await bench.settle();
    expect(calls).toEqual([]);
    const { qpn } = await fail(bench);
    await bench.settle();
    expect(calls).toEqual([`B: QP_REQ_ERR ${qpn} ${qpn}`]);
  });

  it('a completion event tells its CQ, and calls the handler that was set last [C10-110.2.1] [C10-114]', async () => {
    const bench = await openBench(setup, { hosts: { b: { capMask: WITHOUT_LISTS } } });
    const pairs = [await bench.connect(), await bench.connect()];
    const calls: string[] = [];
    for (const name of ['A', 'B'])
      setCompletionHandler(bench.context('b'), (cq) => {
        calls.push(`${name} ${cq.cqn}`);
      });
    for (const { b } of pairs) {
      await reqNotifyCq(b.recvCq);
      postRecv(b.qp, { wrId: 1 });
    }
    const [, second] = pairs;
    await exchange(bench, second!, [{ op: 'RDMA_WRITE' }]);
    postSend(second!.a.qp, send);
    await bench.settle();
    await processEvents(bench.context('b'));
    expect(calls).toEqual([`B ${second!.b.recvCq.cqn}`]);
    expect(await pollCq(second!.b.recvCq)).toHaveLength(1);
    expect(await pollCq(second!.a.sendCq)).toHaveLength(1);
  });
});

/** All capabilities but wr_list. */
const WITHOUT_LISTS = 0xffff_ffff_ffff_bfffn;

describe.each(devices)('base queue management extensions on the %s', (_, setup) => {
  /** A pair for each handler id, its receive CQ armed, and a SEND to each. */
  async function sendToAll(bench: Bench, ids: readonly number[]): Promise<Record<number, Cq>> {
    const context = bench.context('b');
    const cqs: Record<number, Cq> = {};
    for (const handlerId of ids) {
      const recvCq = await createCq(context, 16, { handlerId });
      cqs[handlerId] = recvCq;
      const pair = await bench.connect({ b: { recvCq } });
      await reqNotifyCq(recvCq);
      postRecv(pair.b.qp, { wrId: 1 });
      postSend(pair.a.qp, send);
      await bench.settle();
      expect(await pollCq(recvCq)).toHaveLength(1);
      expect(await pollCq(pair.a.sendCq)).toHaveLength(1);
    }
    return cqs;
  }

  it('there are as many completion handlers as Query HCA tells, and each CQ has its own [o10-54.2.1]', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    const { completionHandlers } = await queryDevice(context);
    expect(completionHandlers).toBeGreaterThan(1);
    const calls: [handlerId: number, cq: Cq][] = [];
    const ids = Array.from({ length: completionHandlers }, (_, handlerId) => handlerId);
    for (const id of ids) setCompletionHandler(context, (cq) => void calls.push([id, cq]), id);
    const used = [0, 1, completionHandlers - 1];
    const first = await sendToAll(bench, used);
    expect(calls.splice(0)).toEqual(used.map((id) => [id, first[id]]));

    setCompletionHandler(context, undefined, 1);
    const second = await sendToAll(bench, used);
    expect(calls).toEqual([0, completionHandlers - 1].map((id) => [id, second[id]]));

    const invalid = { reason: 'INVALID_HANDLER_ID' };
    expect(() => setCompletionHandler(context, () => {}, completionHandlers)).toThrow(
      expect.objectContaining(invalid),
    );
    await expect(createCq(context, 4, { handlerId: completionHandlers })).rejects.toMatchObject(invalid);
  });

  it('a handler replaces the one before of its number, and none clears it [o10-54.2.2]', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    const calls: string[] = [];
    setCompletionHandler(context, () => void calls.push('other'), 3);
    for (const name of ['A', 'B', undefined]) {
      setCompletionHandler(context, name === undefined ? undefined : () => void calls.push(name), 2);
      await sendToAll(bench, [2]);
    }
    expect(calls).toEqual(['A', 'B']);
  });

  it('without them there is one handler, and a list is refused whole', async () => {
    const bench = await openBench(setup, { hosts: { b: { capMask: WITHOUT_LISTS } } });
    const context = bench.context('b');
    expect(await queryDevice(context)).toMatchObject({ completionHandlers: 1 });
    await expect(createCq(context, 4, { handlerId: 1 })).rejects.toMatchObject({
      reason: 'INVALID_HANDLER_ID',
    });
    const { qp } = (await bench.connect()).b;
    const list = [{ wrId: 1 }, { wrId: 2 }];
    expect(() => postRecv(qp, list)).toThrow(expect.objectContaining({ reason: 'NOT_SUPPORTED' }));
    expect(() => postSend(qp, [send, send])).toThrow(expect.objectContaining({ reason: 'NOT_SUPPORTED' }));
    expect([qp.rq.outstanding, qp.sq.outstanding]).toEqual([0, 0]);
    expect(postRecv(qp, [list[0]!])).toBe(1);
  });
});

describe.each(devices)('registered memory on the %s', (_, setup) => {
  it('has its pages pinned, by register and reregister, as long as the region lives [C10-52.2.1]', async () => {
    const bench = await openBench(setup);
    const context = bench.context('a');
    const { memory } = context;
    const pd = await bench.pd('a');
    const [first, second] = [allocBuffer(context, 3 * 4096), allocBuffer(context, 2 * 4096)];
    const pins = () => [first, second].map(({ pages }) => pages.map((page) => memory.pinsOf(page)));
    expect(pins()).toEqual([
      [0, 0, 0],
      [0, 0],
    ]);
    const whole = await regMr(pd, first, first.length, Access.LOCAL_WRITE);
    const part = await regMr(pd, first.va + 4096n, 4096, 0);
    expect(pins()).toEqual([
      [1, 2, 1],
      [0, 0],
    ]);
    await reregMr(whole, { translation: { memory: second, length: second.length } });
    expect(pins()).toEqual([
      [0, 1, 0],
      [1, 1],
    ]);
    context.checks = false; // the pins hold by themselves
    for (const buffer of [first, second])
      expect(() => freeBuffer(context, buffer)).toThrow(expect.objectContaining({ reason: 'BUSY' }));
    const refused = { translation: { memory: first, length: 4096 }, access: Access.REMOTE_WRITE };
    await expect(reregMr(part, refused)).rejects.toMatchObject({ commandStatus: 'BAD_PARAM' });
    await expect(regMr(pd, first, 4096, Access.REMOTE_WRITE)).rejects.toMatchObject({
      commandStatus: 'BAD_PARAM',
    });
    context.checks = true;
    expect(pins()).toEqual([
      [0, 1, 0],
      [1, 1],
    ]);
    await deregMr(whole);
    await deregMr(part);
    expect(pins()).toEqual([
      [0, 0, 0],
      [0, 0],
    ]);
    for (const buffer of [first, second]) freeBuffer(context, buffer);
  });
});

const headOf = (bytes: Uint8Array) => ({
  dlid: (bytes[2]! << 8) | bytes[3]!,
  slid: (bytes[6]! << 8) | bytes[7]!,
});

describe.each(devices)('paths on the %s', (_, setup) => {
  it('a GRH carries the source GID that the path names [C10-1]', async () => {
    const gids = [(0xfe80n << 112n) | 1n, 0x1234n << 64n, 0xabcdn << 100n];
    const bench = await openBench(setup, { hosts: { a: { port: { gids } }, b: { port: { gids } } } });
    for (const [index, gid] of gids.entries()) {
      expect(await queryGid(bench.context('a'), index)).toBe(gid);
      const pair = await bench.connect({ path: { grh: true, sgidIndex: index, dgid: gid } });
      bench.fabric.setTaps({ packets: true });
      await bench.fabric.takeTaps();
      await exchange(bench, pair, [{ op: 'RDMA_WRITE' }, { op: 'RDMA_WRITE', from: 'b' }]);
      const sgids = (await bench.fabric.takeTaps()).flatMap((tap) =>
        tap.kind === 'packet' ? [BigInt(`0x${Buffer.from(tap.bytes.subarray(16, 32)).toString('hex')}`)] : [],
      );
      expect(sgids).toEqual(Array(4).fill(gid));
    }
  });

  it.each([
    [2, 3],
    [2, 0],
    [0, 0],
    [7, 0x55],
  ])('with LMC %i, path bits %i are the low bits of the source LID [C10-3]', async (lmc, pathBits) => {
    const lids = { a: 0x80, b: 0x100 };
    const bench = await openBench(setup, {
      hosts: { a: { port: { lid: lids.a, lmc } }, b: { port: { lid: lids.b, lmc } } },
    });
    const toA = { dlid: lids.a + pathBits, pathBits };
    const toB = { dlid: lids.b + pathBits, pathBits };
    const { pair, partner } = await lone(bench);
    await partner();
    await toInit(pair.b.qp);
    await toReadyToReceive(pair.b.qp, pair.a, 0x100, { path: toA });
    await toReadyToSend(pair.b.qp, 0x200);
    await modifyQp(pair.a.qp, { state: 'RESET' });
    await toInit(pair.a.qp);
    await toReadyToReceive(pair.a.qp, pair.b, 0x200, { path: toB });
    await toReadyToSend(pair.a.qp, 0x100);
    bench.fabric.setTaps({ packets: true });
    postSend(pair.a.qp, { ...send, opcode: 'RDMA_WRITE' });
    postSend(pair.b.qp, { ...send, opcode: 'RDMA_WRITE' });
    await bench.settle();
    for (const side of ['a', 'b'] as const)
      expect(await pollCq(pair[side].sendCq)).toMatchObject([{ status: 'SUCCESS' }]);
    const sent = await takeSent(bench);
    expect(sent).toHaveLength(4);
    for (const { side, bytes } of sent)
      expect(headOf(bytes)).toEqual({
        slid: lids[side] + pathBits,
        dlid: (side === 'a' ? lids.b : lids.a) + pathBits,
      });
  });

  it('the destination is that of the queue pair, until it is modified [C10-4]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ attr: { timeout: 0 } });
    const { port } = bench.context('b');
    bench.fabric.setTaps({ packets: true });
    await exchange(bench, pair, [{ op: 'RDMA_WRITE' }, { op: 'SEND' }]);
    await modifyQp(pair.a.qp, { state: 'SQD' });
    await modifyQp(pair.a.qp, { state: 'SQD', av: { dlid: 0x77 } });
    await modifyQp(pair.a.qp, { state: 'RTS' });
    bench.drops.b = { DLID: 1 };
    postSend(pair.a.qp, { ...send, opcode: 'RDMA_WRITE' });
    await bench.settle();
    const sent = (await takeSent(bench)).filter(({ side }) => side === 'a');
    expect(sent.map(({ bytes }) => headOf(bytes).dlid)).toEqual([port.lid, port.lid, 0x77]);
    expect((await queryQp(pair.a.qp)).av.dlid).toBe(0x77);
    bench.tolerated = [/^wire: /];
    await destroyQp(pair.a.qp);
  });
});

const PAIRS = OPERATIONS.flatMap((first) =>
  OPERATIONS.flatMap((second) => [false, true].map((fence) => ({ first, second, fence }))),
);

describe.each(devices)('order on the %s', (_, setup) => {
  it.each(PAIRS)(
    '$first before $second, fence $fence: they start and complete in the order of posting [C10-98.2.1] [C10-101.2.1]',
    async ({ first, second, fence }) => {
      const bench = await openBench(setup);
      const pair = await bench.connect({ mtuBytes: 256, psns: [0x100, 0x200] });
      const [source, sink] = [await bench.region('a', 8000), await bench.region('b', 8000)];
      bench.fabric.setTaps({ packets: true });
      const message = (op: typeof first, at: number, flags: Message['flags'] = {}): Message => {
        const local = [{ region: source as Region, at, length: 600 }];
        const remote = { region: sink as Region, at };
        if (op.startsWith('SEND')) return { op, local, receive: [{ ...remote, length: 600 }], flags };
        return { op, local, remote, receive: [], flags };
      };
      await exchange(bench, pair, [message(first, 0), message(second, 1000, { fence })]);
      const sent = await takeSent(bench);
      const requests = sent.filter(({ side }) => side === 'a').map(({ psn }) => psn);
      expect(requests).toEqual(requests.toSorted((x, y) => x - y));
      if (!fence || first !== 'RDMA_READ') return;
      const starts = sent.findIndex(({ side, psn }) => side === 'a' && psn === 0x103);
      expect(starts).toBeGreaterThan(sent.findLastIndex(({ side, psn }) => side === 'b' && psn === 0x102));
    },
  );
});
