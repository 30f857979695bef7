import { u16 } from './bytes.ts';
import { icrcField, roceIcrcOf } from './crc.ts';
import type { Framed } from './frame.ts';
import { transportOf } from './transport.ts';

/** RoCEv2 in an Ethernet frame: IP, UDP, then BTH to ICRC (annex A17). */

const ROCE_PORT = 4791;
const VLAN_TAGS: readonly number[] = [0x8100, 0x88a8, 0x9100];
const MOST_TAGS = 4;
const IPV4 = 0x0800;
const IPV6 = 0x86dd;
const UDP = 17;
const UDP_BYTES = 8;
const ICRC_BYTES = 4;

interface Ip {
  from: string;
  to: string;
  udpAt: number;
  /** End of the datagram. */
  end: number;
}

/** `wireBytes` is its length on the wire, of which `bytes` may be the begin. */
export function roceFrame(bytes: Uint8Array, wireBytes = bytes.length): Framed {
  let at = 12;
  for (let tags = 0; tags < MOST_TAGS && at + 2 <= bytes.length && VLAN_TAGS.includes(u16(bytes, at)); tags++)
    at += 4;
  if (at + 2 > bytes.length) return { skipped: 'frames too short to tell' };
  const type = u16(bytes, at);
  const ipAt = at + 2;
  const ip = type === IPV4 ? ipv4(bytes, ipAt) : type === IPV6 ? ipv6(bytes, ipAt) : 'not IP';
  if (typeof ip === 'string') return { skipped: ip };
  const { from, to, udpAt } = ip;
  if (udpAt + UDP_BYTES > bytes.length) return { skipped: 'frames too short to tell' };
  if (u16(bytes, udpAt + 2) !== ROCE_PORT) return { skipped: `UDP to other ports than ${ROCE_PORT}` };
  const length = u16(bytes, udpAt + 4);
  const bthAt = udpAt + UDP_BYTES;
  const end = udpAt + length - ICRC_BYTES;
  if (end + ICRC_BYTES > wireBytes)
    return { fault: `a UDP length of ${length}, ${wireBytes - udpAt} bytes in the packet` };
  const transport = transportOf(bytes, bthAt, end);
  if (typeof transport === 'string') return { fault: transport };
  const whole = bytes.length >= end + ICRC_BYTES;
  const headers = { ipAt, udpAt, bthAt };
  return {
    frame: {
      ...transport,
      from,
      to,
      body: bytes.subarray(bthAt, end),
      whole,
      icrc: whole ? { expected: roceIcrcOf(bytes, headers, end), found: icrcField(bytes, end) } : undefined,
      vcrc: undefined,
      link: undefined,
      udp: { length, byIp: ip.end - udpAt },
    },
  };
}

function ipv4(bytes: Uint8Array, at: number): Ip | string {
  if (at + 20 > bytes.length) return 'frames too short to tell';
  const headerBytes = (bytes[at]! & 0x0f) * 4;
  if (bytes[at]! >> 4 !== 4 || headerBytes < 20) return 'not IP';
  if (bytes[at + 9] !== UDP) return 'IP other than UDP';
  const fragment = u16(bytes, at + 6) & 0x3fff; // more to come, or offset
  if (fragment !== 0) return 'fragments';
  const address = (from: number): string => bytes.subarray(from, from + 4).join('.');
  const end = at + u16(bytes, at + 2);
  return { from: address(at + 12), to: address(at + 16), udpAt: at + headerBytes, end };
}

const IPV6_BYTES = 40;

function ipv6(bytes: Uint8Array, at: number): Ip | string {
  if (at + IPV6_BYTES > bytes.length) return 'frames too short to tell';
  if (bytes[at]! >> 4 !== 6) return 'not IP';
  if (bytes[at + 6] !== UDP) return 'IP other than UDP';
  const udpAt = at + IPV6_BYTES;
  return {
    from: address6(bytes, at + 8),
    to: address6(bytes, at + 24),
    udpAt,
    end: udpAt + u16(bytes, at + 4),
  };
}

/** With the longest run of zero groups left out (RFC 5952). */
function address6(bytes: Uint8Array, at: number): string {
  const groups = Array.from({ length: 8 }, (_, i) => u16(bytes, at + 2 * i).toString(16));
  let [start, length] = [0, 0];
  for (let from = 0; from < groups.length; from++) {
    let to = from;
    while (groups[to] === '0') to++;
    if (to - from > length) [start, length] = [from, to - from];
  }
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}
