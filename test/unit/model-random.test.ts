import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/fault/index.ts';
import { createModelFabric } from '../../src/model/index.ts';
import { WrOpcode } from '../../src/spec/gen/enums.ts';
import { environment } from '../support/environment.ts';
import { connectedPair, type Segment, type Side } from '../support/model-node.ts';

/** Numbers that follow from the seed (mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const MESSAGES = 30;
const AREA = 4096; // that a message has for itself in either region
const HALF = MESSAGES * AREA; // messages from A use the lower half of both regions
const ALIGNED = 5; // in an area: its address is then a multiple of 8
const OPCODES = [
  WrOpcode.SEND,
  WrOpcode.RDMA_WRITE,
  WrOpcode.RDMA_READ,
  WrOpcode.RDMA_WRITE_WITH_IMM,
  WrOpcode.ATOMIC_FETCH_AND_ADD,
];
const seeds = environment.seed !== undefined ? [environment.seed] : [1, 2, 3, 4, 5, 6, 7, 8];

/** All that a link can do to a packet, each now and then. */
const lossy = (probability: number): FaultRule[] => [
  { what: 'drop', probability },
  { what: 'duplicate', probability },
  { what: 'duplicate', probability, cycles: 40_000 },
  { what: 'delay', probability, cycles: 3000 },
  { what: 'reorder', probability },
  { what: 'badIcrc', probability },
  { what: 'corrupt', bit: 77, probability },
  { what: 'hold', cycles: 10_000, probability },
];

describe.each([
  ['good', 0],
  ['bad', 0.003],
  ['very bad', 0.01],
] as const)('random messages in both directions on a %s link', (_, probability) => {
  it.each(seeds)('place their data and complete in order, seed %i', async (seed) => {
    const next = random(seed);
    const faults = probability === 0 ? [] : lossy(probability);
    const fabric = createModelFabric({ packetsPerTurn: 1 + next(12), faults, seed });
    const values = { pathMtu: 1 + next(5), remoteAtomic: 1, retryCount: 7, rnrRetry: 7, ackTimeout: 7 };
    const { a, b, settle } = await connectedPair(fabric, values, 2 * HALF);
    const fill = ({ region }: Side) => {
      const bytes = Uint8Array.from({ length: 2 * HALF }, () => next(256));
      region.write(bytes);
      return bytes;
    };
    const wanted = { a: fill(a), b: fill(b) };
    const lengths = { a: [] as number[], b: [] as number[] };

    const post = (from: 'a' | 'b', i: number) => {
      const [local, peer, to] = from === 'a' ? ([a, b, 'b'] as const) : ([b, a, 'a'] as const);
      const offset = (from === 'a' ? 0 : HALF) + i * AREA;
      const opcode = OPCODES[next(OPCODES.length)]!;
      if (opcode === WrOpcode.ATOMIC_FETCH_AND_ADD) {
        const at = offset + ALIGNED;
        const swapAdd = BigInt(next(2 ** 31)) << BigInt(next(33));
        local.qp.send({
          opcode,
          sge: [{ region: local.region, offset: at, length: 8 }],
          remote: peer.region,
          remoteOffset: at,
          operands: { swapAdd, compare: 0n },
        });
        const sum = viewOf(wanted[to]).getBigUint64(at, true);
        viewOf(wanted[from]).setBigUint64(at, sum, true);
        viewOf(wanted[to]).setBigUint64(at, BigInt.asUintN(64, sum + swapAdd), true);
        lengths[from].push(8);
        return;
      }
      const length = next(4) === 0 ? next(3) : next(AREA);
      const cut = next(length + 1);
      const pieces = (region: Side['region']): Segment[] => [
        { region, offset, length: cut },
        { region, offset: offset + cut, length: length - cut },
      ];
      if (opcode === WrOpcode.SEND) peer.qp.receive({ sge: [...pieces(peer.region), { length: 0 }] });
      if (opcode === WrOpcode.RDMA_WRITE_WITH_IMM) peer.qp.receive({});
      local.qp.send({
        opcode,
        sge: pieces(local.region),
        remote: peer.region,
        remoteOffset: offset,
        fence: next(5) === 0 ? 1 : 0,
      });
      const [source, target] =
        opcode === WrOpcode.RDMA_READ ? [wanted[to], wanted[from]] : [wanted[from], wanted[to]];
      target.set(source.subarray(offset, offset + length), offset);
      lengths[from].push(length);
    };
    for (let i = 0; i < MESSAGES; i++) {
      post('a', i);
      post('b', i);
      if (next(3) === 0) await fabric.run({ cycles: next(300) });
    }
    await settle();

    for (const side of ['a', 'b'] as const) {
      const { send, region } = { a, b }[side];
      const done = (await send.poll()).map(({ wqeIndex, status, byteLen }) => [wqeIndex, status, byteLen]);
      expect(done).toEqual(lengths[side].map((length, i) => [i, 0, length]));
      expect(Buffer.from(await region.read()).equals(wanted[side])).toBe(true);
    }
  });
});
