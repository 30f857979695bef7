import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createRtlFabric,
  type RtlFabric,
  type RtlFabricOptions,
  simulatorBinary,
} from '../../src/sim/index.ts';
import { buildCocotb, root } from '../support/cocotb.ts';
import { BAD, GO, REG, start } from '../support/sim-echo.ts';

const sim = 'cocotb-icarus';
const variant = 'echo';
const opened: RtlFabric[] = [];

const open = async (options: RtlFabricOptions = {}): Promise<RtlFabric> => {
  const fabric = await createRtlFabric({ sim, variant, ...options });
  opened.push(fabric);
  return fabric;
};

const lives = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

beforeAll(() => buildCocotb(sim, { SIM_VARIANT: variant, SIM_RTL: 'tb/echo.sv' }));
afterEach(async () => {
  for (const fabric of opened.splice(0)) await fabric.close();
});

describe('the bridge', () => {
  it('carries registers, memory, packets and interrupts', async () => {
    const fabric = await open({ seed: 5 });
    const [a, b] = fabric.devices;
    const vectors: number[] = [];
    a.onInterrupt((vector) => vectors.push(vector));
    a.barWrite(0, REG.scratch, 0x0123_4567_89ab_cdefn);
    start(a, { go: GO.writes | GO.packets | GO.interrupt, length: 100, count: 3, stride: 128, vector: 9 });
    await fabric.run({ cycles: 2000, idle: true });

    expect(await a.barRead(0, REG.scratch)).toBe(0x0123_4567_89ab_cdefn);
    expect(await a.memRead(0x20000n, 4)).toEqual(Uint8Array.of(0, 1, 2, 3));
    expect(await b.barRead(0, REG.packetsReceived)).toBe(3n);
    expect(vectors).toEqual([9]);
  });

  it('keeps what the RTL prints out of the frames', async () => {
    const fabric = await open();
    start(fabric.devices[0], { go: GO.writes, misbehave: BAD.print });
    await fabric.run({ cycles: 500 });

    expect(await fabric.devices[0].barRead(0, REG.scratch)).toBeTypeOf('bigint');
  });

  it.each([
    ['assertion', BAD.assertion, /assertion failed at tb\/echo\.sv:\d+ in bench\.u_pair\.u_a\..*, cycle \d+/],
    ['violation', BAD.writeKeep, /hca 0 m_wr, cycle \d+: expected byte enables/],
  ] as const)('ends the run at a broken rule: %s', async (kind, misbehave, message) => {
    const fabric = await open();
    start(fabric.devices[0], { go: GO.writes, misbehave });

    await expect(fabric.run({ cycles: 500 })).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it('refuses what the protocol does not have, as the native simulator does', async () => {
    const [native, other] = (['verilator', sim] as const).map((each) => {
      const input = Buffer.from([1, 0, 0, 0, 7]);
      const { status, stdout } = spawnSync(
        simulatorBinary({ sim: each, ...(each === sim ? { variant } : {}) }),
        { input },
      );
      return { status, stdout: stdout.toString('latin1') };
    });

    expect(native!.stdout).toContain('first command: expected hello, got 7');
    expect(other).toEqual(native);
  });
});

describe('the processes', () => {
  it('end when the client is killed in the middle of a run', async () => {
    const script = `
      import { createRtlFabric } from '${root}/src/sim/index.ts';
      const fabric = await createRtlFabric({ sim: '${sim}', variant: '${variant}' });
      console.log(fabric.simulator.pid);
      await fabric.run({ cycles: 1e12 });`;
    const client = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: root,
    });
    const pid = await new Promise<number>((found) =>
      client.stdout.once('data', (text) => found(Number(text))),
    );
    expect(lives(pid)).toBe(true);
    client.kill('SIGKILL');

    await expect.poll(() => lives(pid), { timeout: 20_000 }).toBe(false);
  });

  it('are an error when Python is killed', async () => {
    const fabric = await open();
    const run = fabric.run({ cycles: 1e12 });
    setTimeout(() => process.kill(fabric.simulator.pid!, 'SIGKILL'), 200);

    await expect(run).rejects.toMatchObject({ kind: 'died', message: expect.stringContaining('SIGKILL') });
  });

  it('leave an interrupt to the client', async () => {
    const fabric = await open();
    process.kill(fabric.simulator.pid!, 'SIGINT');

    expect((await fabric.run({ cycles: 100 })).reason).toBe('cycles');
  });
});

describe('the build', () => {
  it('names Icarus when there is none', () => {
    const path = mkdtempSync(join(tmpdir(), 'openhca-path-'));
    for (const tool of ['bash', 'dirname'])
      symlinkSync(execFileSync('which', [tool], { encoding: 'utf8' }).trim(), join(path, tool));
    const { status, stderr } = spawnSync(join(path, 'bash'), [join(root, 'sim/cocotb/build.sh'), 'icarus'], {
      env: { PATH: path },
      encoding: 'utf8',
    });
    rmSync(path, { recursive: true });

    expect(stderr).toBe(
      'build.sh: expected Icarus Verilog, found none: install it (Debian: apt install iverilog)\n',
    );
    expect(status).toBe(1);
  });

  it('knows the ports of the pair, each once', () => {
    const source = readFileSync(join(root, 'tb/pair.sv'), 'utf8').split(');')[0]!;
    const inPair = [...source.matchAll(/^ {2}(input|output).*?(\w+),?$/gm)].map(
      ([, way, name]) => `${way} ${name}`,
    );
    const table = readFileSync(join(root, 'sim/vpi/ports.h'), 'utf8');
    const rows = [...table.matchAll(/\b(IN|FLAG|WORD|CFG)\((?:uint\d+_t|Beat|Lanes), (\w+)/g)].map(
      ([, kind, name]) => ({
        kind,
        name,
      }),
    );
    const inTable = rows.flatMap(({ kind, name }) =>
      kind === 'CFG'
        ? [`output ${name}`]
        : ['a', 'b'].map((side) => `${kind === 'IN' ? 'input' : 'output'} ${side}_${name}`),
    );

    expect(inPair).toHaveLength(98);
    expect([...inTable, 'input clk', 'input rst'].sort()).toEqual(inPair.sort());
  });
});

describe('a test in Python', () => {
  it('drives the driver by verbs while it watches the ports', () => {
    const { status, stdout } = spawnSync(
      join(root, '.venv/bin/python'),
      ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tb/cocotb/examples'],
      { cwd: root, env: { ...process.env, PYTHONPATH: 'tb/cocotb' }, encoding: 'utf8' },
    );

    expect(stdout).toContain('1 passed');
    expect(status).toBe(0);
  });
});
