import { RESERVED_WORDS } from './names.ts';
import type { Field } from './spec.ts';

/** Member names of a record's struct: reserved bits are numbered, keywords get an underscore. */
export function memberNames(fields: readonly Field[]): Map<Field, string> {
  let reserved = 0;
  return new Map(
    fields.map((field) => {
      if (field.reserved) return [field, `resv${reserved++}`];
      return [field, RESERVED_WORDS.has(field.name) ? `${field.name}_` : field.name];
    }),
  );
}
