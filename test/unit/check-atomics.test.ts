import { describe, expect, it } from 'vitest';
import { WireChecker } from '../../src/check/index.ts';
import { build, type PacketSpec } from './check-build.ts';
import { fetchAdd, original, PORTS, Talk } from './check-talk.ts';

/** Two queue pairs that add 1 to one word. */
function adding() {
  const talks = [new Talk({ qpn: [2, 3] }), new Talk({ qpn: [4, 5] })] as const;
  const checker = new WireChecker({ ports: [...PORTS], offers: { atomic: true } });
  for (const { ends } of talks) checker.connect(...ends);
  const counts = [0, 0];
  const said = [0, 0];
  let cycle = 0;
  const send = (spec: PacketSpec) =>
    checker.packet({ cycle: ++cycle, sender: spec.sender, bytes: build(spec) });
  return {
    asks: (i: 0 | 1) => send(fetchAdd(talks[i], 0x100 + counts[i]!++)),
    finds: (i: 0 | 1, value: bigint) => send(original(talks[i], 0x100 + said[i]!, value, ++said[i]!)),
    write: (i: 0 | 1, length: number) => {
      counts[i]!++;
      said[i]!++;
      const write = talks[i].packet(0, {
        opcode: 0x0a,
        psn: 0x100 + counts[i]! - 1,
        a: true,
        reth: { va: 8n, rkey: 1, dmaLen: length },
        payload: new Uint8Array(length),
      });
      send(write);
      send(talks[i].packet(1, { opcode: 0x11, psn: write.psn, aeth: { syndrome: 0x1f, msn: said[i]! } }));
    },
    changed: (by: 'device' | 'host', address?: bigint) => checker.memoryChanged(1, by, address, 8),
    rules: () => checker.finish().map(({ rule }) => rule),
  };
}

describe('atomics of two queue pairs on one word', () => {
  it('may be executed in any order that explains what they found', () => {
    const word = adding();
    for (const i of [0, 1, 0, 1] as const) word.asks(i);
    word.finds(0, 7n);
    word.finds(1, 6n);
    word.finds(0, 8n);
    word.finds(1, 9n);
    expect(word.rules()).toEqual([]);
  });

  it('may not find what another has found', () => {
    const word = adding();
    for (const i of [0, 1] as const) word.asks(i);
    for (const i of [0, 1] as const) word.finds(i, 7n);
    expect(word.rules()).toEqual(['atomic-chain']);
  });

  it('may not find what was there before an answer that left before they came', () => {
    const word = adding();
    word.asks(0);
    word.finds(0, 7n);
    word.asks(1);
    word.finds(1, 6n);
    expect(word.rules()).toEqual(['atomic-chain']);
  });

  it('begin anew after their word was written', () => {
    const word = adding();
    word.asks(0);
    word.finds(0, 7n);
    word.changed('host');
    word.asks(1);
    word.finds(1, 100n);
    expect(word.rules()).toEqual([]);
  });

  it('are told apart by nobody where a WRITE covers their word', () => {
    const word = adding();
    word.asks(0);
    word.finds(0, 7n);
    word.write(1, 4);
    word.asks(0);
    word.finds(0, 7n);
    expect(word.rules()).toEqual([]);
  });
});
