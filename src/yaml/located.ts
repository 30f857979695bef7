import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  visit,
} from 'yaml';
import type { z } from 'zod';
import { type Issue, type Path, told } from './issues.ts';
import { keysAt } from './keys.ts';

export interface Place {
  line: number;
  column: number;
}

/** Something wrong in a file, where a reader can find it. */
export interface Mistake extends Place {
  expected: string;
  found: string;
}

export const formatMistake = (file: string, { line, column, expected, found }: Mistake): string =>
  line > 0
    ? `${file}:${line}:${column}: expected ${expected}, found ${found}`
    : `${file}: expected ${expected}, found ${found}`;

/** In the order of the text. */
export const byPlace = (a: Place, b: Place): number => a.line - b.line || a.column - b.column;

export type Validated<T> = { data: T; mistakes?: undefined } | { data?: undefined; mistakes: Mistake[] };

/** More than any of our files needs, and far from what would exhaust the stack. */
const MOST_LEVELS = 100;
/** Nobody reads more. */
const MOST_MISTAKES = 1000;

/** A YAML text that knows where everything in it stands. */
export class LocatedYaml {
  /** Whole numbers are numbers where those are exact, and bigints beyond. */
  readonly value: unknown;
  readonly #lines: LineCounter;
  readonly #root: unknown;
  readonly #syntax: Mistake[] = [];

  constructor(text: string) {
    this.#lines = linesOf(text);
    const deep = tooDeep(text);
    if (deep !== undefined) {
      this.#wrong(deep, `at most ${MOST_LEVELS} levels of nesting`, 'more');
      return;
    }
    const document = parseDocument(text, {
      prettyErrors: false,
      uniqueKeys: false, // they would be compared each with each
      intAsBigInt: true,
      resolveKnownTags: false,
      logLevel: 'error',
    });
    this.#root = document.contents;
    for (const { pos, message } of [...document.errors, ...document.warnings])
      this.#wrong(pos[0], 'YAML', message.split('\n')[0] ?? '');
    this.#normalize(document);
    this.value = this.#syntax.length === 0 ? this.#valueOf(document) : undefined;
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
    const issues = parsed.error.issues as unknown as Issue[];
    const first = told(issues.slice(0, MOST_MISTAKES), this.value, (path) => keysAt(schema, path));
    const mistakes = first.slice(0, MOST_MISTAKES).map(({ path, ...words }) => ({
      ...this.place(path),
      ...words,
    }));
    return { mistakes: mistakes.sort(byPlace) };
  }

  /** Numbers as `value` has them; keys that no object can have, or that there are already, are wrong. */
  #normalize(document: Document.Parsed): void {
    visit(document, {
      Map: (_, { items }) => {
        const seen = new Set<unknown>();
        for (const { key } of items) {
          if (!isScalar(key)) continue;
          if (seen.has(key.value)) this.#wrong(key.range?.[0] ?? 0, 'YAML', 'Map keys must be unique');
          seen.add(key.value);
        }
      },
      Scalar(_, scalar) {
        const { value } = scalar;
        if (typeof value === 'bigint' && value >= -SAFE && value <= SAFE) scalar.value = Number(value);
      },
      Pair: (_, { key }) => {
        const offset = (key as Node | null)?.range?.[0] ?? 0;
        if (!isScalar(key))
          this.#wrong(offset, 'a text as a key', isAlias(key) ? 'an alias' : 'a collection');
        else if (key.value === '__proto__')
          this.#wrong(offset, 'a name that starts with a letter', '"__proto__"');
      },
    });
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
      this.#wrong(offset, 'YAML', error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #wrong(offset: number, expected: string, found: string): void {
    if (this.#syntax.length < MOST_MISTAKES) this.#syntax.push({ ...this.#at(offset), expected, found });
  }

  #at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  for (let start = 0; start >= 0; start = text.indexOf('\n', start) + 1 || -1) lines.addNewLine(start);
  return lines;
}

/** Where a text is nested too deep, as told by a parser that keeps its own stack. */
function tooDeep(text: string): number | undefined {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > MOST_LEVELS) return parser.offset;
  }
  return undefined;
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
