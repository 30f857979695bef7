/** Bytes that were made elsewhere: captures under the checks, and what the fields of records say. */

export { type CaptureVerdict, checkCapture } from './check-capture.ts';
export {
  decodePacket,
  decodeRecords,
  type Entry,
  PACKET_BEGINS,
  type PacketBegin,
  packetEntry,
  RECORD_KINDS,
  type Selection,
  unknownKind,
} from './decode.ts';
export { entryJson, entryLines } from './entry-text.ts';
export type { FieldText, Section } from './fields.ts';
export { type CaptureFrame, eachFrame } from './frames.ts';
export { bytesOfHex, looksLikeHex } from './hex.ts';
export { reportLines } from './report.ts';
