import { describe, expect, it } from 'vitest';
import { createModelFabric } from '../../src/model/index.ts';
import { WcStatus, WrOpcode } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import type { Qpc } from '../../src/spec/gen/records.ts';
import { CAPABILITY_REG, REGISTERS } from '../../src/spec/gen/registers.ts';
import { encodePacket } from '../../src/wire/index.ts';
import { connectedPair, type Pair, packed } from '../support/model-node.ts';
import { wireLog } from '../support/wire-log.ts';

const PSN = 100;
const VALUES = { sqPsn: PSN, rqPsn: PSN, rnrRetry: 7, minRnrTimer: 10, ackTimeout: 0, remoteAtomic: 1 };
const NO_CREDITS = ~packed(CAPABILITY_REG, { credits: 1 });

async function connected(values: Partial<Qpc> = {}, masked: readonly (0 | 1)[] = []) {
  const fabric = createModelFabric();
  for (const side of masked) fabric.devices[side].barWrite(0, REGISTERS.capMask.at, NO_CREDITS);
  const pair = await connectedPair(fabric, { ...VALUES, ...values });
  fabric.setTaps({ packets: true });
  return { ...pair, fabric };
}

const send = ({ a }: Pair, count = 1) => {
  for (let i = 0; i < count; i++) a.qp.send({ opcode: WrOpcode.SEND });
};
const receive = ({ b }: Pair, count: number) => {
  for (let i = 0; i < count; i++) b.qp.receive({});
};
const write = ({ a, b }: Pair) => a.qp.send({ opcode: WrOpcode.RDMA_WRITE, remote: b.region });
/** What either side has sent since the last call: PSNs of requests, syndromes of responses. */
const seen = async ({ fabric }: Pair) =>
  (await wireLog(fabric)).map(({ packet }) => packet.aeth?.syndrome ?? packet.bth.psn - PSN);

/** Largest number of each code that is not above a count (IBA vol. 1, table 44). */
const CODES = [
  [0, 0],
  [1, 1],
  [4, 4],
  [5, 4],
  [6, 5],
  [7, 5],
  [8, 6],
  [11, 6],
  [12, 7],
  [15, 7],
  [16, 8],
  [255, 15],
  [256, 16],
  [383, 16],
  [384, 17],
  [1023, 19],
  [1024, 20],
] as const;

describe('the responder', () => {
  it.each(CODES)('tells %i receive WQEs by code %i', async (count, code) => {
    const fabric = createModelFabric();
    const pair = await connectedPair(fabric, VALUES);
    const { a, b } = pair;
    const qp = await a.node.qp(9, a);
    const peer = await b.node.qp(9, b, { rqLogSize: 10, sqLogSize: 10 });
    for (const each of [qp, peer]) await each.init();
    await qp.connect({ qpn: 9, lid: 2 });
    await peer.connect({ qpn: 9, lid: 1 });
    for (let i = 0; i < count; i++) peer.receive({});
    fabric.setTaps({ packets: true });
    qp.send({ opcode: WrOpcode.RDMA_WRITE });
    await pair.settle();
    expect((await wireLog(fabric, 1)).map(({ packet }) => packet.aeth)).toEqual([{ syndrome: code, msn: 1 }]);
  });

  it('tells them with READ data and atomics, too', async () => {
    const pair = await connected();
    const { a, b } = pair;
    receive(pair, 3);
    a.qp.send({ opcode: WrOpcode.RDMA_READ, sge: [{ region: a.region, length: 3000 }], remote: b.region });
    const sge = [{ region: a.region, length: 8 }];
    a.qp.send({ opcode: WrOpcode.ATOMIC_FETCH_AND_ADD, sge, remote: b.region, remoteOffset: 5 });
    await pair.settle();
    const answers = await wireLog(pair.fabric, 1);
    expect(answers.map(({ packet }) => packet.aeth)).toEqual([
      { syndrome: 3, msn: 1 },
      undefined,
      { syndrome: 3, msn: 1 },
      { syndrome: 3, msn: 2 },
    ]);
  });

  it('tells none when it is masked', async () => {
    const pair = await connected({}, [1]);
    receive(pair, 3);
    write(pair);
    await pair.settle();
    expect(await seen(pair)).toEqual([0, 0x1f]);
  });
});

describe('the requester', () => {
  it('starts one SEND before it has heard of any credit', async () => {
    const pair = await connected();
    receive(pair, 3);
    send(pair, 3);
    await pair.settle();
    expect(await seen(pair)).toEqual([0, 2, 1, 2, 0, 0]); // acknowledges tell what is there when they leave
  });

  it('starts one SEND more than it has credits for', async () => {
    const pair = await connected();
    receive(pair, 2);
    write(pair);
    await pair.settle();
    expect(await seen(pair)).toEqual([0, 2]);
    send(pair, 5);
    await pair.fabric.run({ cycles: 1000 });
    // LSN is 3: SSNs 2 to 4 start, and the fourth finds no receive WQE.
    expect(await seen(pair)).toEqual([1, 2, 3, 0x00, 0x00, 0x2a]);
    receive(pair, 3);
    await pair.settle();
    expect((await pair.a.send.poll()).map(({ status }) => status)).toEqual(Array(6).fill(WcStatus.SUCCESS));
    expect(await pair.a.node.register('rnrWaits')).toBe(1n);
  });

  it('starts WRITEs and READs without credits, and they count', async () => {
    const pair = await connected();
    const { a, b } = pair;
    for (let i = 0; i < 3; i++) write(pair);
    a.qp.send({ opcode: WrOpcode.RDMA_READ, sge: [{ region: a.region, length: 10 }], remote: b.region });
    send(pair);
    receive(pair, 1);
    await pair.settle();
    expect(await seen(pair)).toEqual([0, 1, 2, 3, 1, 1, 1, 1, 4, 0]);
    expect((await a.send.poll()).map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
  });

  it('holds a WRITE with immediate as a SEND, and what comes behind it', async () => {
    const pair = await connected();
    write(pair);
    pair.a.qp.send({ opcode: WrOpcode.RDMA_WRITE_WITH_IMM, remote: pair.b.region });
    write(pair);
    receive(pair, 1);
    await pair.settle();
    expect(await seen(pair)).toEqual([0, 1, 1, 2, 0, 0]);
  });

  it.each([
    ['hears of credits by an acknowledge that acknowledges nothing new', 3, [2]],
    ['hears of none there', 0, []],
  ])('%s', async (_, code, more) => {
    const pair = await connected();
    const { b, fabric } = pair;
    receive(pair, 1);
    send(pair);
    await pair.settle();
    b.node.device.setLink(false);
    await seen(pair);
    send(pair, 2);
    await pair.settle();
    expect(await seen(pair)).toEqual([1]); // LSN is 1: SSN 2 asks, SSN 3 waits
    const bth = { opcode: Op.RC_ACKNOWLEDGE, destQpn: 2, pkey: 0xffff, psn: PSN, migReq: 1 };
    fabric.inject(0, encodePacket({ lrh: { dlid: 1, slid: 2 }, bth, aeth: { syndrome: code, msn: 1 } }));
    await pair.settle();
    expect(await seen(pair)).toEqual(more);
  });

  it('keeps to the largest limit', async () => {
    const pair = await connected();
    const { fabric } = pair;
    receive(pair, 4);
    write(pair);
    await pair.settle();
    const bth = { opcode: Op.RC_ACKNOWLEDGE, destQpn: 2, pkey: 0xffff, psn: PSN, migReq: 1 };
    fabric.inject(0, encodePacket({ lrh: { dlid: 1, slid: 2 }, bth, aeth: { syndrome: 0, msn: 1 } }));
    await pair.settle();
    await seen(pair);
    send(pair, 4);
    await pair.settle();
    expect((await seen(pair)).slice(0, 4)).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ['the peer tells none', [1]],
    ['credits are masked', [0]],
    ['neither has them', [0, 1]],
  ] as const)('has no limit when %s', async (_, masked) => {
    const pair = await connected({}, masked);
    receive(pair, 5);
    write(pair);
    await pair.settle();
    await seen(pair);
    send(pair, 5);
    await pair.settle();
    expect((await seen(pair)).slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
  });
});
