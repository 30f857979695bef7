import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/fault/index.ts';
import { createModelFabric } from '../../src/model/index.ts';
import { WrOpcode } from '../../src/spec/gen/enums.ts';
import type { Qpc } from '../../src/spec/gen/records.ts';
import { connectedPair, type Pair, pattern, type Wr } from '../support/model-node.ts';

const MTU = 1024;
const RELIABLE = { retryCount: 7, rnrRetry: 7, ackTimeout: 8, minRnrTimer: 1, remoteAtomic: 1 };
const ALIGNED = 0x5d; // of a region of the node: its first address ends with 3, this makes it a multiple of 8

type Post = (pair: Pair) => void;
type Talk = Awaited<ReturnType<typeof talk>>;

/** Runs some messages over a link with these faults and tells all that can be seen afterwards. */
async function talk(post: Post, faults: readonly FaultRule[], values: Partial<Qpc> = {}, seed = 1) {
  const fabric = createModelFabric({ faults, seed });
  const pair = await connectedPair(fabric, { ...RELIABLE, ...values });
  const { a, b, settle } = pair;
  a.region.write(pattern(20_000, 3));
  b.region.write(pattern(20_000, 5), 30_000);
  b.region.write(Uint8Array.of(0xff, 1, 0, 0, 0, 0, 0, 0x80), ALIGNED);
  fabric.setTaps({ packets: true });
  post(pair);
  await settle();
  const sent = [0, 0];
  for (const event of await fabric.takeTaps()) sent[event.device]!++;
  const queries = [await a.qp.query(), await b.qp.query()] as const;
  return {
    sent,
    strikes: fabric.faults.counts.map(({ strikes }) => strikes),
    retries: await a.node.register('retries'),
    outcome: {
      completions: [await a.send.poll(), await b.receive.poll(), await a.receive.poll()],
      memory: [await a.region.read(), await b.region.read()].map((bytes) =>
        Buffer.from(bytes).toString('base64'),
      ),
      states: queries.map(({ state, ssn, sqNextPsn, sqOldest, sqAckedPsn, epsn, msn, rqConsumer }) =>
        [state, ssn, sqNextPsn, sqOldest, sqAckedPsn, epsn, msn, rqConsumer].join(),
      ),
      events: [await a.node.events(), await b.node.events()],
      atomics: [await a.node.register('atomics'), await b.node.register('atomics')],
    },
  };
}

const SIZES = [0, 1, MTU, MTU + 1, 3 * MTU, 4 * MTU - 1, 5 * MTU - 3];
const operands = { swapAdd: 0x0102_0304_0506_0708n, compare: 0x8000_0000_0000_01ffn };

/** READs go to a place of their own: what is sent again is gathered again. */
const wr = ({ a, b }: Pair, opcode: number, length: number): Wr => {
  const [near, far, remoteOffset] =
    opcode === WrOpcode.RDMA_READ ? [40_000, 44_001, 30_000] : [8000, 1001, 10_000];
  return {
    opcode,
    immediate: 0x11223344,
    sge: [
      { region: a.region, offset: near, length: length >> 1 },
      { region: a.region, offset: far, length: length - (length >> 1) },
    ],
    remote: b.region,
    remoteOffset,
  };
};
const atomic = ({ a, b }: Pair, opcode: number): Wr => ({
  opcode,
  sge: [{ region: a.region, offset: 50_000, length: 8 }],
  remote: b.region,
  remoteOffset: ALIGNED,
  operands,
});
const receive = ({ b }: Pair) =>
  b.qp.receive({
    sge: [
      { region: b.region, offset: 20_000, length: 3 },
      { region: b.region, offset: 21_000, length: 6000 },
    ],
  });

const one =
  (opcode: number, length: number): Post =>
  (pair) => {
    receive(pair);
    pair.a.qp.send(wr(pair, opcode, length));
  };

const SHAPES: [string, Post][] = [
  ...SIZES.flatMap((length): [string, Post][] => [
    [`a SEND of ${length}`, one(WrOpcode.SEND, length)],
    [`a WRITE of ${length}`, one(WrOpcode.RDMA_WRITE, length)],
    [`a READ of ${length}`, one(WrOpcode.RDMA_READ, length)],
  ]),
  ...[1, MTU + 1].flatMap((length): [string, Post][] => [
    [`a SEND with immediate of ${length}`, one(WrOpcode.SEND_WITH_IMM, length)],
    [`a WRITE with immediate of ${length}`, one(WrOpcode.RDMA_WRITE_WITH_IMM, length)],
  ]),
  ['a compare and swap', (pair) => pair.a.qp.send(atomic(pair, WrOpcode.ATOMIC_CMP_AND_SWP))],
  ['a fetch and add', (pair) => pair.a.qp.send(atomic(pair, WrOpcode.ATOMIC_FETCH_AND_ADD))],
  ['one of each', (pair) => everything(pair)],
  ['READs and atomics', (pair) => answered(pair)],
];

/** SEND, WRITE, READ, atomic and SEND again, of several packets where they can be. */
function everything(pair: Pair): void {
  const { a } = pair;
  receive(pair);
  receive(pair);
  a.qp.send(wr(pair, WrOpcode.SEND, 2 * MTU));
  a.qp.send(wr(pair, WrOpcode.RDMA_WRITE, 2 * MTU + 5));
  a.qp.send(wr(pair, WrOpcode.RDMA_READ, 2 * MTU + 7));
  a.qp.send(atomic(pair, WrOpcode.ATOMIC_FETCH_AND_ADD));
  a.qp.send(wr(pair, WrOpcode.SEND_WITH_IMM, 10));
}

function answered(pair: Pair): void {
  const { a } = pair;
  const read = wr(pair, WrOpcode.RDMA_READ, 2 * MTU);
  a.qp.send(atomic(pair, WrOpcode.ATOMIC_FETCH_AND_ADD));
  a.qp.send(read);
  a.qp.send({
    ...atomic(pair, WrOpcode.ATOMIC_CMP_AND_SWP),
    sge: [{ region: a.region, offset: 50_008, length: 8 }],
  });
  a.qp.send({ ...read, fence: 1, sge: [{ region: a.region, offset: 48_000, length: 1.5 * MTU }] });
  a.qp.send({ ...wr(pair, WrOpcode.RDMA_WRITE, 3), fence: 1 });
}

const FAULTS: [string, Omit<FaultRule, 'from' | 'nth'>][] = [
  ['drop', { what: 'drop' }],
  ['two drops', { what: 'drop', count: 2 }],
  ['duplicate', { what: 'duplicate' }],
  ['late duplicate', { what: 'duplicate', cycles: 3000 }],
  ['delay', { what: 'delay', cycles: 3000 }],
  ['long delay', { what: 'delay', cycles: 600_000 }],
  ['reorder', { what: 'reorder' }],
  ['corrupt', { what: 'corrupt', bit: 100 }],
  ['badIcrc', { what: 'badIcrc' }],
  ['badVcrc', { what: 'badVcrc' }],
  ['hold', { what: 'hold', cycles: 300_000 }],
];

/** Of this talk each packet of each direction is struck in turn. */
async function everyPacket(post: Post, fault: Omit<FaultRule, 'from' | 'nth'>, values: Partial<Qpc> = {}) {
  const good = await talk(post, [], values);
  expect(good.retries).toBe(0n);
  for (const side of [0, 1] as const)
    for (let nth = 0; nth < good.sent[side]!; nth++) {
      const rule: FaultRule = { ...fault, from: side === 0 ? 'a' : 'b', nth };
      const found: Talk = await talk(post, [rule], values);
      expect({ rule, strikes: found.strikes[0]! >= 1, ...found.outcome }).toEqual({
        rule,
        strikes: true,
        ...good.outcome,
      });
    }
}

describe.each(FAULTS)('with a %s of any packet', (_, fault) => {
  it.each(SHAPES)('%s ends as on a good link', (_name, post) => everyPacket(post, fault));
});

describe('where PSNs wrap', () => {
  it.each([0xff_fffc, 0xff_fffe, 0x7f_fffe, 0])('from %i a lost packet is made good', async (psn) => {
    await everyPacket(everything, { what: 'drop' }, { sqPsn: psn, rqPsn: psn });
  });
});

describe.each(Array.from({ length: 12 }, (_, i) => i + 1))('with random faults, seed %i', (seed) => {
  it('both directions end as on a good link', async () => {
    const post: Post = (pair) => {
      const back: Pair = { ...pair, a: pair.b, b: pair.a };
      for (let i = 0; i < 4; i++) {
        everything(pair);
        answered(pair);
        back.b.qp.receive({ sge: [{ region: back.b.region, offset: 60_000, length: 5000 }] });
        back.a.qp.send({
          opcode: WrOpcode.SEND,
          sge: [{ region: back.a.region, offset: 30_000, length: 3000 + i }],
        });
      }
    };
    const values = { pathMtu: 1 + (seed % 3) };
    const good = await talk(post, [], values);
    const probability = 0.02 * (1 + (seed % 4));
    const found = await talk(
      post,
      [
        { what: 'drop', probability },
        { what: 'duplicate', probability, cycles: 5000 },
        { what: 'reorder', probability },
        { what: 'delay', probability, cycles: 20_000 },
      ],
      values,
      seed,
    );
    expect(found.strikes.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5);
    expect(found.outcome).toEqual(good.outcome);
  });
});
