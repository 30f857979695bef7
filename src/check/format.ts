import { hex } from './bytes.ts';
import { type End, other, type Port, type Side } from './connection.ts';
import { endsReceive, type Operation } from './opcodes.ts';
import { GRH_BYTES, type Grh, LRH_BYTES, type Lrh, type Packet } from './packet.ts';
import type { Report } from './rules.ts';
import type { Transport } from './transport.ts';

/** What a device offers beyond SEND, WRITE and READ. */
export interface Offers {
  atomic?: boolean;
  invalidate?: boolean;
}

const NXT_HDR_IBA = 0x1b;
const CONTROL_BYTES = 124; // largest headers and ICRC
const VCRC_BYTES = 2;

export const vcrcRight = (packet: Packet): boolean => packet.vcrc === packet.vcrcExpected;
export const icrcRight = (packet: Packet): boolean => packet.icrc === packet.icrcExpected;

type Same = (rule: Parameters<Report>[0], expected: number, found: number) => void;
const sameBy =
  (report: Report): Same =>
  (rule, expected, found) => {
    if (expected !== found) report(rule, hex(expected), hex(found));
  };

/** Rules that need nothing but the packet and the port that sent it. */
export function checkFraming(packet: Packet, port: Port, report: Report): void {
  const { lrh, bytes } = packet;
  const same = sameBy(report);
  same('vcrc', packet.vcrcExpected, packet.vcrc);
  same('icrc', packet.icrcExpected, packet.icrc);
  checkLink(packet, bytes.length - VCRC_BYTES, report);
  const most = (port.mtuBytes + CONTROL_BYTES) / 4;
  if (lrh.pktLen > most) report('pkt-max', `at most ${most} words`, lrh.pktLen);
  if (!ownsLid(port, lrh.slid)) report('slid', hex(port.lid), hex(lrh.slid));
  same('vl', port.sl2vl?.[lrh.sl] ?? 0, lrh.vl);
}

/** Rules of LRH and GRH that hold on any port; `length` is in bytes, from LRH through ICRC. */
export function checkLink({ lrh, grh }: { lrh: Lrh; grh: Grh | undefined }, length: number, report: Report) {
  const same = sameBy(report);
  same('lver', 0, lrh.lver);
  if (lrh.reserved2 !== 0 || lrh.reserved5 !== 0) report('lrh-reserved', 0, lrh.reserved2 + lrh.reserved5);
  if (lrh.pktLen * 4 !== length) report('pkt-len', length / 4, lrh.pktLen);
  if (!grh) return;
  same('grh-fixed', 6, grh.ipVer);
  same('grh-fixed', NXT_HDR_IBA, grh.nxtHdr);
  same('pay-len', length - LRH_BYTES - GRH_BYTES, grh.payLen);
}

export const ownsLid = ({ lid, lmc = 0 }: Port, found: number): boolean =>
  found >= lid && found < lid + 2 ** lmc;

/** Rules of the BTH and the payload. */
export function checkTransport(packet: Packet, offers: Offers, report: Report): void {
  const { bth, operation } = packet;
  if (bth.tver !== 0) report('tver', 0, bth.tver);
  if (!bth.migReq) report('migreq', 1, 0);
  if (bth.reserved8 !== 0 || bth.reserved7 !== 0) {
    report('bth-reserved', 0, `${hex(bth.reserved8, 2)} and ${hex(bth.reserved7, 2)}`);
  }
  if (!operation || bth.opcode >= 0x20) {
    report('opcode', 'an RC opcode', hex(bth.opcode, 2));
    return;
  }
  if (!isOffered(operation, offers)) report('opcode-offered', 'an operation offered', operation.name);
  checkFlags(packet, operation, report);
}

/** SE, AckReq and pad, which the operation decides. */
export function checkFlags(packet: Transport, operation: Operation, report: Report): void {
  const { bth, payloadBytes, pad } = packet;
  if (bth.se && !endsReceive(operation)) report('se', 0, 1);
  if (bth.ackReq && operation.response) report('ackreq-response', 0, 1);
  if (payloadBytes < 0 || (payloadBytes === 0 && bth.padCount > 0)) {
    report('pad-count', 0, bth.padCount);
  }
  if (pad.some((byte) => byte !== 0)) report('pad-zero', 0, hex(pad.find((byte) => byte !== 0)!, 2));
}

const isOffered = ({ family, headers }: Operation, offers: Offers): boolean =>
  family === 'ATOMIC' || family === 'ATOMIC_ACK'
    ? offers.atomic === true
    : !headers.includes('ieth') || offers.invalidate === true;

/** Rules that need the path of the sender's queue pair. */
export function checkPath(packet: Packet, port: Port, end: End, report: Report): void {
  const { lrh, grh, bth } = packet;
  const slid = port.lid + (end.pathBits ?? 0);
  if (ownsLid(port, lrh.slid) && lrh.slid !== slid) report('slid', hex(slid), hex(lrh.slid));
  if (lrh.dlid !== end.dlid) report('dlid', hex(end.dlid), hex(lrh.dlid));
  if (lrh.sl !== end.sl) report('sl', end.sl, lrh.sl);
  if (bth.pkey !== end.pkey) report('pkey', hex(end.pkey), hex(bth.pkey));
  if ((grh !== undefined) !== (end.grh !== undefined)) {
    report('grh-present', end.grh ? 'a GRH' : 'no GRH', grh ? 'a GRH' : 'no GRH');
  }
  if (!grh || !end.grh) return;
  for (const field of ['sgid', 'dgid', 'tclass', 'flowLabel', 'hopLimit'] as const) {
    if (grh[field] !== end.grh[field]) {
      report('grh-path', `${field} ${hex(end.grh[field])}`, `${field} ${hex(grh[field])}`);
    }
  }
}

/** The payload an operation can carry; undefined when this one is right. */
export function wrongPayload(
  packet: Transport,
  mtuBytes: number,
): { expected: string; found: number } | undefined {
  const { operation, payloadBytes: found } = packet;
  if (!operation) return undefined;
  const { family, position } = operation;
  const data = family === 'SEND' || family === 'WRITE' || family === 'READ_RESPONSE';
  let [least, most] = [0, data ? mtuBytes : 0];
  if (data && position === 'last') least = 1;
  if (data && (position === 'first' || position === 'middle')) least = mtuBytes;
  if (found >= least && found <= most) return undefined;
  return { expected: least === most ? `${least} bytes` : `${least}..${most} bytes`, found };
}

/** Whether the receiver looks at the packet at all; it drops the others without a word. */
export function isTaken(packet: Packet, ports: readonly [Port, Port], sender: Side, receiver: End): boolean {
  const { lrh, grh, bth, bytes } = packet;
  const port = ports[other(sender)];
  const link =
    vcrcRight(packet) &&
    icrcRight(packet) &&
    lrh.lver === 0 &&
    lrh.vl !== 15 &&
    lrh.pktLen * 4 === bytes.length - 2 &&
    lrh.pktLen <= (port.mtuBytes + CONTROL_BYTES) / 4 &&
    ownsLid(port, lrh.dlid);
  const network =
    lrh.slid === receiver.dlid &&
    (grh !== undefined) === (receiver.grh !== undefined) &&
    (!grh || (grh.ipVer === 6 && grh.nxtHdr === NXT_HDR_IBA)) &&
    (!grh || !receiver.grh || (grh.sgid === receiver.grh.dgid && grh.dgid === receiver.grh.sgid));
  return link && network && bth.tver === 0 && bth.opcode < 0x20 && pkeysMatch(bth.pkey, receiver.pkey);
}

const pkeysMatch = (a: number, b: number): boolean =>
  (a & 0x7fff) === (b & 0x7fff) && (a & 0x7fff) !== 0 && ((a | b) & 0x8000) !== 0;
