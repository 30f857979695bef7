import { scenarioJsonSchema } from './json-schema.ts';

interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  required?: string[];
  description?: string;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

const SECTIONS: readonly [title: string, path: readonly string[]][] = [
  ['A scenario', []],
  ['hosts.a, hosts.b', ['hosts', 'a']],
  ['regions', ['regions', '*']],
  ['cqs', ['cqs', '*']],
  ['pds', ['pds', '*']],
  ['qps', ['qps', '*']],
  ['faults of the link', ['faults', '[]', '0']],
  ['faults of a host', ['faults', '[]', '1']],
];

const MOST_VALUES = 24;

/** The reference of all keys in Markdown, as it stands in docs/scenarios.md. */
export function keyReference(): string {
  const root = JSON.parse(scenarioJsonSchema()) as JsonSchema;
  const step = at(root, ['steps', '[]']);
  const steps = Object.keys(step.properties ?? {})
    .map((key): [string, readonly string[]] => [key, ['steps', '[]', key]])
    .filter(([, path]) => objectOf(at(root, path)) !== undefined);
  const plain = Object.keys(step.properties ?? {}).filter((key) => !steps.some(([name]) => name === key));
  return [
    ...SECTIONS.map(([title, path]) => section(title, at(root, path))),
    `### Every step\n\n${table({ ...step, properties: pick(step.properties ?? {}, plain) })}`,
    ...steps.map(([title, path]) => section(title, at(root, path))),
    lists(root),
  ].join('\n');
}

function section(title: string, schema: JsonSchema): string {
  const text = schema.description ? `${schema.description}\n\n` : '';
  return `### ${title}\n\n${text}${table(objectOf(schema) ?? schema)}`;
}

function table(schema: JsonSchema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const name = schema.required?.includes(key) ? `**${key}**` : key;
    return `| ${name} | ${kindOf(value)} | ${value.description ?? ''} |`;
  });
  return ['| key | value | |', '|---|---|---|', ...rows, ''].join('\n');
}

/** The entries of what is a list of a step. */
function lists(root: JsonSchema): string {
  const step = at(root, ['steps', '[]']).properties ?? {};
  const entries = Object.entries(step).flatMap(([key, value]) => {
    const list = objectOf(value)?.properties?.list;
    return list?.items ? [section(`Entries of ${key}`, list.items)] : [];
  });
  return entries.join('\n');
}

function kindOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) {
    const shown = schema.enum.slice(0, MOST_VALUES).map((value) => `\`${value}\``);
    return shown.join(' ') + (schema.enum.length > MOST_VALUES ? ' ...' : '');
  }
  if (schema.anyOf) return [...new Set(schema.anyOf.map(kindOf))].join(' or ');
  switch (schema.type) {
    case 'array':
      return `list of ${kindOf(schema.items ?? {})}`;
    case 'integer':
      return range(schema);
    case 'number':
      return 'number';
    case 'boolean':
      return 'true or false';
    case 'string':
      return 'text';
    case 'null':
      return '`null`';
    case 'object': {
      const keys = Object.keys(schema.properties ?? {});
      return keys.length > 0 && keys.length <= 6 ? `{ ${keys.join(', ')} }` : 'keys';
    }
    default:
      return '';
  }
}

function range({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined && maximum === undefined) return 'number';
  if (maximum === undefined) return `number from ${minimum}`;
  return `${minimum}..${maximum > 0xffff ? `0x${maximum.toString(16)}` : maximum}`;
}

/** The schema that a path leads to; `*` is any name, `[]` an entry of a list. */
function at(schema: JsonSchema, path: readonly string[]): JsonSchema {
  let here = schema;
  for (const key of path) {
    if (key === '[]') here = here.items ?? {};
    else if (here.anyOf) here = here.anyOf[Number(key)] ?? {};
    else if (key === '*') here = here.additionalProperties as JsonSchema;
    else here = here.properties?.[key] ?? {};
  }
  return here;
}

/** The keys of a value that may be one object or a list of them. */
function objectOf(schema: JsonSchema): JsonSchema | undefined {
  if (schema.properties) return schema;
  return schema.anyOf?.find((branch) => branch.properties && Object.keys(branch.properties).length > 1);
}

const pick = <T>(from: Record<string, T>, keys: readonly string[]): Record<string, T> =>
  Object.fromEntries(keys.map((key) => [key, from[key]!]));
