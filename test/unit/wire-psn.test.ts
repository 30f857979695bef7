import { describe, expect, it } from 'vitest';
import { psnAdd, psnBefore, psnCount, psnDiff } from '../../src/wire/index.ts';

describe('PSN arithmetic', () => {
  it.each([
    [0x000001, 0x000000, 1],
    [0x000000, 0xffffff, 1],
    [0xffffff, 0x000000, -1],
    [0x7fffff, 0x000000, 0x7fffff],
    [0x800000, 0x000000, -0x800000],
    [0x000005, 0x000005, 0],
  ])('%i - %i is %i', (a, b, distance) => {
    expect(psnDiff(a, b)).toBe(distance);
    expect(psnBefore(a, b)).toBe(distance < 0);
  });

  it('wraps at 2^24', () => {
    expect(psnAdd(0xfffffe, 3)).toBe(1);
    expect(psnAdd(0, -1)).toBe(0xffffff);
  });

  it.each([
    [0, 1],
    [1, 1],
    [1024, 1],
    [1025, 2],
    [3000, 3],
    [2 ** 31, 2 ** 21],
  ])('%i bytes at an MTU of 1024 take %i', (length, count) => {
    expect(psnCount(length, 1024)).toBe(count);
  });
});
