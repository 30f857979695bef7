import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../src/cli/environment.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the environment', () => {
  it('sets nothing unless told', () => {
    expect(readEnvironment({})).toEqual({
      seed: undefined,
      seeds: undefined,
      profile: 'ideal',
      sim: 'verilator',
      variant: undefined,
      widths: [256],
      wave: false,
      bundles: false,
    });
  });

  it('sets seeds, profile, widths and waves', () => {
    const variables = {
      SEED: '0',
      SEEDS: '3',
      PROFILE: 'hostile',
      SIM: 'cocotb-icarus',
      VARIANT: 'coverage',
      WIDTHS: '512,128',
      WAVE: '1',
      BUNDLES: '1',
    };
    expect(readEnvironment(variables)).toEqual({
      seed: 0,
      seeds: 3,
      profile: 'hostile',
      sim: 'cocotb-icarus',
      variant: 'coverage',
      widths: [512, 128],
      wave: true,
      bundles: true,
    });
  });

  it.each(['0', ''])('has no waves with WAVE=%s', (WAVE) => {
    expect(readEnvironment({ WAVE }).wave).toBe(false);
  });

  it.each([
    ['SEED', 'abc', 'a number from 0 to 2^31 - 1'],
    ['SEED', '', 'a number from 0 to 2^31 - 1'],
    ['SEED', '2147483648', 'a number from 0 to 2^31 - 1'],
    ['SEEDS', '0', 'a number from 1 to 2^31 - 1'],
    ['PROFILE', 'foo', 'one of ideal, typical, hostile'],
    ['SIM', 'modelsim', 'one of verilator, cocotb-verilator, cocotb-icarus'],
    ['VARIANT', '../x', 'a name of small letters and digits'],
    ['WIDTHS', '300', 'some, with commas between, of 128, 256, 512'],
    ['WIDTHS', '', 'some, with commas between, of 128, 256, 512'],
    ['WAVE', '2', 'one of 0, 1'],
  ])('is refused with %s=%s', (name, value, expected) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(
      `${name}: expected ${expected}, found ${JSON.stringify(value)}`,
    );
  });

  it('ends the tests in one line when it is refused', () => {
    const command = ['node_modules/vitest/vitest.mjs', 'run', 'test/unit/wire-psn.test.ts'];
    const env = { ...process.env, PROFILE: 'foo', REPORT: 'environment' };
    const { status, stdout, stderr } = spawnSync('node', command, { cwd: root, env, encoding: 'utf8' });
    expect({ status, said: `${stdout}${stderr}` }).toEqual({
      status: 2,
      said: 'PROFILE: expected one of ideal, typical, hostile, found "foo"\n',
    });
  });
});
