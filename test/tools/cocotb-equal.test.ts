import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Profile, type SimulatorKind, simulatorBinary } from '../../src/sim/index.ts';
import { buildCocotb } from '../support/cocotb.ts';
import { environment } from '../support/environment.ts';
import { left } from '../support/left.ts';
import { scenarioFolder } from '../support/run-scenario.ts';

type Run = readonly [file: string, profile: Profile];

/** Transfers, errors, retries, commands, and a host that makes it hard. */
const KINDS: readonly Run[] = [
  ['send.yaml', 'ideal'],
  ['read.yaml', 'typical'],
  ['atomics.yaml', 'ideal'],
  ['write.yaml', 'hostile'],
  ['unsignaled-fence-inline.yaml', 'hostile'],
  ['wrong-rkey.yaml', 'ideal'],
  ['wrong-doorbells.yaml', 'ideal'],
  ['bad-packets.yaml', 'ideal'],
  ['receiver-not-ready.yaml', 'ideal'],
  ['lossy-link.yaml', 'ideal'],
  ['lifecycle.yaml', 'ideal'],
  ['resized-cq.yaml', 'ideal'],
];

/** With SIM: all that is reasonable at the speed of that simulator. Without: enough to see that it works. */
const every = readdirSync(scenarioFolder).flatMap((file): Run[] =>
  file.endsWith('.yaml')
    ? [
        [file, 'ideal'],
        [file, 'hostile'],
      ]
    : [],
);
const choices: Readonly<Record<SimulatorKind, readonly Run[]>> = {
  verilator: [
    ['write.yaml', 'ideal'],
    ['write.yaml', 'hostile'],
  ],
  'cocotb-verilator': every,
  'cocotb-icarus': KINDS,
};
const sim = environment.sim === 'verilator' ? 'cocotb-icarus' : environment.sim;

describe(`a run in ${sim}`, () => {
  beforeAll(() => buildCocotb(sim));

  it.each(choices[environment.sim])(
    'is cycle by cycle that of the native simulator: %s, %s',
    async (file, profile) => {
      const played = (of: SimulatorKind) =>
        left(file, { device: 'rtl', profile, binary: simulatorBinary({ sim: of }) });
      const [native, other] = [await played('verilator'), await played(sim)];

      expect(native.problems).toBe('');
      expect(Number(native.cycles)).toBeGreaterThan(1000);
      expect(other).toEqual(native);
    },
  );
});
