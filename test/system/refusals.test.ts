import { describe, expect, it } from 'vitest';
import {
  Access,
  allocPd,
  type ConnectOptions,
  deregMr,
  pollCq,
  postRecv,
  postSend,
  queryQp,
  type SendWr,
  type Sge,
} from '../../src/host/index.ts';
import { MTT } from '../../src/spec/gen/records.ts';
import { REGIONS, REGISTERS } from '../../src/spec/gen/registers.ts';
import {
  type Bench,
  devices,
  judgeBenches,
  openBench,
  type Region,
  type Side,
} from '../support/system-bench.ts';
import { exchange, failed, type Pair, receiveDone, sendDone } from '../support/system-messages.ts';
import { inject, naksOf, packetOf } from '../support/system-packets.ts';

judgeBenches();

const LOCAL = Access.LOCAL_WRITE;
const CAUSE = { KEY: 1, PD: 2, BOUNDS: 3, RIGHT: 4, PAGE: 5 };
const BYTES = 1000;

interface Ground {
  bench: Bench;
  pair: Pair;
  source: Region;
  sink: Region;
  /** Replaces the region at that side by one with other options. */
  region: Bench['region'];
}

interface Refusal {
  what: string;
  options?: ConnectOptions;
  /** The work request that is refused. */
  wr(ground: Ground): SendWr | Promise<SendWr>;
  /** Segments of the receive it meets; else 100 bytes of the sink. */
  receive?(ground: Ground): Sge[] | Promise<Sge[]>;
  /** Spoils the receive WQE after it was written. */
  spoil?(ground: Ground): void;
  status: string;
  vendor: number;
  /** Of the responder: a NAK on the wire, and an event or a completion in error. */
  nak?: number;
  event?: 'QP_REQ_ERR' | 'QP_ACCESS_ERR';
  /** Whose packet died because its payload could not be read. */
  unread?: Side;
  received?: { status: string; vendor?: number; opcode?: string };
}

const send = (sgList: Sge[], rest: Partial<SendWr> = {}): SendWr => ({
  wrId: 1,
  opcode: 'SEND',
  sgList,
  signaled: true,
  ...rest,
});
const write = ({ source }: Ground, remoteAddr: bigint, rkey: number, length = 100): SendWr =>
  send([source.sge(0, length)], { opcode: 'RDMA_WRITE', remoteAddr, rkey });
const read = ({ source }: Ground, remoteAddr: bigint, rkey: number, length = 100): SendWr =>
  send([source.sge(0, length)], { opcode: 'RDMA_READ', remoteAddr, rkey });

const add = ({ source, sink }: Ground, lengths: readonly number[]): SendWr =>
  send(
    lengths.map((length) => source.sge(0, length)),
    { opcode: 'ATOMIC_FETCH_AND_ADD', atomic: { remoteAddr: sink.va(), rkey: sink.key, compareAdd: 1n } },
  );

/** Takes the last page of a region away from the device. */
function removePage({ bench }: Ground, region: Region): void {
  const { bar, at, stride } = REGIONS.mttTable;
  const entry = region.mr.mtt + region.mr.translation.pages.length - 1;
  bench.context(region.side).device.barWrite(bar, at + entry * stride, 0n);
  expect(MTT.bytes).toBe(stride);
}

const malformed = (what: string, wr: (ground: Ground) => SendWr, options: ConnectOptions = {}): Refusal => ({
  what,
  options,
  wr,
  status: 'LOC_QP_OP_ERR',
  vendor: 0,
});

const refusedKey = (what: string, cause: number, sge: (ground: Ground) => Sge | Promise<Sge>): Refusal[] => [
  {
    what: `a SEND from ${what}`,
    wr: async (ground) => send([ground.source.sge(0, 8), await sge(ground)]),
    unread: 'a',
    status: 'LOC_PROT_ERR',
    vendor: cause,
  },
  {
    what: `an RDMA WRITE from ${what}`,
    wr: async (ground) => ({
      ...write(ground, ground.sink.va(), ground.sink.key),
      sgList: [await sge(ground)],
    }),
    unread: 'a',
    status: 'LOC_PROT_ERR',
    vendor: cause,
  },
  {
    what: `an RDMA READ into ${what}`,
    wr: async (ground) => ({
      ...read(ground, ground.sink.va(), ground.sink.key),
      sgList: [await sge(ground)],
    }),
    status: 'LOC_PROT_ERR',
    vendor: cause,
  },
];

const LOCAL_ERRORS: readonly Refusal[] = [
  {
    what: 'a message of more than 2^31 bytes [C10-93]',
    wr: ({ source }) => send(Array.from({ length: 3 }, () => ({ ...source.sge(0, 0), length: 0x3000_0000 }))),
    status: 'LOC_LEN_ERR',
    vendor: 0,
  },
  ...[7, 8, 9, 0x20, 0x55, 0xff, 128].map((opcode) =>
    malformed(`a work request with opcode ${opcode}`, ({ source }) => send([source.sge(0, 8)], { opcode })),
  ),
  ...[0, 2].map((segments) =>
    malformed(`an atomic with ${segments} segments`, (ground) => add(ground, Array(segments).fill(8)), {
      cap: { maxSendSge: 2 },
    }),
  ),
  malformed(
    'an atomic with inline data',
    (ground) => ({ ...add(ground, []), inlineData: new Uint8Array(8) }),
    {
      cap: { maxInlineData: 32 },
    },
  ),
  malformed('an atomic where the initiator depth is 0', (ground) => add(ground, [8]), {
    attr: { maxRdAtomic: 0 },
  }),
  ...[4, 16].map((length) => ({
    what: `an atomic of ${length} bytes`,
    wr: (ground: Ground) => add(ground, [length]),
    status: 'LOC_LEN_ERR',
    vendor: 0,
  })),
  malformed(
    'a work request with 17 segments',
    ({ source }) => send(Array.from({ length: 17 }, () => source.sge(0, 1))),
    {
      cap: { maxSendSge: 16, maxInlineData: 256 },
    },
  ),
  malformed(
    'more segments than the slot holds',
    ({ source }) => send(Array.from({ length: 3 }, () => source.sge(0, 1))),
    { cap: { maxSendSge: 2 } },
  ),
  malformed('a READ with inline data', ({ sink }) => ({
    wrId: 1,
    opcode: 'RDMA_READ',
    inlineData: new Uint8Array(4),
    remoteAddr: sink.va(),
    rkey: sink.key,
  })),
  malformed(
    'inline data beyond the limit',
    () => ({ wrId: 1, opcode: 'SEND', inlineData: new Uint8Array(257) }),
    { cap: { maxSendSge: 16, maxInlineData: 256 } },
  ),
  malformed(
    'inline data beyond the slot',
    () => ({ wrId: 1, opcode: 'SEND', inlineData: new Uint8Array(33) }),
    {
      cap: { maxSendSge: 2, maxInlineData: 32 },
    },
  ),
  malformed(
    'a READ where the initiator depth is 0',
    (ground) => read(ground, ground.sink.va(), ground.sink.key),
    {
      attr: { maxRdAtomic: 0 },
    },
  ),
  ...refusedKey('a key that differs in its low byte [C10-60]', CAUSE.KEY, ({ source }) => ({
    ...source.sge(0, 8),
    lkey: source.key ^ 1,
  })),
  ...refusedKey('a key that differs in its upper bits only [M5]', CAUSE.KEY, ({ source }) => ({
    ...source.sge(0, 8),
    lkey: (source.key ^ 0x8000_0000) >>> 0,
  })),
  ...refusedKey('a key of an entry that was never made [C10-44.2.1]', CAUSE.KEY, ({ source }) => ({
    ...source.sge(0, 8),
    lkey: 0x2100,
  })),
  ...refusedKey(
    'a region of another protection domain [M6] [M9] [C10-9.2.1] [C10-54.2.1]',
    CAUSE.PD,
    async ({ bench }) => {
      const region = await bench.region('a', 64, { pd: await allocPd(bench.context('a')) });
      return region.sge(0, 8);
    },
  ),
  ...refusedKey('one byte beyond the end of a region [C10-54.2.1]', CAUSE.BOUNDS, async ({ bench }) =>
    (await bench.region('a', 64)).sge(57, 8),
  ),
  ...refusedKey('one byte before the start of a region', CAUSE.BOUNDS, async ({ bench }) =>
    (await bench.region('a', 64, { offset: 100 })).sge(-1, 8),
  ),
  ...refusedKey('a range around the end of the address space', CAUSE.BOUNDS, async ({ bench }) => ({
    ...(await bench.region('a', 64)).sge(0, 8),
    addr: 0xffff_ffff_ffff_fffcn,
  })),
  ...refusedKey('a region of length 0 [M2]', CAUSE.BOUNDS, async ({ bench }) =>
    (await bench.region('a', 64, { named: { at: 8, length: 0 } })).sge(0, 1),
  ),
  ...refusedKey('a region that was deregistered [C10-60]', CAUSE.KEY, async ({ bench }) => {
    const region = await bench.region('a', 64);
    const sge = region.sge(0, 8);
    await deregMr(region.mr);
    return sge;
  }),
  ...refusedKey('a page that is missing', CAUSE.PAGE, async (ground) => {
    const region = await ground.bench.region('a', 8192);
    removePage(ground, region);
    return region.sge(4090, 8);
  }),
  {
    what: 'an RDMA READ into a region without local write [C10-55]',
    wr: async (ground) => ({
      ...read(ground, ground.sink.va(), ground.sink.key),
      sgList: [(await ground.bench.region('a', 64, { access: Access.REMOTE_READ })).sge(0, 8)],
    }),
    status: 'LOC_PROT_ERR',
    vendor: CAUSE.RIGHT,
  },
];

const access = { status: 'REM_ACCESS_ERR', vendor: 0x62, nak: 0x62, event: 'QP_ACCESS_ERR' } as const;
const remoteRange = (
  what: string,
  range: (ground: Ground) => [bigint, number] | Promise<[bigint, number]>,
  kinds: readonly ('WRITE' | 'WRITE with immediate' | 'READ')[] = ['WRITE', 'WRITE with immediate', 'READ'],
): Refusal[] =>
  kinds.map((kind) => ({
    what: `an RDMA ${kind} of ${what}`,
    async wr(ground) {
      const [va, rkey] = await range(ground);
      if (kind === 'READ') return read(ground, va, rkey);
      return { ...write(ground, va, rkey), ...(kind === 'WRITE' ? {} : { opcode: 'RDMA_WRITE_WITH_IMM' }) };
    },
    ...access,
  }));

const receives = (
  what: string,
  vendor: number,
  receive: (ground: Ground) => Sge[] | Promise<Sge[]>,
): Refusal => ({
  what: `a SEND into ${what} [C10-143]`,
  wr: ({ source }) => send([source.sge(0, 100)]),
  receive,
  status: 'REM_OP_ERR',
  vendor: 0x63,
  nak: 0x63,
  received: { status: 'LOC_PROT_ERR', vendor },
});

/** Changes bytes of the newest receive WQE. */
const spoilReceive =
  (at: number, ...bytes: number[]) =>
  ({ bench, pair }: Ground): void => {
    const { rq } = pair.b.qp;
    bench.context('b').device.memWrite(rq.ring.address(rq.producer - 1) + BigInt(at), Uint8Array.from(bytes));
  };

const REMOTE_ERRORS: readonly Refusal[] = [
  ...remoteRange('a key that differs in its low byte [C10-44.2.1]', ({ sink }) => [sink.va(), sink.key ^ 1]),
  ...remoteRange('a key that differs in its upper bits only [M5]', ({ sink }) => [
    sink.va(),
    (sink.key ^ 0x8000_0000) >>> 0,
  ]),
  ...remoteRange('one byte beyond the end of the region [C10-56]', ({ sink }) => [
    sink.va(BYTES - 99),
    sink.key,
  ]),
  ...remoteRange('one byte before the start of the region', ({ sink }) => [sink.va() - 1n, sink.key]),
  ...remoteRange('a range around the end of the address space', ({ sink }) => [
    0xffff_ffff_ffff_ffc0n,
    sink.key,
  ]),
  ...remoteRange(
    'a region of another protection domain [M6] [M9] [C10-9.2.1] [C10-56] [event: local-access-violation-work-queue-error]',
    async ({ bench }) => {
      const region = await bench.region('b', BYTES, { pd: await allocPd(bench.context('b')) });
      return [region.va(), region.key];
    },
  ),
  ...remoteRange('a region of length 0 [M2]', async ({ bench }) => {
    const region = await bench.region('b', BYTES, { named: { at: 8, length: 0 } });
    return [region.va(), region.key];
  }),
  ...remoteRange('a region that was deregistered [C10-60]', async ({ bench }) => {
    const region = await bench.region('b', BYTES);
    const range: [bigint, number] = [region.va(), region.key];
    await deregMr(region.mr);
    return range;
  }),
  ...remoteRange(
    'a region without remote write [C10-57]',
    async ({ bench }) => {
      const region = await bench.region('b', BYTES, { access: LOCAL | Access.REMOTE_READ });
      return [region.va(), region.key];
    },
    ['WRITE', 'WRITE with immediate'],
  ),
  ...remoteRange(
    'a region without remote read [C10-57]',
    async ({ bench }) => {
      const region = await bench.region('b', BYTES, { access: LOCAL | Access.REMOTE_WRITE });
      return [region.va(), region.key];
    },
    ['READ'],
  ),
  ...remoteRange(
    'a page that is missing',
    async (ground) => {
      const region = await ground.bench.region('b', 8192);
      removePage(ground, region);
      return [region.va(4000), region.key];
    },
    ['WRITE', 'WRITE with immediate'],
  ),
  {
    what: 'an RDMA READ of a page that is missing',
    async wr(ground) {
      const region = await ground.bench.region('b', 8192);
      removePage(ground, region);
      return read(ground, region.va(4000), region.key);
    },
    ...access,
    status: 'REM_OP_ERR',
    vendor: 0x63,
    nak: 0x63,
    unread: 'b',
  },
  ...(['WRITE', 'READ'] as const).map(
    (kind): Refusal => ({
      what: `an RDMA ${kind} that the queue pair does not allow [C10-88]`,
      options: { access: kind === 'READ' ? Access.REMOTE_WRITE : Access.REMOTE_READ },
      wr: (ground) => (kind === 'READ' ? read : write)(ground, ground.sink.va(), ground.sink.key),
      status: 'REM_INV_REQ_ERR',
      vendor: 0x61,
      nak: 0x61,
      event: 'QP_REQ_ERR',
    }),
  ),
  {
    what: 'a READ where the responder has no resources',
    options: { attr: { maxDestRdAtomic: 0, maxRdAtomic: 1 } },
    wr: (ground) => read(ground, ground.sink.va(), ground.sink.key),
    status: 'REM_INV_REQ_ERR',
    vendor: 0x61,
    nak: 0x61,
    event: 'QP_ACCESS_ERR',
  },
  {
    what: 'a SEND that is one byte too long [C10-143]',
    wr: ({ source }) => send([source.sge(0, 101)]),
    status: 'REM_INV_REQ_ERR',
    vendor: 0x61,
    nak: 0x61,
    received: { status: 'LOC_LEN_ERR' },
  },
  {
    what: 'a SEND into a receive without segments',
    wr: ({ source }) => send([source.sge(0, 1)]),
    receive: () => [],
    status: 'REM_INV_REQ_ERR',
    vendor: 0x61,
    nak: 0x61,
    received: { status: 'LOC_LEN_ERR' },
  },
  receives('a key that differs in its upper bits only [M5]', CAUSE.KEY, ({ sink }) => [
    { ...sink.sge(0, 100), lkey: (sink.key ^ 0x4000_0000) >>> 0 },
  ]),
  receives('a second segment beyond its region', CAUSE.BOUNDS, ({ sink }) => [
    sink.sge(0, 50),
    sink.sge(BYTES - 49, 50),
  ]),
  receives('a region of another protection domain [M6] [M9] [C10-9.2.1]', CAUSE.PD, async ({ bench }) => [
    (await bench.region('b', BYTES, { pd: await allocPd(bench.context('b')) })).sge(0, 100),
  ]),
  receives('a region without local write [C10-55]', CAUSE.RIGHT, async ({ bench }) => [
    (await bench.region('b', BYTES, { access: Access.REMOTE_READ })).sge(0, 100),
  ]),
  receives('a page that is missing', CAUSE.PAGE, async (ground) => {
    const region = await ground.bench.region('b', 8192);
    removePage(ground, region);
    return [region.sge(4000, 100)];
  }),
  ...(
    [
      ['a wrong mark', spoilReceive(0, 0)],
      ['an opcode of a send queue', spoilReceive(1, 2)],
      ['17 segments', spoilReceive(2, 17)],
      ['another index', spoilReceive(8, 0x55, 0x55)],
    ] as const
  ).flatMap(([what, spoil]): Refusal[] =>
    (['SEND', 'RDMA_WRITE_WITH_IMM'] as const).map((opcode) => ({
      what: `a ${opcode} that meets a receive with ${what}`,
      wr: ({ source, sink }) => send([source.sge(0, 10)], { opcode, remoteAddr: sink.va(), rkey: sink.key }),
      spoil,
      status: 'REM_OP_ERR',
      vendor: 0x63,
      nak: 0x63,
      received: { status: 'LOC_QP_OP_ERR' },
    })),
  ),
];

/** A good message, the one that is refused, and two that are flushed; another connection goes on. */
async function refuse(bench: Bench, refusal: Refusal): Promise<void> {
  const pair = await bench.connect({ mtuBytes: 256, ...refusal.options });
  const witness = await bench.connect({ mtuBytes: 512 });
  const source = await bench.region('a', BYTES);
  const sink = await bench.region('b', BYTES);
  const ground: Ground = { bench, pair, source, sink, region: bench.region.bind(bench) };
  const wr = { ...(await refusal.wr(ground)), wrId: 1 };
  bench.fabric.setTaps({ packets: true });
  // What was under way when a queue pair failed.
  bench.drops.a.STATE = 'any';
  bench.drops.b.STATE = 'any';
  if (refusal.unread) bench.drops[refusal.unread].POISONED = 1;

  postRecv(pair.b.qp, { wrId: 0, sgList: [] });
  const sgList = refusal.receive ? await refusal.receive(ground) : [sink.sge(0, 100)];
  if (refusal.spoil) {
    // The slot is written, then spoiled, before the doorbell tells of it.
    const { rq } = pair.b.qp;
    const { submit } = rq;
    rq.submit = () => {};
    postRecv(pair.b.qp, { wrId: 1, sgList });
    refusal.spoil(ground);
    rq.submit = submit;
    rq.submit(1);
  } else postRecv(pair.b.qp, { wrId: 1, sgList });
  postRecv(pair.b.qp, { wrId: 2, sgList: [] });
  const last = send([source.sge(0, 1)], { opcode: 'RDMA_WRITE', remoteAddr: sink.va(), rkey: sink.key });
  postSend(pair.a.qp, [
    { wrId: 0, opcode: 'SEND', signaled: true },
    wr,
    { ...last, wrId: 2 },
    { ...last, wrId: 3, signaled: false },
  ]);

  const { a, b } = pair;
  const { status, vendor, received, nak, event } = refusal;
  await bench.completions(a.sendCq, [
    sendDone(pair, 'a', 0, 'SEND', 0),
    failed(a, 'send', 1, status, { vendorErr: vendor }),
    failed(a, 'send', 2, 'WR_FLUSH_ERR', { vendorErr: 0 }),
    failed(a, 'send', 3, 'WR_FLUSH_ERR', { vendorErr: 0 }),
  ]);
  const done = receiveDone(pair, 'b', 0, { op: 'SEND' });
  const flushed = (wrId: number) => failed(b, 'receive', wrId, 'WR_FLUSH_ERR', { vendorErr: 0 });
  await bench.completions(b.recvCq, [
    done,
    ...(received ? [failed(b, 'receive', 1, received.status, { vendorErr: received.vendor ?? 0 })] : []),
    ...(event ? [flushed(1)] : []),
    ...(received || event ? [flushed(2)] : []),
  ]);
  expect(await bench.events('b')).toEqual(event ? [`${event} ${b.qp.qpn}`] : []);
  expect(await naksOf(bench, 'b')).toEqual(nak === undefined ? [] : [nak]);
  expect((await queryQp(a.qp)).state).toBe('ERR');
  expect((await queryQp(b.qp)).state).toBe(nak === undefined ? 'RTS' : 'ERR');

  await exchange(bench, witness, [
    {
      op: 'SEND',
      local: [{ region: source, at: 0, length: 600 }],
      receive: [{ region: sink, at: 0, length: 700 }],
    },
    { op: 'RDMA_READ', local: [{ region: source, at: 0, length: 900 }], remote: { region: sink, at: 2 } },
  ]);
}

describe.each(devices)('refusals on the %s', (_, setup) => {
  it.each(LOCAL_ERRORS.map((each) => [each.what, each] as const))(
    '%s ends in a local error [C10-41] [C10-137] [C10-142] [C10-145] [C10-160.2.1]',
    async (_, refusal) => {
      await refuse(await openBench(setup, { unchecked: true }), refusal);
    },
  );

  it.each(REMOTE_ERRORS.map((each) => [each.what, each] as const))(
    '%s is refused by the peer [C10-137] [C10-142] [C10-145] [C10-160.2.1] [C10-160.2.2]',
    async (_, refusal) => {
      await refuse(await openBench(setup, { unchecked: true }), refusal);
    },
  );

  it.each([
    ['RNR', 0x21, 'RNR_RETRY_EXC_ERR', 13],
    ['PSN sequence error', 0x60, 'RETRY_EXC_ERR', 12],
  ])(
    'a NAK for %s ends a message in a status of its own [S3] [C10-137]',
    async (_, syndrome, status, statusCode) => {
      const bench = await openBench(setup);
      const attr = { timeout: 0, retryCnt: 0, rnrRetry: 0 };
      const pair = await bench.connect({ psns: [0x100, 0x200], attr });
      // The port of the peer discards what comes: only the NAK below answers.
      const { device } = pair.b.context;
      device.barWrite(0, REGISTERS.control.at, 0n);
      postSend(pair.a.qp, [
        { wrId: 0, opcode: 'SEND', signaled: true },
        { wrId: 1, opcode: 'SEND' },
      ]);
      await bench.fabric.run({ cycles: 1000 });
      expect(await pollCq(pair.a.sendCq)).toEqual([]);
      await inject(bench, 'b', packetOf(pair, 'b', { opcode: 0x11, psn: 0x100, aeth: { syndrome, msn: 0 } }));
      await bench.completions(pair.a.sendCq, [
        failed(pair.a, 'send', 0, status, { vendorErr: syndrome, statusCode }),
        failed(pair.a, 'send', 1, 'WR_FLUSH_ERR', { statusCode: 5 }),
      ]);
      expect((await queryQp(pair.a.qp)).state).toBe('ERR');
      bench.tolerated = [/^wire: .*owed-ack/];
    },
  );

  it('a NAK names the first message that is missing: all before it are done [P11]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ psns: [0xff_fffe, 0x200], attr: { timeout: 0, retryCnt: 0 } });
    const { device } = pair.b.context;
    device.barWrite(0, REGISTERS.control.at, 0n); // its port discards what comes
    postSend(
      pair.a.qp,
      [0, 1, 2, 3].map((wrId) => ({ wrId, opcode: 'RDMA_WRITE' as const, signaled: true })),
    );
    await bench.fabric.run({ cycles: 1000 });
    const aeth = { syndrome: 0x60, msn: 2 };
    await inject(bench, 'b', packetOf(pair, 'b', { opcode: 0x11, psn: 0, aeth }));
    await bench.completions(pair.a.sendCq, [
      sendDone(pair, 'a', 0, 'RDMA_WRITE', 0),
      sendDone(pair, 'a', 1, 'RDMA_WRITE', 0),
      failed(pair.a, 'send', 2, 'RETRY_EXC_ERR', { vendorErr: 0x60 }),
      failed(pair.a, 'send', 3, 'WR_FLUSH_ERR', { vendorErr: 0 }),
    ]);
    bench.tolerated = [/^wire: .*owed-ack/];
  });

  it('a SEND that meets no receive ends for want of one, and the peer goes on [C10-42]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ attr: { minRnrTimer: 7, rnrRetry: 0 } });
    bench.fabric.setTaps({ packets: true });
    postSend(pair.a.qp, [
      { wrId: 0, opcode: 'SEND', signaled: true },
      { wrId: 1, opcode: 'SEND' },
    ]);
    await bench.completions(pair.a.sendCq, [
      failed(pair.a, 'send', 0, 'RNR_RETRY_EXC_ERR', { vendorErr: 0x27 }),
      failed(pair.a, 'send', 1, 'WR_FLUSH_ERR'),
    ]);
    await bench.settle();
    expect((await naksOf(bench, 'b'))[0]).toBe(0x27);
    expect((await queryQp(pair.b.qp)).state).toBe('RTS');
    bench.drops.b = { SEQUENCE: 'any' };
  });
});
