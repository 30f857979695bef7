import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Compliance, offered, readCompliance } from '../../scripts/conformance/compliance.ts';
import { IN_SCOPE, judgeAll, unknownIds } from '../../scripts/conformance/judge.ts';
import { countMutants } from '../../scripts/conformance/mutants.ts';
import { page } from '../../scripts/conformance/page.ts';
import { readFaults } from '../../scripts/conformance/rules.ts';
import { deviceOf, idsOf, type Report, testsById } from '../../scripts/conformance/tests.ts';
import { DEFAULTS } from '../../src/model/options.ts';
import { loadMutants } from '../mutants/mutants.ts';

const root = resolve(import.meta.dirname, '../..');
const compliance = readCompliance(`${root}/test/compliance`);

const statement = (id: string, rest: Partial<Compliance['statements'][number]> = {}) => ({
  id: `C${id}`,
  section: '10.1',
  feature: null,
  obsolete: false,
  actor: ['hardware'],
  ...rest,
});
const SMALL: Compliance = {
  statements: [
    statement('10-1'),
    statement('10-2', { actor: ['driver'] }),
    statement('10-3'),
    statement('10-4'),
    statement('10-5'),
    statement('10-6', { feature: ['rd', 'apm'] }),
    statement('10-7', { actor: ['fabric', 'management'] }),
    statement('10-8', { obsolete: true, actor: [] }),
  ],
  events: [
    { name: 'sq-drained', feature: null },
    { name: 'last-wqe-reached', feature: 'srq' },
  ],
  scope: Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7].map((n) => [`C10-${n}`, { phase: n < 5 ? 'rc' : 'memory', reason: `part ${n}` }]),
  ),
  offers: (feature) => feature === 'rd',
};

const ran = (device: string, title: string, status = 'passed') => ({
  ancestorTitles: [`queues on the ${device}`],
  title,
  status,
});
const REPORT: Report = {
  testResults: [
    {
      name: `${root}/test/system/one.test.ts`,
      assertionResults: [
        ran('RTL', 'both [C10-1] [P4]'),
        ran('model', 'both [C10-1] [P4]'),
        ran('RTL that asks the model', 'both [C10-1]'),
        ran('model', 'one [C10-2]'),
        ran('RTL', 'the other [C10-3] [event: sq-drained]'),
        ran('RTL that answers the model', 'mixed [C10-4]'),
        ran('RTL', 'mixed [C10-4]', 'skipped'),
        ran('RTL', 'failed once [C10-5]'),
        ran('RTL that asks the model', 'failed once [C10-5]', 'failed'),
        ran('model', 'excluded [C10-6]'),
      ],
    },
    {
      name: `${root}/test/unit/two.test.ts`,
      assertionResults: [{ ancestorTitles: ['a driver'], title: 'without device [C10-2]', status: 'passed' }],
    },
  ],
};

const COUNTS = countMutants([
  { rules: ['C10-1', 'C10-2', 'C10-4'] },
  { rules: ['C10-1'] },
  { rules: ['C10-3'], equivalent: 'nobody looks' },
]);

const PAGE = `| state | statements | events |
|---|---|---|
| RTL and model | 1 | 0 |
| model only | 1 | 0 |
| RTL only | 0 | 1 |
| not yet | 3 | 0 |
| not applicable | 1 | 1 |
| rule for others | 1 | 0 |
| obsolete | 1 | 0 |
| all | 8 | 2 |

Of the statements of the parts \`first-light\` and \`rc\` of \`scope.yaml\`: 4, not shown yet 2 (C10-3, C10-4), broken on purpose 3.

## Statements

| id | section | state | why, or passed on | tests | mutants |
|---|---|---|---|---|---|
| C10-1 | 10.1 | RTL and model | RTL, model, RTL that asks the model | \`system/one.test.ts\` 3 | 2 |
| C10-2 | 10.1 | model only | model | \`system/one.test.ts\` 1, \`unit/two.test.ts\` 1 | 1 |
| C10-3 | 10.1 | not yet | no mutant | \`system/one.test.ts\` 1 |  |
| C10-4 | 10.1 | not yet | rc: part 4 | \`system/one.test.ts\` 2 | 1 |
| C10-5 | 10.1 | not yet | memory: part 5 | \`system/one.test.ts\` 2, **1 failed** |  |
| C10-6 | 10.1 | not applicable | apm | \`system/one.test.ts\` 1 |  |
| C10-7 | 10.1 | rule for others | fabric, management |  |  |
| C10-8 | 10.1 | obsolete |  |  |  |

## Events

| id | section | state | why, or passed on | tests | mutants |
|---|---|---|---|---|---|
| sq-drained |  | RTL only | RTL | \`system/one.test.ts\` 1 |  |
| last-wqe-reached |  | not applicable | srq |  |  |
`;

describe('the page on conformance', () => {
  it('tells of each statement and event what a run has shown', () => {
    const text = page(judgeAll(SMALL, testsById(REPORT, root), COUNTS));
    expect(text.slice(text.indexOf('| state'))).toBe(PAGE);
  });

  it('knows all statements and events, each once, and the part of the work of each that is live', () => {
    expect(new Set(compliance.statements.map(({ id }) => id)).size).toBe(342);
    expect(new Set(compliance.events.map(({ name }) => name)).size).toBe(19);
    const live = compliance.statements.filter(({ obsolete }) => !obsolete).map(({ id }) => id);
    expect(Object.keys(compliance.scope).sort()).toEqual(live.sort());
    expect(judgeAll(compliance, new Map(), new Map()).statements.map(({ id }) => id)).toEqual(
      compliance.statements.map(({ id }) => id),
    );
  });

  it.each([
    ['atomics', true],
    ['no-atomics', true], // masked
    ['no-raw', true],
    ['no-port-active-event', false],
    ['srq', false],
    ['no-srq', true],
    ['raw', false],
    ['port-active-event', true],
    ['port-change-event', false],
  ])('takes the option %s as offered: %s', (feature, expected) => {
    expect(offered(feature, { atomics: 1, srq: 0 })).toBe(expected);
  });

  it.each([
    [['states on the RTL that answers the model', 'on the model'], 'RTL that answers the model'],
    [['bad packets at the model'], 'model'],
    [['registers of the RTL'], 'RTL'],
    [['a driver'], undefined],
  ])('takes %j as tests of %s', (titles, device) => {
    expect(deviceOf(titles)).toBe(device);
  });
});

describe('each id in a title of a test', () => {
  const quoted = quotedTitles();

  it('stands in test/compliance', () => {
    const ids = new Set(quoted.flatMap(idsOf));
    expect(ids.size).toBeGreaterThan(50);
    expect(unknownIds(ids, compliance)).toEqual([]);
    expect(unknownIds(['C10-1', 'C10-1000', 'event: none', 'P4'], compliance)).toEqual([
      'C10-1000',
      'event: none',
    ]);
  });

  it('is written as ids are: nothing that looks like one is left out', () => {
    const near = quoted.flatMap((text) => text.match(/\[\s*(?:[CcOo]10[-.]|events?:)[^\]]*\]/g) ?? []);
    expect(near.filter((text) => idsOf(text).length !== 1 || idsOf(text)[0] !== text.slice(1, -1))).toEqual(
      [],
    );
  });
});

/** What no block of the RTL keeps by itself. */
const BY_THE_DRIVER: Readonly<Record<string, string>> = {
  'C10-2': 'the table is memory of the device, which the driver fills and guards',
  'C10-123': 'the table is memory of the device, which the driver fills when it opens it',
  'C10-141': 'what is refused at once never reaches the device',
};

describe('what is broken on purpose', () => {
  const mutants = loadMutants().filter(({ equivalent }) => !equivalent);
  const filesOf = (id: string): string[] =>
    mutants.filter(({ rules }) => rules.includes(id)).map(({ file }) => file);
  const titled = new Set(quotedTitles().flatMap(idsOf));

  it('is each fault of docs/faults.md that the device can show, and a test has its id', () => {
    const faults = readFaults().filter(({ waitsFor }) =>
      waitsFor.every((name) => name in DEFAULTS.capabilities),
    );
    expect(faults.length).toBeGreaterThan(40);
    expect(
      faults.filter(({ id }) => filesOf(id).length === 0 || !titled.has(id)).map(({ id }) => id),
    ).toEqual([]);
  });

  const inScope = compliance.statements.filter(({ id }) =>
    IN_SCOPE.includes(compliance.scope[id]?.phase ?? ''),
  );

  it('is each statement in scope', () => {
    expect(inScope.length).toBeGreaterThan(100);
    expect(inScope.filter(({ id }) => filesOf(id).length === 0).map(({ id }) => id)).toEqual([]);
  });

  it('is in the RTL where hardware keeps the statement', () => {
    const elsewhere = inScope
      .filter(({ actor }) => actor.includes('hardware'))
      .filter(({ id }) => !filesOf(id).some((file) => file.startsWith('rtl/')));
    expect(elsewhere.map(({ id }) => id)).toEqual(Object.keys(BY_THE_DRIVER));
  });
});

/** Every quoted text in the tests but those in here: titles, and rows that titles are made of. */
function quotedTitles(): string[] {
  return readdirSync(`${root}/test`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('conformance.test.ts'))
    .flatMap((file) => readFileSync(`${root}/test/${file}`, 'utf8').split('\n'))
    .flatMap((line) => line.match(/(['"`]).*\1/g) ?? []);
}
