/** Line, branch and toggle coverage of the RTL, from what simulators built for it have left. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../src/run/whole.ts';
import type { CodeRow } from './code.ts';

/** What a simulator leaves, whole, under a name of its own. */
const LEFT = /^rtl-.*\.dat$/;
const MERGED = 'rtl.dat';
const HEAD = '# SystemC::Coverage-3';
const LINE = /^C '(.*)' (\d+)$/;
const KINDS: Readonly<Record<string, string>> = {
  v_line: 'lines',
  v_branch: 'branches',
  v_toggle: 'toggles',
  v_expr: 'expressions',
};
const OF_THE_RTL = /(^|\/)rtl\//;

/** Adds what simulators have left since to what was merged before: it is much, so it is done while they run. */
export function mergeRtl(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => LEFT.test(name)) : [];
  if (names.length === 0) return;
  const merged = join(folder, MERGED);
  const counts = existsSync(merged) ? countsIn(readFileSync(merged, 'utf8')) : new Map<string, number>();
  for (const name of names)
    for (const [key, count] of countsIn(readFileSync(join(folder, name), 'utf8')))
      counts.set(key, (counts.get(key) ?? 0) + count);
  const lines = [...counts].map(([key, count]) => `C '${key}' ${count}`);
  writeWhole(merged, `${HEAD}\n${lines.join('\n')}\n`);
  for (const name of names) rmSync(join(folder, name));
}

/** A row for each module; undefined where none was measured. */
export function rtlRows(folder: string): CodeRow[] | undefined {
  mergeRtl(folder);
  const merged = join(folder, MERGED);
  return existsSync(merged) ? rowsOf(readFileSync(merged, 'utf8')) : undefined;
}

export function countsIn(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, key, count] = LINE.exec(line) ?? [];
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + Number(count));
  }
  return counts;
}

export function rowsOf(text: string): CodeRow[] {
  const rows = new Map<string, CodeRow>();
  for (const [key, count] of countsIn(text)) {
    const { page = '', f: file = '', l: line = '', o: what = '' } = fieldsOf(key);
    const [type = '', module = ''] = page.split('/');
    const kind = KINDS[type];
    if (!kind || !OF_THE_RTL.test(file)) continue;
    const name = module.replace(/__.*$/, '');
    const row = rows.get(name) ?? { name, shares: {}, missed: [] };
    rows.set(name, row);
    const share = row.shares[kind] ?? { met: 0, all: 0 };
    row.shares[kind] = share;
    share.all++;
    if (count > 0) share.met++;
    else row.missed.push([`${file}:${line}`, ...(kind === 'lines' ? [] : [what])].join(' '));
  }
  return [...rows.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** Of a key: pairs of name and value, each behind a byte of its own. */
const fieldsOf = (key: string): Record<string, string> =>
  Object.fromEntries(key.split('\x01').map((pair) => pair.split('\x02')));
