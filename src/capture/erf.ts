import { CaptureError } from './error.ts';
import { CYCLE_NS } from './packet.ts';

/**
 * Records of the Extensible Record Format, type 21: a native InfiniBand packet from LRH to VCRC. The VCRC belongs
 * to it: dissectors take the last six bytes for ICRC and VCRC.
 */

export const ERF_HEADER_BYTES = 16;
const ERF_TYPE_INFINIBAND = 21;
const ERF_VARYING_LENGTH = 0x04;
const ERF_TYPE_MASK = 0x7f;
const ERF_INTERFACE_MASK = 3;
const ERF_MORE = 0x80;
const ERF_EXTENSION_BYTES = 8;
const ALIGN = 8;
const MAX_RECORD = 0xffff;

/** Seconds in 32.32 fixed point, rounded to nearest. */
const timestampOf = (cycle: number): bigint =>
  ((BigInt(cycle * CYCLE_NS) << 32n) + 500_000_000n) / 1_000_000_000n;

export function erfRecord(cycle: number, port: number, packet: Uint8Array): Uint8Array {
  const length = Math.ceil((ERF_HEADER_BYTES + packet.length) / ALIGN) * ALIGN;
  if (length > MAX_RECORD) {
    throw new CaptureError('BAD_RECORD', `record: expected at most ${MAX_RECORD} bytes, got ${length}`);
  }
  const record = new Uint8Array(length);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, timestampOf(cycle), true);
  view.setUint8(8, ERF_TYPE_INFINIBAND);
  view.setUint8(9, ERF_VARYING_LENGTH | (port & ERF_INTERFACE_MASK));
  view.setUint16(10, length);
  view.setUint16(12, 0); // lost records
  view.setUint16(14, packet.length);
  record.set(packet, ERF_HEADER_BYTES);
  return record;
}

/** A packet in a record: what was captured of it, and its length on the wire. */
export interface ErfPacket {
  bytes: Uint8Array;
  wireBytes: number;
  /** Packets lost before it. */
  lost: number;
}

/** The packet in a record; undefined when it is not of InfiniBand. */
export function erfPacket(record: Uint8Array): ErfPacket | undefined {
  if (record.length < ERF_HEADER_BYTES) {
    throw new CaptureError('BAD_RECORD', `ERF record: expected at least 16 bytes, found ${record.length}`);
  }
  const view = new DataView(record.buffer, record.byteOffset, record.length);
  if ((view.getUint8(8) & ERF_TYPE_MASK) !== ERF_TYPE_INFINIBAND) return undefined;
  let start = ERF_HEADER_BYTES;
  // Each extension header says in its top bit whether another one follows.
  for (let more = view.getUint8(8) >= ERF_MORE; more; start += ERF_EXTENSION_BYTES) {
    if (start + ERF_EXTENSION_BYTES > record.length)
      throw new CaptureError(
        'BAD_RECORD',
        `ERF record: expected another header, found ${record.length} bytes`,
      );
    more = view.getUint8(start) >= ERF_MORE;
  }
  const wireBytes = view.getUint16(14);
  return { bytes: record.subarray(start, start + wireBytes), wireBytes, lost: view.getUint16(12) };
}
