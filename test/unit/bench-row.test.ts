import { describe, expect, it } from 'vitest';
import { outcome, row } from '../../src/bench/index.ts';

const rate = (value: number) => row('rate', value, '%', 90, '');
const speed = (value: number) => row('speed', value, 'ratio', 0.8, '');

describe('the outcome of a bench', () => {
  it('is told of rows in cycles', () => {
    expect(outcome([rate(95), speed(0.9)])).toEqual({ text: 'floors in cycles: 1 of 1 met', met: true });
    expect(outcome([rate(80), rate(95)])).toEqual({
      text: 'floors in cycles: 1 of 2 met, missed: rate',
      met: false,
    });
  });

  it('names what time has missed, and passes', () => {
    expect(outcome([rate(95), speed(0.7)])).toEqual({
      text: 'floors in cycles: 1 of 1 met; missed and not gated, as time differs by machine: speed',
      met: true,
    });
  });
});
