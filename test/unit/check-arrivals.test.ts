import { describe, expect, it } from 'vitest';
import { WireChecker } from '../../src/check/index.ts';
import { build, type PacketSpec } from './check-build.ts';
import { MTU, PORTS, Talk } from './check-talk.ts';

/** A link of which both sides are told: first what is sent, then, packet by packet, what arrives. */
function twoSided(talk: Talk) {
  const checker = new WireChecker({ ports: [...PORTS] });
  checker.connect(...talk.ends);
  let cycle = 0;
  return {
    sent: (spec: PacketSpec) => {
      checker.packet({ cycle: ++cycle, sender: spec.sender, bytes: build(spec), lost: true });
      return spec;
    },
    arrived: ({ sender, ...spec }: PacketSpec, spoil: (bytes: Uint8Array) => void = () => {}) => {
      const bytes = build({ sender, ...spec });
      spoil(bytes);
      checker.arrived({ cycle: ++cycle, sender, bytes });
    },
    rules: () => checker.finish().map(({ rule }) => rule),
  };
}

describe('what arrives on a link that fails', () => {
  it('is what is owed an answer', () => {
    const talk = new Talk();
    const [send] = talk.request(0, 'SEND', 10);
    const ack = talk.ack(1, send!);
    const link = twoSided(talk);
    link.sent(send!);
    expect(link.rules()).not.toContain('owed-ack');
    link.arrived(send!);
    expect(link.rules()).toContain('owed-ack');
    link.arrived(link.sent(ack));
    expect(link.rules()).toEqual([]);
  });

  it('may be a READ again before its first answer is whole: one that begins anew answers both', () => {
    const talk = new Talk();
    const reads = [...talk.request(0, 'READ', MTU), ...talk.request(0, 'READ', 3 * MTU)];
    const [first, second] = reads.map((read, i) => talk.data(1, read, i + 1));
    const link = twoSided(talk);
    for (const read of [...reads, ...reads]) link.arrived(link.sent(read));
    const begun = [...first!, second![0]!];
    for (const response of begun) link.sent(response);
    expect(link.rules()).toContain('owed-read');
    for (const response of [...first!, ...second!]) link.sent(response);
    expect(link.rules().filter((rule) => rule === 'owed-read')).toEqual([]);
  });

  it('is no reason for an answer when it comes spoiled', () => {
    const talk = new Talk();
    const [send] = talk.request(0, 'SEND', MTU);
    const ack = talk.ack(1, send!);
    const link = twoSided(talk);
    link.sent(send!);
    link.arrived(send!, (bytes) => {
      bytes[40]! ^= 1;
    });
    link.sent(ack);
    expect(link.rules()).not.toEqual([]);
  });

  it('may be the same packet twice, which is answered again', () => {
    const talk = new Talk();
    const [send] = talk.request(0, 'SEND', 10);
    const ack = talk.ack(1, send!);
    const link = twoSided(talk);
    link.arrived(link.sent(send!));
    link.arrived(link.sent(ack));
    link.arrived(send!);
    link.sent(ack);
    expect(link.rules()).toEqual([]);
  });
});
