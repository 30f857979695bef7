export type Path = readonly PropertyKey[];

/** What zod says is wrong, as far as we read it. */
export interface Issue {
  readonly code?: string | undefined;
  readonly path: Path;
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
  readonly issues?: readonly Issue[];
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly origin?: unknown;
}

export interface Told {
  path: Path;
  expected: string;
  found: string;
}

/** Issues of a value in words, one for each place; `keysAt` are the keys that the schema has there. */
export function told(
  issues: readonly Issue[],
  value: unknown,
  keysAt: (path: Path) => readonly string[] = () => [],
): Told[] {
  const all = issues.flatMap((issue) => unfold(issue, value));
  return all.filter((issue) => isTightest(issue, all)).flatMap((issue) => inWords(issue, value, keysAt));
}

function inWords(issue: Issue, value: unknown, keysAt: (path: Path) => readonly string[]): Told[] {
  const { code, keys = [], path, message } = issue;
  if (code === 'unrecognized_keys') {
    const known = keysAt(path);
    const expected = known.length === 0 ? 'a known key' : `a known key (${known.join(', ')})`;
    return keys.map((key) => ({ path: [...path, key], expected, found: `"${key}"` }));
  }
  const here = valueAt(value, path);
  const own = message.includes('; found ') ? message.split('; found ')[1] : undefined;
  const found = own ?? show(code === 'invalid_key' ? path.at(-1) : here);
  const missing = here === undefined && (code === 'invalid_type' || code === 'invalid_value');
  const key = missing ? `the key "${String(path.at(-1))}", ` : '';
  return [{ path, expected: key + expectation(issue, value), found }];
}

const MOST_SHOWN = 60;

export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  let text: string;
  try {
    text =
      JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ??
      String(value);
  } catch {
    return 'something that contains itself';
  }
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} ...` : text;
}

function expectation(issue: Issue, value: unknown): string {
  const many = issue.origin === 'array' ? ' entries' : issue.origin === 'string' ? ' characters' : '';
  switch (issue.code) {
    case 'invalid_union':
      return issue.message;
    case 'invalid_type':
      if (typeof valueAt(value, issue.path) === 'bigint' && NUMBERS.includes(String(issue.expected)))
        return 'a number of at most 53 bits';
      return KINDS[String(issue.expected)] ?? String(issue.expected);
    case 'invalid_value':
      return (issue.values ?? []).join(' or ');
    case 'too_small':
      return `at least ${issue.minimum}${many}`;
    case 'too_big':
      return `at most ${issue.maximum}${many}`;
    case 'invalid_key':
      return issue.issues?.[0]?.message ?? 'another name';
    default:
      return (issue.message.split('; found ')[0] ?? '').replace(/^Invalid input: expected /, '');
  }
}

const NUMBERS: readonly string[] = ['int', 'number'];
const KINDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  bigint: 'a number',
  string: 'a text',
  boolean: 'true or false',
  object: 'a list of keys and values',
  array: 'a list',
  record: 'names with what they stand for',
};

/** What a union says of a value: all about the branch that was meant, or what the branches want in its place. */
function unfold(issue: Issue, value: unknown): Issue[] {
  const { path } = issue;
  if (issue.code !== 'invalid_union' || !issue.errors?.length) return [issue];
  const branches = flat(issue.errors).map((branch) =>
    branch.flatMap((each) => unfold({ ...each, path: [...path, ...each.path] }, value)),
  );
  const ofKind = branches.filter((branch) => !branch.some((each) => isOtherKind(each, path)));
  if (ofKind.length === 0) {
    const others = branches.flatMap((branch) => branch.filter((each) => isOtherKind(each, path)));
    const words = new Set(others.map((each) => expectation(each, value)));
    return [{ code: 'custom', path, message: [...words].join(' or ') }];
  }
  const known = ofKind.filter((branch) => !branch.some((each) => isUnknownKey(each, path)));
  if (known.length === 0 && ofKind.length > 1) return [keysOf(ofKind, path)];
  const fewest = (known.length > 0 ? known : ofKind).reduce((best, next) =>
    next.length < best.length ? next : best,
  );
  return fewest;
}

/** A branch that is a union itself counts as its branches. */
const flat = (branches: readonly (readonly Issue[])[]): (readonly Issue[])[] =>
  branches.flatMap((branch) => {
    const [only] = branch;
    const inner = branch.length === 1 && only?.path.length === 0 && only.code === 'invalid_union';
    return inner ? flat(only.errors ?? []) : branch.length > 0 ? [branch] : [];
  });

const isHere = (issue: Issue, path: Path): boolean => issue.path.length === path.length;
const isUnknownKey = (issue: Issue, path: Path): boolean =>
  issue.code === 'unrecognized_keys' && isHere(issue, path);
const isOtherKind = (issue: Issue, path: Path): boolean => isHere(issue, path) && !isUnknownKey(issue, path);

/** Of several upper bounds that a number breaks, the lowest says it all. */
const isTightest = (issue: Issue, all: readonly Issue[]): boolean =>
  issue.code !== 'too_big' ||
  !all.some(
    (each) =>
      each.code === 'too_big' &&
      each.path.join() === issue.path.join() &&
      Number(each.maximum) < Number(issue.maximum),
  );

/** No branch knows these keys: what keys there could be. */
function keysOf(branches: Issue[][], path: Path): Issue {
  const missing = branches.flatMap((branch) =>
    branch.filter((each) => each.path.length === path.length + 1).map((each) => String(each.path.at(-1))),
  );
  const unknown = branches[0]!.find((each) => isUnknownKey(each, path))?.keys ?? [];
  const message = `${[...new Set(missing)].join(' or ')}; found ${unknown.map((key) => `"${key}"`).join(', ')}`;
  return { code: 'custom', path: [...path, unknown[0] ?? ''], message };
}

function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const key of path) here = (here as Record<PropertyKey, unknown> | undefined)?.[key];
  return here;
}
