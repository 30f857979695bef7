import { IbError } from '../spec/errors.ts';
import { GRH_NXT_HDR, ICRC_BYTES, VCRC_BYTES } from '../spec/gen/constants.ts';
import { Lnh } from '../spec/gen/enums.ts';
import { opcodeOf } from '../spec/gen/opcodes.ts';
import { BTH, GRH, LRH } from '../spec/gen/records.ts';
import type { Layout } from '../spec/layout.ts';
import { putIcrc } from './icrc.ts';
import { EXTENSIONS, type ExtensionHeaders, type PacketToSend } from './packet.ts';
import { putVcrc } from './vcrc.ts';

/** A native packet from LRH to VCRC (IBA vol. 1, chapter 5). */
export function encodePacket(packet: PacketToSend): Uint8Array {
  const opcode = opcodeOf(packet.bth.opcode);
  if (!opcode) throw new IbError('bad-argument', `bth.opcode: expected one of RC, got ${packet.bth.opcode}`);

  const payload = packet.payload ?? new Uint8Array();
  const padCount = -payload.length & 3;
  const grhBytes = packet.grh ? GRH.bytes : 0;
  const length = opcode.headerBytes + grhBytes + payload.length + padCount;
  const bytes = new Uint8Array(length + ICRC_BYTES + VCRC_BYTES);

  LRH.packInto(bytes, 0, {
    ...packet.lrh,
    lnh: packet.grh ? Lnh.IBA_GLOBAL : Lnh.IBA_LOCAL,
    pktLen: (length + ICRC_BYTES) / 4,
  });
  let at = LRH.bytes;
  if (packet.grh) {
    const payLen = length + ICRC_BYTES - LRH.bytes - GRH.bytes;
    GRH.packInto(bytes, at, { ipVer: 6, nxtHdr: GRH_NXT_HDR, ...packet.grh, payLen });
    at += GRH.bytes;
  }
  BTH.packInto(bytes, at, { ...packet.bth, padCount });
  at += BTH.bytes;
  for (const name of opcode.headers as readonly (keyof ExtensionHeaders)[]) {
    const header = EXTENSIONS[name] as unknown as Layout<Record<string, number>>;
    const values = packet[name];
    if (!values) throw new IbError('bad-argument', `${opcode.name}: expected a header ${name}, got none`);
    header.packInto(bytes, at, values as never);
    at += header.bytes;
  }
  bytes.set(payload, at);

  putIcrc(bytes, length);
  putVcrc(bytes, length + ICRC_BYTES);
  return bytes;
}
