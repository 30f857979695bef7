import { spawnSync } from 'node:child_process';

/** What differs between two pages of figures: rows that came, went or changed. */
export function changes(before: string, after: string): string[] {
  const [old, now] = [rowsOf(before), rowsOf(after)];
  return [
    ...[...now]
      .filter(([key, cells]) => old.get(key) !== cells)
      .map(([key, cells]) => `${key}: ${old.get(key) ?? 'new'} -> ${cells}`),
    ...[...old.keys()].filter((key) => !now.has(key)).map((key) => `${key}: gone`),
  ];
}

/** Rows by their first cell and how often it came before. */
function rowsOf(page: string): Map<string, string> {
  const rows = new Map<string, string>();
  const times = new Map<string, number>();
  for (const [, name, cells] of page.matchAll(/^\| ([^|]+?) \| (.*) \|$/gm)) {
    const nth = (times.get(name!) ?? 0) + 1;
    times.set(name!, nth);
    rows.set(nth === 1 ? name! : `${name} (${nth})`, cells!);
  }
  return rows;
}

/** A file as the last commit has it; nothing without one. */
export function committed(path: string): string {
  const { status, stdout } = spawnSync('git', ['show', `HEAD:${path}`], { encoding: 'utf8' });
  return status === 0 ? stdout : '';
}
