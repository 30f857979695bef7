import { describe, expect, it } from 'vitest';
import {
  Access,
  allocPd,
  createCq,
  createQp,
  deregMr,
  modifyQp,
  postRecv,
  queryQp,
  toInit,
} from '../../src/host/index.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import {
  type Bench,
  devices,
  judgeBenches,
  openBench,
  pattern,
  type Region,
} from '../support/system-bench.ts';
import { exchange, failed, type Pair } from '../support/system-messages.ts';
import { expectedPsn, type Fields, inject, naksOf, packetOf, sentBy } from '../support/system-packets.ts';

judgeBenches();

const MTU = 256;
const bytes = (length: number) => pattern(length, 77);

interface Ground {
  bench: Bench;
  pair: Pair;
  source: Region;
  sink: Region;
}

async function ground(bench: Bench, options: Parameters<Bench['connect']>[0] = {}): Promise<Ground> {
  const pair = await bench.connect({ mtuBytes: MTU, ...options });
  const source = await bench.region('a', 4000);
  const sink = await bench.region('b', 4000);
  bench.fabric.setTaps({ packets: true });
  return { bench, pair, source, sink };
}

/** Messages of every kind still pass. */
async function unharmed({ bench, pair, source, sink }: Ground): Promise<void> {
  await exchange(
    bench,
    pair,
    [
      {
        op: 'SEND_WITH_IMM',
        local: [{ region: source, at: 0, length: 300 }],
        receive: [{ region: sink, at: 0, length: 300 }],
      },
      {
        op: 'RDMA_WRITE',
        local: [{ region: source, at: 1, length: 300 }],
        remote: { region: sink, at: 1000 },
      },
      {
        op: 'RDMA_READ',
        local: [{ region: source, at: 2000, length: 300 }],
        remote: { region: sink, at: 1 },
      },
    ],
    { first: 100 },
  );
}

type Sequence = readonly Fields[];
interface Invalid {
  what: string;
  packets(ground: Ground): Sequence;
  nak?: number;
  event?: 'QP_REQ_ERR' | 'QP_ACCESS_ERR';
  /** Status of the receive in use. */
  received?: string;
  /** Bytes that the good packets before it have written, at the start of the sink. */
  written?: number;
  /** PSN of the NAK, from the first packet's. */
  at?: number;
}

const send = (opcode: number, length: number, rest: Partial<Fields> = {}): Fields => ({
  opcode,
  payload: bytes(length),
  ...rest,
});
const reth = ({ sink }: Ground, dmaLen: number) => ({ va: sink.va(), rkey: sink.key, dmaLen });

const invalid =
  (event: 'QP_REQ_ERR' | 'QP_ACCESS_ERR') =>
  (what: string, packets: (ground: Ground) => Sequence, rest: Partial<Invalid> = {}): Invalid => ({
    what,
    packets,
    event,
    ...rest,
  });
const sequence = invalid('QP_REQ_ERR');
const length = invalid('QP_ACCESS_ERR');
const inSend = {
  event: undefined,
  received: 'REM_INV_REQ_ERR',
  written: MTU,
  at: 1,
} as unknown as Partial<Invalid>;
const inWrite = { written: MTU, at: 1 };
const sendFirst = send(Op.RC_SEND_FIRST, MTU);
const writeFirst = (ground: Ground, dmaLen = 2 * MTU): Fields =>
  send(Op.RC_WRITE_FIRST, MTU, { reth: reth(ground, dmaLen) });

const OPENERS: readonly [string, (ground: Ground) => Fields][] = [
  ['SEND First', () => send(Op.RC_SEND_FIRST, MTU)],
  ['SEND Only', () => send(Op.RC_SEND_ONLY, 8)],
  ['SEND Only with immediate', () => send(Op.RC_SEND_ONLY_IMM, 8, { imm: 1 })],
  ['WRITE First', (g) => writeFirst(g)],
  ['WRITE Only', (g) => send(Op.RC_WRITE_ONLY, 8, { reth: reth(g, 8) })],
  ['WRITE Only with immediate', (g) => send(Op.RC_WRITE_ONLY_IMM, 8, { reth: reth(g, 8), imm: 1 })],
  ['READ request', (g) => ({ opcode: Op.RC_READ_REQUEST, reth: reth(g, 8) })],
];
const CONTINUERS: readonly [string, 'SEND' | 'WRITE', () => Fields][] = [
  ['SEND Middle', 'SEND', () => send(Op.RC_SEND_MIDDLE, MTU)],
  ['SEND Last', 'SEND', () => send(Op.RC_SEND_LAST, 8)],
  ['SEND Last with immediate', 'SEND', () => send(Op.RC_SEND_LAST_IMM, 8, { imm: 1 })],
  ['WRITE Middle', 'WRITE', () => send(Op.RC_WRITE_MIDDLE, MTU)],
  ['WRITE Last', 'WRITE', () => send(Op.RC_WRITE_LAST, 8)],
  ['WRITE Last with immediate', 'WRITE', () => send(Op.RC_WRITE_LAST_IMM, 8, { imm: 1 })],
];

const INVALID_REQUEST = '[event: invalid-request-local-work-queue-error]';
const ACCESS_VIOLATION = '[event: local-access-violation-work-queue-error]';

const INVALID: readonly Invalid[] = [
  ...CONTINUERS.map(([name, , packet]) =>
    sequence(`${name} outside of a message ${INVALID_REQUEST}`, () => [packet()]),
  ),
  ...OPENERS.flatMap(([name, packet]) => [
    sequence(`${name} within a SEND`, (g) => [sendFirst, packet(g)], inSend),
    sequence(`${name} within a WRITE`, (g) => [writeFirst(g), packet(g)], inWrite),
  ]),
  ...CONTINUERS.map(([name, kind, packet]) =>
    kind === 'WRITE'
      ? sequence(`${name} within a SEND`, () => [sendFirst, packet()], inSend)
      : sequence(`${name} within a WRITE`, (g) => [writeFirst(g), packet()], inWrite),
  ),
  ...[0x15, 0x18, 0x1f].map((opcode) =>
    sequence(`reserved opcode ${opcode} ${INVALID_REQUEST}`, () => [{ opcode }]),
  ),
  sequence('a SEND with invalidate, which is not offered', () => [send(0x17, 8, { ieth: 1 })]),
  sequence('a reserved opcode within a SEND', () => [sendFirst, { opcode: 0x1c }], inSend),
  ...[Op.RC_COMPARE_SWAP, Op.RC_FETCH_ADD].map((opcode) =>
    length(`an atomic that is not aligned, opcode ${opcode} [o10-43] ${ACCESS_VIOLATION}`, ({ sink }) => [
      { opcode, atomic: { va: sink.va() + 4n, rkey: sink.key, swapAdd: 1n, compare: 0n } },
    ]),
  ),
  ...[0, 4, MTU - 4, MTU - 1, MTU + 4].flatMap((size) => [
    length(`SEND First of ${size} bytes`, () => [send(Op.RC_SEND_FIRST, size)]),
    length(`WRITE First of ${size} bytes`, (g) => [
      send(Op.RC_WRITE_FIRST, size, { reth: reth(g, 4 * MTU) }),
    ]),
    length(`SEND Middle of ${size} bytes`, () => [sendFirst, send(Op.RC_SEND_MIDDLE, size)], inSend),
    length(
      `WRITE Middle of ${size} bytes`,
      (g) => [writeFirst(g, 4 * MTU), send(Op.RC_WRITE_MIDDLE, size)],
      inWrite,
    ),
  ]),
  ...[0, MTU + 1].flatMap((size) => [
    length(`SEND Last of ${size} bytes`, () => [sendFirst, send(Op.RC_SEND_LAST, size)], inSend),
    length(
      `SEND Last with immediate of ${size} bytes`,
      () => [sendFirst, send(Op.RC_SEND_LAST_IMM, size, { imm: 1 })],
      inSend,
    ),
    length(
      `WRITE Last of ${size} bytes`,
      (g) => [writeFirst(g, MTU + (size || 4)), send(Op.RC_WRITE_LAST, size)],
      inWrite,
    ),
  ]),
  length('SEND Only of more than the MTU', () => [send(Op.RC_SEND_ONLY, MTU + 1)]),
  length('WRITE Only of more than the MTU', (g) => [
    send(Op.RC_WRITE_ONLY, MTU + 1, { reth: reth(g, MTU + 1) }),
  ]),
  ...[-1, 1].flatMap((off) => [
    length(`WRITE Only with a DMA length off by ${off}`, (g) => [
      send(Op.RC_WRITE_ONLY, 8, { reth: reth(g, 8 + off) }),
    ]),
    length(
      `WRITE Last that leaves the DMA length off by ${off} [R7]`,
      (g) => [writeFirst(g, MTU + 8 + off), send(Op.RC_WRITE_LAST, 8)],
      inWrite,
    ),
  ]),
  length(`WRITE First that ends the DMA length ${ACCESS_VIOLATION}`, (g) => [writeFirst(g, MTU)]),
  length(
    'WRITE Middle that ends the DMA length',
    (g) => [writeFirst(g, 2 * MTU), send(Op.RC_WRITE_MIDDLE, MTU)],
    inWrite,
  ),
  length('WRITE with a DMA length above 2^31', (g) => [
    send(Op.RC_WRITE_FIRST, MTU, { reth: reth(g, 0x8000_0001) }),
  ]),
  length('READ with a DMA length above 2^31', (g) => [
    { opcode: Op.RC_READ_REQUEST, reth: reth(g, 0x8000_0001) },
  ]),
  length('READ with payload', (g) => [send(Op.RC_READ_REQUEST, 4, { reth: reth(g, 8) })]),
  length('SEND Only with more pad than payload', () => [{ opcode: Op.RC_SEND_ONLY, padCount: 1 }]),
  length('READ with pad', (g) => [{ opcode: Op.RC_READ_REQUEST, reth: reth(g, 8), padCount: 3 }]),
  {
    what: 'WRITE Last beyond its region, its first packet within [M7]',
    packets: (g) => [
      send(Op.RC_WRITE_FIRST, MTU, {
        reth: { va: g.sink.va(4000 - MTU), rkey: g.sink.key, dmaLen: MTU + 1 },
      }),
    ],
    nak: 0x62,
    event: 'QP_ACCESS_ERR',
  },
];

describe.each(devices)('bad packets at the %s', (_, setup) => {
  it.each(INVALID.map((each) => [each.what, each] as const))(
    '%s is an invalid request [R1] [R3]',
    async (_, invalid) => {
      const bench = await openBench(setup);
      const here = await ground(bench);
      const witness = await bench.connect();
      const { pair, sink, source } = here;
      const { nak = 0x61, event, received, written = 0 } = invalid;
      postRecv(pair.b.qp, { wrId: 0, sgList: [sink.sge(0, 2000)] });
      postRecv(pair.b.qp, { wrId: 1, sgList: [sink.sge(0, 2000)] });
      const psn = await expectedPsn(pair, 'b');
      const packets = invalid
        .packets(here)
        .map((fields, i) => packetOf(pair, 'a', { a: true, psn: psn + i, ...fields }));
      sink.image.set(bytes(written), 0);
      bench.drops.a = { RESPONSE: packets.length };
      bench.drops.b = {};
      await inject(bench, 'a', ...packets);

      const flushed = (wrId: number) => failed(pair.b, 'receive', wrId, 'WR_FLUSH_ERR');
      await bench.completions(pair.b.recvCq, [
        received ? failed(pair.b, 'receive', 0, received, { vendorErr: 0, opcode: 'RECV' }) : flushed(0),
        flushed(1),
      ]);
      expect(await bench.events('b')).toEqual(event ? [`${event} ${pair.b.qp.qpn}`] : []);
      expect(await naksOf(bench, 'b')).toEqual([nak]);
      expect((await queryQp(pair.b.qp)).state).toBe('ERR');
      expect((await queryQp(pair.a.qp)).state).toBe('RTS');
      await exchange(bench, witness, [
        {
          op: 'RDMA_WRITE',
          local: [{ region: source, at: 0, length: 600 }],
          remote: { region: sink, at: 3000 },
        },
      ]);
    },
  );

  it('a WRITE whose key dies between its packets is refused at the next one [M7]', async () => {
    const bench = await openBench(setup);
    const here = await ground(bench);
    const { pair, sink } = here;
    const psn = await expectedPsn(pair, 'b');
    const region = await bench.region('b', 2000);
    const range = { va: region.va(), rkey: region.key, dmaLen: 2 * MTU };
    bench.drops.a = { RESPONSE: 2 };
    await inject(
      bench,
      'a',
      packetOf(pair, 'a', { ...send(Op.RC_WRITE_FIRST, MTU, { reth: range }), a: true, psn }),
    );
    region.image.set(bytes(MTU), 0);
    await deregMr(region.mr);
    await inject(bench, 'a', packetOf(pair, 'a', { ...send(Op.RC_WRITE_LAST, MTU), a: true, psn: psn + 1 }));
    expect(await naksOf(bench, 'b')).toEqual([0x62]);
    expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
    expect(sink.image).toEqual(await sink.buffer.read());
  });

  it('more READs than there are resources for are an invalid request [event: local-access-violation-work-queue-error]', async () => {
    const bench = await openBench(setup);
    const here = await ground(bench, { attr: { maxDestRdAtomic: 2, maxRdAtomic: 2 } });
    const { pair } = here;
    const psn = await expectedPsn(pair, 'b');
    const packets = [0, 1, 2, 3].map((i) =>
      packetOf(pair, 'a', { opcode: Op.RC_READ_REQUEST, reth: reth(here, 3900), psn: psn + 16 * i }),
    );
    bench.drops.a = { RESPONSE: 'any' };
    bench.drops.b = { STATE: 'any' };
    await inject(bench, 'a', ...packets);
    expect(await naksOf(bench, 'b')).toEqual([0x61]);
    expect(await bench.events('b')).toEqual([`QP_ACCESS_ERR ${pair.b.qp.qpn}`]);
    await bench.events('a');
  });

  describe('is dropped and counted once, and the queue pair goes on:', () => {
    type Drop = [what: string, reason: string, packet: (ground: Ground, psn: number) => Uint8Array];
    const good = { opcode: Op.RC_SEND_ONLY, payload: bytes(8), a: true };
    const from =
      (fields: Partial<Fields>): Drop[2] =>
      ({ pair }, psn) =>
        packetOf(pair, 'a', { ...good, psn, ...fields });
    const response =
      (fields: Partial<Fields>): Drop[2] =>
      ({ pair }) =>
        packetOf(pair, 'a', {
          opcode: Op.RC_ACKNOWLEDGE,
          aeth: { syndrome: 0x1f, msn: 0 },
          psn: 0x1ff,
          ...fields,
        });
    const grh = { tclass: 0, flowLabel: 0, hopLimit: 1, sgid: 1n, dgid: 2n };
    const own = ({ pair }: Ground) => pair.b.context.port.gids[0]!;
    const drops: Drop[] = [
      ['a wrong VCRC', 'VCRC', from({ vcrcXor: 1 })],
      ['a wrong ICRC', 'ICRC', from({ icrcXor: 0x80 })],
      ['a PktLen that is too large', 'LENGTH', from({ pktLen: 12 })],
      ['a PktLen that is too small', 'LENGTH', from({ pktLen: 7 })],
      ['a packet longer than the port takes', 'LENGTH', from({ payload: bytes(4096 + 101) })],
      [
        'a SEND with immediate without room for it [R6]',
        'LENGTH',
        from({ opcode: Op.RC_SEND_ONLY_IMM, payload: bytes(0) }),
      ],
      [
        'a WRITE cut within its RETH [R6]',
        'LENGTH',
        from({ opcode: Op.RC_WRITE_ONLY, payload: bytes(0), reth: { va: 0n, rkey: 0, dmaLen: 0 }, cut: 4 }),
      ],
      [
        'a READ cut within its RETH [R6]',
        'LENGTH',
        from({ opcode: Op.RC_READ_REQUEST, payload: bytes(0), reth: { va: 0n, rkey: 0, dmaLen: 0 }, cut: 4 }),
      ],
      ['an ACK without AETH [R6]', 'LENGTH', from({ opcode: Op.RC_ACKNOWLEDGE, payload: bytes(0) })],
      ['a packet without a whole BTH', 'LENGTH', from({ payload: bytes(0), cut: 4 })],
      ['a link version of 1', 'LVER', from({ lver: 1 })],
      ['VL15', 'VL', from({ vl: 15 })],
      ['the LID of another port', 'DLID', from({ dlid: 99 })],
      ['a raw packet', 'LNH', from({ lnh: 0 })],
      ['a raw packet with an IPv6 header', 'LNH', from({ lnh: 1 })],
      ['an IP version of 4', 'GRH', (g, psn) => from({ grh: { ...grh, ipVer: 4, dgid: own(g) } })(g, psn)],
      ['another next header', 'GRH', (g, psn) => from({ grh: { ...grh, nxtHdr: 6, dgid: own(g) } })(g, psn)],
      ['a DGID of another port', 'GRH', from({ grh })],
      [
        'a PayLen that does not fit',
        'GRH',
        (g, psn) => from({ grh: { ...grh, payLen: 20, dgid: own(g) } })(g, psn),
      ],
      ['a transport version of 1', 'TVER', from({ tver: 1 })],
      ['an opcode of UC', 'OPCODE', from({ opcode: 0x24 })],
      ['an opcode of UD', 'OPCODE', from({ opcode: 0x64 })],
      ['a queue pair that does not exist', 'QPN', from({ destQpn: 40 })],
      ['a queue pair beyond the table', 'QPN', from({ destQpn: 0xff_fff0 })],
      ['queue pair 1', 'QPN', from({ destQpn: 1 })],
      ['another SLID', 'PATH', from({ slid: 77 })],
      ['a GRH where the path has none', 'PATH', (g, psn) => from({ grh: { ...grh, dgid: own(g) } })(g, psn)],
      ['another P_Key [C10-119]', 'PKEY', from({ pkey: 0x8001 })],
      ['P_Key 0', 'PKEY', from({ pkey: 0x8000 })],
      ['an ACK of what was never sent', 'RESPONSE', response({ psn: 0x300 })],
      ['an ACK with payload', 'RESPONSE', response({ psn: 0x1ff, payload: bytes(4) })],
      ['an ACK with pad', 'RESPONSE', response({ psn: 0x1ff, padCount: 1 })],
      ['a reserved syndrome', 'RESPONSE', response({ psn: 0x1ff, aeth: { syndrome: 0x65, msn: 0 } })],
      ['a syndrome with bit 7', 'RESPONSE', response({ psn: 0x1ff, aeth: { syndrome: 0x9f, msn: 0 } })],
      [
        'READ data that nobody asked for',
        'RESPONSE',
        response({ opcode: Op.RC_READ_RESPONSE_ONLY, payload: bytes(8), psn: 0x200 }),
      ],
    ];

    it.each(drops)('%s [%s]', async (_, reason, packet) => {
      const bench = await openBench(setup);
      const here = await ground(bench, { psns: [0x100, 0x200] });
      bench.drops.b = { [reason]: 1 };
      await inject(bench, 'a', packet(here, await expectedPsn(here.pair, 'b')));
      expect(await bench.dropped('b')).toEqual({ [reason]: 1 });
      await unharmed(here);
    });

    it('a duplicate, which is acknowledged and not executed', async () => {
      const bench = await openBench(setup);
      const here = await ground(bench);
      await unharmed(here);
      const psn = await expectedPsn(here.pair, 'b');
      const { pair } = here;
      bench.drops.b = { DUPLICATE: 3 };
      bench.drops.a = { RESPONSE: 'any' };
      await inject(
        bench,
        'a',
        packetOf(pair, 'a', { ...good, psn: psn - 1 }),
        packetOf(pair, 'a', { opcode: Op.RC_READ_REQUEST, reth: reth(here, 8), psn: psn - 2 }),
        packetOf(pair, 'a', {
          opcode: Op.RC_WRITE_ONLY,
          payload: bytes(8),
          reth: reth(here, 8),
          a: true,
          psn: psn - 5,
        }),
      );
      expect(await naksOf(bench, 'b')).toEqual([]);
      expect(await expectedPsn(pair, 'b')).toBe(psn);
    });

    const tail = { a: true, payload: bytes(8) };
    const unsound: readonly (readonly [string, (ground: Ground) => Fields])[] = [
      ['a SEND Only over the MTU', () => send(Op.RC_SEND_ONLY, MTU + 4, { a: true })],
      ['a SEND First below the MTU', () => send(Op.RC_SEND_FIRST, MTU - 4, { a: true })],
      ['a SEND Middle below the MTU', () => send(Op.RC_SEND_MIDDLE, 8, { a: true })],
      ['a SEND Last without data', () => ({ opcode: Op.RC_SEND_LAST, a: true })],
      ['a SEND of more pad than data', () => ({ opcode: Op.RC_SEND_ONLY, a: true, padCount: 1 })],
      ['a WRITE Middle below the MTU', () => ({ opcode: Op.RC_WRITE_MIDDLE, ...tail })],
      ['a WRITE Last without data', () => ({ opcode: Op.RC_WRITE_LAST, a: true })],
      ['a WRITE Only of another length', (g) => ({ opcode: Op.RC_WRITE_ONLY, ...tail, reth: reth(g, 9) })],
      ['a WRITE First that is whole', (g) => ({ ...writeFirst(g, MTU), a: true })],
      ['a WRITE over 2^31', (g) => ({ ...writeFirst(g, 0x8000_0001), a: true })],
      ['an opcode that is reserved', () => ({ opcode: 0x1f, ...tail })],
    ];
    it.each(unsound)('a duplicate that no check would pass, which nothing answers: %s', async (_, packet) => {
      const bench = await openBench(setup);
      const here = await ground(bench);
      await unharmed(here);
      await bench.fabric.takeTaps();
      const psn = await expectedPsn(here.pair, 'b');
      bench.drops.b = { DUPLICATE: 1 };
      await inject(bench, 'a', packetOf(here.pair, 'a', { ...packet(here), psn: psn - 1 }));
      expect(await sentBy(bench, 'b')).toBe(0);
      expect(await expectedPsn(here.pair, 'b')).toBe(psn);
      await unharmed(here);
    });

    it('a duplicate WRITE that the queue pair does not allow any more, which nothing answers', async () => {
      const bench = await openBench(setup);
      const here = await ground(bench);
      const { pair } = here;
      await unharmed(here);
      const psn = await expectedPsn(pair, 'b');
      const again = packetOf(pair, 'a', {
        ...{ opcode: Op.RC_WRITE_ONLY, ...tail },
        reth: reth(here, 8),
        psn: psn - 1,
      });
      bench.drops.b = { DUPLICATE: 2 };
      await bench.fabric.takeTaps();
      await inject(bench, 'a', again);
      expect(await sentBy(bench, 'b')).toBe(1);
      await modifyQp(pair.b.qp, { state: 'RTS', access: Access.LOCAL_WRITE | Access.REMOTE_READ });
      await inject(bench, 'a', again);
      expect(await sentBy(bench, 'b')).toBe(0);
    });

    it('what comes behind a gap, which is NAKed once', async () => {
      const bench = await openBench(setup);
      const here = await ground(bench);
      const { pair } = here;
      const psn = await expectedPsn(pair, 'b');
      bench.drops.b = { SEQUENCE: 3 };
      bench.drops.a = { RESPONSE: 1 };
      await inject(bench, 'a', ...[1, 2, 900].map((n) => packetOf(pair, 'a', { ...good, psn: psn + n })));
      expect(await naksOf(bench, 'b')).toEqual([0x60]);
      await unharmed(here);
    });

    it('a packet for a queue pair in Reset or Init [STATE]', async () => {
      const bench = await openBench(setup);
      const here = await ground(bench);
      const { pair } = here;
      const cq = await createCq(pair.b.context, 8);
      const qp = await createQp(pair.b.pd, { sendCq: cq, recvCq: cq });
      const packet = packetOf(pair, 'a', { ...good, destQpn: qp.qpn });
      bench.drops.b = { STATE: 2 };
      await inject(bench, 'a', packet);
      await toInit(qp);
      await inject(bench, 'a', packet);
      expect(await bench.dropped('b')).toEqual({ STATE: 2 });
      await unharmed(here);
    });

    it('a packet between two limited members of a partition [PKEY]', async () => {
      const bench = await openBench(setup, { hosts: { b: { port: { pkeys: [0x7fff] } } } });
      const here = await ground(bench);
      bench.drops.b = { PKEY: 1 };
      const psn = await expectedPsn(here.pair, 'b');
      await inject(bench, 'a', packetOf(here.pair, 'a', { ...good, psn, pkey: 0x7fff }));
      await unharmed(here);
    });
  });

  it('MigReq is 1 in all that is sent, and of no weight in what comes [S9]', async () => {
    const bench = await openBench(setup);
    const here = await ground(bench);
    const { pair, sink } = here;
    const spare = await bench.connect();
    await unharmed(here);
    bench.drops.a = { RESPONSE: 'any' };
    // A NAK too, of another queue pair.
    await inject(
      bench,
      'a',
      packetOf(spare, 'a', { opcode: Op.RC_SEND_LAST, psn: 0x100, payload: bytes(8) }),
    );
    const bits = (await bench.fabric.takeTaps()).flatMap((tap) =>
      tap.kind === 'packet' && !('injected' in tap && tap.injected)
        ? [`${tap.device} ${tap.bytes[8]} ${(tap.bytes[9]! >> 6) & 1}`]
        : [],
    );
    expect(bits.filter((line) => !line.endsWith(' 1'))).toEqual([]);
    const [requester, responder] = [bench.index('a'), bench.index('b')];
    for (const sent of [
      ...[Op.RC_SEND_FIRST, Op.RC_WRITE_LAST, Op.RC_READ_REQUEST].map((op) => `${requester} ${op} 1`),
      ...[Op.RC_ACKNOWLEDGE, Op.RC_READ_RESPONSE_FIRST].map((op) => `${responder} ${op} 1`),
    ])
      expect(bits).toContain(sent);
    expect(await bench.events('b')).toEqual([`QP_REQ_ERR ${spare.b.qp.qpn}`]);

    const psn = await expectedPsn(pair, 'b');
    for (const [i, m] of [true, false].entries()) {
      const fields = send(Op.RC_WRITE_ONLY, 8, { reth: { ...reth(here, 8), va: sink.va(100 * i) }, m });
      await inject(bench, 'a', packetOf(pair, 'a', { ...fields, a: true, psn: psn + i }));
      sink.image.set(bytes(8), 100 * i);
    }
    expect(await expectedPsn(pair, 'b')).toBe(psn + 2);
  });

  it('tells COMM_EST once, with the first request accepted in RTR [event: communication-established]', async () => {
    const bench = await openBench(setup);
    const pd = await allocPd(bench.context('b'));
    const cq = await createCq(bench.context('b'), 8);
    const qp = await createQp(pd, { sendCq: cq, recvCq: cq });
    const sink = await bench.region('b', 100, { pd });
    await toInit(qp, { access: Access.REMOTE_WRITE });
    await modifyQp(qp, {
      state: 'RTR',
      av: { dlid: bench.context('a').port.lid },
      pathMtu: 1,
      destQpn: 9,
      rqPsn: 0x50,
      maxDestRdAtomic: 1,
      minRnrTimer: 0,
    });
    const pair = {
      a: { context: bench.context('a'), qp: { qpn: 9 } },
      b: { context: bench.context('b'), qp },
    } as unknown as Pair;
    const range = { va: sink.va(), rkey: sink.key, dmaLen: 8 };
    sink.image.set(bytes(8));
    bench.tolerated = [/^wire: .*dest-qp/];
    bench.drops.a = { QPN: 'any' };
    for (const psn of [0x50, 0x51])
      await inject(
        bench,
        'a',
        packetOf(pair, 'a', { opcode: Op.RC_WRITE_ONLY, payload: bytes(8), reth: range, psn, a: true }),
      );
    expect(await bench.events('b')).toEqual([`COMM_EST ${qp.qpn}`]);
    expect((await queryQp(qp)).state).toBe('RTR');
  });
});
