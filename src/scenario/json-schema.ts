import { z } from 'zod';
import { scenarioSchema } from './schema.ts';

/** What editors complete and check scenarios by: docs/scenario.schema.json. */
export function scenarioJsonSchema(): string {
  const schema = z.toJSONSchema(scenarioSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (isU64(zodSchema)) {
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, { type: 'integer', minimum: 0 });
      }
      // Bounds that only say "a whole number" tell a reader nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return `${JSON.stringify({ title: 'OpenHCA scenario', ...schema }, null, 2)}\n`;
}

/** Numbers beyond 53 bits are bigints here, which JSON Schema does not know. */
const isU64 = ({ _zod: { def } }: z.core.$ZodTypes): boolean =>
  def.type === 'union' && def.options.some((option) => option._zod.def.type === 'bigint');
