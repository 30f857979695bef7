/** Packet sequence numbers count modulo 2^24 (IBA vol. 1, 9.7.1). */
export const PSN_MASK = 0xff_ffff;

export const psnAdd = (psn: number, count: number): number => (psn + count) & PSN_MASK;

/** Signed distance from `b` to `a`, -2^23..2^23-1: negative when `a` is older than `b`. */
export const psnDiff = (a: number, b: number): number => ((a - b) << 8) >> 8;

export const psnBefore = (a: number, b: number): boolean => psnDiff(a, b) < 0;

/** PSNs that a message of `length` bytes takes: one even when it is empty (9.7.3). */
export const psnCount = (length: number, mtuBytes: number): number =>
  Math.max(1, Math.ceil(length / mtuBytes));
