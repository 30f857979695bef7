import { describe, expect, it } from 'vitest';
import { createModelFabric, GateCause } from '../../src/model/index.ts';
import { DropReason, EventType, QpState, WcOpcode, WcStatus, WrOpcode } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import type { Qpc, WqeAtomic } from '../../src/spec/gen/records.ts';
import { CAPABILITY_REG, REGISTERS } from '../../src/spec/gen/registers.ts';
import { encodePacket, type PacketToSend } from '../../src/wire/index.ts';
import { connectedPair, type Pair, packed, pattern, type Wr } from '../support/model-node.ts';
import { wireLog } from '../support/wire-log.ts';

const { ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD } = WrOpcode;
const PSN = 100;
const VALUES = { sqPsn: PSN, rqPsn: PSN, remoteAtomic: 1, retryCount: 7, rnrRetry: 7, ackTimeout: 8 };
const ALIGNED = 5; // the first address of a region ends with 3

async function connected(values: Partial<Qpc> = {}, masked: readonly (0 | 1)[] = []) {
  const fabric = createModelFabric();
  const mask = ~packed(CAPABILITY_REG, { atomics: 1 });
  for (const side of masked) fabric.devices[side].barWrite(0, REGISTERS.capMask.at, mask);
  const pair = await connectedPair(fabric, { ...VALUES, ...values });
  fabric.setTaps({ packets: true });
  return { ...pair, fabric };
}

const wr = ({ a, b }: Pair, opcode: number, operands: WqeAtomic, change: Partial<Wr> = {}): Wr => ({
  opcode,
  sge: [{ region: a.region, offset: 77, length: 8 }],
  remote: b.region,
  remoteOffset: ALIGNED,
  operands,
  ...change,
});

const bytesOf = (value: bigint): Uint8Array => new Uint8Array(new BigUint64Array([value]).buffer);
const numberIn = (bytes: Uint8Array): bigint => new BigUint64Array(bytes.slice().buffer)[0]!;
const OLD = 0x8899_aabb_ccdd_eeffn;
const MAX = 2n ** 64n - 1n;

describe('an atomic', () => {
  it.each([
    ['swaps what is equal', ATOMIC_CMP_AND_SWP, { swapAdd: 7n, compare: OLD }, 7n],
    ['keeps what differs', ATOMIC_CMP_AND_SWP, { swapAdd: 7n, compare: OLD ^ (1n << 63n) }, OLD],
    ['adds', ATOMIC_FETCH_AND_ADD, { swapAdd: 2n, compare: 0n }, OLD + 2n],
    ['adds modulo 2^64', ATOMIC_FETCH_AND_ADD, { swapAdd: MAX, compare: 5n }, OLD - 1n],
  ])('%s and returns what was there', async (_, opcode, operands, wanted) => {
    const pair = await connected();
    const { a, b } = pair;
    b.region.write(bytesOf(OLD), ALIGNED);
    a.qp.send(wr(pair, opcode, operands));
    await pair.settle();
    expect(numberIn(await b.region.read(ALIGNED, 8))).toBe(wanted);
    expect(numberIn(await a.region.read(77, 8))).toBe(OLD);
    const wcOpcode = opcode === ATOMIC_CMP_AND_SWP ? WcOpcode.COMP_SWAP : WcOpcode.FETCH_ADD;
    expect(await a.send.poll()).toMatchObject([{ status: 0, opcode: wcOpcode, byteLen: 8 }]);
    expect(await b.qp.query()).toMatchObject({ msn: 1, epsn: PSN + 1, rqConsumer: 0 });
    expect(await b.node.register('atomics')).toBe(1n);
    expect(await a.node.register('atomics')).toBe(0n);
  });

  it('is big-endian on the wire', async () => {
    const pair = await connected();
    pair.b.region.write(bytesOf(OLD), ALIGNED);
    pair.fabric.setTaps({ packets: true });
    pair.a.qp.send(wr(pair, ATOMIC_CMP_AND_SWP, { swapAdd: 0x0102_0304_0506_0708n, compare: OLD }));
    await pair.settle();
    const [request, answer] = await pair.fabric.takeTaps();
    const hex = (event: typeof request) =>
      event?.kind === 'packet' ? Buffer.from(event.bytes).toString('hex') : '';
    expect(hex(request)).toContain('01020304050607088899aabbccddeeff');
    expect(hex(answer).slice(40)).toMatch(/^000000018899aabbccddeeff/); // AETH, AtomicAckETH
  });

  it('has one PSN and asks for an answer', async () => {
    const pair = await connected();
    pair.a.qp.send(wr(pair, ATOMIC_FETCH_AND_ADD, { swapAdd: 1n, compare: 0n }));
    await pair.settle();
    const log = await wireLog(pair.fabric);
    expect(log.map(({ packet }) => [packet.opcode.value, packet.bth.psn, packet.bth.ackReq])).toEqual([
      [Op.RC_FETCH_ADD, PSN, 1],
      [Op.RC_ATOMIC_ACKNOWLEDGE, PSN, 0],
    ]);
    expect(log[0]!.packet.atomiceth).toEqual({
      va: pair.b.region.start + BigInt(ALIGNED),
      rkey: pair.b.region.key,
      swapAdd: 1n,
      compare: 0n,
    });
  });

  it('is one at a time with those of other queue pairs', async () => {
    const pair = await connected({ maxRdAtomic: 16, maxDestRdAtomic: 16 });
    const { a, b, fabric } = pair;
    const other = { a: await a.node.qp(9, a), b: await b.node.qp(9, b) };
    for (const qp of [other.a, other.b]) await qp.init(VALUES);
    await other.a.connect({ qpn: 9, lid: 2 }, VALUES);
    await other.b.connect({ qpn: 9, lid: 1 }, VALUES);
    fabric.setFaults([{ what: 'drop', probability: 0.2 }]);
    for (let i = 0; i < 60; i++) {
      const sge = [{ region: a.region, offset: 8 * i, length: 8 }];
      (i % 2 ? a.qp : other.a).send(wr(pair, ATOMIC_FETCH_AND_ADD, { swapAdd: 1n, compare: 0n }, { sge }));
    }
    await pair.settle();
    expect(numberIn(await b.region.read(ALIGNED, 8))).toBe(60n);
    const results = [...new BigUint64Array((await a.region.read(0, 480)).slice().buffer)];
    expect(results.sort((x, y) => Number(x - y))).toEqual(Array.from({ length: 60 }, (_, i) => BigInt(i)));
    expect(await b.node.register('atomics')).toBe(60n);
    expect(await a.send.poll()).toHaveLength(60);
  });

  it('waits for its turn among READs and atomics, and holds fenced requests', async () => {
    const pair = await connected({ maxRdAtomic: 1, maxDestRdAtomic: 1 });
    const { a, b } = pair;
    const add = wr(pair, ATOMIC_FETCH_AND_ADD, { swapAdd: 1n, compare: 0n });
    a.qp.send(add);
    a.qp.send({ opcode: WrOpcode.RDMA_READ, sge: [{ region: a.region, length: 9 }], remote: b.region });
    a.qp.send(add);
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE, fence: 1, remote: b.region });
    await pair.settle();
    const order = (await wireLog(pair.fabric)).map(({ device, packet }) => [device, packet.bth.psn - PSN]);
    expect(order).toEqual([0, 1, 2, 3].flatMap((psn) => [0, 1].map((device) => [device, psn])));
  });
});

describe('an atomic that the responder refuses', () => {
  const refused: [string, Partial<Qpc>, (pair: Pair) => Partial<Wr>, WcStatus, EventType][] = [
    [
      'not aligned',
      {},
      () => ({ remoteOffset: ALIGNED + 4 }),
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_ACCESS_ERR,
    ],
    ['not enabled', { remoteAtomic: 0 }, () => ({}), WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR],
    [
      'without resources',
      { maxDestRdAtomic: 0 },
      () => ({}),
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_ACCESS_ERR,
    ],
    ['of another key', {}, () => ({ rkey: 0x1234 }), WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR],
    [
      'beyond the end',
      {},
      ({ b }) => ({ remoteOffset: b.region.length - 3 }),
      WcStatus.REM_ACCESS_ERR,
      EventType.QP_ACCESS_ERR,
    ],
    [
      'aligned wrong and of another key',
      {},
      () => ({ rkey: 1, remoteOffset: 0 }),
      WcStatus.REM_INV_REQ_ERR,
      EventType.QP_ACCESS_ERR,
    ],
  ];
  it.each(refused)('%s ends both queue pairs', async (_, values, change, status, event) => {
    const pair = await connected(values);
    const { a, b } = pair;
    a.qp.send(wr(pair, ATOMIC_FETCH_AND_ADD, { swapAdd: 1n, compare: 0n }, change(pair)));
    await pair.settle();
    expect(await a.send.poll()).toMatchObject([{ status, opcode: WcOpcode.FETCH_ADD }]);
    expect(await b.node.events()).toEqual([{ event, number: 3 }]);
    expect(await b.node.register('atomics')).toBe(0n);
    expect((await b.qp.query()).state).toBe(QpState.ERR);
  });

  it('in a region without the right is an access violation', async () => {
    const pair = await connected();
    const remote = await pair.b.node.region(100, { remoteAtomic: 0 });
    pair.a.qp.send(wr(pair, ATOMIC_CMP_AND_SWP, { swapAdd: 1n, compare: 0n }, { remote }));
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.REM_ACCESS_ERR }]);
  });

  it('by a responder that has none is an invalid request', async () => {
    const pair = await connected({}, [1]);
    pair.a.qp.send(wr(pair, ATOMIC_CMP_AND_SWP, { swapAdd: 1n, compare: 0n }));
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.REM_INV_REQ_ERR }]);
    expect(await pair.b.node.events()).toEqual([{ event: EventType.QP_REQ_ERR, number: 3 }]);
  });

  it('with payload has a wrong length', async () => {
    const { fabric, b, settle } = await connected();
    const bth = { opcode: Op.RC_FETCH_ADD, destQpn: 3, pkey: 0xffff, psn: PSN, ackReq: 1, migReq: 1 };
    const atomiceth = { va: b.region.start + 5n, rkey: b.region.key, swapAdd: 1n, compare: 0n };
    fabric.inject(1, encodePacket({ lrh: { dlid: 2, slid: 1 }, bth, atomiceth, payload: pattern(4) }));
    await settle();
    expect(await b.node.events()).toEqual([{ event: EventType.QP_ACCESS_ERR, number: 3 }]);
  });
});

describe('an atomic WQE', () => {
  it.each([
    ['of 4 bytes', {}, { length: 4 }, WcStatus.LOC_LEN_ERR],
    ['of 16 bytes', {}, { length: 16 }, WcStatus.LOC_LEN_ERR],
    ['of no bytes', {}, { length: 0 }, WcStatus.LOC_LEN_ERR],
    ['without a segment', { segments: 0 }, {}, WcStatus.LOC_QP_OP_ERR],
    ['with two segments', { segments: 2 }, {}, WcStatus.LOC_QP_OP_ERR],
    ['inline', { inline: 1, inlineBytes: 8 }, {}, WcStatus.LOC_QP_OP_ERR],
  ])('%s fails before anything is sent', async (_, header, segment, status) => {
    const pair = await connected();
    const sge = [{ region: pair.a.region, length: 8, ...segment }];
    pair.a.qp.send(wr(pair, ATOMIC_FETCH_AND_ADD, { swapAdd: 1n, compare: 0n }, { sge, ...header }));
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status }]);
    expect(await wireLog(pair.fabric)).toEqual([]);
  });

  it.each([
    ['initiator depth', { maxRdAtomic: 0 }, []],
    ['the capability', {}, [0]],
  ] as const)('fails without %s', async (_, values, masked) => {
    const pair = await connected(values, masked);
    pair.a.qp.send(wr(pair, ATOMIC_CMP_AND_SWP, { swapAdd: 1n, compare: 0n }));
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([{ status: WcStatus.LOC_QP_OP_ERR }]);
    expect((await pair.b.qp.query()).state).toBe(QpState.RTS);
  });

  it('whose segment cannot be written is a local protection error, when the result comes', async () => {
    const pair = await connected();
    const sge = [{ region: { ...pair.a.region, key: 1 }, length: 8 }];
    pair.a.qp.send(wr(pair, ATOMIC_FETCH_AND_ADD, { swapAdd: 1n, compare: 0n }, { sge }));
    await pair.settle();
    expect(await pair.a.send.poll()).toMatchObject([
      { status: WcStatus.LOC_PROT_ERR, vendor: GateCause.KEY },
    ]);
  });
});

describe('an atomic response', () => {
  it.each([
    ['for a WRITE', { opcode: WrOpcode.RDMA_WRITE, sge: [] }],
    ['for a READ', { opcode: WrOpcode.RDMA_READ }],
  ])('%s is a bad response', async (_, change) => {
    const pair = await connected({ ackTimeout: 0 });
    const { a, b, fabric } = pair;
    b.node.device.setLink(false);
    a.qp.send(wr(pair, ATOMIC_FETCH_AND_ADD, { swapAdd: 1n, compare: 0n }, change));
    await pair.settle();
    const bth = { opcode: Op.RC_ATOMIC_ACKNOWLEDGE, destQpn: 2, pkey: 0xffff, psn: PSN, migReq: 1 };
    const packet: PacketToSend = { lrh: { dlid: 1, slid: 2 }, bth, aeth: { syndrome: 0x1f, msn: 1 } };
    fabric.inject(0, encodePacket({ ...packet, atomicacketh: { original: 1n } }));
    await pair.settle();
    expect(await a.send.poll()).toMatchObject([{ status: WcStatus.BAD_RESP_ERR }]);
    expect(await a.node.dropped(DropReason.RESPONSE)).toBe(0n);
  });
});
