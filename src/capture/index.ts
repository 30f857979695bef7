export { CaptureError, type CaptureErrorCode } from './error.ts';
export { type CapturedPacket, CYCLE_NS } from './packet.ts';
export { readCapture } from './reader.ts';
export { TIMELINE_SECTIONS, Timeline, type TimelineEntry, type TimelineSection } from './timeline.ts';
export { CaptureWriter, writeCapture } from './writer.ts';
