import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
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
    this.value = this.#syntax.length === 0 ? this.#valueOf(document) : undefined;
  }

  /** Aliases show their faults only now: of nothing, or of too much. */
  #valueOf(document: Document.Parsed): unknown {
    try {
      return document.toJS() ?? {};
    } catch (error) {
      let offset = 0;
      visit(document, {
        Alias(_, alias) {
          if (alias.resolve(document)) return undefined;
          offset = alias.range?.[0] ?? 0;
          return visit.BREAK;
        },
      });
      const found = error instanceof Error ? error.message : String(error);
      this.#syntax.push({ ...this.#at(offset), expected: 'YAML', found });
      return undefined;
    }
  }

  /** Where the path begins in the text, or the innermost part of it that is there. */
  place(path: Path): Place {
    return this.#at(offsetOf(this.#root, path));
  }

  /** A scalar as it was written. */
  source(path: Path): string | undefined {
    const node = (this.#root as { getIn?: (path: Path, keep: boolean) => unknown } | null)?.getIn?.(
      path,
      true,
    );
    return isScalar(node) ? node.source : undefined;
  }

  /** All mistakes, in the order of the text; none when the value is right. */
  validate<T extends z.ZodType>(schema: T): Validated<z.infer<T>> {
    if (this.#syntax.length > 0) return { mistakes: this.#syntax };
    const parsed = schema.safeParse(this.value);
    if (parsed.success) return { data: parsed.data };
    const mistakes = (parsed.error.issues as unknown as Issue[])
      .flatMap(unfold)
      .flatMap((issue) => this.#mistakesOf(issue));
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
    const missing = value === undefined && issue.code === 'invalid_type';
    const key = missing ? `the key "${String(issue.path.at(-1))}", ` : '';
    return [{ ...this.place(issue.path), expected: key + expectation(issue), found }];
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

/** What a union says of a value: all about the branch that was meant, or what the branches want in its place. */
function unfold(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || !issue.errors?.length) return [issue];
  const branches = flat(issue.errors).map((branch) =>
    branch.flatMap((each) => unfold({ ...each, path: [...issue.path, ...each.path] })),
  );
  const ofKind = branches.filter((branch) => !branch.some((each) => isOtherKind(each, issue.path)));
  if (ofKind.length === 0) {
    const words = branches.flatMap((branch) => branch.filter((each) => isOtherKind(each, issue.path)));
    return [{ code: 'custom', path: issue.path, message: [...new Set(words.map(expectation))].join(' or ') }];
  }
  const known = ofKind.filter((branch) => !branch.some((each) => isUnknownKey(each, issue.path)));
  if (known.length === 0 && ofKind.length > 1) return [keysOf(ofKind, issue.path)];
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
