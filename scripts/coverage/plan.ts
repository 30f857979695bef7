/** build/coverage/plan.csv: the verification plan, a row for each statement of the standard. */
import type { CollectedRun } from '../../src/coverage/index.ts';
import { binKey } from '../../src/coverage/index.ts';
import type { Mutant } from '../../test/mutants/mutants.ts';
import type { Statement } from '../conformance/compliance.ts';
import type { Judged, Row } from '../conformance/judge.ts';

/** Of the bins that the tests of a statement fill, those that the fewest other tests fill. */
const MOST_BINS = 8;
const HEAD = ['id', 'section', 'title', 'scope', 'actor', 'state', 'why', 'tests', 'mutants', 'coverage'];

export interface PlanParts {
  readonly statements: readonly Statement[];
  readonly judged: Judged;
  readonly mutants: readonly Mutant[];
  readonly runs: Iterable<CollectedRun>;
}

export function planOf({ statements, judged, mutants, runs }: PlanParts): string {
  const bins = new BinsOfTests(runs);
  const row = (each: Row): string[] => {
    const { text = '', actor = [] } = statements.find(({ id }) => id === each.id) ?? {};
    const titles = [...new Set(each.tests.map(({ file, title }) => `${file}: ${title}`))];
    const broken = mutants.filter(({ rules, equivalent }) => !equivalent && rules.includes(each.id));
    return [
      each.id,
      each.section,
      text,
      each.phase,
      actor.join(', '),
      each.state,
      each.reason,
      titles.join('\n'),
      broken.map(({ number, file, why }) => `${number} ${file}: ${why}`).join('\n'),
      bins.of(each.tests.map(({ file, title }) => testName(file, title))).join('\n'),
    ];
  };
  return [HEAD, ...judged.statements.map(row), ...judged.events.map(row)].map(csvLine).join('');
}

/** What a test calls itself where runs are collected. */
export const testName = (file: string, title: string): string => `${file} > ${title}`;

class BinsOfTests {
  readonly #bins = new Map<string, Set<string>>();
  /** How many tests fill a bin. */
  readonly #tests = new Map<string, number>();

  constructor(runs: Iterable<CollectedRun>) {
    for (const { test, hits } of runs) {
      const bins = this.#bins.get(test) ?? new Set<string>();
      this.#bins.set(test, bins);
      for (const counts of Object.values(hits))
        for (const [point, names] of Object.entries(counts))
          for (const name of Object.keys(names)) this.#add(bins, binKey(point, name));
    }
  }

  #add(bins: Set<string>, key: string): void {
    if (bins.has(key)) return;
    bins.add(key);
    this.#tests.set(key, (this.#tests.get(key) ?? 0) + 1);
  }

  of(tests: readonly string[]): string[] {
    const all = new Set(tests.flatMap((test) => [...(this.#bins.get(test) ?? [])]));
    const others = (key: string): number => this.#tests.get(key)!;
    return [...all].sort((a, b) => others(a) - others(b) || a.localeCompare(b)).slice(0, MOST_BINS);
  }
}

/** As RFC 4180 has it. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
