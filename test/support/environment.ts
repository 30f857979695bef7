import { readEnvironment } from '../../src/cli/environment.ts';

/** What the environment sets for tests; vitest.config.ts has seen before that it can be read. */
export const environment = readEnvironment();

/** The seed of a random test: `SEED`, or any. */
export const anySeed = (): number => environment.seed ?? Math.floor(Math.random() * 2 ** 31);
