import { readerOf } from './bytes.ts';
import { erfPacket } from './erf.ts';
import { CaptureError } from './error.ts';
import { type CapturedPacket, CYCLE_NS } from './packet.ts';
import { LINK_TYPE_ERF } from './pcapng.ts';
import { type CaptureRecord, captureRecords, newFacts } from './records.ts';
import { FAULT, INJECTED } from './writer.ts';

/** The packets of a file that `CaptureWriter` has written. */
export function readCapture(file: Uint8Array): CapturedPacket[] {
  const facts = newFacts();
  const packets: CapturedPacket[] = [];
  for (const record of captureRecords(readerOf(file), facts)) {
    if (record.linkType === LINK_TYPE_ERF) packets.push(packetOf(record));
  }
  const other = facts.linkTypes.find((linkType) => linkType !== LINK_TYPE_ERF);
  if (other !== undefined)
    throw new CaptureError('UNSUPPORTED', `link type: expected ${LINK_TYPE_ERF}, found ${other}`);
  return packets;
}

function packetOf({ port, offset, bytes, nanoseconds, comment }: CaptureRecord): CapturedPacket {
  if (port !== 0 && port !== 1)
    throw new CaptureError(
      'BAD_RECORD',
      `block at offset ${offset}: expected interface 0 or 1, found ${port}`,
    );
  const packet = erfPacket(bytes);
  if (!packet || packet.bytes.length < packet.wireBytes)
    throw new CaptureError('UNSUPPORTED', `block at offset ${offset}: expected a whole packet of InfiniBand`);
  return {
    cycle: Number(nanoseconds) / CYCLE_NS,
    sender: port,
    bytes: packet.bytes.slice(),
    ...(comment === INJECTED ? { injected: true } : {}),
    ...(comment.startsWith(FAULT) ? { fault: comment.slice(FAULT.length) } : {}),
  };
}
