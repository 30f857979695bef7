import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Change } from './auto.ts';

const schema = z.array(
  z.strictObject({
    file: z.string(),
    /** What stands there, as in the source; runs of white space count as one blank. */
    expr: z.string(),
    with: z.string(),
    /** Why no test can tell it from the original. */
    why: z.string(),
  }),
);

const FILE = 'test/mutants/equivalent.yaml';

/** The changes that mean nothing, with their reasons; a reason for what is not there is an error. */
export function reasons(all: readonly Change[]): Map<Change, string> {
  const found = new Map<Change, string>();
  for (const { file, expr, with: other, why } of schema.parse(parse(readFileSync(FILE, 'utf8')))) {
    const same = all.filter(
      (change) =>
        change.file === file && plain(change.expr) === plain(expr) && plain(change.with) === plain(other),
    );
    if (same.length === 0)
      throw new Error(`${FILE}: expected \`${expr}\` to \`${other}\` in ${file}, found none`);
    for (const change of same) found.set(change, why);
  }
  return found;
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
