import { join } from 'node:path';
import { stringify } from 'yaml';
import type { z } from 'zod';
import { parseScenario, type Scenario } from './load.ts';
import type { scenarioSchema } from './schema.ts';

/** A scenario as a program writes it: what a file may say, as an object. */
export type ScenarioInput = z.input<typeof scenarioSchema>;

/** The same as from a file with that content in `folder`, in which its other files are looked for; throws a ScenarioError. */
export const scenarioOf = (input: ScenarioInput, folder = '.'): Scenario =>
  parseScenario(join(folder, 'scenario'), stringify(input));
