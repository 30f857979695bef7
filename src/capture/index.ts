export { ByteReader, readerOf, withFile } from './bytes.ts';
export { type ErfPacket, erfPacket } from './erf.ts';
export { CaptureError, type CaptureErrorCode } from './error.ts';
export { type CapturedPacket, CYCLE_NS } from './packet.ts';
export { LINK_TYPE_ERF, LINK_TYPE_ETHERNET, LINK_TYPE_INFINIBAND } from './pcapng.ts';
export { readCapture } from './reader.ts';
export { type CaptureFacts, type CaptureRecord, captureRecords, kindOf, newFacts } from './records.ts';
export { TIMELINE_SECTIONS, Timeline, type TimelineEntry, type TimelineSection } from './timeline.ts';
export { CaptureWriter, FAULT, INJECTED, writeCapture } from './writer.ts';
