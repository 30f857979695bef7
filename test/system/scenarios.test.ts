import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEVICE_KINDS } from '../../src/run/index.ts';
import { loadScenario, runScenario } from '../../src/scenario/index.ts';
import { environment } from '../support/environment.ts';

const folder = resolve(import.meta.dirname, '../../scenarios');
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
const LEAST = 25;

/** `WIDTHS=128,512` runs at other widths of the datapath; the model has none and plays with the first. */
const { widths } = environment;
const runs = widths.flatMap((dataWidth, i) =>
  DEVICE_KINDS.filter((device) => device !== 'model' || i === 0).map((device) => ({ device, dataWidth })),
);

let ran = 0;

describe.each(runs)('scenarios on the device $device at $dataWidth bits', ({ device, dataWidth }) => {
  it.concurrent.for(files)('%s comes out as it says', async (file, { expect }) => {
    ran++;
    const scenario = loadScenario(`${folder}/${file}`);
    const { verdict, stepsPassed, steps } = await runScenario(scenario, { device, dataWidth });

    expect(verdict.lines).toEqual([]);
    expect(stepsPassed).toBe(steps);
  });
});

describe('the scenarios', () => {
  it('are all there', () => {
    expect(files.length).toBeGreaterThanOrEqual(LEAST);
  });

  afterAll(() => {
    expect(ran, 'scenarios times devices').toBe(files.length * (1 + 2 * widths.length));
  });
});
