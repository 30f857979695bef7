import { isCollection, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';

export type Path = readonly PropertyKey[];

/** Something wrong in a file, where a reader can find it. */
export interface Mistake {
  line: number;
  column: number;
  expected: string;
  found: string;
}

export interface Place {
  line: number;
  column: number;
}

export type Validated<T> = { data: T; mistakes?: undefined } | { data?: undefined; mistakes: Mistake[] };

/** A YAML text that knows where everything in it stands. */
export class LocatedYaml {
  readonly value: unknown;
  readonly #lines = new LineCounter();
  readonly #root: unknown;
  readonly #syntax: Mistake[];

  constructor(text: string) {
    const document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: true });
    this.#root = document.contents;
    this.#syntax = document.errors.map(({ pos, message }) => ({
      ...this.#at(pos[0]),
      expected: 'YAML',
      found: message.split('\n')[0] ?? '',
    }));
    this.value = this.#syntax.length === 0 ? (document.toJS() ?? {}) : undefined;
  }

  /** Where the path begins in the text, or the innermost part of it that is there. */
  place(path: Path): Place {
    return this.#at(offsetOf(this.#root, path));
  }

  /** All mistakes, in the order of the text; none when the value is right. */
  validate<T extends z.ZodType>(schema: T): Validated<z.infer<T>> {
    if (this.#syntax.length > 0) return { mistakes: this.#syntax };
    const parsed = schema.safeParse(this.value);
    if (parsed.success) return { data: parsed.data };
    const mistakes = (parsed.error.issues as unknown as Issue[]).flatMap((issue) =>
      this.#mistakesOf(deepest(issue, this.value)),
    );
    return { mistakes: mistakes.sort((a, b) => a.line - b.line || a.column - b.column) };
  }

  #mistakesOf(issue: Issue): Mistake[] {
    if (issue.code === 'unrecognized_keys') {
      return (issue.keys ?? []).map((key) => ({
        ...this.place([...issue.path, key]),
        expected: 'a known key',
        found: `"${key}"`,
      }));
    }
    const value = valueAt(this.value, issue.path);
    const found = issue.message.includes('; found ') ? issue.message.split('; found ')[1]! : show(value);
    return [{ ...this.place(issue.path), expected: expectation(issue), found }];
  }

  #at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }
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
  readonly origin?: unknown;
}

const MOST_SHOWN = 60;

export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text =
    JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? String(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} ...` : text;
}

function expectation(issue: Issue): string {
  const many = issue.origin === 'array' ? ' entries' : issue.origin === 'string' ? ' characters' : '';
  switch (issue.code) {
    case 'invalid_union':
      return issue.message;
    case 'invalid_type':
      return KINDS[String(issue.expected)] ?? String(issue.expected);
    case 'invalid_value':
      return (issue.values ?? []).join(' or ');
    case 'too_small':
      return `at least ${issue.minimum}${many}`;
    case 'too_big':
      return `at most ${issue.maximum}${many}`;
    case 'invalid_key':
      return 'a name of letters, digits and _';
    default:
      return (issue.message.split('; found ')[0] ?? '').replace(/^Invalid input: expected /, '');
  }
}

const KINDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  object: 'a list of keys and values',
  array: 'a list',
  record: 'names with what they stand for',
};

/** Of the branches of a union, the one that got furthest tells most; equal ones are told together. */
function deepest(issue: Issue, value: unknown): Issue {
  if (issue.code !== 'invalid_union' || !issue.errors?.length) return issue;
  const branches = issue.errors
    .filter((branch) => branch.length > 0)
    .map((branch) => deepest({ ...branch[0]!, path: [...issue.path, ...branch[0]!.path] }, value));
  const rank = (each: Issue) => each.path.length * 2 + (each.code === 'invalid_type' ? 0 : 1);
  const best = Math.max(...branches.map(rank));
  // A key that a branch does not know tells less than a value that is wrong in the branch that was meant.
  const furthest = branches.filter((each) => rank(each) === best);
  const meant = furthest.find((each) => each.code !== 'unrecognized_keys' || each.keys?.length === 1);
  if (furthest.length > 1 && furthest.every((each) => each.path.length === issue.path.length)) {
    const words = [...new Set(branches.map(expectation))];
    if (!furthest.some((each) => each.code === 'unrecognized_keys')) {
      return { code: 'custom', path: issue.path, message: words.join(', or ') };
    }
  }
  return meant ?? furthest[0]!;
}

function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const key of path) here = (here as Record<PropertyKey, unknown> | undefined)?.[key];
  return here;
}

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
