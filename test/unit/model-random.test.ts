import { describe, expect, it } from 'vitest';
import { createModelFabric } from '../../src/model/index.ts';
import { WrOpcode } from '../../src/spec/gen/enums.ts';
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

const MESSAGES = 30;
const AREA = 4096; // that a message has for itself in either region
const HALF = MESSAGES * AREA; // messages from A use the lower half of both regions
const OPCODES = [WrOpcode.SEND, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.RDMA_WRITE_WITH_IMM];
const seeds = process.env.SEED ? [Number(process.env.SEED)] : [1, 2, 3, 4, 5, 6, 7, 8];

describe.each(seeds)('random messages in both directions, seed %i', (seed) => {
  it('place their data and complete in order', async () => {
    const next = random(seed);
    const fabric = createModelFabric({ packetsPerTurn: 1 + next(12) });
    const { a, b, settle } = await connectedPair(fabric, { pathMtu: 1 + next(5) }, 2 * HALF);
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
