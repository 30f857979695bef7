import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'openhca-bare-'));
afterAll(() => rmSync(work, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(work, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

for (const name of ['sim/build.sh', 'rtl/files.f', 'rtl/lint.vlt', 'tb/pair.sv'])
  cpSync(`${root}/${name}`, join(work, name));
file('sim/harness/server.cpp', '');
file('sim/verilator/main.cpp', '');

function run(command: string, args: readonly string[], variables: Record<string, string> = {}) {
  const env = { ...process.env, ...variables };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: work, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('a folder without its tools', () => {
  it('builds no simulator, and says what to do', () => {
    const python = file('bin/python3', '#!/bin/sh\necho Traceback >&2\nexit 1\n');
    const PATH = `${dirname(python)}:${process.env.PATH}`;
    expect(run('bash', ['sim/build.sh'], { PATH, VERILATOR_ROOT: '' })).toEqual({
      status: 1,
      stdout: '',
      stderr: 'build.sh: expected Verilator in .venv, found none: run make setup\n',
    });
  });

  it('synthesises nothing, and says what to do', () => {
    const tsx = import.meta.resolve('tsx');
    expect(run('node', ['--import', tsx, `${root}/scripts/synth.ts`])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'synth: expected Yosys at .venv/bin/yowasp-yosys, found none: run make setup\n',
    });
  });
});

describe('a build', () => {
  it('says while C++ compiles that it goes on, and leaves nothing behind', () => {
    const verilator = file('tools/bin/verilator', '#!/bin/sh\nmkdir -p build/sim/w256/obj\n');
    const make = file('make/make', '#!/bin/sh\nsleep 1.5\ntouch build/sim/w256/obj/verilated.o\n');
    const start = performance.now();
    const seen = run('bash', ['sim/build.sh'], {
      PATH: `${dirname(make)}:${process.env.PATH}`,
      VERILATOR_ROOT: resolve(verilator, '../..'),
      SIM_PROGRESS_S: '1',
    });
    expect(seen).toEqual({ status: 0, stdout: 'build.sh: w256: C++ compiles, 1 s so far\n', stderr: '' });
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
