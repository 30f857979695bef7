/** Coverage of the TypeScript by the unit tests, as v8 counts it and vitest writes it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { z } from 'zod';
import { type CodeRow, total } from './code.ts';

const share = z.object({ total: z.int(), covered: z.int() });
const schema = z.record(
  z.string(),
  z.object({ lines: share, branches: share, functions: share, statements: share }),
);
const KINDS = ['lines', 'branches', 'functions', 'statements'] as const;

/** A row for each folder of src; undefined where none was measured. */
export function typescriptRows(file: string, root: string): CodeRow[] | undefined {
  return existsSync(file) ? rowsOf(readFileSync(file, 'utf8'), root) : undefined;
}

export function rowsOf(text: string, root: string): CodeRow[] {
  const files = Object.entries(schema.parse(JSON.parse(text))).filter(([path]) => path !== 'total');
  const folderOf = (path: string) => dirname(relative(root, path));
  const folders = [...new Set(files.map(([path]) => folderOf(path)))].sort();
  return folders.map((name) => {
    const list = files.filter(([path]) => folderOf(path) === name);
    return {
      name,
      shares: total(list.map(([path, counts]) => ({ name: path, missed: [], shares: sharesOf(counts) }))),
      missed: list.filter(([, { lines }]) => lines.covered === 0).map(([path]) => relative(root, path)),
    };
  });
}

const sharesOf = (counts: z.infer<typeof schema>[string]) =>
  Object.fromEntries(
    KINDS.map((kind) => [kind, { met: counts[kind].covered, all: counts[kind].total }] as const),
  );
