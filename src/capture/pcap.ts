import type { ByteReader } from './bytes.ts';
import { CaptureError } from './error.ts';
import { MOST_CAPTURED } from './packet.ts';
import type { CaptureFacts, CaptureRecord } from './records.ts';

/** The older format: a header of 24 bytes, then records of 16 bytes and a packet, in the byte order of the machine that wrote them. */

const NANOSECOND_MAGIC = 0xa1b23c4d;
const SECOND = 1_000_000_000n;

export function* pcapRecords(
  reader: ByteReader,
  magic: Uint8Array,
  facts: CaptureFacts,
): Generator<CaptureRecord> {
  const little = magic[0] !== 0xa1;
  const first = new DataView(magic.buffer, magic.byteOffset, 4).getUint32(0, little);
  const scale = first === NANOSECOND_MAGIC ? 1n : 1000n;
  const rest = viewOf(take(reader, 20, 'the file header'));
  const linkType = rest.getUint32(16, little) & 0xffff; // above: length of the FCS
  facts.linkTypes.push(linkType);
  for (let number = 1; ; number++) {
    const { offset } = reader;
    const head = reader.take(16);
    if (head.length === 0) return;
    if (head.length < 16) throw cutShort(offset, 'a record header of 16 bytes', head.length);
    const view = viewOf(head);
    const [seconds, fraction] = [view.getUint32(0, little), view.getUint32(4, little)];
    const [captured, wireBytes] = [view.getUint32(8, little), view.getUint32(12, little)];
    checkLength(offset, captured);
    const bytes = reader.take(captured);
    if (bytes.length < captured) throw cutShort(offset, `a packet of ${captured} bytes`, bytes.length);
    const nanoseconds = BigInt(seconds) * SECOND + BigInt(fraction) * scale;
    yield {
      number,
      offset,
      linkType,
      port: 0,
      nanoseconds,
      bytes,
      wireBytes: Math.max(wireBytes, captured),
      comment: '',
    };
  }
}

export function checkLength(offset: number, captured: number): void {
  if (captured > MOST_CAPTURED) {
    const text = `record at offset ${offset}: expected a packet of at most ${MOST_CAPTURED} bytes, found ${captured}`;
    throw new CaptureError('BAD_RECORD', text);
  }
}

/** So many bytes, or an error that says what they were to be. */
export function take(reader: ByteReader, count: number, what: string): Uint8Array {
  const { offset } = reader;
  const bytes = reader.take(count);
  if (bytes.length < count) throw cutShort(offset, `${count} bytes of ${what}`, bytes.length);
  return bytes;
}

export const cutShort = (offset: number, expected: string, found: number): CaptureError =>
  new CaptureError(
    'TRUNCATED',
    `offset ${offset}: expected ${expected}, found ${found} bytes to the end of the file`,
  );

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
