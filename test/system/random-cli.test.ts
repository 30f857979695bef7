import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const openhca = `${root}/bin/openhca.js`;
const work = mkdtempSync(join(tmpdir(), 'openhca-random-'));
afterAll(() => rmSync(work, { recursive: true }));

const run = (args: readonly string[], variables: Record<string, string> = {}) =>
  new Promise<{ status: number; out: string; err: string }>((done) => {
    const env = { ...process.env, ...variables };
    const child: ChildProcess = execFile(
      'node',
      [openhca, 'random', ...args],
      { cwd: root, env },
      (_, out, err) => done({ status: child.exitCode ?? -1, out, err }),
    );
  });

const onModel = (name: string, ...more: string[]): string[] => {
  return ['--device', 'model', '--out', join(work, name), ...more];
};

describe('openhca random', () => {
  it('walks, and says how far and how well', async () => {
    const { status, out } = await run(onModel('plain', '--seed', '4', '--steps', '100'));
    expect(out).toMatch(
      /^random walk, seed 4, 100 steps \(model\)\nrandom walk on model: passed; 1\d\d steps in 1 chapters, .* % of them succeeded; \d+ of 1420 bins; seed 4, state in .*\n$/,
    );
    expect(status).toBe(0);
  });

  it('takes its seed from the environment, and goes on with --resume', async () => {
    const first = await run(onModel('parts', '--steps', '10', '--json'), { SEED: '6' });
    expect(JSON.parse(first.out)).toMatchObject({ seed: 6, chapters: 1, passed: true });
    const second = await run(onModel('parts', '--steps', '200', '--json', '--resume'), { SEED: '6' });
    expect(JSON.parse(second.out)).toMatchObject({ seed: 6, chapters: 2, bins: { all: 1420 } });
  });

  it.each([
    [['--steps', '0'], /^--steps: expected at least one, found 0\n$/],
    [['--steps', 'ten'], /--steps.*expected a number/],
    [['--device', 'wire'], /Allowed choices are model, rtl, rtl-model/],
    [['--profile', 'kind'], /Allowed choices/],
    [['--simulator', '/nosuch'], /^--simulator: expected a program, found "\/nosuch", which is none\n$/],
    [['--out', ''], /^--out: expected a folder, found none\n$/],
    [['--nosuch'], /unknown option/],
  ])('refuses %j', async (args, message) => {
    const { status, err } = await run(args);
    expect(err).toMatch(message);
    expect(status).toBe(2);
  });

  it('refuses to go on with another walk', async () => {
    const out = onModel('other', '--steps', '10');
    expect((await run([...out, '--seed', '1'])).status).toBe(0);
    const { status, err } = await run([...out, '--seed', '2', '--resume']);
    expect(err).toMatch(/expected a walk on model with seed 2, found one on model with seed 1/);
    expect(status).not.toBe(0);
  });

  it('stops at a simulator that dies, and leaves what it played', async () => {
    const simulator = join(work, 'dies');
    writeFileSync(simulator, '#!/bin/sh\necho out of order >&2\nexit 1\n', { mode: 0o755 });
    const out = join(work, 'dead');
    const args = [
      '--simulator',
      simulator,
      '--seed',
      '1',
      '--steps',
      '10',
      '--out',
      out,
      '--shrink',
      '0',
      '--json',
    ];
    const seen = await run(args);
    expect(JSON.parse(seen.out)).toMatchObject({ passed: false, failure: { chapter: 0 } });
    expect(existsSync(join(out, 'chapter-0/failing.yaml'))).toBe(true);
    expect(seen.status).toBe(1);
  });

  it('leaves no simulator behind when it is interrupted', { timeout: 120_000 }, async () => {
    const args = [openhca, 'random', '--seed', '1', '--steps', '100000', '--out', join(work, 'ended')];
    const child = spawn('node', args, { cwd: root, stdio: 'ignore' });
    await expect.poll(() => simulatorsOf(child.pid!).length, { timeout: 60_000 }).toBe(1);
    const [simulator] = simulatorsOf(child.pid!);
    child.kill('SIGINT');
    const status = await new Promise((ended) => child.on('exit', ended));
    expect(status).toBe(130);
    await expect.poll(() => isAlive(simulator!)).toBe(false);
  });
});

function simulatorsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '' && isSimulator(child));
}

function isSimulator(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('openhca-sim');
  } catch {
    return false;
  }
}

function isAlive(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
