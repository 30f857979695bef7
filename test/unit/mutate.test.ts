import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../mutants/case-errors.ts';
import { LOSSY } from '../mutants/case-lossy.ts';
import { OBJECTS } from '../mutants/case-objects.ts';
import { TRANSFERS } from '../mutants/case-transfers.ts';
import { choosing } from '../mutants/choose.ts';
import { inTypeScript, loadMutants, placesOf, replaced } from '../mutants/mutants.ts';
import { runNode } from '../mutants/process.ts';
import { readReport } from '../mutants/tree.ts';

const root = resolve(import.meta.dirname, '../..');

describe('what breaks the RTL on purpose', () => {
  it('ends with status 2 when nothing has that name, before it builds anything', () => {
    const args = ['--import', 'tsx', 'scripts/mutate.ts', 'nosuch'];
    const { status, stdout, stderr } = spawnSync('node', args, { cwd: root, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^mutate: expected numbers from 1 to \d+ or blocks \(.*\), found nosuch\n$/);
  });
});

describe('the mutants', () => {
  it('name cases that there are', () => {
    const names = [...TRANSFERS, ...ERRORS, ...LOSSY, ...OBJECTS].map(({ name }) => name);
    for (const { by, number, why } of loadMutants()) if (by) expect(names, `${number}: ${why}`).toContain(by);
  });

  it('each have their place in the source, and none in that of another', () => {
    const files = new Map<string, ReturnType<typeof loadMutants>>();
    for (const mutant of loadMutants()) files.set(mutant.file, [...(files.get(mutant.file) ?? []), mutant]);
    expect(files.size).toBeGreaterThan(50);
    for (const [file, mutants] of files) {
      const source = readFileSync(resolve(root, file), 'utf8');
      // Half an expression cannot be chosen.
      for (const { expr, with: other } of mutants)
        for (const text of inTypeScript({ file }) ? [] : [expr, other])
          expect(text).not.toMatch(/[|&?:+*=<>^-]\s*$/);
      if (inTypeScript({ file })) for (const each of mutants) replaced(source, each);
      else choosing(source, placesOf(source, mutants));
    }
  });
});

describe('a mutant of TypeScript', () => {
  const mutant = { ...loadMutants()[0]!, file: 'src/some.ts', with: 'two' };

  it('stands in place of one expression', () => {
    expect(replaced('a = one; b = one;', { ...mutant, at: 'b =', expr: 'one' })).toBe('a = one; b = two;');
    expect(() => replaced('a = one; b = one;', { ...mutant, at: undefined, expr: 'one' })).toThrow(
      'more often',
    );
    expect(() => replaced('a = one;', { ...mutant, at: 'b =', expr: 'one' })).toThrow('nowhere');
  });

  it('is killed by tests that ran and failed, not by a source that cannot be read', () => {
    const tree = mkdtempSync(resolve(tmpdir(), 'mutant-'));
    try {
      const report = (files: object[]) => {
        mkdirSync(`${tree}/build/reports`, { recursive: true });
        writeFileSync(`${tree}/build/reports/mutant.json`, JSON.stringify({ testResults: files }));
        return readReport(tree, 'mutant');
      };
      expect(readReport(tree, 'mutant')).toBeUndefined();
      expect(report([{ status: 'failed', assertionResults: [] }])).toBeUndefined();
      const ran = (fullName: string, status: string) => ({ fullName, status, failureMessages: ['why'] });
      expect(
        report([
          {
            status: 'failed',
            assertionResults: [ran('a', 'passed'), ran('b', 'failed'), ran('c', 'skipped')],
          },
        ]),
      ).toEqual({ passed: ['a'], failed: [{ name: 'b', why: 'why' }] });
    } finally {
      rmSync(tree, { recursive: true });
    }
  });
});

describe('a program with a limit', () => {
  it('tells what it said and how it ended', async () => {
    const ended = await runNode(['-e', 'console.log(process.env.WORD); process.exit(3)'], 10_000, {
      WORD: 'x',
    });
    expect(ended).toMatchObject({ status: 3, stdout: 'x\n', stderr: '', cut: false });
  });

  it('is stopped at it, with what it has started', async () => {
    const child = 'setInterval(() => {}, 1000)';
    const parent = `const { pid } = require('child_process').spawn(process.execPath, ['-e', '${child}']);
      console.log(pid); setInterval(() => {}, 1000)`;
    const { cut, status, stdout } = await runNode(['-e', parent], 1500);
    expect({ cut, status }).toEqual({ cut: true, status: undefined });
    await expect.poll(() => isAlive(Number(stdout))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
