import { z } from 'zod';
import { PROFILES } from '../sim/protocol.ts';
import { faultList } from './fault-schema.ts';
import { objects } from './objects.ts';
import { stepSchema } from './steps.ts';
import { natural } from './values.ts';

export const scenarioSchema = z.strictObject({
  name: z.string().min(1).describe('What the scenario shows, in one line.'),
  about: z.string().optional().describe('More about it.'),
  seed: natural
    .max(2 ** 31)
    .optional()
    .describe('Decides all patterns and where pages lie; 1 unless told, or told on the command line.'),
  compare_with_model: z
    .boolean()
    .optional()
    .describe('On RTL: completions, events and memory must be those of the model; true unless told.'),
  profile: z
    .enum(PROFILES)
    .optional()
    .describe('How host buses and link of the RTL behave; ideal unless told, here or on the command line.'),
  ...objects,
  faults: faultList
    .optional()
    .describe('What goes wrong on the link and on the buses of the hosts, from the first step on.'),
  steps: z.array(stepSchema).min(1).describe('What happens, one after another.'),
});

export type ScenarioData = z.infer<typeof scenarioSchema>;
