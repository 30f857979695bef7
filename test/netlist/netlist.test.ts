import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/sim/index.ts';
import { simulatorBinary } from '../../src/sim/index.ts';
import { left } from '../support/left.ts';

/** Every operation, errors, RNR waits, commands, and a host that makes it hard. */
const RUNS: readonly (readonly [file: string, profile: Profile])[] = [
  ['write.yaml', 'hostile'],
  ['send.yaml', 'ideal'],
  ['read.yaml', 'typical'],
  ['atomics.yaml', 'hostile'],
  ['unsignaled-fence-inline.yaml', 'hostile'],
  ['wrong-rkey.yaml', 'ideal'],
  ['wrong-doorbells.yaml', 'ideal'],
  ['receiver-not-ready.yaml', 'typical'],
  ['lifecycle.yaml', 'ideal'],
  ['resized-cq.yaml', 'typical'],
];

describe('the netlist of an HCA before the golden model', () => {
  it.each(RUNS)('does cycle by cycle what the RTL does: %s, %s', async (file, profile) => {
    const played = (variant: string) =>
      left(file, { device: 'rtl-model', profile, binary: simulatorBinary({ variant }) });
    const [rtl, netlist] = [await played('small'), await played('netlist')];

    expect(rtl.problems).toBe('');
    expect(Number(rtl.cycles)).toBeGreaterThan(1000);
    expect(netlist).toEqual(rtl);
  });
});
