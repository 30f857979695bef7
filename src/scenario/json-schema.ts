import { z } from 'zod';
import { scenarioSchema } from './schema.ts';

/** What editors complete and check scenarios by: docs/scenario.schema.json. */
export function scenarioJsonSchema(): string {
  const schema = z.toJSONSchema(scenarioSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Bounds that only say "a whole number" tell a reader nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return `${JSON.stringify({ title: 'OpenHCA scenario', ...schema }, null, 2)}\n`;
}
