import type { Dice } from '../walk/index.ts';

/** Bytes that nobody would send. */

export const randomBytes = (dice: Dice, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => dice.below(256));

/** Where arithmetic turns over: the ends of widths, and their neighbours. */
const EDGES = [
  0, 1, 2, 3, 4, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff,
];

/** A number of so many bits: an edge, near another number, or any. */
export function hostileNumber(dice: Dice, bits: number, near = 0): number {
  const range = 2 ** bits;
  const wanted = dice.oneIn(2)
    ? dice.of(EDGES)
    : dice.oneIn(2)
      ? near + dice.between(-4, 4)
      : dice.below(range);
  return ((wanted % range) + range) % range;
}

/** The same of 64 bits. */
export function hostileAddress(dice: Dice, near = 0n): bigint {
  if (dice.oneIn(2)) return BigInt.asUintN(64, near + BigInt(dice.between(-4100, 4100)));
  return (BigInt(hostileNumber(dice, 32)) << 32n) | BigInt(hostileNumber(dice, 32));
}

/** A copy with one to four things wrong: bits, bytes, words at their edges, parts that are missing, doubled or foreign. */
export function mutated(dice: Dice, bytes: Uint8Array, foreign: Uint8Array = bytes): Uint8Array {
  let copy: Uint8Array = bytes.slice();
  for (let i = dice.between(1, 4); i > 0; i--) copy = dice.of(MUTATIONS)(dice, copy, foreign);
  return copy;
}

type Mutation = (dice: Dice, bytes: Uint8Array, foreign: Uint8Array) => Uint8Array;

const MUTATIONS: readonly Mutation[] = [flipBit, flipBit, setByte, setWord, cutShort, takeOut, putIn, splice];

function flipBit(dice: Dice, bytes: Uint8Array): Uint8Array {
  if (bytes.length > 0) bytes[dice.below(bytes.length)]! ^= 1 << dice.below(8);
  return bytes;
}

function setByte(dice: Dice, bytes: Uint8Array): Uint8Array {
  if (bytes.length > 0) bytes[dice.below(bytes.length)] = dice.below(256);
  return bytes;
}

function setWord(dice: Dice, bytes: Uint8Array): Uint8Array {
  if (bytes.length < 4) return bytes;
  const at = dice.below(bytes.length - 3);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setUint32(at, hostileNumber(dice, 32, view.getUint32(at, true)), dice.oneIn(2));
  return bytes;
}

function cutShort(dice: Dice, bytes: Uint8Array): Uint8Array {
  return bytes.slice(0, dice.below(bytes.length + 1));
}

function takeOut(dice: Dice, bytes: Uint8Array): Uint8Array {
  const [from, to] = part(dice, bytes);
  return joined(bytes.subarray(0, from), bytes.subarray(to));
}

function putIn(dice: Dice, bytes: Uint8Array): Uint8Array {
  const at = dice.below(bytes.length + 1);
  const [from, to] = part(dice, bytes);
  const more = dice.oneIn(2) ? bytes.subarray(from, to) : randomBytes(dice, dice.between(1, 16));
  return joined(bytes.subarray(0, at), more, bytes.subarray(at));
}

function splice(dice: Dice, bytes: Uint8Array, foreign: Uint8Array): Uint8Array {
  const at = dice.below(bytes.length + 1);
  return joined(bytes.subarray(0, at), foreign.subarray(dice.below(foreign.length + 1)));
}

/** Begin and end of a part, seldom a long one. */
function part(dice: Dice, { length }: Uint8Array): [number, number] {
  const from = dice.below(length + 1);
  const most = dice.oneIn(4) ? length - from : Math.min(16, length - from);
  return [from, from + dice.below(most + 1)];
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const each of parts) {
    all.set(each, at);
    at += each.length;
  }
  return all;
}
