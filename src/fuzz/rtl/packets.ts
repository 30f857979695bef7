import { OPCODES, Op } from '../../spec/gen/opcodes.ts';
import { LRH } from '../../spec/gen/records.ts';
import type { Dice } from '../../walk/index.ts';
import {
  decodePacket,
  encodePacket,
  type PacketToSend,
  type PortRules,
  psnAdd,
  putIcrc,
  putVcrc,
} from '../../wire/index.ts';
import { hostileAddress, hostileNumber, mutated, randomBytes } from '../bytes.ts';
import type { Ground, HostilePair } from './ground.ts';

/** Packets at the link input of a device: random, mutated, and right in form but wrong in what they ask. */

type Side = 0 | 1;

/** A queue pair that nobody may disturb, as its packets name it. */
export interface Protected {
  readonly qpn: number;
  readonly psn: number;
}

export interface PacketSource {
  readonly ground: Ground;
  /** Of each device. */
  readonly victims: readonly [Protected, Protected];
  /** R_Keys of the victim's memory, by device. */
  readonly victimKeys: readonly [number, number];
  /** Address of the victim's memory, by device. */
  readonly victimVa: readonly [bigint, bigint];
}

const MAX_PACKET = 4352;
const ICRC_AND_VCRC = 6;

/** A packet towards a device that its victim's queue pair does not take. */
export function hostilePacket(dice: Dice, source: PacketSource, to: Side): Uint8Array {
  for (;;) {
    const packet = MAKERS[dice.weighted(WEIGHTS)](dice, source, to);
    if (packet.length > 0 && packet.length <= MAX_PACKET && !reachesVictim(source, to, packet)) return packet;
  }
}

const WEIGHTS = { noise: 1, spoiled: 3, sealed: 4, foreign: 2, asked: 8, short: 1 } as const;

const MAKERS: Readonly<
  Record<keyof typeof WEIGHTS, (dice: Dice, source: PacketSource, to: Side) => Uint8Array>
> = {
  /** Nothing but noise. */
  noise: (dice) => randomBytes(dice, dice.oneIn(40) ? dice.between(1, MAX_PACKET) : dice.between(1, 128)),

  /** A packet that was right, for anybody; the CRCs tell. */
  spoiled: (dice, source, to) => mutated(dice, any(dice, source, to), any(dice, source, to)),

  /** The same with CRCs that are right. */
  sealed: (dice, source, to) => sealed(mutated(dice, any(dice, source, to), any(dice, source, to))),

  /** For the victim's queue pair, but from elsewhere, of another partition, or for a number that does not exist. */
  foreign(dice, source, to) {
    const [own, peer] = portsOf(source, to);
    const { qpn, psn } = source.victims[to];
    const wrong = dice.of(['slid', 'pkey', 'grh', 'qpn'] as const);
    return encodePacket({
      ...request(dice, source, to, psnAdd(psn, dice.between(0, 3))),
      lrh: { dlid: own.lid, slid: wrong === 'slid' ? peer.lid + dice.between(1, 100) : peer.lid },
      ...(wrong === 'grh'
        ? { grh: { hopLimit: 64, sgid: peer.gids[0] ?? 0n, dgid: own.gids[0] ?? 0n } }
        : {}),
      bth: {
        ...bthOf(dice, psn),
        destQpn: wrong === 'qpn' ? hostileNumber(dice, 24, qpn + 100) : qpn,
        pkey: wrong === 'pkey' ? dice.of([0, 0x1234, 0x8000]) : 0xffff,
      },
    });
  },

  /** For a hostile user's own queue pair: any request, any response. */
  asked: (dice, source, to) => asked(dice, source, to),

  /** Cut anywhere, with CRCs that are right. */
  short: (dice, source, to) => {
    const whole = any(dice, source, to);
    return sealed(whole.subarray(0, dice.between(ICRC_AND_VCRC + 1, whole.length)));
  },
};

const any = (dice: Dice, source: PacketSource, to: Side): Uint8Array =>
  dice.oneIn(3) ? likeVictim(dice, source, to) : asked(dice, source, to);

/** What the victim's peer could send. */
function likeVictim(dice: Dice, source: PacketSource, to: Side): Uint8Array {
  const { qpn, psn } = source.victims[to];
  return packetTo(dice, source, to, qpn, psnAdd(psn, dice.between(-2, 8)), 1024);
}

function asked(dice: Dice, source: PacketSource, to: Side): Uint8Array {
  const pair = dice.of(source.ground.pairs);
  return packetTo(dice, source, to, pair.ends[to].qp.qpn, nextPsn(dice, pair, to), pair.mtuBytes);
}

/** Mostly the one that is expected next. */
function nextPsn(dice: Dice, pair: HostilePair, to: Side): number {
  const psn = pair.psns[to];
  if (dice.oneIn(8)) return dice.oneIn(2) ? psnAdd(psn, dice.between(-20, 20)) : dice.below(2 ** 24);
  pair.psns[to] = psnAdd(psn, 1);
  return psn;
}

function packetTo(
  dice: Dice,
  source: PacketSource,
  to: Side,
  destQpn: number,
  psn: number,
  mtuBytes: number,
): Uint8Array {
  const [own, peer] = portsOf(source, to);
  const made = request(dice, source, to, psn, mtuBytes);
  return encodePacket({
    ...made,
    lrh: { dlid: own.lid, slid: peer.lid, sl: dice.below(16), vl: dice.below(15) },
    bth: { ...made.bth, destQpn, pkey: 0xffff },
  });
}

const portsOf = ({ ground: { run } }: PacketSource, to: Side) =>
  [run.contexts[to].port, run.contexts[to === 0 ? 1 : 0].port] as const;

const bthOf = (dice: Dice, psn: number) => ({
  opcode: dice.oneIn(3) ? Op.RC_WRITE_ONLY : dice.of(OPCODES).value,
  psn,
  ackReq: dice.below(2),
  solicited: dice.below(2),
  migReq: 1,
});

/** Any opcode with any headers, right or wrong. */
function request(
  dice: Dice,
  source: PacketSource,
  to: Side,
  psn: number,
  mtuBytes = 1024,
): Pick<PacketToSend, 'bth' | 'payload' | 'reth' | 'atomiceth' | 'aeth' | 'atomicacketh' | 'immdt'> {
  const { va, rkey } = target(dice, source, to);
  const payload = randomPayload(dice, mtuBytes);
  const dmaLen = dice.oneIn(2) ? payload.length : hostileNumber(dice, 32, payload.length);
  return {
    bth: bthOf(dice, psn),
    payload,
    reth: { va, rkey, dmaLen },
    atomiceth: {
      va: dice.oneIn(2) ? va & ~7n : va,
      rkey,
      swapAdd: hostileAddress(dice),
      compare: hostileAddress(dice),
    },
    aeth: { syndrome: dice.oneIn(2) ? 0x1f : dice.below(256), msn: hostileNumber(dice, 24) },
    atomicacketh: { original: hostileAddress(dice) },
    immdt: { immediate: dice.below(2 ** 32) },
  };
}

/** Memory of the hostile user itself, with rights or without, or just beside; or that of the victim. */
function target(
  dice: Dice,
  { ground, victimKeys, victimVa }: PacketSource,
  to: Side,
): { va: bigint; rkey: number } {
  const { mr, buffer } = dice.of(ground.regions[to]);
  const inside = mr.addr + BigInt(dice.below(buffer.length));
  switch (dice.below(6)) {
    case 0:
      return { va: victimVa[to] + BigInt(dice.below(4096)), rkey: victimKeys[to] };
    case 1:
      return { va: hostileAddress(dice, mr.addr + BigInt(buffer.length)), rkey: mr.rkey };
    case 2:
      return { va: inside, rkey: hostileNumber(dice, 32, mr.rkey) };
    default:
      return { va: inside, rkey: mr.rkey };
  }
}

/** Seldom a long one: many packets show more than many bytes. */
function randomPayload(dice: Dice, mtuBytes: number): Uint8Array {
  const short = [0, 1, 3, 4, 8, 32, dice.below(64), dice.below(64)];
  const length = dice.of(dice.oneIn(12) ? [mtuBytes, mtuBytes + 1, dice.below(mtuBytes)] : short);
  return new Uint8Array(length).fill(dice.below(256));
}

/** The same with both CRCs right, wherever it ends. */
function sealed(packet: Uint8Array): Uint8Array {
  const bytes = packet.slice();
  if (bytes.length >= LRH.bytes + ICRC_AND_VCRC) putIcrc(bytes, bytes.length - ICRC_AND_VCRC);
  if (bytes.length > 2) putVcrc(bytes, bytes.length - 2);
  return bytes;
}

/** Whether nothing tells it from a packet of the victim's peer: no device could refuse it. */
function reachesVictim(source: PacketSource, to: Side, bytes: Uint8Array): boolean {
  const { packet } = decodePacket(bytes, portRules(source, to));
  if (packet?.bth.destQpn !== source.victims[to].qpn) return false;
  const [, peer] = portsOf(source, to);
  return packet.lrh.slid === peer.lid && !packet.grh && (packet.bth.pkey & 0x7fff) === 0x7fff;
}

/** What a port takes. */
export function portRules({ ground: { run } }: Pick<PacketSource, 'ground'>, to: Side): PortRules {
  const { port } = run.contexts[to];
  return {
    mtuBytes: 128 << port.mtu,
    acceptsVl: (vl) => vl < 15,
    acceptsDlid: (dlid) => dlid >> port.lmc === port.lid >> port.lmc,
    acceptsDgid: (dgid) => port.gids.includes(dgid),
  };
}
