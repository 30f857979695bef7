export type CaptureErrorCode = 'NOT_PCAPNG' | 'TRUNCATED' | 'UNSUPPORTED' | 'BAD_RECORD';

/** A capture file that cannot be read, or a packet that cannot be written. */
export class CaptureError extends Error {
  readonly code: CaptureErrorCode;

  constructor(code: CaptureErrorCode, message: string) {
    super(message);
    this.name = 'CaptureError';
    this.code = code;
  }
}
