import { WQE_MARK } from '../../spec/gen/constants.ts';
import { WrOpcode } from '../../spec/gen/enums.ts';
import { WQE_ATOMIC, WQE_DATA, WQE_HEADER } from '../../spec/gen/records.ts';
import type { Dice } from '../../walk/index.ts';
import { hostileAddress, hostileNumber, mutated, randomBytes } from '../bytes.ts';
import type { Region } from './ground.ts';

/** Memory that a work request may name: one's own, at the peer, and some that is not. */
export interface Named {
  readonly own: readonly Region[];
  readonly peer: readonly Region[];
  /** Keys of another protection domain. */
  readonly foreign: {
    readonly lkey: number;
    readonly rkey: number;
    readonly va: bigint;
    readonly peerVa: bigint;
  };
}

const SLOT_BYTES = 512;
const MOST_SEGMENTS = 16;
const OPCODES = Object.values(WrOpcode);
const OPERANDS_AT = WQE_HEADER.bytes + WQE_DATA.bytes;

/** A WQE of a send or receive queue with something wrong in it, and sometimes nothing. */
export function hostileWqe(dice: Dice, queue: 'sq' | 'rq', index: number, named: Named): Uint8Array {
  const wqe = wellFormed(dice, queue, index, named);
  switch (dice.below(4)) {
    case 0:
      return randomBytes(dice, SLOT_BYTES);
    case 1:
      return mutated(dice, wqe).subarray(0, SLOT_BYTES);
    default:
      return wqe;
  }
}

/** Its form is right, or nearly so; what it asks for need not be. */
function wellFormed(dice: Dice, queue: 'sq' | 'rq', index: number, named: Named): Uint8Array {
  const opcode = queue === 'rq' && !dice.oneIn(8) ? WrOpcode.RECV : dice.of(OPCODES);
  const segments = dice.oneIn(6) ? hostileNumber(dice, 8, MOST_SEGMENTS) : dice.between(0, 3);
  const inline = dice.oneIn(5);
  const wqe = new Uint8Array(SLOT_BYTES);
  WQE_HEADER.packInto(wqe, 0, {
    mark: dice.oneIn(12) ? dice.below(256) : WQE_MARK,
    opcode,
    segments,
    fence: dice.oneIn(6) ? 1 : 0,
    signaled: dice.below(2),
    solicited: dice.below(2),
    inline: inline ? 1 : 0,
    immediate: dice.below(2 ** 32),
    index: dice.oneIn(12) ? hostileNumber(dice, 16, index) : index & 0xffff,
    inlineBytes: inline ? (dice.oneIn(3) ? hostileNumber(dice, 16, 256) : dice.below(128)) : 0,
    ...remote(dice, named),
  });
  const written = Math.min(segments, MOST_SEGMENTS);
  for (let i = 0; i < written; i++)
    WQE_DATA.packInto(wqe, WQE_HEADER.bytes + i * WQE_DATA.bytes, segment(dice, named));
  if (opcode === WrOpcode.ATOMIC_CMP_AND_SWP || opcode === WrOpcode.ATOMIC_FETCH_AND_ADD) {
    if (!dice.oneIn(4)) WQE_DATA.set(wqe, 'length', 8, WQE_HEADER.bytes);
    WQE_ATOMIC.packInto(wqe, OPERANDS_AT, { swapAdd: hostileAddress(dice), compare: hostileAddress(dice) });
  }
  return wqe;
}

function remote(dice: Dice, { peer, foreign }: Named): { remoteAddr: bigint; rkey: number } {
  const { mr, buffer } = dice.of(peer);
  const inside = mr.addr + BigInt(dice.below(buffer.length));
  if (dice.oneIn(6)) return { remoteAddr: foreign.peerVa, rkey: foreign.rkey };
  if (dice.oneIn(4)) return { remoteAddr: hostileAddress(dice, inside), rkey: mr.rkey };
  return { remoteAddr: inside, rkey: dice.oneIn(8) ? hostileNumber(dice, 32, mr.rkey) : mr.rkey };
}

function segment(dice: Dice, { own, foreign }: Named): { addr: bigint; length: number; lkey: number } {
  const { mr, buffer } = dice.of(own);
  const at = dice.below(buffer.length);
  const length = dice.oneIn(6)
    ? hostileNumber(dice, 32, buffer.length - at)
    : dice.below(Math.min(3000, buffer.length - at));
  if (dice.oneIn(8)) return { addr: foreign.va, length: length % 3000, lkey: foreign.lkey };
  const addr = dice.oneIn(8) ? hostileAddress(dice, mr.addr) : mr.addr + BigInt(at);
  return { addr, length, lkey: dice.oneIn(10) ? hostileNumber(dice, 32, mr.lkey) : mr.lkey };
}
