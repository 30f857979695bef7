import type { FaultRule } from '../../src/fault/index.ts';
import {
  Access,
  type ConnectOptions,
  deregMr,
  destroyQp,
  modifyQp,
  postRecv,
  postSend,
  queryCounters,
  queryQp,
  type SendWr,
  waitUntil,
} from '../../src/host/index.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { REGISTERS } from '../../src/spec/gen/registers.ts';
import type { Case } from './case-transfers.ts';
import { ALL, Ground, type GroundOptions, type Message, type Pair, type Region, sges } from './ground.ts';
import { same } from './same.ts';

/** The capability's bit. */
const CREDITS = 1n << 13n;
/** Cycles of 4.096 us: as few as there may be. */
const TICK = 16;
const HOST = { tick: TICK };
const NO_CREDITS = { ...HOST, capMask: REGISTERS.capMask.reset & ~CREDITS };
const MTU = 256;

interface Place {
  ground: Ground;
  source: Region;
  sink: Region;
  /** The next connection, and how its link fails. */
  meet(faults: readonly FaultRule[], attr?: ConnectOptions['attr']): Promise<Pair>;
}

/** Two HCAs whose clock of time-outs is fast, and a link that fails as the case tells. */
function lossy(
  name: string,
  play: (place: Place) => Promise<void>,
  options: GroundOptions & { tolerated?: RegExp[]; lost?: readonly string[] } = {},
): Case {
  return {
    name,
    async run(binary) {
      const ground = await Ground.open(binary, { hosts: [HOST, HOST], ...options });
      try {
        for (const drops of ground.drops)
          for (const reason of ['DUPLICATE', 'SEQUENCE', 'RESPONSE', ...(options.lost ?? [])])
            drops[reason] = 'any';
        const source = await ground.region(0, 12_000, { offset: 3 });
        const sink = await ground.region(1, 12_000, { offset: 4090 });
        const meet: Place['meet'] = async (faults, attr = {}) => {
          const pair = await ground.connect({ mtuBytes: MTU, attr: { timeout: 0, ...attr } });
          await ground.run.setFaults(faults);
          return pair;
        };
        await play({ ground, source, sink, meet });
        await ground.finish(options.tolerated);
      } finally {
        await ground.run.close();
      }
    },
  };
}

const drop = (psn: number, nth = 0, from: 'a' | 'b' = 'a'): FaultRule => ({ what: 'drop', from, psn, nth });

/** A message of several segments, none of them a whole packet. */
function scattered(
  op: Message['op'],
  near: Region,
  far: Region,
  at: number,
  sizes: readonly number[],
): Message {
  const local = sizes.map((length, i) => ({
    region: near,
    at: at + sizes.slice(0, i).reduce((sum, each) => sum + each + 5, 0),
    length,
  }));
  if (op === 'SEND') {
    const total = sizes.reduce((sum, each) => sum + each, 0);
    const first = Math.floor(total / 3);
    return {
      op,
      local,
      receive: [
        { region: far, at, length: first },
        { region: far, at: at + first + 9, length: total - first },
      ],
    };
  }
  return { op, local, remote: { region: far, at } };
}

const write = (source: Region, sink: Region, wrId: number, length = 16, at = 0): SendWr => ({
  wrId,
  opcode: 'RDMA_WRITE',
  sgList: sges([{ region: source, at, length }]),
  remoteAddr: sink.mr.addr + BigInt(at),
  rkey: sink.mr.key,
  signaled: true,
});

const send = (source: Region, wrId: number, length = 16, at = 0): SendWr => ({
  wrId,
  opcode: 'SEND',
  sgList: sges([{ region: source, at, length }]),
  signaled: true,
});

const carry = (from: Region, to: Region, at: number, length: number) =>
  to.image.set(from.image.subarray(at, at + length), at);

type Counters = Awaited<ReturnType<typeof queryCounters>>;

async function counts(ground: Ground, expected: Partial<Counters>): Promise<void> {
  const found = await queryCounters(ground.context(0));
  same(
    Object.fromEntries(Object.keys(expected).map((key) => [key, found[key as keyof Counters]])),
    expected,
    'counters',
  );
}

/** No timers run: what brings back what was lost is the NAK alone. */
const gap = lossy('gap', async ({ ground, source, sink, meet }) => {
  const pair = await meet([drop(0x101), drop(0x103, 1), drop(0x10a), drop(0x10f), drop(0x114)]);
  await ground.exchange(pair, [
    scattered('RDMA_WRITE', source, sink, 10, [100, 300, 0, 50, 500, 333]), // 0x100 .. 0x105
    scattered('SEND', source, sink, 2000, [1, 511, 255, 2, 300]), // .. 0x10a
    scattered('RDMA_WRITE', source, sink, 4000, [20]), // 0x10b
    scattered('SEND', source, sink, 5000, [1280]), // .. 0x110
    { op: 'RDMA_WRITE', inline: source.image.slice(0, 200), remote: { region: sink, at: 7000 } }, // 0x111
    scattered('RDMA_WRITE', source, sink, 8000, [700, 700]), // .. 0x117
  ]);
  await counts(ground, { retries: 5, timeouts: 0 });
});

/** One queue pair goes back while another sends: its own ring is read again. */
const ringAgain = lossy('ring again', async ({ ground, source, sink, meet }) => {
  const pair = await meet([drop(0x100)]);
  const other = await ground.connect({ mtuBytes: MTU, psns: [0x300, 0x400] });
  postSend(pair.a.qp, [write(source, sink, 1), write(source, sink, 2, 16, 100)]);
  postSend(other.a.qp, write(source, sink, 3, 9000, 2000));
  carry(source, sink, 0, 16);
  carry(source, sink, 100, 16);
  carry(source, sink, 2000, 9000);
  await ground.completions(pair.a.sendCq, [
    { wrId: 1, status: 'SUCCESS' },
    { wrId: 2, status: 'SUCCESS' },
  ]);
  await ground.completions(other.a.sendCq, [{ wrId: 3, status: 'SUCCESS' }]);
  await counts(ground, { retries: 1, timeouts: 0 });
});

/** What is lost where PSNs begin again. */
const wrap = lossy('wrap', async ({ ground, source, sink }) => {
  const pair = await ground.connect({ mtuBytes: MTU, attr: { timeout: 0 }, psns: [0xfffffe, 0xfffffe] });
  await ground.run.setFaults([
    { ...drop(0xffffff), opcode: Op.RC_WRITE_MIDDLE },
    { ...drop(0xffffff, 0, 'b'), opcode: Op.RC_WRITE_MIDDLE },
  ]);
  await ground.exchange(pair, [
    scattered('RDMA_WRITE', source, sink, 10, [1000]),
    scattered('RDMA_WRITE', source, sink, 2000, [10]),
  ]);
  await ground.exchange(pair, [{ ...scattered('RDMA_WRITE', sink, source, 5000, [1000]), from: 'b' }]);
});

/** Responses of READs are lost: the next one tells it. */
const readAgain = lossy('read again', async ({ ground, source, sink, meet }) => {
  const pair = await meet(
    [
      drop(0x101, 0, 'b'),
      drop(0x104, 1, 'b'),
      { what: 'drop', from: 'b', opcode: Op.RC_READ_RESPONSE_ONLY, nth: 0 },
    ],
    { retryCnt: 1 },
  );
  const read = (at: number, sizes: number[]) => scattered('RDMA_READ', source, sink, at, sizes);
  await ground.exchange(pair, [
    read(0, [400, 600, 1, 999]),
    read(3000, [1500]),
    read(5000, [100]),
    read(6000, [300, 300]),
  ]);
  await counts(ground, { timeouts: 0 });
});

/** A long WRITE behind a SEND that finds no receive WQE, and a WRITE that is posted while it waits. */
const rnrWait = lossy('rnr wait', async ({ ground, meet }) => {
  const long = 40_000;
  const near = await ground.region(0, long);
  const far = await ground.region(1, long + 100);
  const pair = await meet([], { minRnrTimer: 14 });
  ground.run.watch.setTaps({ packets: true });
  postSend(pair.a.qp, [send(near, 1, 40), write(near, far, 2, long)]);
  await ground.run.watch.run({ cycles: 3000 });
  postSend(pair.a.qp, write(near, far, 3, 16));
  await ground.run.watch.run({ cycles: 1500 });
  await ground.silentAfterAnswer(300, 'sent while the receiver is not ready');
  postRecv(pair.b.qp, { wrId: 9, sgList: sges([{ region: far, at: long, length: 40 }]) });
  far.image.set(near.image.subarray(0, 40), long);
  carry(near, far, 0, long);
  await ground.completions(
    pair.a.sendCq,
    [1, 2, 3].map((wrId) => ({ wrId, status: 'SUCCESS' })),
  );
  await ground.completions(pair.b.recvCq, [{ wrId: 9, status: 'SUCCESS' }]);
  await counts(ground, { retries: 0, timeouts: 0, rnrWaits: 1 });
});

/** Each delay by itself; the checks know how long it is. */
const rnrDelay = lossy('rnr delay', async ({ ground, source, sink, meet }) => {
  for (const code of [1, 2, 5, 6, 9, 11]) {
    const pair = await meet([], { minRnrTimer: code });
    postSend(pair.a.qp, send(source, code));
    await ground.run.watch.run({ cycles: 300 });
    postRecv(pair.b.qp, { wrId: 9, sgList: sges([{ region: sink, at: 0, length: 16 }]) });
    carry(source, sink, 0, 16);
    await ground.completions(pair.a.sendCq, [{ wrId: code, status: 'SUCCESS' }]);
    await ground.completions(pair.b.recvCq, [{ wrId: 9, status: 'SUCCESS' }]);
  }
});

const ACK = Op.RC_ACKNOWLEDGE;

/** No answer ever comes: the READ that waits for its turn is never asked for. */
const givenUp = lossy('given up', async ({ ground, source, sink, meet }) => {
  const pair = await meet([{ what: 'drop', from: 'b', count: 0 }], {
    timeout: 7,
    retryCnt: 1,
    maxRdAtomic: 1,
  });
  const read = (wrId: number): SendWr => ({
    ...write(source, sink, wrId, 16, 20 * wrId),
    opcode: 'RDMA_READ',
  });
  postSend(pair.a.qp, [read(0), read(1)]);
  await ground.completions(pair.a.sendCq, [
    { wrId: 0, status: 'RETRY_EXC_ERR' },
    { wrId: 1, status: 'WR_FLUSH_ERR' },
  ]);
  await ground.run.setFaults([]);
});

const timeOut = lossy('time out', async ({ ground, source, sink, meet }) => {
  // Acknowledges come late, but one before the time is over since the one before: nothing times out.
  const late = await meet([{ what: 'delay', from: 'b', opcode: ACK, count: 0, cycles: 3000 }], {
    timeout: 8,
  });
  for (let i = 0; i < 8; i++) {
    postSend(late.a.qp, write(source, sink, i, 16, 20 * i));
    carry(source, sink, 20 * i, 16);
    await ground.run.watch.run({ cycles: 1500 });
  }
  await ground.completions(
    late.a.sendCq,
    Array.from({ length: 8 }, (_, wrId) => ({ wrId, status: 'SUCCESS' as const })),
  );
  // What was idle for long has all its time.
  for (let i = 0; i < 3; i++) {
    await ground.run.watch.run({ cycles: 9000 });
    postSend(late.a.qp, write(source, sink, i, 16, 300 + 20 * i));
    carry(source, sink, 300 + 20 * i, 16);
    await ground.completions(late.a.sendCq, [{ wrId: i, status: 'SUCCESS' }]);
  }
  await counts(ground, { retries: 0, timeouts: 0 });
  // The end of a message is lost, then its beginning: a time-out, then a NAK. Then an acknowledge.
  const lost = await meet([{ ...drop(0x100), count: 2 }, drop(0x101), drop(0x102)], {
    timeout: 7,
    retryCnt: 2,
  });
  await ground.exchange(lost, [scattered('RDMA_WRITE', source, sink, 1000, [700])]);
  await counts(ground, { retries: 2, timeouts: 1 });
  await ground.run.setFaults([drop(0x103, 0, 'b')]);
  await ground.exchange(lost, [scattered('RDMA_WRITE', source, sink, 2000, [70])]);
  await counts(ground, { retries: 3, timeouts: 2 });
});

const noTimeOut = lossy('no time out', async ({ ground, source, sink, meet }) => {
  const pair = await meet([{ what: 'delay', from: 'b', opcode: ACK, cycles: 20_000 }]);
  await ground.exchange(pair, [scattered('RDMA_WRITE', source, sink, 10, [100])]);
  await counts(ground, { retries: 0, timeouts: 0 });
});

/** Seven are seven, but of RNR for ever. */
const seven = lossy(
  'seven',
  async ({ ground, source, sink, meet }) => {
    const rnr = await meet([], { minRnrTimer: 1 });
    postSend(rnr.a.qp, send(source, 1));
    await ground.run.watch.run({ cycles: 12_000 });
    if ((await queryCounters(ground.context(0))).rnrWaits < 9) throw new Error('expected more RNR waits');
    postRecv(rnr.b.qp, { wrId: 2, sgList: sges([{ region: sink, at: 0, length: 16 }]) });
    carry(source, sink, 0, 16);
    await ground.completions(rnr.a.sendCq, [{ wrId: 1, status: 'SUCCESS' }]);
    await ground.completions(rnr.b.recvCq, [{ wrId: 2, status: 'SUCCESS' }]);
    for (const [retryCnt, before] of [
      [7, 0],
      [2, 7],
      [0, 9],
    ] as const) {
      const pair = await meet([{ what: 'drop', from: 'a', count: 0 }], { timeout: 4, retryCnt });
      postSend(pair.a.qp, [write(source, sink, 1), write(source, sink, 2)]);
      await ground.completions(pair.a.sendCq, [
        { wrId: 1, status: 'RETRY_EXC_ERR' },
        { wrId: 2, status: 'WR_FLUSH_ERR' },
      ]);
      await counts(ground, { retries: before + retryCnt });
    }
    // RNR tries that end.
    await ground.run.setFaults([]);
    const two = await meet([], { minRnrTimer: 1, rnrRetry: 2 });
    const { rnrWaits } = await queryCounters(ground.context(0));
    postSend(two.a.qp, send(source, 1));
    await ground.completions(two.a.sendCq, [{ wrId: 1, status: 'RNR_RETRY_EXC_ERR' }]);
    await counts(ground, { rnrWaits: rnrWaits + 2 });
  },
  { tolerated: [/WQEs .*are not done/], lost: ['STATE'] },
);

/** Progress gives all tries back; what tells nothing new takes none. */
const tries = lossy(
  'tries',
  async ({ ground, source, sink, meet }) => {
    const done = (...ids: number[]) => ids.map((wrId) => ({ wrId, status: 'SUCCESS' as const }));
    // By an acknowledge.
    const acked = await meet([drop(0x100), drop(0x101), drop(0x102)], { timeout: 4, retryCnt: 1 });
    for (const i of [0, 1, 2]) {
      postSend(acked.a.qp, write(source, sink, i, 16, 20 * i));
      carry(source, sink, 20 * i, 16);
      await ground.completions(acked.a.sendCq, done(i));
    }
    await counts(ground, { retries: 3, timeouts: 3 });
    // By a NAK of what follows; and each NAK twice.
    const naked = await meet(
      [
        drop(0x101),
        drop(0x102, 1),
        drop(0x103, 2),
        { what: 'duplicate', from: 'b', opcode: ACK, psn: 0x101 },
        { what: 'duplicate', from: 'b', opcode: ACK, psn: 0x102 },
      ],
      { retryCnt: 1 },
    );
    const five = [0, 1, 2, 3, 4];
    postSend(
      naked.a.qp,
      five.map((i) => write(source, sink, i, 16, 100 + 20 * i)),
    );
    for (const i of five) carry(source, sink, 100 + 20 * i, 16);
    await ground.completions(naked.a.sendCq, done(...five));
    await counts(ground, { retries: 6, timeouts: 3 });
    // By NAKs that acknowledge packets of the same message.
    const single = await meet([drop(0x101), drop(0x103, 1), drop(0x104, 2)], { retryCnt: 1 });
    await ground.exchange(single, [scattered('RDMA_WRITE', source, sink, 1000, [1500])]);
    // RNR, by a NAK and by acknowledges.
    const rnr = await meet([{ what: 'drop', from: 'b', opcode: ACK, psn: 0x100, nth: 1 }], {
      minRnrTimer: 12,
      rnrRetry: 1,
    });
    postSend(
      rnr.a.qp,
      [0, 1, 2].map((i) => send(source, i, 16, 200 + 20 * i)),
    );
    for (const i of [0, 1, 2]) {
      await ground.run.watch.run({ cycles: 120 });
      postRecv(rnr.b.qp, { wrId: i, sgList: sges([{ region: sink, at: 200 + 20 * i, length: 16 }]) });
      carry(source, sink, 200 + 20 * i, 16);
      await ground.completions(rnr.b.recvCq, done(i));
    }
    await ground.completions(rnr.a.sendCq, done(0, 1, 2));
  },
  { hosts: [NO_CREDITS, NO_CREDITS] },
);

/** One goes back while another is busy: it reads its own ring again. */
const twoOfThem = lossy('two of them', async ({ ground, source, sink, meet }) => {
  const busy = await meet([], { timeout: 7 });
  const lost = await meet([drop(0x100)], { timeout: 7 });
  const done = [{ wrId: 1, status: 'SUCCESS' as const }];
  postSend(lost.a.qp, write(source, sink, 1));
  carry(source, sink, 0, 16);
  await ground.run.watch.run({ cycles: 300 });
  postSend(busy.a.qp, write(source, sink, 1, 16, 100));
  carry(source, sink, 100, 16);
  await ground.completions(busy.a.sendCq, done);
  await ground.completions(lost.a.sendCq, done);
});

/** What an acknowledge tells of so many receives (IBA vol. 1, 9.7.7.2). */
const codes = lossy('codes', async ({ ground, source, sink, meet }) => {
  const pair = await meet([]);
  const told: number[] = [];
  ground.run.watch.setTaps({ packets: true });
  for (let i = 0; i < 14; i++) {
    await ground.run.watch.takeTaps();
    postSend(pair.a.qp, write(source, sink, i, 16, 20 * i));
    carry(source, sink, 20 * i, 16);
    await ground.completions(pair.a.sendCq, [{ wrId: i, status: 'SUCCESS' }]);
    told.push(...ground.packetsOf(await ground.run.watch.takeTaps(), 1).map((bytes) => bytes[20]!));
    postRecv(pair.b.qp, { wrId: i, sgList: [] });
    await ground.run.watch.run({ cycles: 100 });
  }
  same(told, [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7], 'credit codes');
});

/**
 * A time-out goes back and reads WQE and payload again, slowly. The acknowledge of the first time comes while the WQE is read: all
 * is complete then. Or while the payload is read: nothing completes before that is over.
 */
const lateAck = lossy('late ack', async ({ ground, source, sink, meet }) => {
  const latency = 5000;
  const back = TICK * 2 ** 9 + 500; // the time-out, at the latest
  const done = [1, 2].map((wrId) => ({ wrId, status: 'SUCCESS' as const }));
  for (const [cycles, completes] of [
    [back + latency / 2, true],
    [back + latency + 1500, false],
  ] as const) {
    ground.simulator.set(0, 'read_latency', 100);
    const pair = await meet([{ what: 'delay', from: 'b', opcode: ACK, count: 0, cycles }], { timeout: 9 });
    postSend(pair.a.qp, [write(source, sink, 1, 600), write(source, sink, 2, 16, 700)]);
    carry(source, sink, 0, 600);
    carry(source, sink, 700, 16);
    await ground.run.watch.run({ cycles: 1000 });
    ground.simulator.set(0, 'read_latency', latency);
    await ground.run.watch.run({ cycles: cycles - 1000 + 1000 });
    await ground.present(pair.a.sendCq, completes ? done : []);
    if (!completes) await ground.completions(pair.a.sendCq, done);
    ground.simulator.set(0, 'read_latency', 100);
    await ground.run.setFaults([]);
    postSend(pair.a.qp, write(source, sink, 3, 20, 800));
    carry(source, sink, 800, 20);
    await ground.completions(pair.a.sendCq, [{ wrId: 3, status: 'SUCCESS' }]);
  }
  await counts(ground, { timeouts: 2 });
});

/** All is acknowledged while some of it has been sent again: the rest is not. */
const ackInReplay = lossy('ack in replay', async ({ ground, source, sink, meet }) => {
  const number = 30;
  const pair = await meet([{ what: 'drop', from: 'b', opcode: ACK, count: 0 }], { timeout: 7 });
  const { rqPsn } = await queryQp(pair.a.qp);
  ground.run.watch.setTaps({ packets: true });
  postSend(
    pair.a.qp,
    Array.from({ length: number }, (_, i): SendWr => {
      const { sgList, ...wr } = write(source, sink, i, 16, 20 * i);
      return { ...wr, inlineData: source.image.slice(20 * i, 20 * i + (sgList?.[0]?.length ?? 0)) };
    }),
  );
  for (let i = 0; i < number; i++) carry(source, sink, 20 * i, 16);
  let sent = 0;
  const step = async (cycles: number) => {
    await ground.run.watch.run({ cycles });
    const taps = await ground.run.watch.takeTaps();
    return taps.filter((tap) => tap.kind === 'packet' && tap.device === 0).length;
  };
  while (sent < number + 4) sent += await step(10);
  const last = 0x100 + number - 1;
  await ground.injectNow(
    pair,
    [{ opcode: ACK, aeth: { syndrome: 0, msn: number }, psn: (last - rqPsn) & 0xffffff }],
    'a',
  );
  sent += await step(100);
  same(await step(2000), 0, 'sent behind the acknowledge');
  if (sent > 2 * number - 6) throw new Error(`expected the replay to end, ${sent} packets`);
  await ground.completions(
    pair.a.sendCq,
    Array.from({ length: number }, (_, wrId) => ({ wrId, status: 'SUCCESS' as const })),
  );
});

/** What was said of a receive that is there now comes twice, the second time it is executed: its acknowledge ends a wait. */
const ackInWait = lossy('ack in wait', async ({ ground, source, sink, meet }) => {
  const pair = await meet([{ what: 'duplicate', from: 'a', opcode: Op.RC_SEND_ONLY, cycles: 4000 }], {
    minRnrTimer: 14,
    timeout: 9,
  });
  postSend(pair.a.qp, [send(source, 1, 8), send(source, 2, 9, 100)]);
  await ground.run.watch.run({ cycles: 1000 });
  for (const [wrId, at, length] of [
    [1, 0, 8],
    [2, 100, 9],
  ] as const) {
    postRecv(pair.b.qp, { wrId, sgList: sges([{ region: sink, at, length }]) });
    carry(source, sink, at, length);
  }
  for (const cq of [pair.a.sendCq, pair.b.recvCq])
    await ground.completions(cq, [
      { wrId: 1, status: 'SUCCESS' },
      { wrId: 2, status: 'SUCCESS' },
    ]);
});

/** What stands in the ring changes while it waits to be sent again; and a WQE behind it that never could be sent. */
const changed = lossy(
  'changed',
  async ({ ground, source, sink, meet }) => {
    const pair = await meet([drop(0x100)], { timeout: 8 });
    postSend(pair.a.qp, write(source, sink, 1, 100));
    await ground.run.watch.run({ cycles: 1000 });
    const { sq } = pair.a.qp;
    const bytes = await ground.context(0).device.memRead(sq.ring.address(0), 64);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const place = [...Array(64).keys()].find(
      (at) => at >= 32 && at % 4 === 0 && view.getUint32(at, true) === 100,
    );
    if (place === undefined) throw new Error('expected the length of a segment');
    view.setUint32(place, 101, true);
    ground.context(0).device.memWrite(sq.ring.address(0), bytes);
    postSend(pair.a.qp, write(source, sink, 2));
    await ground.completions(pair.a.sendCq, [
      { wrId: 1, status: 'LOC_QP_OP_ERR' },
      { wrId: 2, status: 'WR_FLUSH_ERR' },
    ]);
    const other = await meet([drop(0x100)], { timeout: 7 });
    const { addr, key } = source.mr;
    postSend(other.a.qp, [
      write(source, sink, 1, 100),
      {
        ...write(source, sink, 2),
        sgList: Array.from({ length: 3 }, () => ({ addr, length: 0x7000_0000, lkey: key })),
      },
    ]);
    carry(source, sink, 0, 100);
    await ground.completions(other.a.sendCq, [
      { wrId: 1, status: 'SUCCESS' },
      { wrId: 2, status: 'LOC_LEN_ERR' },
    ]);
    same(await ground.eventsOf(1), [], 'events of the peer: nothing wrong has reached it');
  },
  { tolerated: [/WQEs .*are not done/], lost: ['STATE'] },
);

/** SENDs run into the end of their credits; the checks know them. */
const credits = lossy('credits', async ({ ground, source, sink, meet }) => {
  const pair = await meet([], { minRnrTimer: 3 });
  let at = 0;
  for (const [receives, sends, first] of [
    [1, 1, 1],
    [5, 3, 2],
    [7, 9, 9],
    [14, 14, 14],
    [13, 13, 5],
  ] as const) {
    const ids = Array.from({ length: sends }, (_, i) => i);
    const start = at;
    at += 20 * sends;
    const receive = (i: number) =>
      postRecv(pair.b.qp, {
        wrId: i,
        sgList: sges([{ region: sink, at: i < sends ? start + 20 * i : 11_000, length: 16 }]),
      });
    const now = Math.min(first, receives, sends);
    for (let i = 0; i < now; i++) receive(i);
    postSend(
      pair.a.qp,
      ids.map((i) => send(source, i, 16, start + 20 * i)),
    );
    await ground.run.watch.run({ cycles: 1000 });
    for (let i = now; i < sends; i++) receive(i);
    for (const i of ids) carry(source, sink, start + 20 * i, 16);
    for (const cq of [pair.b.recvCq, pair.a.sendCq])
      await ground.completions(
        cq,
        ids.map((wrId) => ({ wrId, status: 'SUCCESS' })),
      );
  }
});

/** Acknowledges that acknowledge nothing: only their credits count, and they only grow. */
const ghost = lossy(
  'ghost',
  async ({ ground, source, sink, meet }) => {
    const pair = await meet([], { timeout: 8 });
    const { rqPsn } = await queryQp(pair.a.qp);
    const tell = async (syndrome: number, msn: number) => {
      const { sqPsn: now } = await queryQp(pair.a.qp);
      await ground.inject(
        pair,
        [{ opcode: ACK, aeth: { syndrome, msn }, psn: (now - 1 - rqPsn) & 0xffffff }],
        'a',
      );
    };
    await ground.exchange(pair, [
      scattered('SEND', source, sink, 0, [10]),
      scattered('SEND', source, sink, 100, [10]),
    ]);
    await tell(0, 0);
    await ground.exchange(pair, [
      scattered('SEND', source, sink, 200, [10]),
      scattered('SEND', source, sink, 300, [10]),
    ]);
    // NAKs of what is acknowledged, while something else is not.
    await ground.run.setFaults([drop(0x104)]);
    postSend(pair.a.qp, write(source, sink, 7, 16, 400));
    carry(source, sink, 400, 16);
    await ground.run.watch.run({ cycles: 500 });
    for (const syndrome of [0x63, 0x25, 0x60])
      await ground.injectNow(
        pair,
        [{ opcode: ACK, aeth: { syndrome, msn: 4 }, psn: (0x103 - rqPsn) & 0xffffff }],
        'a',
      );
    await ground.run.watch.run({ cycles: 500 });
    await counts(ground, { retries: 0, rnrWaits: 0 });
    await ground.completions(pair.a.sendCq, [{ wrId: 7, status: 'SUCCESS' }]);
  },
  { tolerated: [/credit/i] },
);

const drain = lossy(
  'drain',
  async ({ ground, source, sink, meet }) => {
    const pair = await meet([drop(0x105)], { timeout: 6 });
    await ground.eventsOf(0);
    ground.simulator.set(0, 'write_latency', 2000);
    ground.simulator.set(0, 'write_jitter', 3000);
    ground.simulator.set(0, 'write_reorder', 1);
    postSend(
      pair.a.qp,
      Array.from({ length: 12 }, (_, i) => write(source, sink, i, 700, 710 * i)),
    );
    for (let i = 0; i < 12; i++) carry(source, sink, 710 * i, 700);
    await ground.run.watch.run({ cycles: 150 });
    await modifyQp(pair.a.qp, { state: 'SQD', sqdNotify: true });
    postSend(pair.a.qp, write(source, sink, 12, 16, 8900));
    const qpn = pair.a.qp.qpn;
    while (ground.events[0]!.length === 0) {
      await ground.run.watch.run({ cycles: 200 });
      await ground.poll(0);
    }
    const started = (await queryQp(pair.a.qp)).context.sqNext;
    if (started >= 12) throw new Error('expected messages that are not started');
    // All completions of before are in memory with the event.
    await ground.present(
      pair.a.sendCq,
      Array.from({ length: started }, (_, wrId) => ({ wrId, status: 'SUCCESS' as const })),
    );
    same(await ground.eventsOf(0), [`SQ_DRAINED ${qpn}`]);
    same((await queryQp(pair.a.qp)).context.sqNext, started, 'started');
    await modifyQp(pair.a.qp, { state: 'RTS' });
    carry(source, sink, 8900, 16);
    await ground.completions(
      pair.a.sendCq,
      Array.from({ length: 13 - started }, (_, i) => ({ wrId: started + i, status: 'SUCCESS' as const })),
    );
    same(await ground.eventsOf(0), []);
    ground.context(0).device.setLink(false);
    same(await ground.eventsOf(0), ['PORT_ERR 1']);
    ground.context(0).device.setLink(true);
    same(await ground.eventsOf(0), ['PORT_ACTIVE 1']);
  },
  { lost: ['POISONED'] },
);

/** A payload that cannot be read, behind a message that was lost: that one is sent again all the same. */
const poison = lossy(
  'poison',
  async ({ ground, source, sink, meet }) => {
    const bad = await ground.region(0, 4096);
    ground.simulator.fail(0, { access: 'read', address: bad.buffer.physical(0), length: 4096 });
    const pair = await meet([drop(0x100)], { timeout: 7 });
    postSend(pair.a.qp, [write(source, sink, 1), write(bad, sink, 2, 40, 100), write(source, sink, 3)]);
    carry(source, sink, 0, 16);
    await ground.completions(pair.a.sendCq, [
      { wrId: 1, status: 'SUCCESS' },
      { wrId: 2, status: 'LOC_PROT_ERR' },
      { wrId: 3, status: 'WR_FLUSH_ERR' },
    ]);
  },
  { tolerated: [/WQEs .*are not done/], lost: ['POISONED', 'STATE'] },
);

const ATOMIC = ALL | Access.REMOTE_ATOMIC;
const word = (region: Region, at: number) => new DataView(region.image.buffer).getBigUint64(at, true);
const setWord = (region: Region, at: number, value: bigint) =>
  new DataView(region.image.buffer).setBigUint64(at, BigInt.asUintN(64, value), true);

/** An atomic, and what it does to the images. */
function atomic(
  wrId: number,
  found: Region,
  at: number,
  target: Region,
  place: number,
  { add, compare, swap }: { add?: bigint; compare?: bigint; swap?: bigint },
): SendWr {
  const old = word(target, place);
  setWord(found, at, old);
  if (add !== undefined) setWord(target, place, old + add);
  else if (old === compare) setWord(target, place, swap!);
  return {
    wrId,
    opcode: add === undefined ? 'ATOMIC_CMP_AND_SWP' : 'ATOMIC_FETCH_AND_ADD',
    sgList: [{ addr: found.mr.addr + BigInt(at), length: 8, lkey: found.mr.key }],
    atomic: {
      remoteAddr: target.mr.addr + BigInt(place),
      rkey: target.mr.key,
      compareAdd: add ?? compare!,
      ...(add === undefined ? { swap: swap! } : {}),
    },
    signaled: true,
  };
}

const atomics = lossy(
  'atomics',
  async ({ ground, meet }) => {
    const found = await ground.region(0, 4096, { access: ALL });
    const target = await ground.region(1, 256, { access: ATOMIC });
    const pairs = [];
    for (let i = 0; i < 6; i++) pairs.push(await meet([]));
    pairs.push(
      await meet([{ what: 'drop', from: 'b', opcode: Op.RC_ATOMIC_ACKNOWLEDGE, nth: 2 }], { timeout: 6 }),
    );
    let at = 0;
    const next = () => {
      at += 8;
      return at - 8;
    };
    const ids = [0, 1, 2, 3, 4, 5];
    const done = ids.map((wrId) => ({ wrId, status: 'SUCCESS' as const, byteLen: 8 }));
    // On their own words, with lost answers: what was found then is told again.
    for (const [i, pair] of pairs.entries()) {
      const own = 32 * i + 8 * (i % 3);
      postSend(
        pair.a.qp,
        ids.map((id) =>
          id % 3 === 2
            ? atomic(id, found, next(), target, own, { compare: 77n, swap: 1n })
            : id % 3 === 1
              ? atomic(id, found, next(), target, own, {
                  compare: word(target, own),
                  swap: 0x1234_5678_9abcn,
                })
              : atomic(id, found, next(), target, own, { add: 0x1_0000_0001n + BigInt(i) }),
        ),
      );
    }
    for (const pair of pairs) await ground.completions(pair.a.sendCq, done);
    await ground.run.setFaults([]);
    // On one word: what each found is one of the sums, and no two are the same.
    const start = word(target, 240);
    const places: number[] = [];
    for (const pair of pairs)
      postSend(
        pair.a.qp,
        ids.map((id) => {
          places.push(at);
          return atomic(id, found, next(), target, 240, { add: 3n });
        }),
      );
    for (const pair of pairs) await ground.completions(pair.a.sendCq, done);
    const bytes = await found.buffer.read(0, 4096);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const values = places.map((place) => view.getBigUint64(place, true));
    same(
      [...values].sort((a, b) => (a < b ? -1 : 1)),
      places.map((_, i) => BigInt.asUintN(64, start + 3n * BigInt(i))),
      'what was found',
    );
    for (const place of places) setWord(found, place, view.getBigUint64(place, true));
    // Keys of words that were compared and left alone come back.
    await deregMr(target.mr);
  },
  { settings: { write_latency: 300 } },
);

const atomicRefusals = lossy(
  'atomic refusals',
  async ({ ground, meet }) => {
    const found = await ground.region(0, 64);
    const target = await ground.region(1, 64, { access: ATOMIC });
    const poor = await ground.region(1, 64);
    const broken = await ground.region(1, 4096, { access: ATOMIC });
    ground.simulator.fail(1, { access: 'read', address: broken.buffer.physical(0), length: 4096 });
    const keep = [found.image.slice(), target.image.slice(), poor.image.slice(), broken.image.slice()];
    const base = (region: Region) => atomic(1, found, 0, region, 8, { add: 1n });
    const tries: [SendWr, string, ('barred' | { length: number } | { segments: number })?][] = [
      [
        { ...base(target), atomic: { ...base(target).atomic!, remoteAddr: target.mr.addr + 4n } },
        'REM_INV_REQ_ERR',
      ],
      [base(poor), 'REM_ACCESS_ERR'],
      [base(target), 'REM_INV_REQ_ERR', 'barred'],
      [base(broken), 'REM_OP_ERR'],
      // By a WQE that no driver writes: of another length, and of two segments.
      [base(target), 'LOC_LEN_ERR', { length: 4 }],
      [base(target), 'LOC_QP_OP_ERR', { segments: 2 }],
    ];
    for (const [wr, status, special] of tries) {
      const pair =
        special === 'barred'
          ? await ground.connect({ access: Access.REMOTE_WRITE | Access.REMOTE_READ })
          : await meet([]);
      postSend(pair.a.qp, [wr, { ...wr, wrId: 2 }]);
      if (typeof special === 'object') {
        const { device } = ground.context(0);
        const slot = pair.a.qp.sq.ring.address(0);
        const bytes = await device.memRead(slot, 64);
        if ('length' in special)
          new DataView(bytes.buffer, bytes.byteOffset).setUint32(40, special.length, true);
        else bytes[2] = special.segments;
        device.memWrite(slot, bytes);
      }
      await ground.completions(pair.a.sendCq, [
        { wrId: 1, status: status as 'REM_ACCESS_ERR' },
        { wrId: 2, status: 'WR_FLUSH_ERR' },
      ]);
    }
    for (const [i, region] of [found, target, poor, broken].entries()) region.image.set(keep[i]!);
    const events = (await ground.eventsOf(1)).map((event) => event.split(' ')[0]);
    same(
      events.filter((event) => event !== 'COMM_EST'),
      ['QP_ACCESS_ERR', 'QP_ACCESS_ERR', 'QP_ACCESS_ERR', 'QP_REQ_ERR'],
    );
  },
  { tolerated: [/WQEs .*are not done/], lost: ['STATE', 'POISONED'] },
);

/** The host answers an atomic late: what comes behind it waits, and is not done if the atomic cannot be. */
const atomicFirst = lossy(
  'atomic first',
  async ({ ground, source, sink, meet }) => {
    const found = await ground.region(0, 64);
    const target = await ground.region(1, 64, { access: ATOMIC });
    const broken = await ground.region(1, 4096, { access: ATOMIC });
    const pair = await meet([]);
    ground.simulator.set(1, 'read_latency', 600);
    const add = atomic(1, found, 0, target, 8, { add: 1n });
    postSend(pair.a.qp, [add, write(found, target, 2, 8, 8)]);
    carry(found, target, 8, 8);
    await ground.completions(pair.a.sendCq, [
      { wrId: 1, status: 'SUCCESS' },
      { wrId: 2, status: 'SUCCESS' },
    ]);

    ground.simulator.fail(1, { access: 'read', address: broken.buffer.physical(0), length: 4096 });
    const keep = [found.image.slice(), broken.image.slice()];
    const failing = await meet([]);
    postSend(failing.a.qp, [atomic(1, found, 16, broken, 8, { add: 1n }), write(source, sink, 2)]);
    for (const [i, region] of [found, broken].entries()) region.image.set(keep[i]!);
    await ground.completions(failing.a.sendCq, [
      { wrId: 1, status: 'REM_OP_ERR' },
      { wrId: 2, status: 'WR_FLUSH_ERR' },
    ]);
    await ground.eventsOf(1);
  },
  { tolerated: [/WQEs .*are not done/], lost: ['STATE', 'POISONED'] },
);

/** An atomic fails while a long command is under way: what is parked behind it is dropped at once, not when its queue pair is told. */
const failedAlone = lossy(
  'failed alone',
  async ({ ground, source, sink, meet }) => {
    const found = await ground.region(0, 64);
    const broken = await ground.region(1, 64, { access: ATOMIC });
    const gone = await meet([]);
    const pair = await meet([]);
    ground.simulator.fail(1, { access: 'read', address: broken.buffer.physical(0), length: 64 });
    ground.simulator.set(1, 'read_latency', 3000);
    const keep = [found.image.slice(), broken.image.slice()];
    postSend(pair.a.qp, [atomic(1, found, 0, broken, 8, { add: 1n }), write(source, sink, 2)]);
    for (const [i, region] of [found, broken].entries()) region.image.set(keep[i]!);
    await ground.run.watch.run({ cycles: 400 });
    // The host acknowledges so late what a queue pair has written that is destroyed.
    ground.simulator.set(1, 'wrack_latency', 8000);
    postSend(gone.a.qp, write(source, sink, 3, 16, 100));
    carry(source, sink, 100, 16);
    await ground.run.watch.run({ cycles: 400 });
    const start = ground.run.watch.now();
    const destroyed = destroyQp(gone.b.qp);
    await waitUntil(
      ground.run.watch,
      async () => (await queryCounters(ground.context(1))).drops.STATE > 0,
      20_000,
    );
    const waited = ground.run.watch.now() - start;
    if (waited > 5000) throw new Error(`expected the WRITE to be dropped within 5000 cycles, got ${waited}`);
    await destroyed;
    await ground.completions(gone.a.sendCq, [{ wrId: 3, status: 'SUCCESS' }]);
    await ground.completions(pair.a.sendCq, [
      { wrId: 1, status: 'REM_OP_ERR' },
      { wrId: 2, status: 'WR_FLUSH_ERR' },
    ]);
    same(await ground.eventsOf(1), [`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
  },
  { tolerated: [/WQEs .*are not done/], lost: ['STATE'] },
);

/** A peer that answers by what was not asked for, and one that asks too much. */
const badAnswers = lossy(
  'bad answers',
  async ({ ground, source, sink, meet }) => {
    const target = await ground.region(1, 64, { access: ATOMIC });
    const found = await ground.region(0, 64);
    const pair = await meet([{ what: 'drop', from: 'a', count: 0 }]);
    const keep = [found.image.slice(), target.image.slice()];
    postSend(pair.a.qp, atomic(1, found, 0, target, 0, { add: 1n }));
    found.image.set(keep[0]!);
    target.image.set(keep[1]!);
    await ground.settle();
    await ground.inject(
      pair,
      [
        {
          opcode: Op.RC_READ_RESPONSE_ONLY,
          aeth: { syndrome: 0x1f, msn: 1 },
          payload: new Uint8Array(8),
          psn: 0x100 - 0x200,
        },
      ],
      'a',
    );
    await ground.completions(pair.a.sendCq, [{ wrId: 1, status: 'BAD_RESP_ERR' }]);
    await ground.run.setFaults([]);
    // More READs than there are resources for.
    ground.simulator.set(1, 'read_latency', 2000);
    const many = await meet([], { maxRdAtomic: 4, maxDestRdAtomic: 2 });
    postSend(
      many.a.qp,
      [1, 2, 3, 4].map((wrId) => ({
        ...write(source, sink, wrId, 2900, 2950 * (wrId - 1)),
        opcode: 'RDMA_READ' as const,
      })),
    );
    await ground.completions(many.a.sendCq, [
      { wrId: 1, status: 'SUCCESS' },
      { wrId: 2, status: 'SUCCESS' },
      { wrId: 3, status: 'REM_INV_REQ_ERR' },
      { wrId: 4, status: 'WR_FLUSH_ERR' },
    ]);
    for (const at of [0, 2950]) source.image.set(sink.image.slice(at, at + 2900), at);
    await ground.eventsOf(1);
  },
  { tolerated: [/WQEs .*are not done|resources|outstanding/], lost: ['STATE'] },
);

/** Good requests right behind one that is refused. */
const refusedFirst = lossy(
  'refused first',
  async ({ ground, source, sink, meet }) => {
    for (const last of [8, 600]) {
      const pair = await meet([]);
      postSend(pair.a.qp, [
        write(source, sink, 0, 16, 100),
        { ...write(source, sink, 1, last), rkey: sink.mr.key ^ 1 },
        ...[2, 3, 4, 5, 6].map((i) => write(source, sink, i, 16, 500 + 20 * i)),
      ]);
      carry(source, sink, 100, 16);
      await ground.completions(pair.a.sendCq, [
        { wrId: 0, status: 'SUCCESS' },
        { wrId: 1, status: 'REM_ACCESS_ERR' },
        ...[2, 3, 4, 5, 6].map((wrId) => ({ wrId, status: 'WR_FLUSH_ERR' as const })),
      ]);
      same(await ground.eventsOf(1), [`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
      const { rqPsn } = await queryQp(pair.b.qp);
      same(rqPsn, 0x101, 'the PSN expected');
    }
  },
  { tolerated: [/WQEs .*are not done/], lost: ['STATE'] },
);

/** READs right behind the writes that they must see. */
const behind = lossy(
  'behind',
  async ({ ground, source, sink, meet }) => {
    const pair = await meet([]);
    const local = (at: number) => [{ region: source, at, length: 300 }];
    await ground.exchange(
      pair,
      [0, 1, 2].flatMap((i): Message[] => [
        { op: 'RDMA_WRITE', local: local(310 * i), remote: { region: sink, at: 400 * i } },
        { op: 'RDMA_READ', local: local(4000 + 310 * i), remote: { region: sink, at: 400 * i } },
      ]),
    );
  },
  { settings: { write_latency: 3000, wr_ready_percent: 5 } },
);

/** A packet comes again when what it wrote was overwritten. */
const doubled = lossy('doubled', async ({ ground, source, sink, meet }) => {
  const pair = await meet([
    { what: 'duplicate', from: 'a', psn: 0x100, cycles: 3000 },
    { what: 'duplicate', from: 'a', psn: 0x102, cycles: 3000 },
  ]);
  const at = (from: number, to: number, op: Message['op']): Message => ({
    op,
    local: [{ region: source, at: from, length: 50 }],
    ...(op === 'SEND'
      ? { receive: [{ region: sink, at: to, length: 50 }] }
      : { remote: { region: sink, at: to } }),
  });
  await ground.exchange(pair, [
    at(0, 0, 'RDMA_WRITE'),
    at(100, 0, 'RDMA_WRITE'),
    at(200, 300, 'SEND'),
    at(400, 300, 'RDMA_WRITE'),
    at(500, 400, 'SEND'),
  ]);
  await ground.settle();
  await ground.exchange(pair, [at(600, 500, 'SEND')]);
  // Every one of them, while those before wait for memory.
  await ground.run.setFaults([{ what: 'duplicate', from: 'a', count: 0 }]);
  ground.simulator.set(1, 'wr_ready_percent', 0);
  const ids = Array.from({ length: 32 }, (_, i) => i);
  postSend(
    pair.a.qp,
    ids.map((wrId) => write(source, sink, wrId, 256, 1000 + 260 * wrId)),
  );
  for (const wrId of ids) carry(source, sink, 1000 + 260 * wrId, 256);
  await ground.run.watch.run({ cycles: 1000 });
  ground.simulator.set(1, 'wr_ready_percent', 100);
  await ground.completions(
    pair.a.sendCq,
    ids.map((wrId) => ({ wrId, status: 'SUCCESS' })),
  );
});

/** Many packets come again at once, behind some that wait for memory. */
const doubledSlow = lossy('doubled slow', async ({ ground, source, sink, meet }) => {
  const pair = await meet([{ what: 'duplicate', from: 'a', count: 0, cycles: 2000 }]);
  const pieces = Array.from({ length: 16 }, (_, i) => ({ region: sink, at: 1000 + 17 * i, length: 16 }));
  const early = Array.from({ length: 12 }, (_, i) => i);
  for (let waiting = 1; waiting <= 4; waiting++) {
    const late = Array.from({ length: waiting }, (_, i) => 100 + i);
    for (const wrId of early) carry(source, sink, 40 * wrId, 32);
    postSend(
      pair.a.qp,
      early.map((wrId) => write(source, sink, wrId, 32, 40 * wrId)),
    );
    await ground.run.watch.run({ cycles: 1500 });
    // Each of these is written in 16 pieces.
    ground.simulator.set(1, 'wr_ready_percent', 0);
    for (const wrId of late) postRecv(pair.b.qp, { wrId, sgList: sges(pieces) });
    postSend(
      pair.a.qp,
      late.map((wrId) => send(source, wrId, 256)),
    );
    for (const [i, { at }] of pieces.entries())
      sink.image.set(source.image.subarray(16 * i, 16 * i + 16), at);
    await ground.run.watch.run({ cycles: 2500 });
    ground.simulator.set(1, 'wr_ready_percent', 100);
    await ground.completions(
      pair.a.sendCq,
      [...early, ...late].map((wrId) => ({ wrId, status: 'SUCCESS' })),
    );
    await ground.completions(
      pair.b.recvCq,
      late.map((wrId) => ({ wrId, status: 'SUCCESS' })),
    );
    await ground.settle();
  }
});

/** Everything at random, with slow hosts. */
const storm = lossy(
  'storm',
  async ({ ground, source, sink, meet }) => {
    const pair = await meet([], { timeout: 7, minRnrTimer: 3 });
    const chance = 0.02;
    await ground.run.setFaults([
      { what: 'drop', probability: chance, optional: true },
      { what: 'duplicate', probability: chance, cycles: 2500, optional: true },
      { what: 'reorder', probability: chance, optional: true },
      { what: 'delay', probability: chance, cycles: 4000, optional: true },
    ]);
    const far = await ground.region(0, 12_000);
    for (let round = 0; round < 3; round++) {
      const list: Message[] = [];
      for (let i = 0; i < 14; i++) {
        const at = 800 * i + 7 * round;
        const length = [5, 256, 700, 300][(i + round) % 4]!;
        if (i % 4 === 3)
          list.push({
            op: 'RDMA_READ',
            local: [{ region: far, at, length }],
            remote: { region: sink, at: 11_900 - length },
          });
        else if (i % 4 === 1)
          list.push({
            op: 'SEND',
            local: [{ region: source, at, length }],
            receive: [{ region: sink, at, length }],
          });
        else
          list.push({
            op: 'RDMA_WRITE',
            local: [{ region: source, at, length }],
            remote: { region: sink, at: at % 10_500 },
          });
      }
      await ground.exchange(pair, list);
    }
  },
  { settings: { read_latency: 400, write_latency: 300 } },
);

export const LOSSY: readonly Case[] = [
  gap,
  ringAgain,
  wrap,
  readAgain,
  behind,
  doubled,
  doubledSlow,
  rnrWait,
  rnrDelay,
  timeOut,
  givenUp,
  noTimeOut,
  seven,
  tries,
  twoOfThem,
  lateAck,
  ackInReplay,
  ackInWait,
  changed,
  credits,
  codes,
  ghost,
  drain,
  poison,
  atomics,
  atomicRefusals,
  atomicFirst,
  failedAlone,
  badAnswers,
  refusedFirst,
  storm,
];
