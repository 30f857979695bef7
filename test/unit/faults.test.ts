import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFaults } from '../../scripts/conformance/rules.ts';
import { DEFAULTS } from '../../src/model/options.ts';
import { CAPABILITY_REG } from '../../src/spec/gen/registers.ts';

const root = resolve(import.meta.dirname, '../..');
const faults = readFaults();

/** Ids in brackets within a quoted text of a test file: its titles, and the rows that titles are made of. */
const titled = new Set(
  readdirSync(`${root}/test`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('faults.test.ts'))
    .flatMap((file) => readFileSync(`${root}/test/${file}`, 'utf8').split('\n'))
    .flatMap((line) => line.match(/(['"`]).*\1/g) ?? [])
    .flatMap((text) => [...text.matchAll(/\[([A-Z]\d+)\]/g)].map(([, id]) => id!)),
);

const offered = (name: string): boolean => name in DEFAULTS.capabilities;

describe('each fault of docs/faults.md', () => {
  it('stands in a whole row, once', () => {
    expect(faults.length).toBeGreaterThan(50);
    expect(new Set(faults.map(({ cells }) => cells)).size).toBe(1);
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  });

  it('waits for capabilities that there are, and that are not offered yet', () => {
    const waiting = faults.filter(({ waitsFor }) => waitsFor.length > 0);
    for (const { id, waitsFor } of waiting) {
      for (const name of waitsFor) expect(Object.keys(CAPABILITY_REG.fields), id).toContain(name);
      expect(waitsFor.filter(offered), `${id}: offered now`).toEqual([]);
    }
  });

  it('waits, or has a test with its id in the title', () => {
    const open = faults.filter(({ id, waitsFor }) => waitsFor.every(offered) && !titled.has(id));
    expect(open.map(({ id }) => id)).toEqual([]);
  });

  it('is meant by every id in a title', () => {
    const known = new Set(faults.map(({ id }) => id));
    expect([...titled].filter((id) => !known.has(id))).toEqual([]);
  });
});
