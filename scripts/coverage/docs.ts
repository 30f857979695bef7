/** The table of points in docs/coverage.md. */
import type { Judgement } from '../../src/coverage/index.ts';
import { type Part, withPart, writePart } from '../written.ts';
import { pointSummary } from './summary.ts';

export const PAGE = 'docs/coverage.md';
const PART: Part = { page: PAGE, name: 'points', by: 'make coverage' };

/** The page with the table of these points. */
export const withPoints = (page: string, judgement: Pick<Judgement, 'points'>): string =>
  withPart(page, PART, table(judgement));

export const writePoints = (judgement: Judgement): void => writePart(PART, table(judgement));

function table({ points }: Pick<Judgement, 'points'>): string[] {
  const rows = points.map((point) => {
    const { name, doc, bins, excluded } = pointSummary(point);
    return `| \`${name}\` | ${doc} | ${bins - excluded} | ${excluded} |`;
  });
  return ['| point | a bin is | bins | excluded |', '|---|---|---|---|', ...rows];
}
