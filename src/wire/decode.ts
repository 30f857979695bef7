import { GRH_NXT_HDR, ICRC_BYTES, VCRC_BYTES } from '../spec/gen/constants.ts';
import { DropReason, Lnh, MtuCode, Service } from '../spec/gen/enums.ts';
import { opcodeOf } from '../spec/gen/opcodes.ts';
import { BTH, GRH, type Grh, LRH, type Lrh } from '../spec/gen/records.ts';
import type { Layout } from '../spec/layout.ts';
import { icrcIsRight } from './icrc.ts';
import { EXTENSIONS, type ExtensionHeaders, mtuBytesOf, type Packet, type PacketOpcode } from './packet.ts';
import { vcrcIsRight } from './vcrc.ts';

/** What a port accepts; whatever is not given is accepted. */
export interface PortRules {
  mtuBytes?: number;
  acceptsVl?(vl: number): boolean;
  acceptsDlid?(dlid: number): boolean;
  acceptsDgid?(dgid: bigint): boolean;
}

export interface Dropped {
  reason: DropReason;
  /** For people: what was expected and what came. */
  text: string;
}

export type Decoded = { packet: Packet; dropped?: never } | { packet?: never; dropped: Dropped };

const MAX_HEADERS_AND_ICRC = 124; // largest header sum and ICRC (7.7.8)

/**
 * Takes a packet apart, LRH to VCRC. Tests come in the order of `DropReason`: of two faults the one
 * with the smaller number is told.
 */
export function decodePacket(bytes: Uint8Array, port: PortRules = {}): Decoded {
  if (!(bytes.length > VCRC_BYTES && vcrcIsRight(bytes))) return drop(DropReason.VCRC, 'vcrc: wrong');
  if (bytes.length < LRH.bytes + VCRC_BYTES)
    return drop(DropReason.LENGTH, `packet of ${bytes.length} bytes`);

  const lrh = LRH.unpack(bytes);
  const raw = lrh.lnh === Lnh.RAW || lrh.lnh === Lnh.IPV6;
  if (!raw && !(bytes.length >= LRH.bytes + ICRC_BYTES + VCRC_BYTES && icrcIsRight(bytes)))
    return drop(DropReason.ICRC, 'icrc: wrong');

  const tooLong = lengthFault(bytes, lrh, raw, port.mtuBytes ?? mtuBytesOf(MtuCode.MTU_4096));
  if (tooLong) return drop(DropReason.LENGTH, tooLong);
  if (lrh.lver !== 0) return drop(DropReason.LVER, `lrh.lver: expected 0, got ${lrh.lver}`);
  if (port.acceptsVl?.(lrh.vl) === false) return drop(DropReason.VL, `lrh.vl: ${lrh.vl} is not operated`);
  if (port.acceptsDlid?.(lrh.dlid) === false)
    return drop(DropReason.DLID, `lrh.dlid: ${lrh.dlid} is not of this port`);
  if (raw) return drop(DropReason.LNH, `lrh.lnh: expected 2 or 3, got ${lrh.lnh}`);

  let at = LRH.bytes;
  let grh: Grh | undefined;
  if (lrh.lnh === Lnh.IBA_GLOBAL) {
    grh = GRH.unpack(bytes, at);
    at += GRH.bytes;
    const fault = grhFault(grh, lrh, port);
    if (fault) return drop(DropReason.GRH, fault);
  }

  const bth = BTH.unpack(bytes, at);
  at += BTH.bytes;
  if (bth.tver !== 0) return drop(DropReason.TVER, `bth.tver: expected 0, got ${bth.tver}`);
  const opcode = opcodeOf(bth.opcode) ?? reservedOpcode(bth.opcode);
  if (!opcode) return drop(DropReason.OPCODE, `bth.opcode: ${bth.opcode} is of no service that is offered`);

  const extensions: ExtensionHeaders = {};
  for (const name of opcode.headers as readonly (keyof ExtensionHeaders)[]) {
    const header = EXTENSIONS[name] as unknown as Layout<Record<string, number>>;
    extensions[name] = header.unpack(bytes, at) as never;
    at += header.bytes;
  }
  const end = bytes.length - VCRC_BYTES - ICRC_BYTES - bth.padCount;
  const packet: Packet = { ...extensions, opcode, lrh, bth, payload: bytes.subarray(at, Math.max(at, end)) };
  if (grh) packet.grh = grh;
  if (end < at) packet.badPad = true;
  return { packet };
}

const drop = (reason: DropReason, text: string): Decoded => ({ dropped: { reason, text } });

/** What the table of opcodes leaves out: a request without headers of its own, which nobody supports. */
function reservedOpcode(value: number): PacketOpcode | undefined {
  if (value >> 5 !== Service.RC) return undefined;
  return {
    name: 'RC_RESERVED',
    value,
    headers: [],
    headerBytes: LRH.bytes + BTH.bytes,
    kind: 'request',
    position: 'only',
    op: 'reserved',
    payload: true,
  };
}

/** Does PktLen agree with the packet, with the headers of its opcode and with the port's MTU (7.7.8)? */
function lengthFault(bytes: Uint8Array, lrh: Lrh, raw: boolean, mtuBytes: number): string | undefined {
  const length = bytes.length - VCRC_BYTES;
  if (lrh.pktLen * 4 !== length) return `lrh.pktLen: expected ${length / 4} words, got ${lrh.pktLen}`;

  const bthAt = LRH.bytes + (lrh.lnh === Lnh.IBA_GLOBAL ? GRH.bytes : 0);
  let min = raw ? LRH.bytes : bthAt + BTH.bytes + ICRC_BYTES;
  const max = mtuBytes + MAX_HEADERS_AND_ICRC;
  if (!raw && length >= min) {
    const opcode = opcodeOf(BTH.get(bytes, 'opcode', bthAt));
    if (opcode) min = bthAt - LRH.bytes + opcode.headerBytes + ICRC_BYTES;
  }
  return length < min || length > max ? `packet: expected ${min}..${max} bytes, got ${length}` : undefined;
}

function grhFault(grh: Grh, lrh: Lrh, port: PortRules): string | undefined {
  const payLen = lrh.pktLen * 4 - LRH.bytes - GRH.bytes;
  if (grh.payLen !== payLen) return `grh.payLen: expected ${payLen}, got ${grh.payLen}`;
  if (grh.ipVer !== 6) return `grh.ipVer: expected 6, got ${grh.ipVer}`;
  if (grh.nxtHdr !== GRH_NXT_HDR) return `grh.nxtHdr: expected ${GRH_NXT_HDR}, got ${grh.nxtHdr}`;
  if (port.acceptsDgid?.(grh.dgid) === false) return `grh.dgid: ${grh.dgid.toString(16)} is not of this port`;
  return undefined;
}
