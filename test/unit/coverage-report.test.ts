import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readCompliance } from '../../scripts/conformance/compliance.ts';
import { errataPage, readErrata } from '../../scripts/conformance/errata.ts';
import { PAGE, withPoints } from '../../scripts/coverage/docs.ts';
import { coveragePage } from '../../scripts/coverage/page.ts';
import { csvLine, planOf, testName } from '../../scripts/coverage/plan.ts';
import { countsIn, rowsOf } from '../../scripts/coverage/rtl.ts';
import { summaryOf } from '../../scripts/coverage/summary.ts';
import { rowsOf as typescriptRows } from '../../scripts/coverage/typescript.ts';
import { judge, POINTS, readExclusions } from '../../src/coverage/index.ts';
import type { Mutant } from '../mutants/mutants.ts';

const COMPLIANCE = 'test/compliance';
const EXCLUDED = 'test/coverage/excluded.yaml';

describe('the errata', () => {
  const errata = readErrata(COMPLIANCE);

  it('are those of the page', () => {
    expect(readFileSync('docs/errata.md', 'utf8')).toBe(errataPage(errata));
  });

  it('tell of each statement that is neither shown, nor left out, nor in a part that is done', () => {
    const { scope } = readCompliance(COMPLIANCE);
    const done = ['first-light', 'rc'];
    const rows = readFileSync('docs/conformance.md', 'utf8').matchAll(/^\| (\S+) \|[^|]*\| not yet \|/gm);
    const open = [...rows].map(([, id]) => id!).filter((id) => scope[id] && !done.includes(scope[id].phase));
    const told = errata.flatMap((each) => each.statements);
    expect(told.toSorted()).toEqual(open.toSorted());
    for (const { phase, statements: ids } of errata)
      expect(ids.map((id) => scope[id]?.phase)).toEqual(ids.map(() => phase));
  });
});

describe('the exclusions', () => {
  it('each stand for bins', () => {
    const { faults } = judge(POINTS, readExclusions(EXCLUDED), { hits: {}, runs: 0 }, 'rtl');
    expect(faults).toEqual([]);
  });

  it('and the points are those of the page', () => {
    const judgement = judge(POINTS, readExclusions(EXCLUDED), { hits: {}, runs: 0 }, 'rtl');
    const page = readFileSync(PAGE, 'utf8');
    expect(withPoints(page, judgement)).toBe(page);
  });
});

const SMALL = judge(
  [{ name: 'color', doc: 'a color', bins: ['red', 'green', '<blue>'] }],
  [{ point: 'color', bins: ['green'], why: 'the lamp is off' }],
  { hits: { rtl: { color: { red: 2 } } }, runs: 1 },
  'rtl',
);

describe('the report', () => {
  it('names the holes for programs', () => {
    expect(summaryOf(SMALL, {})).toMatchObject({
      passed: false,
      points: [{ name: 'color', bins: 3, hit: 1, excluded: 1, holes: ['<blue>'], counts: { red: 2 } }],
    });
  });

  it('names them for people, before all else, as text', () => {
    const page = coveragePage(SMALL, {});
    expect(page).toContain('<li>&lt;blue&gt;</li>');
    expect(page.indexOf('<h2>Holes')).toBeLessThan(page.indexOf('<h2>Points'));
    expect(page).not.toContain('<blue>');
  });
});

describe('coverage of the RTL', () => {
  const point = (page: string, line: number, what: string, file = '/home/somebody/hca/rtl/prim/a.sv') =>
    `C '\x01f\x02${file}\x01l\x02${line}\x01n\x025\x01page\x02${page}\x01o\x02${what}\x01h\x02TOP.a'`;
  const text = [
    '# SystemC::Coverage-3',
    `${point('v_line/prim_a', 3, 'block')} 7`,
    `${point('v_line/prim_a', 9, 'block')} 0`,
    `${point('v_toggle/prim_a__D4', 2, 'valid')} 0`,
    `${point('v_line/pair', 1, 'block', 'tb/pair.sv')} 0`,
  ].join('\n');

  it('is told by module, benches left out', () => {
    expect(rowsOf(text)).toEqual([
      {
        name: 'prim_a',
        shares: { lines: { met: 1, all: 2 }, toggles: { met: 0, all: 1 } },
        missed: ['/home/somebody/hca/rtl/prim/a.sv:9', '/home/somebody/hca/rtl/prim/a.sv:2 valid'],
      },
    ]);
  });

  it('adds what several have counted of one point', () => {
    const line = point('v_line/prim_a', 3, 'block');
    expect([...countsIn(`${line} 7\n${line} 5\n`).values()]).toEqual([12]);
  });
});

it('coverage of the TypeScript is told by folder', () => {
  const share = (covered: number) => ({ total: 4, covered, skipped: 0, pct: 0 });
  const file = (covered: number) =>
    Object.fromEntries(
      ['lines', 'branches', 'functions', 'statements'].map((kind) => [kind, share(covered)]),
    );
  const text = JSON.stringify({ total: file(4), '/r/src/a/x.ts': file(3), '/r/src/a/y.ts': file(0) });
  const four = { met: 3, all: 8 };
  expect(typescriptRows(text, '/r')).toEqual([
    {
      name: 'src/a',
      shares: { lines: four, branches: four, functions: four, statements: four },
      missed: ['src/a/y.ts'],
    },
  ]);
});

describe('the plan', () => {
  const tests = [
    { file: 'test/system/a.test.ts', title: 'on the RTL > holds [C10-1]', device: 'RTL', status: 'passed' },
  ];
  const row = { id: 'C10-1', section: '10.2', state: 'RTL only', reason: '', phase: 'rc', tests, mutants: 1 };
  const mutant = { number: 4, file: 'rtl/a.sv', why: 'wrong', rules: ['C10-1'] } as unknown as Mutant;
  const common = { rtl: { drop: { ICRC: 1 } } };
  const plan = planOf({
    statements: [
      {
        id: 'C10-1',
        section: '10.2',
        feature: null,
        obsolete: false,
        actor: ['hardware'],
        text: 'Holds, always.',
      },
    ],
    judged: { statements: [row as never], events: [] },
    mutants: [mutant],
    runs: [
      { test: 'another', hits: common },
      {
        test: testName(tests[0]!.file, tests[0]!.title),
        hits: { rtl: { ...common.rtl, event: { COMM_EST: 1 } } },
      },
    ],
  });

  it('has a row for a statement, rarest bins first', () => {
    const line = plan.slice(plan.indexOf('\r\n') + 2);
    expect(line).toBe(
      'C10-1,10.2,"Holds, always.",rc,hardware,RTL only,,test/system/a.test.ts: on the RTL > holds [C10-1],' +
        '4 rtl/a.sv: wrong,"event: COMM_EST\ndrop: ICRC"\r\n',
    );
  });

  it('quotes what would break a line', () => {
    expect(csvLine(['a', 'b"c', 'd\ne'])).toBe('a,"b""c","d\ne"\r\n');
  });
});
