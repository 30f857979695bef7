import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { masked, type Unit, unitsOf } from './scan.ts';

/** A change that a program has chosen. */
export interface Change {
  readonly file: string;
  readonly line: number;
  readonly at: number;
  readonly end: number;
  /** What stands there, and instead of it. */
  readonly expr: string;
  readonly with: string;
  /** As `&& to ||`. */
  readonly why: string;
}

/** Words of an expression and what they become; each stands between spaces or begins a literal. */
const WORDS: readonly [word: RegExp, other: (found: string) => string][] = [
  [/ (&&|\|\|) /g, (found) => (found === '&&' ? '||' : '&&')],
  [/ (==|!=) /g, (found) => (found === '==' ? '!=' : '==')],
  [/ (<|<=|>|>=) /g, (found) => (found.endsWith('=') ? found[0]! : `${found}=`)],
  [/ (\+|-) /g, (found) => (found === '+' ? '-' : '+')],
  [/ (&|\||\^) /g, (found) => (found === '&' ? '|' : '&')],
  [/([!~])(?=[\w(])/g, () => ''],
  [/(?<![\w)'])('[01]|1'b[01])/g, (found) => found.slice(0, -1) + (found.endsWith('0') ? '1' : '0')],
  [/(?<=\b\d+'d)(\d+)\b/g, (found) => String(Number(found) ^ 1)],
];
/** A whole condition. */
const CONDITIONS: readonly [why: string, other: (found: string) => string][] = [
  ['negated', (found) => `!(${found})`],
  ['always', () => "1'b1"],
  ['never', () => "1'b0"],
];
/** Written by a generator from tables that have tests of their own, or nothing but constants. */
const LEFT_OUT = /_pkg\.sv$/;

/** All changes of the sources. */
export function changes(files: readonly string[]): Change[] {
  return files
    .filter((file) => !LEFT_OUT.test(file))
    .flatMap((file) => changesOf(file, readFileSync(file, 'utf8')));
}

export function changesOf(file: string, source: string): Change[] {
  const text = masked(source);
  return unitsOf(source).flatMap((unit) => {
    const { at, end } = unit;
    const expr = source.slice(at, end);
    const line = source.slice(0, at).split('\n').length;
    const plain = text.slice(at, end);
    return [...changed(unit, expr, plain)].map(([why, other]) => ({
      file,
      line,
      at,
      end,
      expr,
      with: other,
      why,
    }));
  });
}

/** `plain` is the expression without comments and macros, of the same length. */
function* changed({ kind }: Unit, expr: string, plain: string): Generator<[why: string, other: string]> {
  if (kind === 'condition') for (const [why, other] of CONDITIONS) yield [why, other(expr)];
  for (const [word, other] of WORDS) {
    for (const match of plain.matchAll(word)) {
      const found = match[1]!;
      const start = match.index + match[0].indexOf(found);
      if (inIndex(expr, start)) continue;
      const instead = other(found);
      yield [
        `\`${found}\` to \`${instead}\``,
        expr.slice(0, start) + instead + expr.slice(start + found.length),
      ];
    }
  }
}

/** Bounds of a part and counts of a repetition are constants. */
function inIndex(expr: string, at: number): boolean {
  const before = expr.slice(0, at);
  return before.split('[').length > before.split(']').length;
}

/** So many of them: which, follows from the seed and from what each says alone, so that an edit elsewhere chooses no others. */
export function sample(all: readonly Change[], count: number, seed: number): Change[] {
  const seen = new Map<string, number>();
  const key = ({ file, expr, with: other }: Change): string => {
    const text = `${file}\n${expr}\n${other}`;
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    return createHash('sha256').update(`${seed}\n${times}\n${text}`).digest('hex');
  };
  return all
    .map((change) => ({ change, key: key(change) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, count)
    .map(({ change }) => change);
}
