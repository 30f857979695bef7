import { erfPacket } from './erf.ts';
import { CaptureError } from './error.ts';
import { type CapturedPacket, CYCLE_NS } from './packet.ts';
import {
  BYTE_ORDER_MAGIC,
  ENHANCED_PACKET,
  INTERFACE_DESCRIPTION,
  LINK_TYPE_ERF,
  NANOSECONDS,
  OPT_COMMENT,
  OPT_IF_TSRESOL,
  padded,
  SECTION_HEADER,
} from './pcapng.ts';
import { FAULT, INJECTED } from './writer.ts';

/** The packets of a file that `CaptureWriter` has written. Blocks of other kinds are skipped. */
export function readCapture(file: Uint8Array): CapturedPacket[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  if (file.length < 28 || view.getUint32(0, true) !== SECTION_HEADER) {
    throw new CaptureError('NOT_PCAPNG', 'file: expected a pcapng section header');
  }
  if (view.getUint32(8, true) !== BYTE_ORDER_MAGIC) {
    throw new CaptureError('UNSUPPORTED', 'file: expected a little-endian section');
  }
  const packets: CapturedPacket[] = [];
  let ports = 0;
  for (let at = 0; at < file.length; ) {
    const length = blockLength(view, at);
    const body = file.subarray(at + 8, at + length - 4);
    const type = view.getUint32(at, true);
    if (type === INTERFACE_DESCRIPTION) {
      checkInterface(body);
      ports++;
    } else if (type === ENHANCED_PACKET) packets.push(packetOf(body, ports));
    at += length;
  }
  return packets;
}

function blockLength(view: DataView, at: number): number {
  const length = at + 12 <= view.byteLength ? view.getUint32(at + 4, true) : 0;
  if (length < 12 || length % 4 !== 0 || at + length > view.byteLength) {
    throw new CaptureError(
      'TRUNCATED',
      `block at ${at}: expected ${length} bytes, the file has ${view.byteLength - at}`,
    );
  }
  return length;
}

function checkInterface(body: Uint8Array): void {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const linkType = view.getUint16(0, true);
  if (linkType !== LINK_TYPE_ERF) {
    throw new CaptureError('UNSUPPORTED', `link type: expected ${LINK_TYPE_ERF}, got ${linkType}`);
  }
  const resolution = optionOf(body, 8, OPT_IF_TSRESOL)?.[0];
  if (resolution !== NANOSECONDS) {
    throw new CaptureError('UNSUPPORTED', `time stamps: expected nanoseconds, got 10^-${resolution ?? 6}`);
  }
}

function packetOf(body: Uint8Array, ports: number): CapturedPacket {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const sender = view.getUint32(0, true);
  if ((sender !== 0 && sender !== 1) || sender >= ports) {
    throw new CaptureError('BAD_RECORD', `interface: expected 0 or 1, got ${sender}`);
  }
  const captured = view.getUint32(12, true);
  if (20 + captured > body.length) {
    throw new CaptureError('TRUNCATED', `packet: expected ${captured} bytes, got ${body.length - 20}`);
  }
  const time = (BigInt(view.getUint32(4, true)) << 32n) | BigInt(view.getUint32(8, true));
  const bytes = erfPacket(body.subarray(20, 20 + captured));
  const comment = optionOf(body, 20 + padded(captured), OPT_COMMENT);
  const said = comment === undefined ? '' : new TextDecoder().decode(comment);
  return {
    cycle: Number(time) / CYCLE_NS,
    sender,
    bytes,
    ...(said === INJECTED ? { injected: true } : {}),
    ...(said.startsWith(FAULT) ? { fault: said.slice(FAULT.length) } : {}),
  };
}

/** The value of the first option of that code, among those from `at` on. */
function optionOf(body: Uint8Array, at: number, code: number): Uint8Array | undefined {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  while (at + 4 <= body.length) {
    const found = view.getUint16(at, true);
    const length = view.getUint16(at + 2, true);
    if (found === 0) return undefined;
    if (found === code) return body.subarray(at + 4, at + 4 + length);
    at += 4 + padded(length);
  }
  return undefined;
}
