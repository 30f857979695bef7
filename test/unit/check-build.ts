/** Packets from their fields, for tests of the checker. Shares no code with what it decodes by. */

export interface PacketSpec {
  sender: 0 | 1;
  cycle?: number;
  injected?: boolean;
  lost?: boolean;
  /** Behind it the link takes nothing for so many cycles. */
  holds?: number;
  /** A read of its host is lost then: so many cycles it may wait. */
  waits?: number;
  /** It comes out of the link, after it was lost or once more. */
  arrives?: boolean;
  /** Its receiver's memory has changed before it. */
  memoryChanged?: boolean;
  vl?: number;
  lver?: number;
  sl?: number;
  lrhReserved?: number;
  lnh?: number;
  dlid: number;
  slid: number;
  /** Instead of the right one. */
  pktLen?: number;
  grh?: {
    ipVer?: number;
    tclass: number;
    flowLabel: number;
    payLen?: number;
    nxtHdr?: number;
    hopLimit: number;
    sgid: bigint;
    dgid: bigint;
  };
  opcode: number;
  se?: boolean;
  m?: boolean;
  /** Instead of the right one. */
  padCount?: number;
  padByte?: number;
  tver?: number;
  pkey?: number;
  reserved8?: number;
  destQpn: number;
  a?: boolean;
  reserved7?: number;
  psn: number;
  reth?: { va: bigint; rkey: number; dmaLen: number };
  aeth?: { syndrome: number; msn: number };
  atomic?: { va: bigint; rkey: number; swapAdd: bigint; compare: bigint };
  atomicAck?: bigint;
  imm?: number;
  ieth?: number;
  payload?: Uint8Array;
  /** Flipped after the CRCs were made. */
  icrcXor?: number;
  vcrcXor?: number;
  /** Cut off so many bytes before the ICRC. */
  cut?: number;
}

/** Bit by bit, in contrast to the tables of the checker. */
function crc(bytes: readonly number[], width: 16 | 32, polynomial: number): number[] {
  let register = width === 32 ? 0xffffffffn : 0xffffn;
  for (const byte of bytes) {
    for (let i = 0; i < 8; i++) {
      const bit = (BigInt(byte) >> BigInt(i)) & 1n;
      const feedback = (register & 1n) ^ bit;
      register >>= 1n;
      if (feedback) register ^= BigInt(polynomial);
    }
  }
  const inverted = register ^ (width === 32 ? 0xffffffffn : 0xffffn);
  return Array.from({ length: width / 8 }, (_, i) => Number((inverted >> BigInt(8 * i)) & 0xffn));
}

/** The packet with a VCRC that fits its bytes, whatever its ICRC says. */
export function withVcrc(packet: Uint8Array): Uint8Array {
  const bytes = [...packet.subarray(0, packet.length - 2)];
  return Uint8Array.from([...bytes, ...crc(bytes, 16, 0xd008)]);
}

const big = (value: number | bigint, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Number((BigInt(value) >> BigInt(8 * (bytes - 1 - i))) & 0xffn));

export function build(spec: PacketSpec): Uint8Array {
  const payload = [...(spec.payload ?? [])];
  const padding = (4 - (payload.length % 4)) % 4;
  const pad = Array.from({ length: padding }, () => spec.padByte ?? 0);
  const transport = [
    spec.opcode,
    (spec.se ? 0x80 : 0) |
      (spec.m === false ? 0 : 0x40) |
      ((spec.padCount ?? padding) << 4) |
      (spec.tver ?? 0),
    ...big(spec.pkey ?? 0xffff, 2),
    spec.reserved8 ?? 0,
    ...big(spec.destQpn, 3),
    (spec.a ? 0x80 : 0) | (spec.reserved7 ?? 0),
    ...big(spec.psn, 3),
  ];
  if (spec.reth)
    transport.push(...big(spec.reth.va, 8), ...big(spec.reth.rkey, 4), ...big(spec.reth.dmaLen, 4));
  if (spec.atomic) {
    const { va, rkey, swapAdd, compare } = spec.atomic;
    transport.push(...big(va, 8), ...big(rkey, 4), ...big(swapAdd, 8), ...big(compare, 8));
  }
  if (spec.aeth) transport.push(spec.aeth.syndrome, ...big(spec.aeth.msn, 3));
  if (spec.atomicAck !== undefined) transport.push(...big(spec.atomicAck, 8));
  if (spec.imm !== undefined) transport.push(...big(spec.imm, 4));
  if (spec.ieth !== undefined) transport.push(...big(spec.ieth, 4));
  transport.push(...payload, ...pad);
  if (spec.cut) transport.length -= spec.cut;

  const grh: number[] = [];
  if (spec.grh) {
    const { ipVer = 6, tclass, flowLabel, nxtHdr = 0x1b, hopLimit, sgid, dgid } = spec.grh;
    grh.push(...big((BigInt(ipVer) << 28n) | (BigInt(tclass) << 20n) | BigInt(flowLabel), 4));
    grh.push(...big(spec.grh.payLen ?? transport.length + 4, 2), nxtHdr, hopLimit);
    grh.push(...big(sgid, 16), ...big(dgid, 16));
  }
  const words = (8 + grh.length + transport.length + 4) / 4;
  const reserved = spec.lrhReserved ?? 0;
  const lrh = [
    ((spec.vl ?? 0) << 4) | (spec.lver ?? 0),
    ((spec.sl ?? 0) << 4) | ((reserved & 3) << 2) | (spec.lnh ?? (spec.grh ? 3 : 2)),
    ...big(spec.dlid, 2),
    ...big(((reserved >> 2) << 11) | ((spec.pktLen ?? words) & 0x7ff), 2),
    ...big(spec.slid, 2),
  ];
  const bytes = [...lrh, ...grh, ...transport];
  const masked = [...bytes];
  if (spec.grh) {
    for (let i = 0; i < 8; i++) masked[i] = 0xff;
    masked[8]! |= 0x0f;
    for (const i of [9, 10, 11, 15]) masked[i] = 0xff;
  } else masked[0]! |= 0xf0;
  masked[8 + grh.length + 4] = 0xff;
  bytes.push(...crc(masked, 32, 0xedb88320).map((byte, i) => byte ^ (i === 0 ? (spec.icrcXor ?? 0) : 0)));
  bytes.push(...crc(bytes, 16, 0xd008).map((byte, i) => byte ^ (i === 0 ? (spec.vcrcXor ?? 0) : 0)));
  return Uint8Array.from(bytes);
}
