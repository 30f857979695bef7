/** Numbers of 24 bits that wrap: PSNs and MSNs (IBA vol. 1, ch. 9). */

const SIZE = 2 ** 24;
const HALF = 2 ** 23;

/** `value` modulo 2^24, also of negative ones. */
export const wrap = (value: number): number => ((value % SIZE) + SIZE) % SIZE;

/** Steps from `b` up to `a`, 0..2^24-1. */
export const ahead = (a: number, b: number): number => wrap(a - b);

/** Signed distance from `b` to `a`: negative is older, positive newer. */
export function distance(a: number, b: number): number {
  const d = wrap(a - b);
  return d >= HALF ? d - SIZE : d;
}

export const older = (a: number, b: number): boolean => distance(a, b) < 0;

export const newer = (a: number, b: number): boolean => distance(a, b) > 0;

/** Whether `value` lies in [low, high], both of them included. */
export const within = (value: number, low: number, high: number): boolean =>
  ahead(value, low) <= ahead(high, low);
