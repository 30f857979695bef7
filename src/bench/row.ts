/** A measured figure of `make bench`. */
export interface BenchRow {
  name: string;
  value: number;
  unit: '%' | 'cycles' | 'cycles/message' | 'ratio' | 'kcycles/s';
  /** What the value must reach; null where it is only told. */
  target: number | null;
  met: boolean;
  conditions: string;
}

/** Cycles repeat exactly, so such rows may gate; times are told only. */
export const isExact = ({ unit }: BenchRow): boolean => unit !== 'ratio' && unit !== 'kcycles/s';

/** Shares have to be at least the target, cycles at most. */
export function row(
  name: string,
  value: number,
  unit: BenchRow['unit'],
  target: number | null,
  conditions: string,
): BenchRow {
  const rounded = Math.round(value * 100) / 100;
  const more = unit === '%' || unit === 'ratio' || unit === 'kcycles/s';
  const met = target === null || (more ? rounded >= target : rounded <= target);
  return { name, value: rounded, unit, target, met, conditions };
}

const HEAD = ['name', 'value', 'unit', 'target', 'met'] as const;

const cells = ({ name, value, unit, target, met }: BenchRow): string[] => [
  name,
  value.toFixed(unit === 'cycles' ? 0 : unit === '%' ? 1 : 2),
  unit,
  target === null ? '' : `${unit.startsWith('cycles') ? '≤' : '≥'} ${target}`,
  target === null ? '' : met ? 'yes' : 'NO',
];

/** As a table for people. */
export function table(rows: readonly BenchRow[]): string {
  const all = [HEAD as readonly string[], ...rows.map(cells)];
  const widths = HEAD.map((_, i) => Math.max(...all.map((line) => (line[i] ?? '').length)));
  return all
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What a run comes to: rows of cycles must meet their floors, rows of time are only told. */
export function outcome(rows: readonly BenchRow[]): { text: string; met: boolean } {
  const names = (missed: readonly BenchRow[]) => missed.map(({ name }) => name).join('; ');
  const gated = rows.filter((each) => isExact(each) && each.target !== null);
  const missed = gated.filter((each) => !each.met);
  const slow = rows.filter((each) => !isExact(each) && !each.met);
  const met = `floors in cycles: ${gated.length - missed.length} of ${gated.length} met`;
  const floors = missed.length === 0 ? met : `${met}, missed: ${names(missed)}`;
  const times = slow.length === 0 ? '' : `; missed and not gated, as time differs by machine: ${names(slow)}`;
  return { text: `${floors}${times}`, met: missed.length === 0 };
}

/** As a page of docs/, with what repeats exactly. */
export function page(rows: readonly BenchRow[]): string {
  const exact = rows.filter(isExact);
  const lines = exact.map((each) => `| ${[...cells(each), each.conditions].join(' | ')} |`);
  return `# Performance

Written by \`make bench\`: cycles at 256 bits, the same on every machine. Shares are of the wire limit: the beats of the ideal packet
train, each packet rounded up to whole beats with its headers and CRCs, READ requests and one ACK per 16 packets or per message included.
At 250 MHz a full beat a cycle is 64 Gb/s.

| name | value | unit | floor | met | conditions |
|---|---|---|---|---|---|
${lines.join('\n')}
`;
}
