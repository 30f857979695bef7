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

  it('may be an older READ again while another is answered again: it takes the turn', () => {
    const talk = new Talk();
    const reads = [...talk.request(0, 'READ', MTU), ...talk.request(0, 'READ', 2 * MTU)];
    const [first, second] = reads.map((read, i) => talk.data(1, read, i + 1));
    const link = twoSided(talk);
    for (const read of reads) link.arrived(link.sent(read));
    for (const response of [...first!, ...second!]) link.sent(response);
    link.arrived(reads[1]!);
    link.sent(second![0]!);
    for (const read of reads) link.arrived(read);
    link.sent(first![0]!);
    link.sent(second![0]!);
    expect(link.rules()).toEqual(['owed-read']);
    link.sent(second![1]!);
    expect(link.rules()).toEqual([]);
  });

  describe('when a READ comes several times before its answer is whole', () => {
    /** Rules that are broken when it comes (`r`), is answered (`d`) and answered anew (`n`), each from a response on. */
    const rules = (...said: readonly string[]): string[] => {
      const talk = new Talk();
      const [read] = talk.request(0, 'READ', 3 * MTU);
      const data = talk.data(1, read!);
      const from = (skip: number): PacketSpec => {
        const { va, rkey, dmaLen } = read!.reth!;
        const reth = { va: va + BigInt(skip * MTU), rkey, dmaLen: dmaLen - skip * MTU };
        return { ...read!, psn: read!.psn + skip, reth };
      };
      /** Responses from that one on, as the answer to a READ that begins there. */
      const answer = (skip: number, at: number): PacketSpec => {
        const [first, middle, last, only] = [0x0d, 0x0e, 0x0f, 0x10];
        const opcode = at === 2 ? (skip === 2 ? only : last) : skip === at ? first : middle;
        const aeth = data[0]!.aeth!;
        const { aeth: _, ...rest } = data[at]!;
        return { ...rest, opcode: opcode!, ...(opcode === middle ? {} : { aeth }) };
      };
      const link = twoSided(talk);
      link.sent(read!);
      let skip = 0;
      for (const word of said) {
        const at = Number(word[1]);
        if (word[0] === 'r') link.arrived(from(at));
        else {
          if (word[0] === 'n') skip = at; // anew
          link.sent(answer(skip, at));
        }
      }
      return link.rules();
    };

    it.each([
      ['the same', 'r0 r0 r0 n0 n0 n0 d1 d2'],
      ['the same, while it is answered', 'r0 n0 r0 n0 d1 r0 n0 d1 d2'],
      ['the end of it, where the first answer is just then', 'r0 n0 d1 r0 n0 r2 n2'],
      ['the end of it behind a whole one that waits', 'r0 n0 d1 d2 r0 r2 n2'],
      ['the end of it behind a whole one that is begun', 'r0 n0 d1 d2 r0 n0 r1 n1 d2'],
      ['all of it again behind its end', 'r0 n0 d1 d2 r2 r0 n0 d1 d2'],
    ])('one answer to the latest is enough: %s', (_, words) => {
      expect(rules(...words.split(' '))).toEqual([]);
    });

    it.each([
      ['no answer', 'r0 r0 r0'],
      ['a part of one', 'r0 r0 r0 n0 d1'],
      ['no answer after one that was whole', 'r0 n0 d1 d2 r0 r2'],
      ['a part of one after one that was whole', 'r0 n0 d1 d2 r0 r1 n1'],
      ['one that is begun anew and left', 'r0 n0 d1 d2 r0 n0 d1 r0 n0'],
    ])('it is owed: %s', (_, words) => {
      expect(rules(...words.split(' '))).toEqual(['owed-read']);
    });
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
