import { isCollection, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { IbError } from '../spec/errors.ts';
import { type SpecFileData, specSchema } from './schema.ts';

type Path = readonly PropertyKey[];

/** One YAML file, able to say where in it something stands. */
export interface Source {
  readonly data: SpecFileData;
  fail(path: Path, expected: string, found: unknown): never;
}

interface Issue {
  readonly code?: string | undefined;
  readonly path: Path;
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly minimum?: unknown;
  readonly maximum?: unknown;
}

/** Parse and validate; a wrong file throws `path:line:column: expected ..., found ...`. */
export function parseSource(path: string, text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, intAsBigInt: true });

  const failAt = (offset: number, expected: string, found: unknown): never => {
    const { line, col } = lines.linePos(offset);
    throw new IbError('bad-spec', `${path}:${line}:${col}: expected ${expected}, found ${show(found)}`);
  };
  const fail = (at: Path, expected: string, found: unknown): never =>
    failAt(offsetOf(document.contents, at), expected, found);

  const [broken] = document.errors;
  if (broken) failAt(broken.pos[0], 'YAML', Raw.of(broken.message.split('\n')[0] ?? ''));

  const value: unknown = shrink(document.toJS() ?? {});
  const parsed = specSchema.safeParse(value);
  if (parsed.success) return { data: parsed.data, fail };

  const issue = deepest(parsed.error.issues as readonly Issue[], value);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys ?? [];
    return fail([...issue.path, key], 'a known key', key);
  }
  return fail(issue.path, expectation(issue), valueAt(value, issue.path));
}

/** Numbers where they are exact; bigints stay only beyond. */
function shrink(value: unknown): unknown {
  if (typeof value === 'bigint') return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  if (Array.isArray(value)) return value.map(shrink);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shrink(inner)]));
}

/** Text that an error shows as it is, without quotes. */
class Raw {
  private constructor(readonly text: string) {}
  static of(text: string): Raw {
    return new Raw(text);
  }
}

function show(found: unknown): string {
  if (found instanceof Raw) return found.text;
  if (found === undefined) return 'nothing';
  return typeof found === 'bigint' ? String(found) : JSON.stringify(found);
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return String(issue.expected);
    case 'invalid_value':
      return (issue.values ?? []).map(show).join(' or ');
    case 'too_small':
      return `at least ${issue.minimum}`;
    case 'too_big':
      return `at most ${issue.maximum}`;
    case 'invalid_key':
      return issue.message.replace(/^Invalid key.*/, 'a name in the style of its neighbours');
    default:
      return issue.message.replace(/^Invalid input: expected /, '');
  }
}

/** Of the branches of a union, the one that got furthest tells most. */
function deepest(issues: readonly Issue[], value: unknown): Issue {
  const [first] = issues;
  if (!first) throw new Error('a failed validation without an issue');
  if (first.code !== 'invalid_union' || !first.errors?.length) return first;

  const branches = first.errors
    .filter((branch) => branch.length > 0)
    .map((branch) =>
      deepest(
        branch.map((i) => ({ ...i, path: [...first.path, ...i.path] })),
        value,
      ),
    );
  const rank = (i: Issue) => i.path.length * 2 + (i.code === 'invalid_type' ? 0 : 1);
  return branches.reduce((best, next) => (rank(next) > rank(best) ? next : best));
}

function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const key of path) here = (here as Record<PropertyKey, unknown> | undefined)?.[key];
  return here;
}

/** Where the path begins in the text, or the innermost part of it that is there. */
function offsetOf(root: unknown, path: Path): number {
  let node = root as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => String(isScalar(item.key) ? item.key.value : item.key) === String(key),
      );
      if (!pair) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isCollection(node)) {
      node = node.get(key, true) as Node | null;
      offset = node?.range?.[0] ?? offset;
    } else {
      break;
    }
  }
  return offset;
}
