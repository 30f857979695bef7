import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { knownRules } from '../../scripts/conformance/rules.ts';
import type { Place } from './choose.ts';

const schema = z.strictObject({
  block: z.string(),
  file: z.string(),
  /** A piece of the source that stands in it once: `expr` is the next one from there. When missing, `expr` itself stands once. */
  at: z.string().optional(),
  /** The expression that is changed. */
  expr: z.string(),
  with: z.string(),
  /** Chosen from the Verilog alone, or from what a header or document promises. */
  from: z.enum(['rtl', 'contract']),
  /** What it does. */
  why: z.string(),
  /** The case of the kill suite that is tried first. */
  by: z.string().optional(),
  /** Statements of test/compliance and rows of docs/faults.md that it breaks. */
  rules: z.array(z.string()).default([]),
  /**
   * What the kill suite cannot tell: the test that can. A name is a file of test/block; one with a folder, as `unit/host-cq`, judges
   * in place of the suite, and `title` chooses tests of it, as a pattern.
   */
  test: z.string().optional(),
  title: z.string().optional(),
  /** Why no test can tell it from the original. */
  equivalent: z.string().optional(),
});

export type Mutant = z.infer<typeof schema> & { readonly number: number };

/** One of driver, model or checker: it needs no simulator of its own. */
export const inTypeScript = ({ file }: Pick<Mutant, 'file'>): boolean => file.endsWith('.ts');

const FOLDER = 'test/mutants';
/** Of the changes that a program has chosen. */
const EQUIVALENT = 'equivalent.yaml';

/** All mutants, numbered from 1. */
export function loadMutants(): Mutant[] {
  const files = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml') && file !== EQUIVALENT)
    .sort();
  const list = files.flatMap((file) =>
    z.array(schema).parse(parse(readFileSync(`${FOLDER}/${file}`, 'utf8'))),
  );
  const mutants = list.map((mutant, i) => ({ ...mutant, number: i + 1 }));
  const known = knownRules();
  for (const mutant of mutants) {
    const unknown = mutant.rules.filter((id) => !known.has(id));
    if (unknown.length > 0)
      throw new Error(`${nameOf(mutant)}: expected statements or faults, found ${unknown.join(', ')}`);
    if (inTypeScript(mutant) && !mutant.test?.includes('/'))
      throw new Error(`${nameOf(mutant)}: expected a test as \`unit/name\`, found ${mutant.test ?? 'none'}`);
  }
  return mutants;
}

/** The source with this one mutant in place of what it changes. */
export function replaced(source: string, mutant: Mutant): string {
  const { at, end } = placeOf(source, mutant);
  return source.slice(0, at) + mutant.with + source.slice(end);
}

function placeOf(source: string, mutant: Mutant): { at: number; end: number } {
  const at = source.indexOf(mutant.expr, once(source, mutant.at ?? mutant.expr, mutant));
  if (at < 0)
    throw new Error(`${nameOf(mutant)}: expected \`${mutant.expr}\` behind \`${mutant.at}\`, found none`);
  return { at, end: at + mutant.expr.length };
}

/** Where the mutants of a source stand in it. */
export const placesOf = (source: string, mutants: readonly Mutant[]): Place[] =>
  mutants.map((mutant) => ({ ...mutant, ...placeOf(source, mutant), name: nameOf(mutant) }));

function once(text: string, piece: string, mutant: Mutant): number {
  const at = text.indexOf(piece);
  if (at < 0 || text.indexOf(piece, at + 1) >= 0)
    throw new Error(
      `${nameOf(mutant)}: expected \`${piece}\` once, found it ${at < 0 ? 'nowhere' : 'more often'}`,
    );
  return at;
}

const nameOf = ({ number, file, why }: Mutant): string => `mutant ${number} in ${file} (${why})`;
