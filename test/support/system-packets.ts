import type { TapEvent } from '../../src/device.ts';
import { queryQp } from '../../src/host/index.ts';
import { build, type PacketSpec } from '../unit/check-build.ts';
import { type Bench, other, type Side } from './system-bench.ts';
import type { Pair } from './system-messages.ts';

export type Fields = Omit<Partial<PacketSpec>, 'sender' | 'cycle' | 'injected' | 'lost'> & { opcode: number };

/** A packet of a connection as `from` would send it, but for the fields that are told. */
export function packetOf(pair: Pair, from: Side, fields: Fields): Uint8Array {
  const [own, peer] = [pair[from], pair[other(from)]];
  return build({
    sender: 0,
    dlid: peer.context.port.lid,
    slid: own.context.port.lid,
    destQpn: peer.qp.qpn,
    psn: 0,
    ...fields,
  });
}

/** Puts packets on the wire that `from` never sent, and lets them arrive. */
export async function inject(bench: Bench, from: Side, ...packets: readonly Uint8Array[]): Promise<void> {
  for (const packet of packets) bench.fabric.inject(bench.index(other(from)), packet);
  await bench.settle();
}

/** The PSN that the responder of a side expects next. */
export const expectedPsn = async (pair: Pair, side: Side): Promise<number> =>
  (await queryQp(pair[side].qp)).rqPsn;

const ACKNOWLEDGE = 0x11;

/** Syndromes of the NAKs that a side has sent since the taps were last taken; wants `setTaps({ packets: true })`. */
export async function naksOf(bench: Bench, side: Side): Promise<number[]> {
  return (await packetsOf(bench, side)).flatMap((bytes) => {
    const bth = (bytes[1]! & 3) === 3 ? 48 : 8;
    const syndrome = bytes[bth + 12]!;
    return bytes[bth] === ACKNOWLEDGE && syndrome >= 0x20 ? [syndrome] : [];
  });
}

/** Number of packets that a side has sent since then. */
export const sentBy = async (bench: Bench, side: Side): Promise<number> =>
  (await packetsOf(bench, side)).length;

async function packetsOf(bench: Bench, side: Side): Promise<Uint8Array[]> {
  return (await bench.fabric.takeTaps()).flatMap((tap: TapEvent & { injected?: boolean }) =>
    tap.kind === 'packet' && !tap.injected && tap.device === bench.index(side) ? [tap.bytes] : [],
  );
}
