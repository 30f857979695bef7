import { describe, it } from 'vitest';
import { environment } from '../support/environment.ts';
import { FAULTS, lateness, playRandom, SHAPES, strikeEach } from '../support/lossy.ts';
import { judgeBenches } from '../support/system-bench.ts';

judgeBenches();

describe.each(FAULTS)('the checks have nothing to say of two models, each packet in turn %s:', (_, fault) => {
  it.each(SHAPES)('%s', (_name, shape) => strikeEach({ kind: 'model' }, shape, fault));
});

describe('the checks have nothing to say of two models over a link that fails at random', () => {
  it.each(Array.from({ length: environment.seeds ?? 20 }, (_, i) => i + 1))('with seed %i', (seed) =>
    playRandom({ kind: 'model' }, seed, { atomics: true, ...lateness(seed) }),
  );
});
