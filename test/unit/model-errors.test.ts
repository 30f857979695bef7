import { describe, expect, it } from 'vitest';
import { createModelFabric, GateCause } from '../../src/model/index.ts';
import { CmdOp, DropReason, EventType, QpState, WcStatus, WrOpcode } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { MPT, type Qpc } from '../../src/spec/gen/records.ts';
import { decodePacket, encodePacket, type PacketToSend } from '../../src/wire/index.ts';
import { connectedPair, type Pair, pattern } from '../support/model-node.ts';

const connected = (values: Partial<Qpc> = {}, bytes?: number) =>
  connectedPair(createModelFabric(), values, bytes);
const { RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ, SEND } = WrOpcode;
const { WR_FLUSH_ERR } = WcStatus;

const statuses = (cqes: { wqeIndex: number; status: number }[]) =>
  cqes.map(({ wqeIndex, status }) => [wqeIndex, status]);

/** Posts a WRITE that works, the wrong one and another, and two receives at the peer. */
async function wrongInTheMiddle(pair: Pair, wrong: Parameters<Pair['a']['qp']['send']>[0]) {
  const { a, b, settle } = pair;
  const good = { opcode: RDMA_WRITE, sge: [{ region: a.region, length: 100 }], remote: b.region };
  a.qp.receive({});
  a.qp.send(good);
  a.qp.send(wrong);
  a.qp.send(good);
  await settle();
  return { sends: await a.send.poll(), receives: await a.receive.poll() };
}

describe('a remote access violation', () => {
  const cases: [string, (pair: Pair) => { key?: number; offset?: number; length?: number }][] = [
    ['an unknown key', () => ({ key: 0x1200 })],
    ['a key that differs in its low byte', ({ b }) => ({ key: b.region.key ^ 1 })],
    ['a key that differs in its high bits', ({ b }) => ({ key: (b.region.key | 0x8000_0000) >>> 0 })],
    ['one byte past the end', ({ b }) => ({ offset: b.region.length - 99, length: 100 })],
    ['one byte before the start', () => ({ offset: -1, length: 100 })],
  ];
  it.each(cases)('by %s ends the WR, flushes what follows and tells the responder', async (_, wrong) => {
    const pair = await connected();
    const { key = pair.b.region.key, offset = 0, length = 10 } = wrong(pair);
    const { sends, receives } = await wrongInTheMiddle(pair, {
      opcode: RDMA_WRITE,
      sge: [{ region: pair.a.region, length }],
      remote: { key, start: pair.b.region.start },
      remoteOffset: offset,
    });

    expect(statuses(sends)).toEqual([
      [0, WcStatus.SUCCESS],
      [1, WcStatus.REM_ACCESS_ERR],
      [2, WR_FLUSH_ERR],
    ]);
    expect(sends[1]).toMatchObject({ vendor: 0x62, byteLen: 0, pkeyIndex: 0 });
    expect(statuses(receives)).toEqual([[0, WR_FLUSH_ERR]]);
    expect(await pair.b.node.events()).toEqual([{ event: EventType.QP_ACCESS_ERR, number: 3 }]);
    expect((await pair.a.qp.query()).state).toBe(QpState.ERR);
    expect((await pair.b.qp.query()).state).toBe(QpState.ERR);
  });

  it.each([
    ['WRITE', RDMA_WRITE, { remoteWrite: 0 }],
    ['READ', RDMA_READ, { remoteRead: 0 }],
    ['WRITE', RDMA_WRITE, { pd: 8 }],
    ['READ', RDMA_READ, { pd: 8 }],
  ])('by a %s (%i) that the region does not allow: %o', async (_, opcode, fields) => {
    const { a, b, settle } = await connected();
    const region = await b.node.region(1000, fields);
    a.qp.send({ opcode, sge: [{ region: a.region, length: 10 }], remote: region });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.REM_ACCESS_ERR]]);
    expect(await region.read(0, 10)).toEqual(new Uint8Array(10));
  });

  it('is not one when no byte is accessed', async () => {
    const { a, settle } = await connected();
    for (const opcode of [RDMA_WRITE, RDMA_READ]) a.qp.send({ opcode, remote: { key: 0xdead, start: 0n } });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  it('of a WRITE with immediate uses no receive WQE', async () => {
    const { a, b, settle } = await connected();
    b.qp.receive({});
    a.qp.send({
      opcode: RDMA_WRITE_WITH_IMM,
      sge: [{ region: a.region, length: 9 }],
      remote: { key: 1, start: 0n },
    });
    await settle();
    expect(statuses(await b.receive.poll())).toEqual([[0, WR_FLUSH_ERR]]);
    expect(await b.node.events()).toEqual([{ event: EventType.QP_ACCESS_ERR, number: 3 }]);
  });

  it('is found again in a later packet when the key was withdrawn', async () => {
    const { fabric, a, b, settle } = await connected();
    a.qp.send({ opcode: RDMA_WRITE, sge: [{ region: a.region, length: 60_000 }], remote: b.region });
    await fabric.run({ cycles: 100 });
    await b.node.command(CmdOp.HW2SW_MPT, 0);
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.REM_ACCESS_ERR]]);
    expect(await b.node.events()).toEqual([{ event: EventType.QP_ACCESS_ERR, number: 3 }]);
  });

  it('in the middle of a READ takes the place of the response', async () => {
    const { fabric, a, b, settle } = await connected();
    fabric.setTaps({ packets: true });
    a.qp.send({ opcode: RDMA_READ, sge: [{ region: a.region, length: 60_000 }], remote: b.region });
    await fabric.run({ cycles: 400 });
    await b.node.command(CmdOp.HW2SW_MPT, 0);
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.REM_ACCESS_ERR]]);
    const packets = (await fabric.takeTaps()).flatMap((e) => (e.kind === 'packet' ? [e.bytes] : []));
    expect(packets.at(-1)?.[8]).toBe(Op.RC_ACKNOWLEDGE);
    expect(packets.length).toBeGreaterThan(2);
  });
});

describe('operations that the responder has not enabled', () => {
  it.each([
    ['WRITE', RDMA_WRITE, { remoteWrite: 0 }],
    ['READ', RDMA_READ, { remoteRead: 0 }],
  ])('%s (%i) is an invalid request: %o', async (_, opcode, values) => {
    const { a, b, settle } = await connected(values);
    a.qp.send({ opcode, sge: [{ region: a.region, length: 10 }], remote: b.region });
    await settle();
    expect(await a.send.poll()).toMatchObject([{ status: WcStatus.REM_INV_REQ_ERR, vendor: 0x61 }]);
    expect(await b.node.events()).toEqual([{ event: EventType.QP_REQ_ERR, number: 3 }]);
  });

  it('READs beyond the responder resources are an invalid request', async () => {
    const { a, b, settle } = await connected({ maxDestRdAtomic: 0 });
    a.qp.send({ opcode: RDMA_READ, sge: [{ region: a.region, length: 10 }], remote: b.region });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.REM_INV_REQ_ERR]]);
    expect(await b.node.events()).toEqual([{ event: EventType.QP_ACCESS_ERR, number: 3 }]);
  });

  it('READs without initiator depth are a local QP operation error', async () => {
    const { a, b, settle } = await connected({ maxRdAtomic: 0 });
    a.qp.send({ opcode: RDMA_READ, sge: [{ region: a.region, length: 10 }], remote: b.region });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.LOC_QP_OP_ERR]]);
  });
});

describe('the receive queue', () => {
  it('answers a SEND without a receive WQE by an RNR NAK with its timer', async () => {
    const { fabric, a, b, settle } = await connected({ minRnrTimer: 13 });
    fabric.setTaps({ packets: true });
    a.qp.send({ opcode: SEND });
    await settle();
    expect(await a.send.poll()).toMatchObject([{ status: WcStatus.RNR_RETRY_EXC_ERR, vendor: 0x20 | 13 }]);
    expect((await b.qp.query()).state).toBe(QpState.RTS);
    expect(await b.qp.query()).toMatchObject({ msn: 0, epsn: 0xff_fffe });
    const nak = (await fabric.takeTaps()).flatMap((e) => (e.kind === 'packet' ? [e.bytes] : [])).at(-1)!;
    expect(decodePacket(nak).packet).toMatchObject({
      aeth: { syndrome: 0x2d, msn: 0 },
      bth: { psn: 0xff_fffe },
    });
  });

  it('refuses a SEND that is longer than its WQE', async () => {
    const { a, b, settle } = await connected();
    for (let i = 0; i < 2; i++) b.qp.receive({ sge: [{ region: b.region, length: 1500 }] });
    a.qp.send({ opcode: SEND, sge: [{ region: a.region, length: 1501 }] });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.REM_INV_REQ_ERR]]);
    expect(statuses(await b.receive.poll())).toEqual([
      [0, WcStatus.LOC_LEN_ERR],
      [1, WR_FLUSH_ERR],
    ]);
    expect(await b.node.events()).toEqual([]);
  });

  it('completes in error when a segment cannot be written', async () => {
    const { a, b, settle } = await connected();
    const readOnly = await b.node.region(100, { localWrite: 0, remoteWrite: 0, remoteAtomic: 0 });
    b.qp.receive({ sge: [{ region: readOnly, length: 100 }] });
    a.qp.send({ opcode: SEND, inlineData: pattern(10) });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.REM_OP_ERR]]);
    expect(await b.receive.poll()).toMatchObject([
      { status: WcStatus.LOC_PROT_ERR, vendor: GateCause.RIGHT },
    ]);
  });

  it('completes in error when its WQE is malformed', async () => {
    const { a, b, settle } = await connected();
    b.qp.receive({ mark: 0 });
    a.qp.send({ opcode: SEND });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.REM_OP_ERR]]);
    expect(statuses(await b.receive.poll())).toEqual([[0, WcStatus.LOC_QP_OP_ERR]]);
  });
});

describe('a wrong WQE', () => {
  const segment = (pair: Pair, length = 100) => ({ region: pair.a.region, length });
  it.each([
    ['mark', { mark: 0x5b }, WcStatus.LOC_QP_OP_ERR],
    ['index', { index: 7 }, WcStatus.LOC_QP_OP_ERR],
    ['opcode', { opcode: 0x33 }, WcStatus.LOC_QP_OP_ERR],
    ['opcode that is not offered', { opcode: WrOpcode.SEND_WITH_INV }, WcStatus.LOC_QP_OP_ERR],
    ['opcode of the other queue', { opcode: WrOpcode.RECV }, WcStatus.LOC_QP_OP_ERR],
    ['number of segments', { segments: 17 }, WcStatus.LOC_QP_OP_ERR],
    ['inline on READ', { opcode: RDMA_READ, inline: 1 }, WcStatus.LOC_QP_OP_ERR],
    ['inline length', { inline: 1, inlineBytes: 257 }, WcStatus.LOC_QP_OP_ERR],
  ])('%s completes after what is before it: %o', async (_, header, status) => {
    const pair = await connected();
    const sge = 'inline' in header ? [] : [segment(pair)];
    const wrong = { opcode: RDMA_WRITE, sge, remote: pair.b.region, ...header };
    const { sends, receives } = await wrongInTheMiddle(pair, wrong);
    expect(statuses(sends)).toEqual([
      [0, WcStatus.SUCCESS],
      [1, status],
      [2, WR_FLUSH_ERR],
    ]);
    expect(statuses(receives)).toEqual([[0, WR_FLUSH_ERR]]);
    expect((await pair.b.qp.query()).state).toBe(QpState.RTS);
  });

  it('of more than 2^31 bytes is a local length error', async () => {
    const pair = await connected();
    const sge = [segment(pair, 2 ** 31), segment(pair, 1)];
    const { sends } = await wrongInTheMiddle(pair, { opcode: RDMA_WRITE, sge, remote: pair.b.region });
    expect(statuses(sends)[1]).toEqual([1, WcStatus.LOC_LEN_ERR]);
  });

  it.each([
    ['key', { key: 0x77 }, GateCause.KEY],
    ['bounds', { offset: 0xffff }, GateCause.BOUNDS],
  ])('with a wrong %s in its second segment sends nothing later', async (_, change, vendor) => {
    const pair = await connected();
    const { region } = pair.a;
    const bad = { region: { start: region.start, key: region.key, ...change }, length: 10, ...change };
    const sge = [{ region, length: 2000 }, { region, offset: 99, length: 0 }, bad];
    const { sends } = await wrongInTheMiddle(pair, { opcode: RDMA_WRITE, sge, remote: pair.b.region });
    expect(statuses(sends)).toEqual([
      [0, WcStatus.SUCCESS],
      [1, WcStatus.LOC_PROT_ERR],
      [2, WR_FLUSH_ERR],
    ]);
    expect(sends[1]).toMatchObject({ vendor });
  });

  it('skips a segment of length 0 without looking at its key', async () => {
    const { a, b, settle } = await connected();
    const sge = [
      { region: { key: 0xbad, start: 0n }, length: 0 },
      { region: a.region, length: 5 },
    ];
    a.qp.send({ opcode: RDMA_WRITE, sge, remote: b.region });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, 0]]);
  });

  it('in a READ result is a local protection error', async () => {
    const { a, b, settle } = await connected();
    a.qp.send({ opcode: RDMA_READ, sge: [{ region: { key: 1, start: 0n }, length: 10 }], remote: b.region });
    await settle();
    expect(await a.send.poll()).toMatchObject([{ status: WcStatus.LOC_PROT_ERR, vendor: GateCause.KEY }]);
    expect((await b.qp.query()).state).toBe(QpState.RTS);
  });
});

describe('the error state', () => {
  it('flushes in order what is posted before and after', async () => {
    const { a, settle } = await connected();
    for (let i = 0; i < 3; i++) a.qp.receive({});
    await a.qp.modify(QpState.ERR, {}, []);
    for (let i = 0; i < 3; i++) a.qp.send({ opcode: SEND, mark: 0 });
    a.qp.receive({});
    await settle();
    const flushed = (count: number) => Array.from({ length: count }, (_, i) => [i, WR_FLUSH_ERR]);
    expect(statuses(await a.send.poll())).toEqual(flushed(3));
    expect(statuses(await a.receive.poll())).toEqual(flushed(4));
    expect(await a.node.events()).toEqual([]);
  });

  it('flushes the receive WQE in use and a message in flight', async () => {
    const { fabric, a, b, settle } = await connected();
    b.qp.receive({ sge: [{ region: b.region, length: 60_000 }] });
    a.qp.send({ opcode: SEND, sge: [{ region: a.region, length: 60_000 }] });
    await fabric.run({ cycles: 300 });
    await b.qp.modify(QpState.ERR, {}, []);
    await a.qp.modify(QpState.ERR, {}, []);
    await settle();
    expect(statuses(await b.receive.poll())).toEqual([[0, WR_FLUSH_ERR]]);
    expect(statuses(await a.send.poll())).toEqual([[0, WR_FLUSH_ERR]]);
  });

  it('is left for Reset without completions, and everything starts again', async () => {
    const pair = await connected();
    const { a, b, settle } = pair;
    for (const { qp, node } of [a, b]) {
      qp.receive({});
      await qp.modify(QpState.RESET, {}, []);
      qp.sqProducer = 0;
      qp.rqProducer = 0;
      await qp.init();
      await qp.connect({ qpn: 5 - qp.qpn, lid: 3 - node.lid });
    }
    a.qp.send({ opcode: RDMA_WRITE, sge: [{ region: a.region, length: 10 }], remote: b.region });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, 0]]);
    expect(await a.receive.poll()).toEqual([]);
  });
});

describe('a completion queue that overflows', () => {
  it('loses the completion, tells of it and ends the queue pair', async () => {
    const fabric = createModelFabric();
    const { a, b, settle } = await connectedPair(fabric);
    const small = await a.node.cq(5, 1);
    const qp = await a.node.qp(9, { send: small, receive: a.receive });
    const peer = await b.node.qp(9, b);
    for (const each of [qp, peer]) await each.init();
    await qp.connect({ qpn: 9, lid: 2 });
    await peer.connect({ qpn: 9, lid: 1 });
    for (let i = 0; i < 4; i++) qp.send({ opcode: RDMA_WRITE });
    await settle();

    expect(statuses(await small.poll())).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(await a.node.events()).toEqual([
      { event: EventType.CQ_ERROR, number: 5 },
      { event: EventType.QP_FATAL, number: 9 },
    ]);
    expect((await qp.query()).state).toBe(QpState.ERR);
    await settle();
    expect(await small.poll()).toEqual([]);
  });
});

describe('a completion queue of the responder that overflows', () => {
  it('has the message acknowledged all the same', async () => {
    const fabric = createModelFabric();
    const { a, b, settle } = await connectedPair(fabric);
    const small = await b.node.cq(5, 0);
    const qp = await a.node.qp(9, a);
    const peer = await b.node.qp(9, { send: b.send, receive: small });
    for (const each of [qp, peer]) await each.init();
    await qp.connect({ qpn: 9, lid: 2 });
    await peer.connect({ qpn: 9, lid: 1 });
    for (let i = 0; i < 2; i++) {
      peer.receive({});
      qp.send({ opcode: SEND });
    }
    await settle();
    expect(statuses(await a.send.poll())).toEqual([
      [0, WcStatus.SUCCESS],
      [1, WcStatus.SUCCESS],
    ]);
    expect(await b.node.events()).toEqual([
      { event: EventType.CQ_ERROR, number: 5 },
      { event: EventType.QP_FATAL, number: 9 },
    ]);
  });
});

describe('a ring whose page is missing', () => {
  it('has WQEs that are wrong', async () => {
    const { a, settle } = await connected();
    a.node.table('mttTable', a.qp.sq.mtt, new Uint8Array(8));
    a.qp.send({ opcode: RDMA_WRITE });
    await settle();
    expect(await a.node.events()).toEqual([]);
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.LOC_QP_OP_ERR]]);
  });
});

describe('an event queue that overflows', () => {
  it('loses the event and keeps its flag', async () => {
    const { fabric, a, settle } = await connected();
    for (let i = 0; i < 40; i++) for (const up of [false, true]) fabric.devices[0].setLink(up);
    await settle();
    expect(await a.node.events()).toHaveLength(64);
    await a.node.command(CmdOp.QUERY_EQ, 0);
    expect((await a.node.mailbox(32))[0x16]! & 4).toBe(4);
  });
});

describe('packets of a stranger', () => {
  const request = (bth: Partial<PacketToSend['bth']>, more: Partial<PacketToSend> = {}): PacketToSend => ({
    lrh: { dlid: 2, slid: 1 },
    bth: { opcode: Op.RC_SEND_ONLY, destQpn: 3, pkey: 0xffff, psn: 0xff_fffe, ackReq: 1, migReq: 1, ...bth },
    ...more,
  });

  it.each([
    ['DLID', request({}, { lrh: { dlid: 3, slid: 1 } })],
    ['VL', request({}, { lrh: { dlid: 2, slid: 1, vl: 15 } })],
    ['QPN', request({ destQpn: 99 })],
    ['QPN', request({ destQpn: 0xff_ffff })],
    ['PATH', request({}, { lrh: { dlid: 2, slid: 9 } })],
    ['GRH', request({}, { grh: { sgid: 1n, dgid: 2n } })],
    ['PKEY', request({ pkey: 0x7ffe })],
    ['TVER', request({ tver: 1 })],
    ['RESPONSE', request({ opcode: Op.RC_ACKNOWLEDGE }, { aeth: { syndrome: 0x1f, msn: 0 } })],
    ['SEQUENCE', request({ psn: 5 })],
  ] as const)('are dropped and counted: %s', async (reason, packet) => {
    const { fabric, b, settle } = await connected();
    b.qp.receive({});
    fabric.inject(1, encodePacket(packet));
    await settle();
    expect(await b.node.dropped(DropReason[reason])).toBe(1n);
    expect(await b.receive.poll()).toEqual([]);
    expect((await b.qp.query()).state).toBe(QpState.RTS);
  });

  it('of a QP that is not connected are dropped for its state', async () => {
    const { fabric, b, settle } = await connected();
    await b.node.qp(8, b);
    fabric.inject(1, encodePacket(request({ destQpn: 8 })));
    await settle();
    expect(await b.node.dropped(DropReason.STATE)).toBe(1n);
  });

  it.each([
    [
      'a message that starts in the middle',
      [request({ opcode: Op.RC_SEND_LAST }, { payload: pattern(4) })],
      EventType.QP_REQ_ERR,
    ],
    [
      'an atomic',
      [request({ opcode: Op.RC_FETCH_ADD }, { atomiceth: { va: 0n, rkey: 0, swapAdd: 0n, compare: 0n } })],
      EventType.QP_REQ_ERR,
    ],
    [
      'a first packet that is short',
      [request({ opcode: Op.RC_SEND_FIRST }, { payload: pattern(1000) })],
      EventType.QP_ACCESS_ERR,
    ],
    [
      'a WRITE longer than it says',
      [request({ opcode: Op.RC_WRITE_ONLY }, { payload: pattern(8), reth: { va: 0n, rkey: 0, dmaLen: 4 } })],
      EventType.QP_ACCESS_ERR,
    ],
    [
      'a READ of more than 2^31 bytes',
      [request({ opcode: Op.RC_READ_REQUEST }, { reth: { va: 0n, rkey: 0, dmaLen: 2 ** 31 + 1 } })],
      EventType.QP_ACCESS_ERR,
    ],
  ])('are refused as invalid: %s', async (_, packets, event) => {
    const { fabric, b, settle } = await connected();
    fabric.setTaps({ packets: true });
    for (const packet of packets) fabric.inject(1, encodePacket(packet));
    await settle();
    expect(await b.node.events()).toEqual([{ event, number: 3 }]);
    const naks = (await fabric.takeTaps()).flatMap((e) => (e.kind === 'packet' ? [e.bytes] : []));
    expect(naks.map((bytes) => decodePacket(bytes).packet?.aeth?.syndrome)).toEqual([0x61]);
  });

  it('in the middle of a SEND complete its receive WQE in error', async () => {
    const { fabric, b, settle } = await connected();
    b.qp.receive({ sge: [{ region: b.region, length: 5000 }] });
    fabric.inject(1, encodePacket(request({ opcode: Op.RC_SEND_FIRST }, { payload: pattern(1024) })));
    fabric.inject(1, encodePacket(request({ opcode: Op.RC_SEND_ONLY, psn: 0xff_ffff })));
    await settle();
    expect(statuses(await b.receive.poll())).toEqual([[0, WcStatus.REM_INV_REQ_ERR]]);
    expect(await b.node.events()).toEqual([]);
  });

  it('from beyond a gap are NAKed once, duplicates acknowledged with the newest PSN', async () => {
    const { fabric, b, settle } = await connected();
    fabric.setTaps({ packets: true });
    for (let i = 0; i < 3; i++) b.qp.receive({});
    for (const psn of [0xff_fffe, 0xff_ffff, 0xff_fffe, 3, 4, 0, 5, 6])
      fabric.inject(1, encodePacket(request({ psn })));
    await settle();
    const answers = (await fabric.takeTaps()).flatMap((event) => {
      const packet = event.kind === 'packet' && event.device === 1 && decodePacket(event.bytes).packet;
      return packet ? [[packet.bth.psn, packet.aeth!.syndrome, packet.aeth!.msn]] : [];
    });
    expect(answers).toEqual([
      [0xff_fffe, 0, 1],
      [0xff_ffff, 0, 2],
      [0xff_ffff, 0, 2],
      [0, 0x60, 2],
      [0, 0, 3],
      [1, 0x60, 3],
    ]);
    expect(await b.node.dropped(DropReason.SEQUENCE)).toBe(4n);
    expect(await b.node.dropped(DropReason.DUPLICATE)).toBe(1n);
    expect(await b.receive.poll()).toHaveLength(3);
  });
});

describe('responses that make no sense', () => {
  const response = (opcode: number, psn: number, more: Partial<PacketToSend> = {}): Uint8Array =>
    encodePacket({
      lrh: { dlid: 1, slid: 2 },
      bth: { opcode, destQpn: 2, pkey: 0xffff, psn, migReq: 1 },
      aeth: { syndrome: 0x1f, msn: 1 },
      ...more,
    });

  /** A READ of 3000 bytes is outstanding with PSNs fffffe, ffffff, 0; the responder does not answer. */
  async function pendingRead() {
    const pair = await connected();
    const { fabric, a, b } = pair;
    b.node.device.setLink(false);
    a.qp.send({ opcode: RDMA_READ, sge: [{ region: a.region, length: 3000 }], remote: b.region });
    await fabric.run({ cycles: 10_000, idle: true });
    return pair;
  }

  const full = { payload: new Uint8Array(1024) };
  it.each([
    ['an acknowledge of the READ', [response(Op.RC_ACKNOWLEDGE, 0xff_fffe)], WcStatus.RETRY_EXC_ERR],
    [
      'a gap',
      [
        response(Op.RC_READ_RESPONSE_FIRST, 0xff_fffe, full),
        response(Op.RC_READ_RESPONSE_LAST, 0, { payload: new Uint8Array(952) }),
      ],
      WcStatus.RETRY_EXC_ERR,
    ],
    ['a middle first', [response(Op.RC_READ_RESPONSE_MIDDLE, 0xff_fffe, full)], WcStatus.BAD_RESP_ERR],
    [
      'a second first',
      [
        response(Op.RC_READ_RESPONSE_FIRST, 0xff_fffe, full),
        response(Op.RC_READ_RESPONSE_FIRST, 0xff_ffff, full),
      ],
      WcStatus.BAD_RESP_ERR,
    ],
    [
      'an atomic acknowledge',
      [response(Op.RC_ATOMIC_ACKNOWLEDGE, 0xff_fffe, { atomicacketh: { original: 0n } })],
      WcStatus.BAD_RESP_ERR,
    ],
    ['an only that is short', [response(Op.RC_READ_RESPONSE_ONLY, 0xff_fffe, full)], WcStatus.LOC_LEN_ERR],
    [
      'a first that is short',
      [response(Op.RC_READ_RESPONSE_FIRST, 0xff_fffe, { payload: new Uint8Array(1000) })],
      WcStatus.LOC_LEN_ERR,
    ],
    [
      'a NAK of sequence',
      [response(Op.RC_ACKNOWLEDGE, 0xff_fffe, { aeth: { syndrome: 0x60, msn: 0 } })],
      WcStatus.RETRY_EXC_ERR,
    ],
    [
      'a NAK in its middle',
      [
        response(Op.RC_READ_RESPONSE_FIRST, 0xff_fffe, full),
        response(Op.RC_ACKNOWLEDGE, 0xff_ffff, { aeth: { syndrome: 0x63, msn: 0 } }),
      ],
      WcStatus.REM_OP_ERR,
    ],
  ])('end the READ: %s', async (_, packets, status) => {
    const { fabric, a, settle } = await pendingRead();
    for (const packet of packets) fabric.inject(0, packet);
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, status]]);
    expect((await a.qp.query()).state).toBe(QpState.ERR);
  });

  it.each([
    ['a PSN not sent yet', response(Op.RC_ACKNOWLEDGE, 1)],
    ['a PSN of long ago', response(Op.RC_ACKNOWLEDGE, 0xff_0000)],
    ['a reserved syndrome', response(Op.RC_ACKNOWLEDGE, 0xff_fffe, { aeth: { syndrome: 0x7f, msn: 0 } })],
    ['a reserved class', response(Op.RC_ACKNOWLEDGE, 0xff_fffe, { aeth: { syndrome: 0x40, msn: 0 } })],
  ])('are dropped: %s', async (_, packet) => {
    const { fabric, a } = await pendingRead();
    fabric.inject(0, packet);
    await fabric.run({ cycles: 10_000, idle: true });
    expect(await a.node.dropped(DropReason.RESPONSE)).toBe(1n);
    expect(await a.send.poll()).toEqual([]);
  });

  it('READ data for a WRITE is a bad response', async () => {
    const { fabric, a, b, settle } = await connected();
    b.node.device.setLink(false);
    a.qp.send({ opcode: RDMA_WRITE, remote: b.region });
    await fabric.run({ cycles: 10_000, idle: true });
    fabric.inject(0, response(Op.RC_READ_RESPONSE_ONLY, 0xff_fffe));
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.BAD_RESP_ERR]]);
  });

  it('an acknowledge may cover many messages at once', async () => {
    const { fabric, a, b, settle } = await connected();
    b.node.device.setLink(false);
    for (let i = 0; i < 5; i++) a.qp.send({ opcode: RDMA_WRITE, remote: b.region });
    await fabric.run({ cycles: 10_000, idle: true });
    fabric.inject(0, response(Op.RC_ACKNOWLEDGE, 2));
    await settle();
    expect(statuses(await a.send.poll())).toEqual([0, 1, 2, 3, 4].map((i) => [i, 0]));
  });
});

describe('memory regions', () => {
  it('of length 0 let no byte pass', async () => {
    const { a, b, settle } = await connected();
    const empty = await b.node.region(4096, { length: 0n });
    a.qp.send({ opcode: RDMA_WRITE, sge: [{ region: a.region, length: 1 }], remote: empty });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.REM_ACCESS_ERR]]);
  });

  it('may end at the last address', async () => {
    const { a, b, settle } = await connected();
    const high = await b.node.region(4096, { start: 2n ** 64n - 4096n, offset: 0n });
    const remote = { key: high.key, start: 2n ** 64n - 16n };
    a.qp.send({ opcode: RDMA_WRITE, inlineData: pattern(16), remote });
    a.qp.send({ opcode: RDMA_WRITE, inlineData: pattern(17), remote });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([
      [0, 0],
      [1, WcStatus.REM_ACCESS_ERR],
    ]);
    expect(await b.node.device.memRead(high.pages[0]! + 4080n, 16)).toEqual(pattern(16));
  });

  it('may have pages larger than those of the host', async () => {
    const { a, b, settle } = await connected();
    b.node.table('mttTable', 8000, Uint8Array.of(1, 0, 0, 0, 9, 0, 0, 0)); // host address 9 << 32
    const fields = { pageShift: 16, mtt: 8000, offset: 0x8000n, length: 0x8000n };
    const region = await b.node.region(0x8000, fields);
    a.qp.send({ opcode: RDMA_WRITE, inlineData: pattern(100), remote: region, remoteOffset: 0x7f00 });
    await settle();
    expect(await b.node.device.memRead((9n << 32n) + 0xff00n, 100)).toEqual(pattern(100));
  });

  it('change by MODIFY_MPT as a whole', async () => {
    const { a, b, settle } = await connected();
    await b.node.command(CmdOp.QUERY_MPT, 0);
    const entry = await b.node.mailbox(MPT.bytes);
    MPT.set(entry, 'remoteWrite', 0);
    await b.node.command(CmdOp.MODIFY_MPT, 0, 0, 0, entry);
    a.qp.send({ opcode: RDMA_WRITE, inlineData: pattern(1), remote: b.region });
    await settle();
    expect(statuses(await a.send.poll())).toEqual([[0, WcStatus.REM_ACCESS_ERR]]);
  });
});
