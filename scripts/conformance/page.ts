/** docs/conformance.md */
import { IN_SCOPE, type Judged, type Row, STATES } from './judge.ts';
import { DEVICES } from './tests.ts';

export function page(judged: Judged): string {
  const { statements, events } = judged;
  return `# Conformance

Written by \`make conformance\` from \`test/compliance\` and a run of the tests. A statement counts as shown on a device if a test with its id in the title
passed on that device and none failed. Tests of RTL against model are told of and count for neither. Mutants are faults that break the statement on purpose
(\`test/mutants\`, \`make mutate\`); of the parts in scope, a statement that none breaks counts as not shown.

${totals(judged)}

Of the statements of the parts ${IN_SCOPE.map((phase) => `\`${phase}\``).join(' and ')} of \`scope.yaml\`: ${inScope(statements)}.

## Statements

${table(statements, (row) => [row.id, row.section])}

## Events

${table(events, (row) => [row.id, ''])}
`;
}

function totals({ statements, events }: Judged): string {
  const count = (rows: readonly Row[], state: string) => rows.filter((row) => row.state === state).length;
  const lines = STATES.map((state) => `| ${state} | ${count(statements, state)} | ${count(events, state)} |`);
  return [
    '| state | statements | events |',
    '|---|---|---|',
    ...lines,
    `| all | ${statements.length} | ${events.length} |`,
  ].join('\n');
}

function inScope(rows: readonly Row[]): string {
  const wanted = rows.filter(({ phase }) => IN_SCOPE.includes(phase));
  const open = wanted.filter(({ state }) => state === 'not yet').map(({ id }) => id);
  const list = open.length === 0 ? '' : ` (${open.join(', ')})`;
  const broken = wanted.filter(({ mutants }) => mutants > 0).length;
  return `${wanted.length}, not shown yet ${open.length}${list}, broken on purpose ${broken}`;
}

function table(rows: readonly Row[], head: (row: Row) => readonly [string, string]): string {
  const lines = rows.map((row) => {
    const [id, section] = head(row);
    return `| ${id} | ${section} | ${row.state} | ${row.reason || devices(row)} | ${files(row)} | ${row.mutants || ''} |`;
  });
  return [
    '| id | section | state | why, or passed on | tests | mutants |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

const devices = ({ tests }: Row): string =>
  DEVICES.filter((name) => tests.some(({ device, status }) => device === name && status === 'passed')).join(
    ', ',
  );

/** Files, and how many of their tests carry the id. */
function files({ tests }: Row): string {
  const counts = new Map<string, number>();
  for (const { file } of tests) counts.set(file, (counts.get(file) ?? 0) + 1);
  const failed = tests.filter(({ status }) => status === 'failed').length;
  const list = [...counts].map(([file, count]) => `\`${file.replace(/^test\//, '')}\` ${count}`).sort();
  return [...list, ...(failed > 0 ? [`**${failed} failed**`] : [])].join(', ');
}
