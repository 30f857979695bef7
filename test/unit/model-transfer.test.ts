import { describe, expect, it } from 'vitest';
import { createModelFabric } from '../../src/model/index.ts';
import { DropReason, EventType, WcOpcode, WcStatus, WrOpcode } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import type { Qpc } from '../../src/spec/gen/records.ts';
import { encodePacket, type PacketToSend } from '../../src/wire/index.ts';
import { connectedPair, pattern } from '../support/model-node.ts';

const connected = (values: Partial<Qpc> = {}, bytes?: number) =>
  connectedPair(createModelFabric(), values, bytes);
const LENGTHS = [0, 1, 3, 255, 1023, 1024, 1025, 2048, 2049, 3000, 40_001];

describe.each(LENGTHS)('a message of %i bytes', (length) => {
  it('is sent into the posted receive', async () => {
    const { a, b, settle } = await connected();
    a.region.write(pattern(length), 5);
    b.qp.receive({ sge: [{ region: b.region, offset: 100, length: 50_000 }] });
    a.qp.send({ opcode: WrOpcode.SEND, sge: [{ region: a.region, offset: 5, length }] });
    await settle();

    expect(await b.region.read(100, length)).toEqual(pattern(length));
    expect(await b.region.read(100 + length, 10)).toEqual(new Uint8Array(10));
    expect(await a.send.poll()).toMatchObject([
      { status: 0, opcode: WcOpcode.SEND, byteLen: length, qpn: 2 },
    ]);
    expect(await b.receive.poll()).toMatchObject([
      { status: 0, opcode: WcOpcode.RECV, byteLen: length, qpn: 3, queue: 1, slid: 1, srcQpn: 2, withImm: 0 },
    ]);
  });

  it('is written to the remote region', async () => {
    const { a, b, settle } = await connected();
    a.region.write(pattern(length));
    a.qp.send({
      opcode: WrOpcode.RDMA_WRITE,
      sge: [{ region: a.region, length }],
      remote: b.region,
      remoteOffset: 77,
    });
    await settle();

    expect(await b.region.read(77, length)).toEqual(pattern(length));
    expect(await a.send.poll()).toMatchObject([{ status: 0, opcode: WcOpcode.RDMA_WRITE, byteLen: length }]);
    expect(await b.receive.poll()).toEqual([]);
  });

  it('is read from the remote region', async () => {
    const { a, b, settle } = await connected();
    b.region.write(pattern(length), 33);
    const half = length >> 1;
    a.qp.send({
      opcode: WrOpcode.RDMA_READ,
      sge: [
        { region: a.region, length: half },
        { region: a.region, offset: 45_000, length: length - half },
      ],
      remote: b.region,
      remoteOffset: 33,
    });
    await settle();

    expect(await a.region.read(0, half)).toEqual(pattern(length).subarray(0, half));
    expect(await a.region.read(45_000, length - half)).toEqual(pattern(length).subarray(half));
    expect(await a.send.poll()).toMatchObject([{ status: 0, opcode: WcOpcode.RDMA_READ, byteLen: length }]);
  });

  it('is written with immediate data', async () => {
    const { a, b, settle } = await connected();
    a.region.write(pattern(length));
    b.qp.receive({});
    a.qp.send({
      opcode: WrOpcode.RDMA_WRITE_WITH_IMM,
      immediate: 0x04030201,
      solicited: 1,
      sge: [{ region: a.region, length }],
      remote: b.region,
    });
    await settle();

    expect(await b.region.read(0, length)).toEqual(pattern(length));
    expect(await b.receive.poll()).toMatchObject([
      {
        opcode: WcOpcode.RECV_RDMA_WITH_IMM,
        byteLen: length,
        withImm: 1,
        immediate: 0x04030201,
        solicited: 1,
      },
    ]);
  });
});

describe('immediate data', () => {
  it('crosses the wire in the order of its bytes', async () => {
    const { fabric, a, b, settle } = await connected();
    fabric.setTaps({ packets: true });
    b.qp.receive({});
    a.qp.send({ opcode: WrOpcode.SEND_WITH_IMM, immediate: 0x04030201 });
    await settle();
    const [first] = await fabric.takeTaps();
    expect(first?.kind === 'packet' && [...first.bytes.subarray(20, 24)]).toEqual([1, 2, 3, 4]);
    expect(await b.receive.poll()).toMatchObject([{ withImm: 1, immediate: 0x04030201 }]);
  });
});

describe('inline data', () => {
  it.each([0, 1, 255, 256])('of %i bytes needs no key', async (length) => {
    const { a, b, settle } = await connected();
    b.qp.receive({ sge: [{ region: b.region, length: 300 }] });
    a.qp.send({ opcode: WrOpcode.SEND, inlineData: pattern(length) });
    await settle();
    expect(await b.region.read(0, length)).toEqual(pattern(length));
    expect(await b.receive.poll()).toMatchObject([{ byteLen: length }]);
  });
});

describe('a pipeline of messages', () => {
  it('completes in the order of posting, whatever the operations', async () => {
    const { a, b, settle } = await connected();
    b.region.write(pattern(9000));
    for (let i = 0; i < 8; i++) b.qp.receive({ sge: [{ region: b.region, offset: 40_000, length: 4000 }] });
    for (let i = 0; i < 40; i++) {
      const opcode = [
        WrOpcode.RDMA_READ,
        WrOpcode.RDMA_WRITE,
        WrOpcode.SEND,
        WrOpcode.RDMA_READ,
        WrOpcode.RDMA_WRITE,
      ][i % 5]!;
      const offset = opcode === WrOpcode.RDMA_READ ? 0 : 20_000;
      a.qp.send({
        opcode,
        sge: [{ region: a.region, offset, length: 3000 + i }],
        remote: b.region,
        remoteOffset: offset,
      });
    }
    await settle();
    const done = await a.send.poll();
    expect(done.map(({ wqeIndex, status }) => [wqeIndex, status])).toEqual(
      Array.from({ length: 40 }, (_, i) => [i, 0]),
    );
    expect(await a.region.read(0, 3038)).toEqual(pattern(9000).subarray(0, 3038));
    expect(await a.qp.query()).toMatchObject({ sqOldest: 40, sqNext: 40, ssn: 40 });
    expect(await b.qp.query()).toMatchObject({ msn: 40, rqConsumer: 8 });
  });

  it('keeps no more READs outstanding than the initiator depth', async () => {
    const { fabric, a, b } = await connected({ maxRdAtomic: 2, maxDestRdAtomic: 2 });
    fabric.setTaps({ packets: true });
    for (let i = 0; i < 6; i++)
      a.qp.send({ opcode: WrOpcode.RDMA_READ, sge: [{ region: a.region, length: 5000 }], remote: b.region });
    await fabric.run({ cycles: 1e6, idle: true });
    expect((await a.send.poll()).map(({ status }) => status)).toEqual([0, 0, 0, 0, 0, 0]);
    let outstanding = 0;
    let most = 0;
    for (const event of await fabric.takeTaps()) {
      if (event.kind !== 'packet') continue;
      const opcode = event.bytes[8]!;
      if (opcode === 0x0c) outstanding++;
      if (opcode === 0x0f) outstanding--;
      most = Math.max(most, outstanding);
    }
    expect([most, outstanding]).toEqual([2, 0]);
  });

  it('starts a fenced WRITE only when the READ before it has its data', async () => {
    const { fabric, a, b, settle } = await connected();
    fabric.setTaps({ packets: true });
    a.qp.send({ opcode: WrOpcode.RDMA_READ, sge: [{ region: a.region, length: 5000 }], remote: b.region });
    a.qp.send({
      opcode: WrOpcode.RDMA_WRITE,
      fence: 1,
      sge: [{ region: a.region, length: 10 }],
      remote: b.region,
    });
    await settle();
    const opcodes = (await fabric.takeTaps()).map((event) => (event.kind === 'packet' ? event.bytes[8] : -1));
    expect(opcodes).toEqual([0x0c, 0x0d, 0x0e, 0x0e, 0x0e, 0x0f, 0x0a, 0x11]);
  });

  it('asks for an acknowledge with the last packet and with every 16th', async () => {
    const { fabric, a, b, settle } = await connected();
    fabric.setTaps({ packets: true });
    a.qp.send({
      opcode: WrOpcode.RDMA_WRITE,
      sge: [{ region: a.region, length: 40 * 1024 }],
      remote: b.region,
    });
    await settle();
    const asked: number[] = [];
    let sent = 0;
    for (const event of await fabric.takeTaps())
      if (event.kind === 'packet' && event.device === 0) {
        if (event.bytes[16]! & 0x80) asked.push(sent);
        sent++;
      }
    expect([sent, asked]).toEqual([40, [15, 31, 39]]);
  });
});

describe('the window of PSNs', () => {
  it('keeps at most 2^23 of them outstanding', async () => {
    const { fabric, a, b } = await connected({ pathMtu: 1 });
    fabric.setTaps({ packets: true });
    b.node.device.setLink(false);
    const read = (length: number) => ({
      opcode: WrOpcode.RDMA_READ,
      sge: [{ region: a.region, length }],
      remote: b.region,
    });
    a.qp.send(read(2 ** 30));
    a.qp.send(read(2 ** 30));
    a.qp.send(read(1));
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE });
    await fabric.run({ cycles: 10_000, idle: true });
    expect(await fabric.takeTaps()).toHaveLength(2);
  });
});

describe('a READ of a whole window', () => {
  it('is heard from its first response to its last PSN', async () => {
    const { fabric, a, b } = await connected({ pathMtu: 1, sqPsn: 7, ackTimeout: 0 });
    b.node.device.setLink(false);
    a.qp.send({
      opcode: WrOpcode.RDMA_READ,
      sge: [{ region: a.region, length: 2 ** 31 }],
      remote: b.region,
    });
    await fabric.run({ cycles: 1000, idle: true });
    const response = (opcode: number, psn: number, more: Partial<PacketToSend>) =>
      encodePacket({
        lrh: { dlid: 1, slid: 2 },
        bth: { opcode, destQpn: 2, pkey: 0xffff, psn, migReq: 1 },
        ...more,
      });
    const aeth = { syndrome: 0x1f, msn: 1 };
    const payload = new Uint8Array(256);
    fabric.inject(0, response(Op.RC_READ_RESPONSE_FIRST, 7, { aeth, payload }));
    fabric.inject(0, response(Op.RC_READ_RESPONSE_MIDDLE, 8, { payload }));
    await fabric.run({ cycles: 1000, idle: true });
    expect(await a.qp.query()).toMatchObject({ sqAckedPsn: 8 });
    fabric.inject(0, response(Op.RC_ACKNOWLEDGE, 7 + 2 ** 23, { aeth }));
    await fabric.run({ cycles: 1000, idle: true });
    expect(await a.node.dropped(DropReason.RESPONSE)).toBe(1n);
    fabric.inject(0, response(Op.RC_ACKNOWLEDGE, 6 + 2 ** 23, { aeth: { syndrome: 0x61, msn: 1 } }));
    await fabric.run({ cycles: 1000, idle: true });
    expect(await a.send.poll()).toMatchObject([{ status: WcStatus.RETRY_EXC_ERR }]);
  });
});

describe('completion of an unsignaled WR', () => {
  it('is written only in error', async () => {
    const fabric = createModelFabric();
    const { a, b, settle } = await connectedPair(fabric);
    const qp = await a.node.qp(9, a, { sigAll: 0 });
    const peer = await b.node.qp(9, b);
    for (const each of [qp, peer]) await each.init();
    await qp.connect({ qpn: 9, lid: 2 });
    await peer.connect({ qpn: 9, lid: 1 });
    qp.send({ opcode: WrOpcode.RDMA_WRITE, sge: [{ region: a.region, length: 10 }], remote: b.region });
    qp.send({
      opcode: WrOpcode.RDMA_WRITE,
      signaled: 1,
      sge: [{ region: a.region, length: 10 }],
      remote: b.region,
    });
    qp.send({
      opcode: WrOpcode.RDMA_WRITE,
      sge: [{ region: a.region, length: 10 }],
      remote: { key: 1, start: 0n },
    });
    await settle();
    expect((await a.send.poll()).map(({ wqeIndex, status }) => [wqeIndex, status])).toEqual([
      [1, WcStatus.SUCCESS],
      [2, WcStatus.REM_ACCESS_ERR],
    ]);
  });
});

describe('events', () => {
  it('tell of the first request on a QP in RTR, once', async () => {
    const fabric = createModelFabric();
    const a = await connectedPair(fabric);
    const { node } = a.b;
    const qp = await node.qp(9, a.b);
    await qp.init();
    await qp.modify(2, { dlid: 1, destQpn: 9, pathMtu: 3, rqPsn: 5, maxDestRdAtomic: 1 }, [
      'av',
      'pathMtu',
      'destQpn',
      'rqPsn',
      'maxDestRdAtomic',
      'minRnrTimer',
    ]);
    const peer = await a.a.node.qp(9, a.a);
    await peer.init();
    await peer.connect({ qpn: 9, lid: 2 }, { sqPsn: 5 });
    for (let i = 0; i < 2; i++) peer.send({ opcode: WrOpcode.RDMA_WRITE });
    await a.settle();
    expect(await node.events()).toEqual([{ event: EventType.COMM_EST, number: 9 }]);
  });

  it('tell of a completion on an armed CQ, and raise the vector', async () => {
    const { fabric, a, b } = await connected();
    const vectors: number[] = [];
    fabric.devices[0].onInterrupt((vector) => vectors.push(vector));
    a.send.arm(2);
    for (let i = 0; i < 3; i++) a.qp.send({ opcode: WrOpcode.RDMA_WRITE, remote: b.region });
    expect(await fabric.run({ cycles: 1e6, interrupt: true })).toMatchObject({ reason: 'interrupt' });
    expect(vectors).toEqual([3]);
    await fabric.run({ cycles: 1e6, idle: true });
    expect(await a.node.events()).toEqual([{ event: EventType.COMPLETION, number: 0 }]);
    expect(await a.send.poll()).toHaveLength(3);
  });

  it('wait for a solicited message or an error when armed for that', async () => {
    const { a, b, settle } = await connected();
    for (let i = 0; i < 3; i++) b.qp.receive({});
    b.receive.arm(1);
    a.qp.send({ opcode: WrOpcode.SEND });
    await settle();
    expect(await b.node.events()).toEqual([]);
    a.qp.send({ opcode: WrOpcode.SEND, solicited: 1 });
    await settle();
    expect(await b.node.events()).toEqual([{ event: EventType.COMPLETION, number: 1 }]);
  });

  it('tell of the link', async () => {
    const { fabric, a } = await connected();
    fabric.devices[0].setLink(false);
    fabric.devices[0].setLink(false);
    fabric.devices[0].setLink(true);
    expect((await fabric.run({ cycles: 10, interrupt: true })).reason).toBe('interrupt');
    expect(await a.node.events()).toEqual([
      { event: EventType.PORT_ERR, number: 1 },
      { event: EventType.PORT_ACTIVE, number: 1 },
    ]);
  });
});

describe('taps', () => {
  it('tell packets, DMA and interrupts in the order of time', async () => {
    const { fabric, a, b, settle } = await connected();
    fabric.setTaps({ packets: true, dma: true, dmaBytes: true, interrupts: true });
    a.send.arm(2);
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const sge = [{ region: from.region, length: 20_000 }];
      from.qp.send({ opcode: WrOpcode.RDMA_WRITE, sge, remote: to.region, remoteOffset: 30_000 });
    }
    await settle();
    const events = await fabric.takeTaps();
    const cycles = events.map(({ cycle }) => cycle);
    expect(cycles).toEqual([...cycles].sort((x, y) => x - y));
    const count = (kind: string, device: number) =>
      events.filter((event) => event.kind === kind && event.device === device).length;
    expect([count('packet', 0), count('packet', 1)]).toEqual([22, 22]);
    expect([count('interrupt', 0), count('interrupt', 1)]).toEqual([1, 0]);
    const written = events.flatMap((e) => (e.kind === 'dma-write' && e.device === 1 ? [e.length] : []));
    expect(written.reduce((sum, length) => sum + length, 0)).toBe(20_000 + 32);
    expect(await fabric.takeTaps()).toEqual([]);
  });
});

describe('speed', () => {
  it('is at least 1 MiB in half a second', async () => {
    const bytes = 1 << 20;
    const { a, b, settle } = await connected({ pathMtu: 5 }, bytes);
    a.region.write(pattern(bytes));
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE, sge: [{ region: a.region, length: bytes }], remote: b.region });
    const start = performance.now();
    await settle();
    expect(performance.now() - start).toBeLessThan(500);
    expect(Buffer.from(await b.region.read()).equals(pattern(bytes))).toBe(true);
  });
});
