import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { page, row } from '../../src/bench/index.ts';

const root = resolve(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'openhca-pages-'));
afterAll(() => rmSync(work, { recursive: true }));

const git = (...args: string[]) => execFileSync('git', args, { cwd: work });
const check = () => {
  const { status, stderr } = spawnSync('bash', [`${root}/scripts/pages.sh`], { cwd: work, encoding: 'utf8' });
  return { status, stderr };
};

describe('the pages that are measured', () => {
  it('pass as they are committed, and fail when they are written anew and differ', () => {
    mkdirSync(join(work, 'docs'));
    writeFileSync(join(work, 'docs/performance.md'), '9 cycles\n');
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'pages');
    expect(check()).toEqual({ status: 0, stderr: '' });

    writeFileSync(join(work, 'docs/performance.md'), '8 cycles\n');
    expect(check()).toEqual({ status: 1, stderr: expect.stringMatching(/^docs: expected the pages/) });
  });

  it('are looked at in the end of the whole check', () => {
    const steps = readFileSync(`${root}/.ci/run`, 'utf8').match(/^run '[^']+'/gm);
    expect(steps?.slice(-3)).toEqual(["run 'synth'", "run 'bench'", "run 'measured pages'"]);
  });

  it('hold nothing that takes time, which differs from run to run', () => {
    const text = page([row('rate', 9, 'cycles', 10, ''), row('speed', 0.7, 'ratio', 0.8, '')]);
    expect(text).toContain('rate');
    expect(text).not.toContain('speed');
  });
});
