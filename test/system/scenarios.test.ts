import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEVICE_KINDS } from '../../src/run/index.ts';
import { loadScenario, runScenario } from '../../src/scenario/index.ts';

const folder = resolve(import.meta.dirname, '../../scenarios');
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
const LEAST = 18;

let ran = 0;

describe.each(DEVICE_KINDS)('scenarios on the device %s', (device) => {
  it.concurrent.each(files)('%s comes out as it says', async (file) => {
    ran++;
    const { verdict, stepsPassed, steps } = await runScenario(loadScenario(`${folder}/${file}`), { device });

    expect(verdict.lines).toEqual([]);
    expect(stepsPassed).toBe(steps);
  });
});

describe('the scenarios', () => {
  it('are all there', () => {
    expect(files.length).toBeGreaterThanOrEqual(LEAST);
  });

  afterAll(() => {
    expect(ran, 'scenarios times devices').toBe(files.length * DEVICE_KINDS.length);
  });
});
