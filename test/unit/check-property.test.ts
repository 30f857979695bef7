import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anySeed } from '../support/environment.ts';
import type { PacketSpec } from './check-build.ts';
import { judge, type Kind, MTU, Talk } from './check-talk.ts';

const seed = anySeed();

interface Step {
  kind: Kind;
  bytes: number;
  side: 0 | 1;
  qp: number;
  /** Answered at once, or together with later ones. */
  answer: boolean;
  imm: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Kind>('SEND', 'WRITE', 'READ'),
  bytes: fc.oneof(fc.constantFrom(0, 1, MTU - 1, MTU, MTU + 1, 20 * MTU), fc.nat(4 * MTU)),
  side: fc.constantFrom<0 | 1>(0, 1),
  qp: fc.nat(2),
  answer: fc.boolean(),
  imm: fc.boolean(),
});

const psn = fc.oneof(fc.nat(2 ** 24 - 1), fc.integer({ min: 2 ** 24 - 40, max: 2 ** 24 - 1 }));

/** The requests of each side of a queue pair, with the answers of its peer, as lists that keep their order. */
function streams(talk: Talk, steps: readonly Step[]): PacketSpec[][] {
  return ([0, 1] as const).map((side) => {
    const packets: PacketSpec[] = [];
    const peer = side === 0 ? 1 : 0;
    let owed: PacketSpec | undefined;
    for (const { kind, bytes, answer, imm } of steps.filter((each) => each.side === side)) {
      const request = talk.request(side, kind, bytes, imm && kind !== 'READ' ? { imm: 1 } : {});
      packets.push(...request);
      if (kind === 'READ') {
        packets.push(...talk.data(peer, request[0]!));
        owed = undefined;
      } else if (answer) {
        packets.push(talk.ack(peer, request.at(-1)!));
        owed = undefined;
      } else owed = request.at(-1)!;
    }
    if (owed) packets.push(talk.ack(peer, owed));
    return packets;
  });
}

/** Any mixture of the lists that keeps the order of each. */
function mix(lists: readonly PacketSpec[][], choices: readonly number[]): PacketSpec[] {
  const rest = lists.filter((list) => list.length > 0).map((list) => [...list]);
  const mixed: PacketSpec[] = [];
  for (let i = 0; rest.length > 0; i++) {
    const at = choices[i % choices.length]! % rest.length;
    mixed.push(rest[at]!.shift()!);
    if (rest[at]!.length === 0) rest.splice(at, 1);
  }
  return mixed;
}

describe(`random conversations, SEED=${seed}`, () => {
  it('of three queue pairs that keep the rules break none', () => {
    const conversation = fc.tuple(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(5), { minLength: 1, maxLength: 50 }),
      fc.tuple(psn, psn),
      fc.boolean(),
    );
    fc.assert(
      fc.property(conversation, ([steps, choices, start, grh]) => {
        const talks = [0, 1, 2].map((i) => new Talk({ psn: start, grh, qpn: [0x10 + i, 0xfffff0 + i] }));
        const lists = talks.flatMap((talk, i) =>
          streams(
            talk,
            steps.filter(({ qp }) => qp === i),
          ),
        );
        expect(judge(talks, mix(lists, choices))).toEqual([]);
      }),
      { seed, numRuns: 100 },
    );
  });

  const damaged = (damage: (packets: PacketSpec[], at: number) => void): void => {
    const conversation = fc.tuple(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(), psn);
    fc.assert(
      fc.property(conversation, ([steps, at, start]) => {
        const talk = new Talk({ psn: [start, start] });
        const patient = steps.map((each) => ({ ...each, answer: false }));
        const packets = streams(talk, patient).flat();
        damage(packets, at % packets.length);
        expect(judge(talk, packets).length).toBeGreaterThan(0);
      }),
      { seed, numRuns: 100 },
    );
  };

  it('of which a packet was left out break a rule', () => {
    damaged((packets, at) => packets.splice(at, 1));
  });

  it('of which a packet was said twice break a rule', () => {
    damaged((packets, at) => packets.splice(at, 0, packets[at]!));
  });
});
