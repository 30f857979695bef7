import { describe, expect, it } from 'vitest';
import type { DeviceKind } from '../../src/run/index.ts';
import { successShare, walk } from '../../src/walk/index.ts';
import { environment } from '../support/environment.ts';

const SEED = environment.seed ?? 1;
/** Any, unless told. */
const profile = process.env.PROFILE ? { profile: environment.profile } : {};
/** Of a long walk; the RTL takes most of the time. */
const STEPS: Readonly<Record<DeviceKind, number>> = { model: 1000, rtl: 5000, 'rtl-model': 1000 };
const LEAST_SUCCESS = 0.6;

describe.each(Object.entries(STEPS) as [DeviceKind, number][])('a random walk on the %s', (device, steps) => {
  it(`of ${steps} steps is as the model says (SEED=${SEED})`, { timeout: 900_000 }, async () => {
    const { state, failure } = await walk({
      device,
      seed: SEED,
      steps,
      ...profile,
      out: `build/walk/${device}`,
    });

    expect(failure).toBeUndefined();
    expect(state.steps).toBeGreaterThanOrEqual(steps);
    expect(successShare(state)).toBeGreaterThan(LEAST_SUCCESS);
  });
});
