import { VCRC_BYTES } from '../spec/gen/constants.ts';
import { Crc } from './crc.ts';

const crc = new Crc(0xd008);

/** Variant CRC of everything from the LRH to the ICRC, unmasked (IBA vol. 1, 7.8.2). */
export const vcrcOf = (bytes: Uint8Array, length = bytes.length): number =>
  ~crc.update(0xffff, bytes, 0, length) & 0xffff;

/** Writes the VCRC behind the first `length` bytes. */
export function putVcrc(bytes: Uint8Array, length: number): void {
  const value = vcrcOf(bytes, length);
  bytes[length] = value;
  bytes[length + 1] = value >>> 8;
}

/** Of a whole packet, LRH to VCRC. */
export function vcrcIsRight(packet: Uint8Array): boolean {
  const at = packet.length - VCRC_BYTES;
  const value = vcrcOf(packet, at);
  return packet[at] === (value & 0xff) && packet[at + 1] === value >>> 8;
}
