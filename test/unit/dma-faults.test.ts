import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type DmaFaultRule, DmaFaults, HOST_TIMEOUT_CYCLES, type HostAccess } from '../../src/fault/index.ts';

const access = (part: Partial<HostAccess> = {}): HostAccess => ({
  host: 'a',
  kind: 'read',
  address: 0x1000n,
  length: 256,
  ...part,
});
const rule: DmaFaultRule = { host: 'a', kind: 'read', what: 'unsupported' };

/** Which of these accesses are struck, and by which rule. */
function struck(rules: readonly DmaFaultRule[], accesses: readonly HostAccess[], seed = 1) {
  const faults = new DmaFaults();
  faults.set(rules, seed);
  const by = accesses.map((each) => faults.strike(each));
  return { by, counts: faults.counts };
}

describe('the bus of a host that fails by rules', () => {
  it.each<[string, Partial<DmaFaultRule>, readonly (number | undefined)[]]>([
    ['the first', {}, [0, undefined, undefined]],
    ['so many from one on', { nth: 1, count: 2 }, [undefined, 0, 0]],
    ['all', { count: 0 }, [0, 0, 0]],
    ['each by chance', { probability: 1 }, [0, 0, 0]],
  ])('strikes %s', (_, part, by) => {
    expect(struck([{ ...rule, ...part }], Array(3).fill(access())).by).toEqual(by);
  });

  it.each<[string, Partial<HostAccess>]>([
    ['of the other host', { host: 'b' }],
    ['of the other kind', { kind: 'write' }],
    ['that ends before the range', { address: 0x0f00n }],
    ['that begins behind the range', { address: 0x1010n }],
  ])('leaves alone an access %s', (_, part) => {
    const only = { ...rule, from: 0x1000n, to: 0x1010n };
    const none = { by: [undefined], counts: [{ matches: 0, strikes: 0 }] };
    expect(struck([only], [access(part)])).toEqual(none);
  });

  it.each([0x0f01n, 0x1000n, 0x100fn])('strikes an access that touches the range: from %s', (address) => {
    expect(struck([{ ...rule, from: 0x1000n, to: 0x1010n }], [access({ address })]).by).toEqual([0]);
  });

  it('counts the matches of all rules, and lets the first strike', () => {
    const rules: DmaFaultRule[] = [
      { ...rule, nth: 1 },
      { ...rule, count: 0 },
    ];
    expect(struck(rules, Array(3).fill(access()))).toEqual({
      by: [1, 0, 1],
      counts: [
        { matches: 3, strikes: 1 },
        { matches: 3, strikes: 2 },
      ],
    });
  });

  it('throws the same dice for the same seed', () => {
    const dice: DmaFaultRule[] = [{ ...rule, probability: 0.5 }];
    const accesses = Array<HostAccess>(64).fill(access());
    expect(struck(dice, accesses, 7)).toEqual(struck(dice, accesses, 7));
    expect(struck(dice, accesses, 7).by).not.toEqual(struck(dice, accesses, 8).by);
  });

  it('refuses rules that cannot be', () => {
    expect(() => new DmaFaults().set([{ ...rule, what: 'fail' }], 1)).toThrow('dma faults[0].what');
  });
});

it('a read that is lost takes as long as in the simulator', () => {
  const [, cycles] = /read_timeout = (\d+);/.exec(readFileSync('sim/harness/settings.h', 'utf8'))!;
  expect(HOST_TIMEOUT_CYCLES).toBe(Number(cycles));
});
