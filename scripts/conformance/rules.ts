/** The ids that a mutant may name. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readCompliance } from './compliance.ts';

const root = resolve(import.meta.dirname, '../..');
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export interface Fault {
  id: string;
  /** How many cells its row has. */
  cells: number;
  /** Capabilities without which the device cannot show it. */
  waitsFor: readonly string[];
}

/** The rows of docs/faults.md. */
export function readFaults(): Fault[] {
  return readFileSync(`${root}/docs/faults.md`, 'utf8')
    .split('\n')
    .filter((line) => /^\| [A-Z]\d+ \|/.test(line))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      const waitsFor = [...(cells.at(-2) ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => camel(name!));
      return { id: cells[1]!, cells: cells.length, waitsFor };
    });
}

/** Statements of test/compliance and rows of docs/faults.md. */
export function knownRules(): ReadonlySet<string> {
  const { statements } = readCompliance(`${root}/test/compliance`);
  return new Set([...statements.map(({ id }) => id), ...readFaults().map(({ id }) => id)]);
}
