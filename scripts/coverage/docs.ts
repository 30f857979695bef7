/** The table of points in docs/coverage.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Judgement } from '../../src/coverage/index.ts';
import { pointSummary } from './summary.ts';

export const PAGE = 'docs/coverage.md';
const BEGIN = '<!-- points: written by make coverage -->\n';
const END = '<!-- end of points -->';

/** The page with the table of these points. */
export function withPoints(page: string, { points }: Pick<Judgement, 'points'>): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from)
    throw new Error(`${PAGE}: expected a place between ${BEGIN.trim()} and ${END}, found none`);
  const rows = points.map((point) => {
    const { name, doc, bins, excluded } = pointSummary(point);
    return `| \`${name}\` | ${doc} | ${bins - excluded} | ${excluded} |`;
  });
  const table = ['| point | a bin is | bins | excluded |', '|---|---|---|---|', ...rows].join('\n');
  return `${page.slice(0, from)}${BEGIN}${table}\n${page.slice(to)}`;
}

export function writePoints(judgement: Judgement): void {
  const page = readFileSync(PAGE, 'utf8');
  const text = withPoints(page, judgement);
  if (text !== page) writeFileSync(PAGE, text);
}
