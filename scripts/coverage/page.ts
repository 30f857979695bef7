/** build/coverage/index.html: one page, holes first. */
import { isHole, type JudgedBin, type JudgedPoint, type Judgement } from '../../src/coverage/index.ts';
import { escaped, pageOfText } from '../../src/html.ts';
import { type CodeRow, percent, total } from './code.ts';
import { pointSummary, type Summary } from './summary.ts';

/** Places of a row that the page names; coverage.json has all. */
const MOST_PLACES = 200;

export const coveragePage = (judgement: Judgement, code: Summary['code']): string =>
  pageOfText({
    title: 'Coverage',
    style: STYLE,
    script: SCRIPT,
    body: [
      '<main><h1>Coverage</h1>',
      `<p>${judgement.runs} runs; a bin counts when the ${escaped(judgement.on)} has filled it.</p>`,
      faults(judgement.faults),
      holes(judgement.points),
      points(judgement.points),
      ...Object.entries(code).map(([language, rows]) => codeTable(language, rows)),
      '</main>',
    ].join('\n'),
  });

const faults = (list: readonly string[]): string =>
  list.length === 0
    ? ''
    : `<h2>Faults</h2><ul>${list.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`;

function holes(all: readonly JudgedPoint[]): string {
  const open = all.filter(({ bins }) => bins.some(isHole));
  if (open.length === 0) return '<h2>Holes</h2><p>None.</p>';
  const lists = open.map(({ name, doc, bins }) => {
    const names = bins.filter(isHole).map(({ bin }) => `<li>${escaped(bin)}</li>`);
    return `<details open><summary><b>${name}</b>: ${names.length} holes</summary><p>${escaped(doc)}</p><ul class="bins">${names.join('')}</ul></details>`;
  });
  return `<h2>Holes</h2>${lists.join('\n')}`;
}

function points(all: readonly JudgedPoint[]): string {
  const rows = all.map((point) => {
    const { name, doc, bins, hit, excluded, holes } = pointSummary(point);
    const share = percent({ met: hit, all: bins - excluded });
    return [link(name), escaped(doc), hit, bins - excluded, share, holes.length, excluded];
  });
  const head = ['point', 'a bin is', 'filled', 'bins', '%', 'holes', 'excluded'];
  return `<h2>Points</h2>${table(head, rows)}${all.map(binsOf).join('\n')}`;
}

const link = (name: string): string => `<a href="#${name}">${name}</a>`;

const binsOf = ({ name, bins }: JudgedPoint): string =>
  `<details id="${name}"><summary>${name}</summary>${table(['bin', 'hits', 'elsewhere', 'excluded'], bins.map(binRow))}</details>`;

const binRow = ({ bin, hits, elsewhere, excluded = '' }: JudgedBin): Cell[] => [
  escaped(bin),
  hits,
  elsewhere,
  escaped(excluded),
];

function codeTable(language: string, rows: readonly CodeRow[]): string {
  const kinds = Object.keys(total(rows));
  const cells = (name: string, shares: CodeRow['shares']): Cell[] => [
    name,
    ...kinds.flatMap((kind) => {
      const { met, all } = shares[kind] ?? { met: 0, all: 0 };
      return [met, all, percent({ met, all })];
    }),
  ];
  const head = ['', ...kinds.flatMap((kind) => [kind, 'of', '%'])];
  const list = rows.map(({ name, shares }) => cells(escaped(name), shares));
  const missed = rows
    .filter((row) => row.missed.length > 0)
    .map(({ name, missed }) => {
      const places = missed.slice(0, MOST_PLACES).map((place) => `<li>${escaped(place)}</li>`);
      return `<details><summary>${escaped(name)}: ${missed.length} never met</summary><ul class="bins">${places.join('')}</ul></details>`;
    });
  return `<h2>${escaped(language)}</h2>${table(head, [...list, cells('all', total(rows))])}${missed.join('\n')}`;
}

type Cell = string | number;

/** Cells of text are HTML. */
function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const heads = head.map((text) => `<th><button>${text}</button></th>`).join('');
  const lines = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table><thead><tr>${heads}</tr></thead><tbody>${lines.join('\n')}</tbody></table>`;
}

const STYLE = `body{font:14px/1.4 system-ui,sans-serif;margin:1em auto;max-width:75em;padding:0 1em}
table{border-collapse:collapse;margin:.5em 0}td,th{padding:.1em .6em;text-align:left;border-bottom:1px solid #8884}
th button{font:inherit;font-weight:bold;border:0;background:none;padding:0;cursor:pointer;color:inherit}
.bins{columns:18em;padding-left:1.2em}`;

/** A click on a head sorts by that column, a second one the other way round. */
const SCRIPT = `document.addEventListener('click', ({ target }) => {
  const head = target.closest('th');
  if (!head) return;
  const body = head.closest('table').tBodies[0];
  const down = head.dataset.down !== 'yes';
  head.dataset.down = down ? 'yes' : 'no';
  const text = (row) => row.cells[head.cellIndex].textContent;
  const order = (a, b) => text(a).localeCompare(text(b), undefined, { numeric: true }) * (down ? -1 : 1);
  body.append(...[...body.rows].sort(order));
});`;
