import { ICRC_BYTES, VCRC_BYTES } from '../spec/gen/constants.ts';
import { Lnh } from '../spec/gen/enums.ts';
import { BTH, GRH, LRH } from '../spec/gen/records.ts';
import { Crc } from './crc.ts';

const crc = new Crc(0xedb8_8320);

/** CRC-32 of bytes that are masked already, as a number; it is sent least significant byte first. */
export const crc32 = (bytes: Uint8Array): number => ~crc.update(0xffff_ffff, bytes) >>> 0;

/**
 * Invariant CRC of a packet without its CRCs, from LRH to pad (IBA vol. 1, 7.8.1). Fields that a switch
 * or router may change count as all ones: the virtual lane, the reserved byte of the BTH and, with a
 * GRH, the whole LRH, traffic class, flow label and hop limit; of a packet that ends within its headers
 * what there is of them.
 */
export function icrcOf(bytes: Uint8Array, length = bytes.length): number {
  const global = LRH.get(bytes, 'lnh') === Lnh.IBA_GLOBAL;
  const bthAt = LRH.bytes + (global ? GRH.bytes : 0);
  const headers = new Uint8Array(bthAt + BTH.bytes);
  const end = Math.min(length, headers.length);
  headers.set(bytes.subarray(0, end));
  if (global) {
    headers.fill(0xff, 0, LRH.bytes);
    GRH.set(headers, 'tclass', 0xff, LRH.bytes);
    GRH.set(headers, 'flowLabel', 0xf_ffff, LRH.bytes);
    GRH.set(headers, 'hopLimit', 0xff, LRH.bytes);
  } else {
    LRH.set(headers, 'vl', 0xf);
  }
  headers[bthAt + BTH_RESERVED_BYTE] = 0xff;
  return ~crc.update(crc.update(0xffff_ffff, headers, 0, end), bytes, end, length) >>> 0;
}

/** Writes the ICRC behind the first `length` bytes. */
export function putIcrc(bytes: Uint8Array, length: number): void {
  const value = icrcOf(bytes, length);
  for (let i = 0; i < ICRC_BYTES; i++) bytes[length + i] = value >>> (8 * i);
}

/** Of a whole packet, LRH to VCRC. */
export function icrcIsRight(packet: Uint8Array): boolean {
  const at = packet.length - VCRC_BYTES - ICRC_BYTES;
  const value = icrcOf(packet, at);
  for (let i = 0; i < ICRC_BYTES; i++) if (packet[at + i] !== ((value >>> (8 * i)) & 0xff)) return false;
  return true;
}

/** The byte in front of the destination QPN. */
const BTH_RESERVED_BYTE = BTH.pack({ destQpn: 0xff_ffff }).indexOf(0xff) - 1;
