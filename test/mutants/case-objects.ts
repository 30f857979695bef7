import {
  askCq,
  type Context,
  createCq,
  createEq,
  modifyQp,
  pollCq,
  postRecv,
  postSend,
  queryCounters,
  queryEq,
  reqNotifyCq,
  ringDoorbell,
  toInit,
  toReadyToReceive,
  toReadyToSend,
} from '../../src/host/index.ts';
import { packEntry } from '../../src/host/table.ts';
import { CmdOp, StallCounter, WcStatus } from '../../src/spec/gen/enums.ts';
import { CQC, CQE } from '../../src/spec/gen/records.ts';
import {
  HEALTH_REG,
  LAST_ERROR_REG,
  LAST_EVENT_REG,
  REGIONS,
  REGISTERS,
} from '../../src/spec/gen/registers.ts';
import type { Fields, Layout } from '../../src/spec/layout.ts';
import { plain, statusOf } from './case-errors.ts';
import type { Case } from './case-transfers.ts';
import { sges, write } from './ground.ts';
import { same } from './same.ts';

/** Objects that change or fail while they work: CQs that move, rings that the host refuses, what the device tells of it. */

async function register<F extends Fields>(context: Context, name: keyof typeof REGISTERS, layout: Layout<F>) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, await context.device.barRead(0, REGISTERS[name].at, 8), true);
  return layout.unpack(bytes);
}

const counter = async (context: Context, region: 'nakCounters' | 'stallCounters', index: number) =>
  Number(await context.device.barRead(0, REGIONS[region].at + 8 * index, 8));

/** Its commands go past the driver, which keeps one ring: the CQ moves between the pages of that. */
const resize = plain(
  'resize',
  async ({ ground, source, sink }) => {
    const a = ground.context(0);
    const cq = await createCq(a, 256);
    const { ring } = cq;
    const pair = await ground.connect({ a: { sendCq: cq } });
    let next = 0;
    const send = async (count: number) => {
      for (let i = 0; i < count; i++)
        postSend(pair.a.qp, write(source, sink.mr.addr, sink.mr.key, 16, next++));
      await ground.settle();
    };
    sink.image.set(source.image.subarray(0, 16), 0);
    const move = (values: { mtt: number; logSize: number }, number = cq.cqn) =>
      statusOf(
        a.commands.execute(CmdOp.RESIZE_CQ, number, {
          mailbox: packEntry('cqc', { ...values, eqn: 3, uar: 9 }),
        }),
      );
    const entry = async (slot: number) => {
      const { wqeIndex, phase } = CQE.unpack(await a.device.memRead(ring.address(slot), CQE.bytes));
      return [wqeIndex, phase];
    };
    const state = async () => {
      const { capacity, producer, consumer, armed } = await askCq(cq);
      return [capacity, producer, consumer, armed];
    };
    const second = ring.mtt + 1;

    await send(5);
    ringDoorbell(a, 'cq', cq.cqn, 2);
    same(await move({ mtt: second, logSize: 1 }, 20), 'BAD_OWNER');
    same(await move({ mtt: second, logSize: 21 }), 'BAD_PARAM');
    same(await move({ mtt: second, logSize: 1 }), 'BAD_SIZE');
    same(await state(), [256, 5, 2, 'no'], 'nothing has changed');
    ringDoorbell(a, 'cq', cq.cqn, 2, 2);
    same(await move({ mtt: second, logSize: 2 }), 'OK');
    const { bar, at } = REGIONS.mailbox;
    const mailbox = new Uint8Array(32);
    for (let i = 0; i < 4; i++)
      new DataView(mailbox.buffer).setBigUint64(8 * i, await a.device.barRead(bar, at + 8 * i, 8), true);
    const { mtt, logSize, producer, consumer, armed } = CQC.unpack(mailbox);
    same([mtt, logSize, producer, consumer, armed], [ring.mtt, 8, 5, 2, 2], 'before the move');
    same(await state(), [4, 0, 0xfffffd, 'next']);

    // Slot 0, round 0; three of the ring before still take room.
    const events = (await queryCounters(a)).eqesWritten;
    await send(1);
    same(await entry(128), [5, 1]);
    same((await queryCounters(a)).eqesWritten, events + 1, 'the arming moved too');
    ringDoorbell(a, 'cq', cq.cqn, 0);
    await send(3);
    ringDoorbell(a, 'cq', cq.cqn, 4);
    await send(2);
    same(
      [await entry(128), await entry(129), await entry(130), await entry(131)],
      [
        [9, 0],
        [10, 0],
        [7, 1],
        [8, 1],
      ],
    );
    same(await state(), [4, 6, 4, 'no']);
    ringDoorbell(a, 'cq', cq.cqn, 6);
    await ground.settle();

    // One that is full fails, whatever was before.
    same(await move({ mtt: second, logSize: 0 }), 'OK');
    await send(1);
    same((await askCq(cq)).error, false);
    await send(1);
    same((await askCq(cq)).error, true);
    same(await ground.eventsOf(0), [`CQ_ERROR ${cq.cqn}`, `QP_FATAL ${pair.a.qp.qpn}`]);
    same(await move({ mtt: ring.mtt, logSize: 21 }), 'BAD_CQ_STATE');
  },
  { tolerated: [/WQEs .*are not done|without their completion|were not polled|error flag|CQ \d+/] },
);

const masked: Case = plain(
  'resize masked',
  async ({ ground }) => {
    const a = ground.context(0);
    const cq = await createCq(a, 16);
    const mailbox = packEntry('cqc', { mtt: cq.ring.mtt, logSize: 2 });
    same(await statusOf(a.commands.execute(CmdOp.RESIZE_CQ, cq.cqn, { mailbox })), 'BAD_OP');
    same((await askCq(cq)).capacity, 16);
  },
  { hosts: [{ capMask: ~(1n << 15n) }, {}] },
);

const refusedCqe = plain(
  'refused cqe',
  async ({ ground, source, sink }) => {
    const a = ground.context(0);
    const cq = await createCq(a, 16);
    const pair = await ground.connect({ a: { sendCq: cq } });
    const from = cq.ring.address(1);
    await ground.run.setFaults([], [{ host: 'a', kind: 'write', what: 'fail', from, to: from + 32n }]);
    sink.image.set(source.image.subarray(0, 16), 0);
    for (let i = 0; i < 2; i++) {
      postSend(pair.a.qp, write(source, sink.mr.addr, sink.mr.key, 16, i));
      await ground.settle();
    }
    same(await ground.eventsOf(0), [`CQ_ERROR ${cq.cqn}`, `QP_FATAL ${pair.a.qp.qpn}`]);
    same((await askCq(cq)).error, true);
    same((await queryCounters(a)).cqesWritten, 1);
    const { bar, at, stride } = REGIONS.cqcTable;
    const before = await a.device.barRead(bar as 2, at + cq.cqn * stride, 8);
    const mailbox = packEntry('cqc', { mtt: cq.ring.mtt, logSize: 2 });
    same(await statusOf(a.commands.execute(CmdOp.RESIZE_CQ, cq.cqn, { mailbox })), 'BAD_CQ_STATE');
    same(await a.device.barRead(bar as 2, at + cq.cqn * stride, 8), before);
    // Another queue pair of it fails when it wants to complete.
    const other = await ground.connect({ a: { sendCq: cq } });
    postSend(other.a.qp, write(source, sink.mr.addr, sink.mr.key, 16, 9));
    same(await ground.eventsOf(0), [`QP_FATAL ${other.a.qp.qpn}`]);
  },
  { tolerated: [/WQEs .*are not done|without their completion|were not polled|error flag|CQ \d+/] },
);

const refusedEqe = plain(
  'refused eqe',
  async ({ ground, source, sink }) => {
    const a = ground.context(0);
    const eq = await createEq(a);
    const cq = await createCq(a, 16, { eq });
    const pair = await ground.connect({ a: { sendCq: cq } });
    const from = eq.ring.address(0);
    await ground.run.setFaults([], [{ host: 'a', kind: 'write', what: 'fail', from, to: from + 32n }]);
    sink.image.set(source.image.subarray(0, 16), 0);
    await reqNotifyCq(cq, 'next');
    same((await register(a, 'health', HEALTH_REG)).fatal, 0);
    postSend(pair.a.qp, write(source, sink.mr.addr, sink.mr.key, 16, 1));
    same(await ground.eventsOf(0), [`DEVICE_FATAL ${eq.eqn}`]);
    const { fatal, cause, number } = await register(a, 'health', HEALTH_REG);
    same([fatal, cause, number], [1, 1, eq.eqn]);
    same((await queryEq(eq)).error, true);
    same((await register(a, 'lastEvent', LAST_EVENT_REG)).number, eq.eqn);
    // It has stopped: nothing is sent, nothing is received.
    const { txPackets, rxPackets } = await queryCounters(a);
    postSend(pair.a.qp, write(source, sink.mr.addr, sink.mr.key, 16, 2));
    postSend(pair.b.qp, write(sink, source.mr.addr, source.mr.key, 16, 3));
    await ground.run.watch.run({ cycles: 5000 });
    const after = await queryCounters(a);
    same([after.txPackets, after.rxPackets], [txPackets, rxPackets]);
  },
  {
    tolerated: [
      /WQEs .*are not done|without their completion|were not polled|error flag|Q \d+|owed|answer|acknowledge/i,
    ],
  },
);

const naks = plain(
  'naks',
  async ({ ground, source, sink }) => {
    const [a, b] = [ground.context(0), ground.context(1)];
    const seen = async () => ({
      sent: await Promise.all([0, 1, 2, 3, 4].map((i) => counter(b, 'nakCounters', i))),
      received: await Promise.all([8, 9, 10, 11, 12].map((i) => counter(a, 'nakCounters', i))),
    });
    same(await seen(), { sent: [0, 0, 0, 0, 0], received: [0, 0, 0, 0, 0] });
    const rnr = await ground.connect({ attr: { rnrRetry: 0 } });
    const send = {
      wrId: 1,
      opcode: 'SEND' as const,
      sgList: sges([{ region: source, at: 0, length: 10 }]),
      signaled: true,
    };
    postSend(rnr.a.qp, send);
    await ground.completions(rnr.a.sendCq, [{ wrId: 1, status: 'RNR_RETRY_EXC_ERR' }]);
    const found = await register(a, 'lastError', LAST_ERROR_REG);
    same(
      [found.qpn, found.queue, found.status, found.vendor >> 5],
      [rnr.a.qp.qpn, 0, WcStatus.RNR_RETRY_EXC_ERR, 1],
    );
    const access = await ground.connect();
    postSend(access.a.qp, [
      write(source, sink.mr.addr, sink.mr.key ^ 1, 16, 2),
      write(source, sink.mr.addr, sink.mr.key, 16, 3),
    ]);
    await ground.completions(access.a.sendCq, [
      { wrId: 2, status: 'REM_ACCESS_ERR' },
      { wrId: 3, status: 'WR_FLUSH_ERR' },
    ]);
    same(
      (await register(a, 'lastError', LAST_ERROR_REG)).status,
      WcStatus.REM_ACCESS_ERR,
      'flushed ones apart',
    );
    same(await ground.eventsOf(1), [`QP_ACCESS_ERR ${access.b.qp.qpn}`]);
    const rights = await ground.connect({ access: 0 });
    postSend(rights.a.qp, write(source, sink.mr.addr, sink.mr.key, 16, 4));
    await ground.completions(rights.a.sendCq, [{ wrId: 4, status: 'REM_INV_REQ_ERR' }]);
    same(await ground.eventsOf(1), [`QP_REQ_ERR ${rights.b.qp.qpn}`]);
    same(await seen(), { sent: [1, 0, 1, 1, 0], received: [1, 0, 1, 1, 0] });
    ground.drops[1].STATE = 'any';
  },
  { tolerated: [/WQEs .*are not done/] },
);

/** The host counts the same cycles. */
const stalls = plain(
  'stalls',
  async ({ ground, source, sink }) => {
    const pair = await ground.connect({ mtuBytes: 1024 });
    await ground.exchange(
      pair,
      [0, 1, 2].flatMap((i) => [
        {
          op: 'RDMA_WRITE',
          local: [{ region: source, at: 900 * i, length: 900 }],
          remote: { region: sink, at: 900 * i },
        },
        {
          op: 'RDMA_READ',
          local: [{ region: source, at: 900 * i, length: 900 }],
          remote: { region: sink, at: 900 * i },
        },
      ]),
    );
    await reqNotifyCq(pair.a.sendCq, 'next');
    await ground.exchange(pair, [
      { op: 'RDMA_WRITE', local: [{ region: source, at: 0, length: 9 }], remote: { region: sink, at: 0 } },
    ]);
    await ground.settle();
    for (const side of [0, 1] as const) {
      const stats = await ground.simulator.stats(side);
      const { DMA_READ, DMA_WRITE, LINK_OUT, LINK_IN, EVENT } = StallCounter;
      const found = [];
      for (const index of [DMA_READ, DMA_WRITE, LINK_OUT, LINK_IN, EVENT])
        found.push(await counter(ground.context(side), 'stallCounters', index));
      same(found, [
        stats.rdreq_stalls,
        stats.wr_stalls,
        stats.link_out_stalls,
        stats.link_in_stalls,
        stats.irq_stalls,
      ]);
      same(found[1]! > 0 && found[2]! > 0, true, 'the host paused');
    }
  },
  { profile: 'hostile' },
);

/** The host refuses data under a command without a completion: the message is no success all the same. */
const refusedData = plain(
  'refused data',
  async ({ ground, source, sink }) => {
    const bad = await ground.region(1, 1024);
    ground.simulator.fail(1, { access: 'write', address: bad.buffer.physical(0), length: 256 });
    const send = await ground.connect();
    postRecv(send.b.qp, { wrId: 1, sgList: sges([{ region: bad, at: 0, length: 768 }]) });
    const sgList = sges([{ region: source, at: 0, length: 768 }]);
    postSend(send.a.qp, { wrId: 1, opcode: 'SEND', sgList, signaled: true });
    bad.image.set(source.image.subarray(256, 768), 256);
    await ground.completions(send.b.recvCq, [{ wrId: 1, status: 'LOC_PROT_ERR' }]);

    const pair = await ground.connect();
    postSend(pair.a.qp, write(source, bad.mr.addr, bad.mr.key, 16, 2));
    const events = (await ground.eventsOf(1)).filter((event) => !event.startsWith('COMM_EST'));
    same(events, [`QP_FATAL ${pair.b.qp.qpn}`]);
    await pollCq(send.a.sendCq);
    await pollCq(pair.a.sendCq);

    // Another life of the queue pair knows nothing of it.
    for (const { qp } of [pair.a, pair.b]) await modifyQp(qp, { state: 'RESET' });
    for (const { qp } of [pair.a, pair.b]) await toInit(qp);
    await toReadyToReceive(pair.a.qp, pair.b, 0x900);
    await toReadyToReceive(pair.b.qp, pair.a, 0x800);
    await toReadyToSend(pair.a.qp, 0x800);
    await toReadyToSend(pair.b.qp, 0x900);
    await ground.exchange(pair, [
      {
        op: 'SEND',
        local: [{ region: source, at: 0, length: 16 }],
        receive: [{ region: sink, at: 0, length: 16 }],
      },
    ]);
  },
  { tolerated: [/WQEs .*are not done/] },
);

export const OBJECTS: readonly Case[] = [resize, masked, refusedCqe, refusedEqe, refusedData, naks, stalls];
