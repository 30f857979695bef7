/** Bytes that were made elsewhere: captures under the checks, and what the fields of records say. */

export { type CaptureVerdict, checkCapture } from './check-capture.ts';
export { type CaptureFrame, eachFrame } from './frames.ts';
export { reportLines } from './report.ts';
