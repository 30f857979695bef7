import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'openhca-wave-'));
afterAll(() => rmSync(work, { recursive: true }));

const BUILD_MS = 1_200_000;

function openhca(...args: string[]) {
  const { status, stdout, stderr } = spawnSync('node', ['bin/openhca.js', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** What another reader finds in a wave file: names with ranges, first and last time. */
function readByOther(path: string): { names: string[]; start: number; end: number } {
  const program = `
import json, sys, pylibfst
file = pylibfst.lib.fstReaderOpen(sys.argv[1].encode())
_, signals = pylibfst.get_scopes_signals2(file)
times = [pylibfst.lib.fstReaderGetStartTime(file), pylibfst.lib.fstReaderGetEndTime(file)]
print(json.dumps({"names": [name.replace(" ", "") for name in signals.by_name], "start": times[0], "end": times[1]}))`;
  return JSON.parse(
    execFileSync('.venv/bin/python', ['-c', program, path], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    }),
  );
}

describe('waves of a run', () => {
  const out = join(work, 'run');

  beforeAll(() => {
    const env = { ...process.env, SIM_TRACE: '1', SIM_OPT: '-O1' };
    execFileSync('bash', ['sim/build.sh'], { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
    expect(openhca('run', 'scenarios/lossy-link.yaml', '--device', 'rtl', '--out', out).status).toBe(0);
  }, BUILD_MS);

  it('show what another reader finds, the states by name', () => {
    const { status, stdout, stderr } = openhca(
      'wave',
      out,
      '--around',
      'retry',
      '--nth',
      '2',
      '--cycles',
      '400',
      '--json',
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { from, to, at, files, signals } = JSON.parse(stdout);
    expect([to - from, from < at, at < to]).toEqual([400, true, true]);
    const { names, start, end } = readByOther(files[0]);
    expect([start, end]).toEqual([2 * from, 2 * to - 1]);
    const known = new Set(names);
    const save = readFileSync(files[1], 'utf8').split('\n');
    const shown = save.filter((line) => line.startsWith('top.'));
    expect(shown).toHaveLength(signals);
    expect(shown.filter((name) => !known.has(name))).toEqual([]);
    expect(save[save.indexOf('top.pair.u_a.u_completer.step_q[4:0]') - 1]).toBe('@100000028');
    const plain = new Set(names.map((name) => name.replace(/\[.*/, '')));
    const added = readFileSync(files[2], 'utf8').match(/^variable_add .*$/gm) ?? [];
    expect(added).toHaveLength(signals);
    expect(added.filter((line) => !plain.has(line.slice('variable_add '.length)))).toEqual([]);
  });

  it.each<[string, string[], string]>([
    ['a mark that there is not', ['--around', 'nak', '--nth', '99'], 'expected nak 99 in'],
    ['two places', ['--around', 'nak', '--at', '5'], 'expected --at or --around, found both'],
    ['no cycles', ['--cycles', '0'], '--cycles: expected 1 or more, found 0'],
  ])('are refused for %s in one line', (_, options, why) => {
    const { status, stdout, stderr } = openhca('wave', out, ...options);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('are refused for a folder without a run in one line', () => {
    const { status, stderr } = openhca('wave', work);
    expect({ status, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 2, lines: 1 });
  });
});
