import { hex } from './bytes.ts';
import { icrcField, icrcOf, vcrcField, vcrcOf } from './crc.ts';
import { checkFlags, checkLink } from './format.ts';
import { GRH_BYTES, type Grh, grhOf, LRH_BYTES, type Lrh, lrhOf } from './packet.ts';
import type { TraceReport } from './trace-rules.ts';
import { type Transport, transportOf } from './transport.ts';

export interface Crc {
  expected: number;
  found: number;
}

/** A packet as a capture shows it, native InfiniBand or RoCEv2, taken apart. */
export interface Frame extends Transport {
  /** LIDs, or IP addresses. */
  from: string;
  to: string;
  /** BTH to pad, as far as it was captured. */
  body: Uint8Array;
  /** The capture holds all of it. */
  whole: boolean;
  /** Undefined: cut off, or not in such a capture. */
  icrc: Crc | undefined;
  vcrc: Crc | undefined;
  link: { lrh: Lrh; grh: Grh | undefined; length: number } | undefined;
  /** RoCEv2: bytes of the UDP datagram by its own header and by that of IP. */
  udp: { length: number; byIp: number } | undefined;
}

/** A packet that is none of ours, and why; or one of ours that cannot be taken apart. */
export type Framed = { frame: Frame } | { skipped: string } | { fault: string };

const ICRC_BYTES = 4;
const VCRC_BYTES = 2;

/** From LRH to ICRC or VCRC; `wireBytes` is its length on the wire, of which `bytes` may be the begin. */
export function nativeFrame(bytes: Uint8Array, wireBytes = bytes.length): Framed {
  if (bytes.length < LRH_BYTES) return { fault: `${bytes.length} bytes, less than an LRH` };
  const lrh = lrhOf(bytes);
  if (lrh.lnh < 2) return { skipped: 'raw packets' };
  const bthAt = LRH_BYTES + (lrh.lnh === 3 ? GRH_BYTES : 0);
  // Some captures leave the VCRC out; then PktLen says so.
  const hasVcrc = lrh.pktLen * 4 !== wireBytes;
  const length = wireBytes - (hasVcrc ? VCRC_BYTES : 0);
  const end = length - ICRC_BYTES;
  const transport = transportOf(bytes, bthAt, end);
  if (typeof transport === 'string') return { fault: transport };
  const whole = bytes.length >= wireBytes;
  return {
    frame: {
      ...transport,
      from: `LID ${hex(lrh.slid)}`,
      to: `LID ${hex(lrh.dlid)}`,
      body: bytes.subarray(bthAt, end),
      whole,
      icrc: whole ? { expected: icrcOf(bytes, end), found: icrcField(bytes, end) } : undefined,
      vcrc: whole && hasVcrc ? { expected: vcrcOf(bytes), found: vcrcField(bytes) } : undefined,
      link: { lrh, grh: lrh.lnh === 3 ? grhOf(bytes, LRH_BYTES) : undefined, length },
      udp: undefined,
    },
  };
}

/** A congestion notification of RoCEv2 (annex A17), which belongs to no message. */
export const CNP_OPCODE = 0x81;
const MANUFACTURER = 0xc0;

/** Rules that need nothing but the packet. */
export function checkFrame(frame: Frame, report: TraceReport): void {
  const { icrc, vcrc, link, udp, bth, operation } = frame;
  const same = (rule: 'icrc' | 'vcrc', crc: Crc | undefined, digits: number): void => {
    if (crc && crc.expected !== crc.found) report(rule, hex(crc.expected, digits), hex(crc.found, digits));
  };
  same('vcrc', vcrc, 4);
  same('icrc', icrc, 8);
  if (link) checkLink(link, link.length, report);
  if (udp && udp.length !== udp.byIp) report('udp-len', `${udp.byIp} bytes`, udp.length);
  if (bth.tver !== 0) report('tver', 0, bth.tver);
  const reserved = bth.reserved8 & 0x3f; // the two above are FECN and BECN
  if (reserved !== 0 || bth.reserved7 !== 0)
    report('bth-reserved', 0, `${hex(reserved, 2)} and ${hex(bth.reserved7, 2)}`);
  if (bth.opcode === CNP_OPCODE || bth.opcode >= MANUFACTURER) return;
  if (!operation) {
    report('opcode', 'one that is defined', hex(bth.opcode, 2));
    return;
  }
  checkFlags(frame, operation, report);
  const words = frame.payloadBytes + bth.padCount;
  if (words % 4 !== 0) report('pad-count', `${-frame.payloadBytes & 3}`, bth.padCount);
}
