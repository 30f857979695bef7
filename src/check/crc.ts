/**
 * The two CRCs of a native packet (IBA vol. 1, ch. 7), a table lookup per byte. Both are fed least
 * significant bit first, start with ones and end with the complement.
 */

const tableOf = (reflected: number): Uint32Array =>
  Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ reflected : crc >>> 1;
    return crc;
  });

export const TABLE_32 = tableOf(0xedb88320);
export const TABLE_16 = tableOf(0xd008);

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ TABLE_32[(crc ^ byte) & 0xff]!;
  return ~crc >>> 0;
}

export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ TABLE_16[(crc ^ byte) & 0xff]!;
  return ~crc & 0xffff;
}

/** What the last 2 bytes say, as `crc16` counts. */
export const vcrcField = (packet: Uint8Array): number =>
  packet[packet.length - 2]! | (packet[packet.length - 1]! << 8);

/** What the 4 bytes at `at`, before the VCRC, say, as `crc32` counts. */
export function icrcField(packet: Uint8Array, at = packet.length - 6): number {
  return (packet[at]! | (packet[at + 1]! << 8) | (packet[at + 2]! << 16) | (packet[at + 3]! << 24)) >>> 0;
}

/** VCRC of a packet from LRH to VCRC: all bytes as sent. */
export const vcrcOf = (packet: Uint8Array): number => crc16(packet.subarray(0, packet.length - 2));

/** ICRC of a packet from LRH on, itself at `end`: what a switch or a router may change counts as ones. */
export function icrcOf(packet: Uint8Array, end = packet.length - 6): number {
  const masked = packet.slice(0, end);
  const global = (masked[1]! & 3) === 3;
  if (global) {
    masked.fill(0xff, 0, 8); // LRH
    masked[8]! |= 0x0f; // GRH: traffic class, flow label, hop limit
    masked.fill(0xff, 9, 12);
    masked[15] = 0xff;
  } else {
    masked[0]! |= 0xf0; // virtual lane
  }
  masked[(global ? 48 : 8) + 4] = 0xff; // BTH byte 4: FECN, BECN, reserved
  return crc32(masked);
}

/** Where the headers of a RoCEv2 packet begin. */
export interface RoceHeaders {
  ipAt: number;
  udpAt: number;
  bthAt: number;
}

/** ICRC of a RoCEv2 packet, itself at `end`: ones for the missing LRH, then IP, UDP and BTH with what a router may change as ones (annex A17). */
export function roceIcrcOf(bytes: Uint8Array, { ipAt, udpAt, bthAt }: RoceHeaders, end: number): number {
  const masked = new Uint8Array(LRH_BYTES + end - ipAt).fill(0xff, 0, LRH_BYTES);
  masked.set(bytes.subarray(ipAt, end), LRH_BYTES);
  const ones = (at: number, count = 1): void => {
    masked.fill(0xff, LRH_BYTES + at - ipAt, LRH_BYTES + at - ipAt + count);
  };
  if (bytes[ipAt]! >> 4 === 4) {
    ones(ipAt + 1); // type of service
    ones(ipAt + 8); // time to live
    ones(ipAt + 10, 2); // header checksum
  } else {
    masked[LRH_BYTES]! |= 0x0f; // traffic class, flow label
    ones(ipAt + 1, 3);
    ones(ipAt + 7); // hop limit
  }
  ones(udpAt + 6, 2); // checksum
  ones(bthAt + 4); // FECN, BECN, reserved
  return crc32(masked);
}

const LRH_BYTES = 8;
