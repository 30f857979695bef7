import type { z } from 'zod';
import type { Path } from './issues.ts';

/** The keys that a schema has at a place of a value, those of all branches of a union. */
export function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  let here = branches(schema as z.core.$ZodTypes);
  for (const key of path) here = here.flatMap((each) => below(each, key)).flatMap(branches);
  return [
    ...new Set(here.flatMap(({ _zod: { def } }) => (def.type === 'object' ? Object.keys(def.shape) : []))),
  ];
}

/** What a schema stands for: itself, or what it offers or wraps. */
function branches(schema: z.core.$ZodTypes): z.core.$ZodTypes[] {
  const { def } = schema._zod;
  if (def.type === 'union') return (def.options as z.core.$ZodTypes[]).flatMap(branches);
  if ('innerType' in def) return branches(def.innerType as z.core.$ZodTypes);
  return [schema];
}

function below({ _zod: { def } }: z.core.$ZodTypes, key: PropertyKey): z.core.$ZodTypes[] {
  const found =
    def.type === 'object'
      ? def.shape[String(key)]
      : def.type === 'array'
        ? def.element
        : def.type === 'record'
          ? def.valueType
          : undefined;
  return found ? [found as z.core.$ZodTypes] : [];
}
