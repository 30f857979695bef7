import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runNode } from '../mutants/process.ts';

const root = resolve(import.meta.dirname, '../..');

describe('what breaks the RTL on purpose', () => {
  it('ends with status 2 when nothing has that name, before it builds anything', () => {
    const args = ['--import', 'tsx', 'scripts/mutate.ts', 'nosuch'];
    const { status, stdout, stderr } = spawnSync('node', args, { cwd: root, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^mutate: expected numbers from 1 to \d+ or blocks \(.*\), found nosuch\n$/);
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
