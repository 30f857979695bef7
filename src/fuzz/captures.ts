import { LINK_TYPE_ERF, LINK_TYPE_ETHERNET, LINK_TYPE_INFINIBAND, writeCapture } from '../capture/index.ts';
import { OPCODES } from '../spec/gen/opcodes.ts';
import type { Dice } from '../walk/index.ts';
import { encodePacket } from '../wire/index.ts';
import { hostileNumber, joined, mutated, randomBytes } from './bytes.ts';

/** Captures that no tool has written: pcapng and pcap, native InfiniBand and RoCEv2, with anything wrong in them. */

export function hostileCapture(dice: Dice): Uint8Array {
  switch (dice.below(8)) {
    case 0:
      return joined(Uint8Array.of(...dice.of(MAGICS)), randomBytes(dice, dice.below(200)));
    case 1:
    case 2:
      return pcapng(dice, true);
    case 3:
    case 4:
      return mutated(dice, pcapng(dice, false), pcapng(dice, true));
    case 5:
      return mutated(dice, ours(dice), ours(dice));
    case 6:
      return pcap(dice, true);
    default:
      return mutated(dice, pcap(dice, false), ours(dice));
  }
}

const MAGICS = [
  [0x0a, 0x0d, 0x0d, 0x0a],
  [0xd4, 0xc3, 0xb2, 0xa1],
  [0xa1, 0xb2, 0xc3, 0xd4],
  [0x4d, 0x3c, 0xb2, 0xa1],
];
const LINK_TYPES = [LINK_TYPE_ERF, LINK_TYPE_ETHERNET, LINK_TYPE_INFINIBAND];
const MOST_PACKETS = 12;

/** As this program writes them. */
const ours = (dice: Dice): Uint8Array =>
  writeCapture(
    Array.from({ length: dice.below(MOST_PACKETS) }, (_, i) => ({
      cycle: 10 * i,
      sender: dice.below(2) as 0 | 1,
      bytes: packet(dice, i),
      injected: dice.oneIn(4),
    })),
  );

/** A packet of one of a few connections, right or nearly so. */
function packet(dice: Dice, psn: number): Uint8Array {
  const ports = { dlid: dice.between(1, 2), slid: dice.between(1, 2) };
  const bytes = encodePacket({
    lrh: ports,
    ...(dice.oneIn(6) ? { grh: { hopLimit: 1, sgid: 1n, dgid: 2n } } : {}),
    bth: {
      opcode: dice.of(OPCODES).value,
      destQpn: dice.between(2, 3),
      psn: dice.oneIn(4) ? dice.below(2 ** 24) : psn,
      pkey: 0xffff,
      ackReq: dice.below(2),
    },
    reth: { va: BigInt(dice.below(2 ** 32)), rkey: 1, dmaLen: hostileNumber(dice, 32, 8) },
    atomiceth: { va: 8n, rkey: 1, swapAdd: 1n, compare: 2n },
    aeth: { syndrome: dice.below(256), msn: dice.below(2 ** 24) },
    atomicacketh: { original: 5n },
    immdt: { immediate: 7 },
    payload: randomBytes(dice, dice.of([0, 1, 8, 256, dice.below(64)])),
  });
  return dice.oneIn(4) ? mutated(dice, bytes) : bytes;
}

const UDP_PORT = 4791;

/** The same in Ethernet, IP and UDP. */
function roce(dice: Dice, psn: number): Uint8Array {
  const transport = packet(dice, psn).subarray(8, -2);
  const six = dice.oneIn(2);
  const ip = new Uint8Array(six ? 40 : 20);
  const udp = new Uint8Array(8);
  new DataView(udp.buffer).setUint16(2, UDP_PORT);
  new DataView(udp.buffer).setUint16(4, dice.oneIn(8) ? hostileNumber(dice, 16) : transport.length + 8);
  const view = new DataView(ip.buffer);
  ip[0] = six ? 0x60 : 0x45;
  ip[six ? 6 : 9] = 17;
  view.setUint16(six ? 4 : 2, transport.length + 8 + (six ? 0 : 20));
  const tags = Array.from({ length: dice.oneIn(6) ? dice.below(8) : 0 }, () => [0x81, 0, 0, 1]).flat();
  const type = six ? [0x86, 0xdd] : [0x08, 0x00];
  return joined(new Uint8Array(12), Uint8Array.from([...tags, ...type]), ip, udp, transport);
}

/** A packet in what a link type wants around it. */
function framed(dice: Dice, linkType: number, psn: number): Uint8Array {
  if (linkType === LINK_TYPE_ETHERNET) return roce(dice, psn);
  const bytes = packet(dice, psn);
  if (linkType !== LINK_TYPE_ERF) return bytes;
  const head = new Uint8Array(16);
  const view = new DataView(head.buffer);
  head[8] = dice.oneIn(8) ? dice.below(256) : 21;
  view.setUint16(10, 16 + bytes.length);
  view.setUint16(12, dice.oneIn(8) ? dice.below(100) : 0);
  view.setUint16(14, dice.oneIn(8) ? hostileNumber(dice, 16) : bytes.length);
  return joined(head, bytes);
}

/** The older format; wrong only where lengths stand, if at all. */
function pcap(dice: Dice, wrong: boolean): Uint8Array {
  const little = dice.oneIn(2);
  const linkType = dice.of(LINK_TYPES);
  const words = (...values: number[]) => wordsOf(little, values);
  const parts = [words(dice.of([0xa1b2c3d4, 0xa1b23c4d]), 0x0004_0002, 0, 0, 2 ** 18, linkType)];
  for (let i = 0; i < dice.below(MOST_PACKETS); i++) {
    const bytes = framed(dice, linkType, i);
    const length = wrong && dice.oneIn(6) ? hostileNumber(dice, 32, bytes.length) : bytes.length;
    parts.push(words(i, i, length, wrong && dice.oneIn(6) ? hostileNumber(dice, 32) : bytes.length), bytes);
  }
  return joined(...parts);
}

const wordsOf = (little: boolean, values: readonly number[]): Uint8Array => {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setUint32(4 * i, value, little);
  });
  return bytes;
};

const BLOCKS = [1, 2, 3, 4, 5, 6, 0x0a0d_0d0a, 0xbad, 0x8000_0001];

/** Blocks of all kinds in any order; wrong where lengths stand, if at all. */
function pcapng(dice: Dice, wrong: boolean): Uint8Array {
  const little = dice.oneIn(2);
  const words = (...values: number[]) => wordsOf(little, values);
  const linkType = dice.of(LINK_TYPES);
  const block = (type: number, body: Uint8Array): Uint8Array => {
    const padding = new Uint8Array(-body.length & 3);
    const right = 12 + body.length + padding.length;
    const length = wrong && dice.oneIn(8) ? hostileNumber(dice, 32, right) : right;
    return joined(words(type, length), body, padding, words(dice.oneIn(12) ? length + 4 : length));
  };
  const section = () =>
    block(0x0a0d_0d0a, words(0x1a2b_3c4d, little ? 1 : 0x1_0000, 0xffff_ffff, 0xffff_ffff));
  const option = () =>
    joined(words(dice.below(2 ** 16) * (little ? 1 : 2 ** 16) + dice.below(16)), randomBytes(dice, 8));
  const port = () =>
    joined(words(little ? linkType : linkType * 2 ** 16, 0), dice.oneIn(3) ? option() : new Uint8Array());
  const enhanced = (i: number) => {
    const bytes = framed(dice, linkType, i);
    const captured = wrong && dice.oneIn(6) ? hostileNumber(dice, 32, bytes.length) : bytes.length;
    return joined(
      words(dice.oneIn(10) ? dice.below(5) : 0, 0, i, captured, bytes.length),
      bytes,
      new Uint8Array(-bytes.length & 3),
    );
  };
  const parts = [section(), block(1, port())];
  for (let i = 0; i < dice.below(MOST_PACKETS); i++) {
    const type = dice.oneIn(3) ? dice.of(BLOCKS) : 6;
    if (type === 0x0a0d_0d0a) parts.push(section());
    else
      parts.push(
        block(type, type === 1 ? port() : type === 6 ? enhanced(i) : randomBytes(dice, dice.below(60))),
      );
  }
  return joined(...parts);
}
