import {
  Access,
  allocPd,
  askCq,
  type Cq,
  createCq,
  createEq,
  createQp,
  deregMr,
  destroyCq,
  destroyQp,
  modifyQp,
  pollCq,
  postRecv,
  postSend,
  queryEq,
  queryQp,
  reqNotifyCq,
  ringDoorbell,
  toInit,
  toReadyToReceive,
  toReadyToSend,
  VerbsError,
} from '../../src/host/index.ts';
import { CmdOp, QpState } from '../../src/spec/gen/enums.ts';
import { MPT, QPC } from '../../src/spec/gen/records.ts';
import { REGIONS, REGISTERS } from '../../src/spec/gen/registers.ts';
import type { Case } from './case-transfers.ts';
import { ALL, Ground, type GroundOptions, type Pair, type Region, sges, write } from './ground.ts';
import { same } from './same.ts';

interface Place {
  ground: Ground;
  source: Region;
  sink: Region;
}

export function plain(
  name: string,
  play: (place: Place) => Promise<void>,
  options: GroundOptions & { tolerated?: RegExp[] } = {},
): Case {
  return {
    name,
    async run(binary) {
      const ground = await Ground.open(binary, options);
      try {
        const source = await ground.region(0, 4096);
        const sink = await ground.region(1, 4096);
        await play({ ground, source, sink });
        await ground.finish(options.tolerated);
      } finally {
        await ground.run.close();
      }
    },
  };
}

export const statusOf = async (run: Promise<unknown>): Promise<string> => {
  try {
    await run;
    return 'OK';
  } catch (error) {
    if (error instanceof VerbsError) return error.commandStatus ?? error.reason;
    throw error;
  }
};

/** What flush ends does not count on in the context. */
const NOT_COUNTED = { tolerated: [/WQEs .*are not done/] };

const refusals = plain(
  'refusals',
  async ({ ground, source, sink }) => {
    const { mr } = sink;
    const stranger = await ground.region(1, 64, { pd: await allocPd(ground.context(1)) });
    const readOnly = await ground.region(1, 64, { access: Access.REMOTE_READ });
    const dead = await ground.region(1, 64);
    const deadKey = dead.mr.key;
    const deadAddr = dead.mr.addr;
    await deregMr(dead.mr);
    ground.regions.splice(ground.regions.indexOf(dead), 1);
    const remote: [bigint, number, number][] = [
      [mr.addr, mr.key ^ 1, 16],
      [mr.addr, 0x12345678, 16],
      [mr.addr + 4096n - 15n, mr.key, 16],
      [mr.addr - 1n, mr.key, 16],
      [stranger.mr.addr, stranger.mr.key, 16],
      [readOnly.mr.addr, readOnly.mr.key, 16],
      [deadAddr, deadKey, 16],
      [mr.addr + 4096n - 599n, mr.key, 600],
    ];
    for (const [addr, rkey, length] of remote) {
      const pair = await ground.connect();
      postSend(pair.a.qp, [write(source, addr, rkey, length), write(source, mr.addr, mr.key, 16, 2)]);
      ground.drops[1].STATE = 'any';
      await ground.completions(pair.a.sendCq, [
        { wrId: 1, status: 'REM_ACCESS_ERR' },
        { wrId: 2, status: 'WR_FLUSH_ERR' },
      ]);
      same(await ground.eventsOf(1), [`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
    }
    // Rights of the queue pair.
    const pair = await ground.connect({ access: Access.REMOTE_READ });
    postSend(pair.a.qp, write(source, mr.addr, mr.key));
    await ground.completions(pair.a.sendCq, [{ wrId: 1, status: 'REM_INV_REQ_ERR' }]);
    same(await ground.eventsOf(1), [`QP_REQ_ERR ${pair.b.qp.qpn}`]);
    // Local keys: of a SEND, of a receive, of a READ.
    const wrong = { addr: source.mr.addr, length: 8, lkey: source.mr.key ^ 0x100 };
    for (const kind of ['send', 'receive', 'read'] as const) {
      const pair = await ground.connect();
      ground.drops[0].POISONED = 'any';
      if (kind !== 'read')
        postRecv(pair.b.qp, {
          wrId: 9,
          sgList:
            kind === 'receive' ? [{ ...wrong, addr: mr.addr }] : sges([{ region: sink, at: 0, length: 8 }]),
        });
      postSend(pair.a.qp, {
        wrId: 1,
        opcode: kind === 'read' ? 'RDMA_READ' : 'SEND',
        sgList: kind === 'receive' ? sges([{ region: source, at: 0, length: 8 }]) : [wrong],
        remoteAddr: mr.addr,
        rkey: mr.key,
        signaled: true,
      });
      await ground.completions(pair.a.sendCq, [
        { wrId: 1, status: kind === 'receive' ? 'REM_OP_ERR' : 'LOC_PROT_ERR' },
      ]);
      await ground.completions(
        pair.b.recvCq,
        kind === 'receive' ? [{ wrId: 9, status: 'LOC_PROT_ERR' }] : [],
      );
      await ground.eventsOf(1);
    }
    // Of a READ nothing is written when the second of its segments may not be.
    const half = await ground.connect();
    postSend(half.a.qp, {
      wrId: 1,
      opcode: 'RDMA_READ',
      sgList: [...sges([{ region: source, at: 0, length: 8 }]), wrong],
      remoteAddr: mr.addr,
      rkey: mr.key,
      signaled: true,
    });
    await ground.completions(half.a.sendCq, [{ wrId: 1, status: 'LOC_PROT_ERR' }]);
    // Too long for its receive.
    const long = await ground.connect();
    postRecv(long.b.qp, { wrId: 9, sgList: sges([{ region: sink, at: 0, length: 10 }]) });
    postSend(long.a.qp, {
      wrId: 1,
      opcode: 'SEND',
      sgList: sges([{ region: source, at: 0, length: 11 }]),
      signaled: true,
    });
    await ground.completions(long.a.sendCq, [{ wrId: 1, status: 'REM_INV_REQ_ERR' }]);
    await ground.completions(long.b.recvCq, [{ wrId: 9, status: 'LOC_LEN_ERR' }]);
  },
  NOT_COUNTED,
);

/** The first message fails while a long one behind it is under way. */
const failedBefore = plain(
  'failed before',
  async ({ ground }) => {
    const near = await ground.region(0, 100_000);
    const far = await ground.region(1, 100_000);
    const pair = await ground.connect();
    ground.drops[1].STATE = 'any';
    ground.run.watch.setTaps({ packets: true });
    postSend(pair.a.qp, [
      write(near, far.mr.addr, far.mr.key ^ 1),
      write(near, far.mr.addr, far.mr.key, 100_000, 2),
    ]);
    await ground.completions(pair.a.sendCq, [
      { wrId: 1, status: 'REM_ACCESS_ERR' },
      { wrId: 2, status: 'WR_FLUSH_ERR' },
    ]);
    await ground.settle();
    // What is in the buffers leaves.
    await ground.silentAfterAnswer(1000, 'sent though the queue pair has failed');
    same(await ground.eventsOf(1), [`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
  },
  NOT_COUNTED,
);

const rnr = plain('rnr', async ({ ground, source }) => {
  const pair = await ground.connect({ attr: { rnrRetry: 0 } });
  postSend(pair.a.qp, {
    wrId: 1,
    opcode: 'SEND',
    sgList: sges([{ region: source, at: 0, length: 10 }]),
    signaled: true,
  });
  await ground.completions(pair.a.sendCq, [{ wrId: 1, status: 'RNR_RETRY_EXC_ERR' }]);
});

const flush = plain(
  'flush',
  async ({ ground, source, sink }) => {
    const pair = await ground.connect();
    for (let i = 0; i < 5; i++)
      postRecv(pair.b.qp, { wrId: 10 + i, sgList: sges([{ region: sink, at: 0, length: 10 }]) });
    await modifyQp(pair.b.qp, { state: 'ERR' });
    await ground.completions(
      pair.b.recvCq,
      [10, 11, 12, 13, 14].map((wrId) => ({ wrId, status: 'WR_FLUSH_ERR', queue: 'receive' as const })),
    );
    postRecv(pair.b.qp, { wrId: 15 });
    for (let i = 0; i < 3; i++) postSend(pair.b.qp, write(source, 0n, 0, 0, 20 + i));
    await ground.completions(pair.b.recvCq, [{ wrId: 15, status: 'WR_FLUSH_ERR' }]);
    await ground.completions(
      pair.b.sendCq,
      [20, 21, 22].map((wrId) => ({ wrId, status: 'WR_FLUSH_ERR', queue: 'send' as const })),
    );
    await ground.completions(pair.b.recvCq, []);
  },
  NOT_COUNTED,
);

const badPackets = plain(
  'bad packets',
  async ({ ground, source, sink }) => {
    const { mr } = sink;
    const drops = ground.drops[1];
    const to = await ground.connect();
    const payload = Uint8Array.from({ length: 20 }, (_, i) => i);
    const good = { opcode: 0x0a, a: true, reth: { va: mr.addr, rkey: mr.key, dmaLen: 20 }, payload };
    Object.assign(drops, {
      VCRC: 1,
      ICRC: 1,
      LENGTH: 1,
      LVER: 1,
      VL: 1,
      DLID: 1,
      TVER: 1,
      QPN: 1,
      PATH: 1,
      PKEY: 1,
      OPCODE: 1,
      SEQUENCE: 2,
      DUPLICATE: 1,
      LNH: 1,
    });
    await ground.inject(to, [
      { ...good, vcrcXor: 1 },
      { ...good, icrcXor: 0x80 },
      { ...good, pktLen: 5 },
      { ...good, lver: 1 },
      { ...good, vl: 15 },
      { ...good, dlid: 0x123 },
      { ...good, tver: 1 },
      { ...good, destQpn: 0xfff },
      { ...good, slid: 0x321 },
      { ...good, pkey: 0x8003 },
      { ...good, opcode: 0x40 },
      { ...good, lnh: 0 },
    ]);
    ground.run.watch.setTaps({ packets: true });
    await ground.run.watch.takeTaps();
    await ground.inject(to, [
      { ...good, psn: 1 },
      { ...good, psn: 5 },
      { ...good, psn: -1 },
    ]);
    // The real one, then its acknowledge.
    sink.image.set(payload, 0);
    await ground.inject(to, [good]);
    const sent = ground
      .packetsOf(await ground.run.watch.takeTaps(), 1)
      .map((bytes) => [bytes[8]!, bytes[20]!]);
    same(sent, [
      [0x11, 0x60],
      [0x11, 0x00],
      [0x11, 0x00],
    ]);
    ground.drops[0].RESPONSE = 'any';

    // More bad ones than there are slots.
    drops.VCRC = 41;
    await ground.inject(
      to,
      Array.from({ length: 40 }, () => ({ ...good, vcrcXor: 2 })),
    );

    // Acknowledges of what was never sent, and of nothing.
    const idle = await ground.connect();
    await ground.inject(idle, [{ opcode: 0x11, aeth: { syndrome: 0x1f, msn: 0 }, psn: 3 }], 'a');
    await ground.exchange(idle, [
      {
        op: 'RDMA_WRITE',
        local: [{ region: source, at: 0, length: 600 }],
        remote: { region: sink, at: 1000 },
      },
    ]);

    // A wrong order of opcodes ends the queue pair.
    const order = await ground.connect();
    postRecv(order.b.qp, { wrId: 3, sgList: sges([{ region: sink, at: 3000, length: 600 }]) });
    await ground.inject(order, [{ opcode: 0x02, a: true, payload }]);
    await ground.completions(order.b.recvCq, [{ wrId: 3, status: 'WR_FLUSH_ERR' }]);
    same(await ground.eventsOf(1), [`QP_REQ_ERR ${order.b.qp.qpn}`]);
  },
  NOT_COUNTED,
);

const lostRead = plain(
  'lost read',
  async ({ ground, source, sink }) => {
    // Its acknowledge comes without its data: the READ has failed.
    const pair = await ground.connect({ attr: { retryCnt: 0, timeout: 0 } });
    await modifyQp(pair.b.qp, { state: 'ERR' });
    const { sqPsn } = await queryQp(pair.a.qp);
    postSend(pair.a.qp, [
      {
        wrId: 1,
        opcode: 'RDMA_READ',
        sgList: sges([{ region: source, at: 0, length: 300 }]),
        remoteAddr: sink.mr.addr,
        rkey: sink.mr.key,
        signaled: true,
      },
      write(source, sink.mr.addr, sink.mr.key, 8, 2),
    ]);
    await ground.settle();
    ground.drops[1].STATE = 'any';
    ground.drops[0].RESPONSE = 'any';
    const { rqPsn } = await queryQp(pair.a.qp);
    await ground.inject(
      pair,
      [{ opcode: 0x11, aeth: { syndrome: 0x1f, msn: 1 }, psn: (sqPsn - rqPsn) & 0xffffff }],
      'a',
    );
    await ground.completions(pair.a.sendCq, [
      { wrId: 1, status: 'RETRY_EXC_ERR' },
      { wrId: 2, status: 'WR_FLUSH_ERR' },
    ]);
  },
  NOT_COUNTED,
);

const errors = plain(
  'errors',
  async ({ ground, source, sink }) => {
    const fail = (side: 0 | 1, access: 'read' | 'write', region: Region, afterBytes = 0) =>
      ground.simulator.fail(side, {
        access,
        address: region.buffer.physical(0),
        length: 4096,
        ...(afterBytes ? { afterBytes } : {}),
      });
    ground.drops[0].POISONED = 'any';
    ground.drops[1].POISONED = 'any';
    ground.drops[1].STATE = 'any';
    // Payload of a request.
    const bad = await ground.region(0, 4096);
    fail(0, 'read', bad);
    const one = await ground.connect();
    postSend(one.a.qp, [
      write(bad, sink.mr.addr, sink.mr.key, 700),
      write(source, sink.mr.addr, sink.mr.key, 40, 2),
      write(source, sink.mr.addr, sink.mr.key, 40, 3),
    ]);
    await ground.completions(one.a.sendCq, [
      { wrId: 1, status: 'LOC_PROT_ERR' },
      { wrId: 2, status: 'WR_FLUSH_ERR' },
      { wrId: 3, status: 'WR_FLUSH_ERR' },
    ]);
    // The first part of a payload that is read in several.
    const half = await ground.region(0, 8192);
    ground.simulator.fail(0, { access: 'read', address: half.buffer.physical(1000), length: 64 });
    const wide = await ground.connect({ mtuBytes: 4096 });
    postSend(wide.a.qp, {
      ...write(half, sink.mr.addr, sink.mr.key),
      sgList: sges([{ region: half, at: 0, length: 4000 }]),
    });
    await ground.completions(wide.a.sendCq, [{ wrId: 1, status: 'LOC_PROT_ERR' }]);
    // Payload of a READ response.
    const far = await ground.region(1, 4096);
    fail(1, 'read', far);
    const two = await ground.connect();
    postSend(two.a.qp, { ...write(source, far.mr.addr, far.mr.key), opcode: 'RDMA_READ' });
    await ground.completions(two.a.sendCq, [{ wrId: 1, status: 'REM_OP_ERR' }]);
    same(await ground.eventsOf(1), [`QP_ACCESS_ERR ${two.b.qp.qpn}`]);
    // Data of a SEND that the host does not take: the first of its packets and the last.
    for (const at of [0, 256]) {
      const place = await ground.region(1, 4096);
      ground.regions.pop();
      ground.simulator.fail(1, { access: 'write', address: place.buffer.physical(at), length: 32 });
      const three = await ground.connect();
      postRecv(three.b.qp, {
        wrId: 5,
        sgList: sges([
          { region: place, at: 0, length: 16 },
          { region: place, at: 256, length: 32 },
        ]),
      });
      postSend(three.a.qp, {
        wrId: 1,
        opcode: 'SEND',
        sgList: sges([{ region: source, at: 0, length: 48 }]),
        signaled: true,
      });
      await ground.completions(three.b.recvCq, [{ wrId: 5, status: 'LOC_PROT_ERR' }]);
    }
    // WQEs that cannot be read.
    const four = await ground.connect();
    ground.simulator.fail(0, { access: 'read', address: four.a.qp.sq.ring.address(0), length: 4096 });
    postSend(four.a.qp, write(source, sink.mr.addr, sink.mr.key));
    await ground.completions(four.a.sendCq, [{ wrId: 1, status: 'LOC_QP_OP_ERR' }]);
    // A batch of WQEs of which only the first came: none of them is believed.
    const five = await ground.connect();
    ground.simulator.fail(0, {
      access: 'read',
      address: five.a.qp.sq.ring.address(0),
      length: 4096,
      afterBytes: 64,
    });
    postSend(five.a.qp, [
      write(bad, sink.mr.addr + 3000n, sink.mr.key),
      write(bad, sink.mr.addr + 3000n, sink.mr.key),
    ]);
    await ground.completions(five.a.sendCq, [
      { wrId: 1, status: 'LOC_QP_OP_ERR' },
      { wrId: 1, status: 'WR_FLUSH_ERR' },
    ]);
    await ground.eventsOf(0);
    await ground.eventsOf(1);
  },
  { tolerated: [/WQEs .*are not done|WRs without their completion|were not polled/] },
);

const wrongWqe = plain('wrong wqe', async ({ ground, source, sink }) => {
  const pair = await ground.connect();
  await ground.exchange(pair, [
    { op: 'RDMA_WRITE', local: [{ region: source, at: 0, length: 40 }], remote: { region: sink, at: 0 } },
  ]);
  // A doorbell for a slot that still has what stood there a round ago: nothing was written.
  const { sq } = pair.a.qp;
  const old = await ground.context(0).device.memRead(sq.ring.address(0), 64);
  postSend(pair.a.qp, write(source, sink.mr.addr, sink.mr.key, 8, 7));
  ground.context(0).device.memWrite(sq.ring.address(1), old);
  await ground.completions(pair.a.sendCq, [{ wrId: 7, status: 'LOC_QP_OP_ERR' }]);
});

const doorbells = plain('doorbells', async ({ ground, source, sink }) => {
  const pair = await ground.connect();
  const a = ground.context(0);
  ground.drops[0].DOORBELL = 4;
  ringDoorbell(a, 'sq', pair.a.qp.qpn, 65);
  ringDoorbell(a, 'sq', 0x3f, 1);
  ringDoorbell(a, 'cq', pair.a.sendCq.cqn, 5);
  Object.assign(a, { uar: 3 });
  ringDoorbell(a, 'sq', pair.a.qp.qpn, 1);
  Object.assign(a, { uar: 0 });
  await ground.settle();
  same((await queryQp(pair.a.qp)).context.sqProducer, 0);
  await ground.exchange(pair, [
    { op: 'RDMA_WRITE', local: [{ region: source, at: 0, length: 40 }], remote: { region: sink, at: 0 } },
  ]);
});

const overflow = plain(
  'overflow',
  async ({ ground, source, sink }) => {
    const a = ground.context(0);
    const small = await createCq(a, 4);
    const pair = await ground.connect({ a: { sendCq: small } });
    postSend(
      pair.a.qp,
      Array.from({ length: 7 }, (_, i) => write(source, sink.mr.addr, sink.mr.key, 16, i)),
    );
    sink.image.set(source.image.subarray(0, 16), 0);
    same([...new Set(await ground.eventsOf(0))], [`CQ_ERROR ${small.cqn}`, `QP_FATAL ${pair.a.qp.qpn}`]);
    same((await askCq(small)).producer, 4);
    // An event queue that nobody reads.
    const eq = await createEq(a, { entries: 2 });
    const cqs: Cq[] = [];
    for (let i = 0; i < 4; i++) cqs.push(await createCq(a, 4, { eq }));
    for (const [i, cq] of cqs.entries()) {
      const other = await ground.connect({ a: { sendCq: cq } });
      await reqNotifyCq(cq, 'next');
      postSend(other.a.qp, write(source, sink.mr.addr, sink.mr.key, 16, i));
      await ground.run.watch.run({ cycles: 3000, idle: true });
    }
    const state = await queryEq(eq);
    same({ producer: state.producer, error: state.error }, { producer: 2, error: true });
  },
  { tolerated: [/WQEs .*are not done|WRs without their completion|were not polled|error flag|drops/] },
);

const commands: Case = {
  name: 'commands',
  async run(binary) {
    const ground = await Ground.open(binary, { hosts: [{ checks: false }, { checks: false }] });
    try {
      const source = await ground.region(0, 200);
      const sink = await ground.region(1, 200);
      const a = ground.context(0);
      const pair = await ground.connect();
      const cq = await createCq(a, 16);
      const qp = await createQp(await ground.pd(0), { sendCq: cq, recvCq: cq });
      const modify = (modifier: number, param = 0) =>
        statusOf(a.commands.execute(CmdOp.MODIFY_QP, qp.qpn, { modifier, param, mailbox: QPC.pack({}) }));
      same(await modify(QpState.RTS), 'BAD_QP_STATE');
      same(await modify(QpState.INIT), 'MISSING_ATTR');
      same(await statusOf(toInit(qp)), 'OK');
      same(await modify(QpState.RTS), 'BAD_QP_STATE');
      same(await statusOf(destroyCq(cq)), 'BUSY');
      same(await statusOf(a.commands.execute(0x7e, 0)), 'BAD_OP');
      // Reset takes no attribute out of the mailbox and keeps none.
      const mailbox = QPC.pack({ pkeyIndex: 3 });
      same(
        await statusOf(a.commands.execute(CmdOp.MODIFY_QP, qp.qpn, { modifier: QpState.RESET, mailbox })),
        'OK',
      );
      const { port, pkeyIndex } = (await queryQp(qp)).context;
      same({ port, pkeyIndex }, { port: 0, pkeyIndex: 0 });
      await destroyQp(qp);
      same(await statusOf(destroyCq(cq)), 'OK');
      // The entry of a live region is not the software's.
      ground.drops[1].TABLE = 1;
      const { bar, at, stride } = REGIONS.mptTable;
      const b = ground.context(1);
      const entry = at + (sink.mr.key >>> 8) * stride;
      b.device.barWrite(bar as 2, entry + 24, 0n);
      same(MPT.bytes, stride);
      // Half a command is none.
      ground.drops[0].ACCESS = 1;
      a.device.barWrite(0, REGISTERS.cmd.at, 0n, 4);
      await ground.exchange(pair, [
        { op: 'RDMA_WRITE', local: [{ region: source, at: 0, length: 40 }], remote: { region: sink, at: 0 } },
      ]);
      await ground.finish();
    } finally {
      await ground.run.close();
    }
  },
};

const reset = plain(
  'reset',
  async ({ ground, source, sink }) => {
    for (let round = 0; round < 4; round++) {
      const pair: Pair = await ground.connect();
      postSend(
        pair.a.qp,
        Array.from({ length: 20 }, (_, i) => write(source, sink.mr.addr, sink.mr.key, 600, i)),
      );
      sink.image.set(source.image.subarray(0, 600), 0);
      await ground.run.watch.run({ cycles: 150 + 300 * round });
      ground.drops[0].STATE = 'any';
      ground.drops[1].STATE = 'any';
      await destroyQp(pair.b.qp);
      await destroyQp(pair.a.qp);
    }
    const pair = await ground.connect();
    await ground.exchange(pair, [
      { op: 'RDMA_WRITE', local: [{ region: source, at: 0, length: 4000 }], remote: { region: sink, at: 0 } },
      {
        op: 'RDMA_READ',
        local: [{ region: source, at: 50, length: 400 }],
        remote: { region: sink, at: 1000 },
      },
    ]);
    await modifyQp(pair.a.qp, { state: 'RESET' });
  },
  { settings: { read_latency: 300 }, tolerated: [/guard|QPN|QPs? \d+ .*(never|unknown)/] },
);

/** A queue pair that is made anew while WQEs of its last life are still on their way. */
const newLife = plain(
  'new life',
  async ({ ground, source, sink }) => {
    const pair = await ground.connect();
    postSend(pair.a.qp, write(source, sink.mr.addr, sink.mr.key, 16, 1));
    await ground.run.watch.run({ cycles: 60 });
    await modifyQp(pair.a.qp, { state: 'RESET' });
    await toInit(pair.a.qp);
    await toReadyToReceive(pair.a.qp, pair.b, 0x200);
    await toReadyToSend(pair.a.qp, 0x100);
    await ground.settle();
    same((await queryQp(pair.a.qp)).context.sqNext, 0, 'nothing is started');
    postSend(pair.a.qp, write(source, sink.mr.addr + 64n, sink.mr.key, 16, 2));
    sink.image.set(source.image.subarray(0, 16), 64);
    await ground.completions(pair.a.sendCq, [{ wrId: 2, status: 'SUCCESS' }]);
  },
  { settings: { read_latency: 15_000 } },
);

/** What waits for a slow memory completes before what is flushed. */
const flushSlow = plain('flush slow', async ({ ground, source, sink }) => {
  for (let round = 0; round < 4; round++) {
    const pair = await ground.connect();
    const pieces = Array.from({ length: 16 }, (_, i) => ({ region: sink, at: 17 * i, length: 16 }));
    for (let i = 0; i < 12; i++) postRecv(pair.b.qp, { wrId: i, sgList: sges(pieces) });
    postSend(
      pair.a.qp,
      Array.from({ length: 12 }, (_, i) => ({
        wrId: i,
        opcode: 'SEND' as const,
        sgList: sges([{ region: source, at: 0, length: 256 }]),
        signaled: true,
      })),
    );
    for (const [i, { at }] of pieces.entries())
      sink.image.set(source.image.subarray(16 * i, 16 * i + 16), at);
    ground.simulator.set(1, 'wr_ready_percent', 5);
    await ground.run.watch.run({ cycles: 800 + 200 * round });
    ground.drops[0].STATE = 'any';
    ground.drops[1].STATE = 'any';
    await modifyQp(pair.b.qp, { state: 'ERR' });
    ground.simulator.set(1, 'wr_ready_percent', 100);
    await destroyQp(pair.a.qp);
    await ground.completions(
      pair.b.recvCq,
      Array.from({ length: 12 }, (_, wrId) => ({ wrId })),
    );
    await destroyQp(pair.b.qp);
  }
});

/** What is told of a queue pair is told when all packets before it have had their outcome: a refused one moves no PSN. */
const askedSlow = plain(
  'asked slow',
  async ({ ground, source, sink }) => {
    const pair = await ground.connect();
    const first = (await queryQp(pair.b.qp)).rqPsn;
    const pieces = Array.from({ length: 16 }, (_, i) => ({ region: sink, at: 17 * i, length: 16 }));
    for (let i = 0; i < 6; i++) postRecv(pair.b.qp, { wrId: i, sgList: sges(pieces) });
    postSend(pair.a.qp, [
      ...Array.from({ length: 6 }, (_, i) => ({
        wrId: i,
        opcode: 'SEND' as const,
        sgList: sges([{ region: source, at: 0, length: 256 }]),
        signaled: true,
      })),
      write(source, sink.mr.addr, sink.mr.key ^ 1, 16, 6),
    ]);
    for (const [i, { at }] of pieces.entries())
      sink.image.set(source.image.subarray(16 * i, 16 * i + 16), at);
    ground.simulator.set(1, 'wr_ready_percent', 5);
    await ground.run.watch.run({ cycles: 1000 });
    same((await queryQp(pair.b.qp)).rqPsn, (first + 6) & 0xffffff);
    ground.simulator.set(1, 'wr_ready_percent', 100);
    await ground.completions(
      pair.a.sendCq,
      Array.from({ length: 7 }, (_, wrId) => ({ wrId, status: wrId < 6 ? 'SUCCESS' : 'REM_ACCESS_ERR' })),
    );
    await ground.completions(
      pair.b.recvCq,
      Array.from({ length: 6 }, (_, wrId) => ({ wrId, status: 'SUCCESS' })),
    );
    same(await ground.eventsOf(1), [`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
  },
  NOT_COUNTED,
);

/** Completions of a queue pair that is gone come no more. */
const gone = plain(
  'gone',
  async ({ ground, source, sink }) => {
    for (let round = 0; round < 5; round++) {
      const pair = await ground.connect();
      for (let i = 0; i < 10; i++)
        postRecv(pair.b.qp, { wrId: i, sgList: sges([{ region: sink, at: 0, length: 64 }]) });
      postSend(
        pair.a.qp,
        Array.from({ length: 10 }, (_, i) => ({
          wrId: i,
          opcode: 'SEND' as const,
          sgList: sges([{ region: source, at: 0, length: 16 }]),
          signaled: true,
        })),
      );
      sink.image.set(source.image.subarray(0, 16), 0);
      await ground.run.watch.run({ cycles: 400 + 150 * round });
      ground.drops[0].STATE = 'any';
      ground.drops[1].STATE = 'any';
      await destroyQp(pair.b.qp);
      await ground.settle();
      same(await pollCq(pair.b.recvCq), []);
      await destroyQp(pair.a.qp);
    }
  },
  { settings: { write_latency: 2500 } },
);

const deregister = plain(
  'deregister',
  async ({ ground }) => {
    const source = await ground.region(0, 40_000);
    ground.regions.length = 0;
    for (let round = 0; round < 6; round++) {
      const place = await ground.region(1, 4096, { access: ALL });
      const pair = await ground.connect({ mtuBytes: 1024 });
      ground.drops[1].STATE = 'any';
      ground.drops[1].POISONED = 'any';
      postSend(pair.a.qp, [
        ...Array.from({ length: 8 }, (_, i) => ({
          ...write(source, place.mr.addr, place.mr.key, 4000, i),
          sgList: sges([{ region: source, at: 4100 * i, length: 4000 }]),
        })),
        { ...write(source, place.mr.addr, place.mr.key, 2000, 9), opcode: 'RDMA_READ' as const },
      ]);
      await ground.run.watch.run({ cycles: 2200 + 130 * round });
      await deregMr(place.mr);
      // Nothing changes any more: whose memory it is now, may use it.
      const after = await place.buffer.read(0, 4096);
      await ground.settle();
      same(await place.buffer.read(0, 4096), after);
      ground.regions.splice(ground.regions.indexOf(place), 1);
      await ground.eventsOf(1);
    }
  },
  { settings: { write_latency: 800, read_latency: 600 }, tolerated: [/completion|owed|CQ|SQ|RQ/i] },
);

const port = plain('port', async ({ ground }) => {
  await ground.eventsOf(0);
  ground.context(0).device.setLink(false);
  same(await ground.eventsOf(0), ['PORT_ERR 1']);
  ground.context(0).device.setLink(true);
  same(await ground.eventsOf(0), ['PORT_ACTIVE 1']);
});

export const ERRORS: readonly Case[] = [
  refusals,
  failedBefore,
  rnr,
  flush,
  badPackets,
  lostRead,
  errors,
  wrongWqe,
  doorbells,
  overflow,
  commands,
  reset,
  newLife,
  gone,
  flushSlow,
  askedSlow,
  deregister,
  port,
];
