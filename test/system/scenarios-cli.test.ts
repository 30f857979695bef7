import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEVICE_KINDS } from '../../src/run/index.ts';

const root = resolve(import.meta.dirname, '../..');
const openhca = `${root}/bin/openhca.js`;
const work = mkdtempSync(join(tmpdir(), 'openhca-cli-'));
afterAll(() => rmSync(work, { recursive: true }));

interface Outcome {
  status: number;
  out: string[];
  err: string[];
}

type Variables = Record<string, string>;

const runIn = (
  cwd: string,
  args: readonly string[],
  variables: Variables = {},
  program = openhca,
): Promise<Outcome> =>
  new Promise((done) => {
    const options = { cwd, env: { ...process.env, ...variables } };
    const child: ChildProcess = execFile('node', [program, ...args], options, (_, out, err) => {
      done({ status: child.exitCode ?? -1, out: out.trimEnd().split('\n'), err: err.trimEnd().split('\n') });
    });
  });

const run = (...args: string[]): Promise<Outcome> => runIn(root, args);

function file(name: string, text: string): string {
  const path = join(work, name);
  writeFileSync(path, text);
  return path;
}

const WRITE = readFileSync(`${root}/scenarios/write.yaml`, 'utf8');

describe('openhca run', () => {
  it.each(DEVICE_KINDS)('plays a scenario on the device %s and leaves its files', async (device) => {
    const out = join(work, device);
    const seen = await run('run', 'scenarios/write.yaml', '--device', device, '--out', out);
    expect(seen).toMatchObject({ status: 0, err: [''] });
    expect(seen.out.at(-1)).toMatch(
      /^scenarios\/write.yaml on .*: passed; 3 of 3 steps, 4 packets, \d+ cycles, seed 1$/,
    );
    for (const name of ['wire.pcapng', 'timeline.json', 'counters.json'])
      expect(existsSync(`${out}/${name}`), name).toBe(true);
  });

  it('says what docs/scenarios.md shows of it', async () => {
    const page = readFileSync(`${root}/docs/scenarios.md`, 'utf8');
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    const [, command = '', shown = ''] = /```\n\$ openhca (.*?)\n(.*?)```/s.exec(page) ?? [];
    file('write.yaml', example);
    const { status, out } = await runIn(work, command.split(' '));
    expect(out.map((line) => line.replace(/(@)\d+$|\d+( cycles)/, '$1…$2'))).toEqual(
      shown.trimEnd().split('\n'),
    );
    expect(status).toBe(0);
  });

  it('ends with status 1 and the place of what failed', async () => {
    const path = file('failing.yaml', WRITE.replace('bytes: 3000', 'bytes: 3001'));
    const { status, out, err } = await runIn(work, ['run', path]);
    expect({ status, err }).toEqual({ status: 1, err: [''] });
    expect(out.at(-3)).toContain(`${path}:16:40: expected bytes 3001 of completion 1`);
    expect(out.at(-2)).toMatch(/^left build\/failures\/failing-model-1\/problems.txt, /);
    expect(out.at(-1)).toMatch(/failed, 1 problem; 1 of 3 steps/);
    expect(existsSync(join(work, 'build/failures/failing-model-1/wire.pcapng'))).toBe(true);
  });

  it('fills no region from a device, which may have no end', async () => {
    const path = file('endless.yaml', WRITE.replace('fill: pattern', 'fill: { file: /dev/zero }'));
    expect(await run('run', path)).toEqual({
      status: 2,
      out: [''],
      err: [expect.stringMatching(/:\d+:\d+: expected a file \/dev\/zero, found something else$/)],
    });
  });

  it('tells all of it as JSON', async () => {
    const { status, out } = await run('run', 'scenarios/write.yaml', '--json', '--seed', '5');
    expect(status).toBe(0);
    expect(JSON.parse(out.join('\n'))).toMatchObject({ passed: true, seed: 5, steps: 3, problems: [] });
  });

  it.each([
    [
      'a mistake',
      [file('wrong.yaml', WRITE.replace('size: 3000', 'size: big'))],
      /wrong.yaml:\d+:\d+: expected/,
    ],
    ['no file', ['nowhere.yaml'], /nowhere.yaml: expected a file/],
    ['a device that does not exist', ['scenarios/write.yaml', '--device', 'asic'], /Allowed choices/],
    ['no name', [''], /^scenario: expected the name of a file, found none$/],
    ['a seed that is empty', ['scenarios/write.yaml', '--seed', ''], /expected a number .*, found ""/],
    ['no folder', ['scenarios/write.yaml', '--out', ''], /^--out: expected a folder, found none$/],
    ['a seed that is none', ['scenarios/write.yaml', '--seed', 'x'], /expected a number/],
    ['an option that does not exist', ['scenarios/write.yaml', '--fast'], /unknown option/],
    ['nothing', [], /missing required argument/],
    ['a scenario without end', ['/dev/zero'], /zero: expected a file of at most 1 MiB/],
    ['a file for a folder', ['scenarios/write.yaml', '--out', 'package.json'], /^--out: expected a folder/],
    ['no room for a folder', ['scenarios/write.yaml', '--out', '/proc/out'], /^--out: expected a folder/],
  ])('ends with status 2 on %s, without a stack', async (_, args, message) => {
    const { status, err } = await run('run', ...args);
    expect(status).toBe(2);
    expect(err.join('\n')).toMatch(message);
    expect(err.join('\n')).not.toMatch(/\n\s+at /);
  });
});

describe('openhca stat', () => {
  it.each(DEVICE_KINDS)('tells what the devices of a run on %s have counted', async (device) => {
    const out = join(work, `stat-${device}`);
    await run('run', 'scenarios/write.yaml', '--device', device, '--out', out);
    const seen = await run('stat', out);
    expect(seen).toMatchObject({ status: 0, err: [''] });
    expect(seen.out[0]).toMatch(new RegExp(`^${device}, \\d+ cycles$`));
    expect(seen.out).toContain('txPackets                              3             1');
    const { hosts } = JSON.parse((await run('stat', out, '--json')).out.join('\n'));
    expect(hosts).toMatchObject({ a: { txPackets: 3, rxPackets: 1 }, b: { txPackets: 1, acksSent: 1 } });
    expect(hosts.a.health).toEqual({ fatal: false, cause: 0, number: 0 });
  });

  it('tells what went wrong, and only the drops and NAKs that there were', async () => {
    const out = join(work, 'stat-wrong');
    const path = file('refused.yaml', WRITE.replace(', access: [local_write, remote_write]', ''));
    await run('run', path, '--out', out);
    const seen = await run('stat', out);
    expect(seen.status).toBe(0);
    expect(seen.out.filter((line) => /^(naks|drops|stalls) /.test(line))).toEqual([
      expect.stringMatching(/^drops STATE +0 +2$/),
      expect.stringMatching(/^naks SENT_ACCESS +0 +1$/),
      expect.stringMatching(/^naks RECEIVED_ACCESS +1 +0$/),
    ]);
    expect(seen.out.slice(-2)).toEqual([
      expect.stringMatching(/^host a: last error: REM_ACCESS_ERR of the send queue of QP \d+, vendor 98$/),
      expect.stringMatching(/^host b: last event: QP_ACCESS_ERR \d+$/),
    ]);
  });

  it('says what docs/stat.md shows of it, rates and cycles apart', async () => {
    const page = readFileSync(`${root}/docs/stat.md`, 'utf8');
    const [, shown = ''] = /```\n\$ openhca stat .*?\n(.*?)```/s.exec(page) ?? [];
    await runIn(work, ['run', `${root}/scenarios/write.yaml`, '--device', 'rtl', '--out', 'out/write']);
    const { out } = await runIn(work, ['stat', 'out/write']);
    expect(out.map(withoutTimes)).toEqual(shown.trimEnd().split('\n').map(withoutTimes));
  });

  it.each([
    ['no folder', ['nowhere'], /^stat: expected the counters.json of a run in nowhere, found none$/],
    ['no name', [''], /^stat: expected a folder, found none$/],
    ['nothing', [], /missing required argument/],
    ['a file that is no JSON', [counters('text', 'hello')], /found no JSON$/],
    ['a file that is empty', [counters('empty', '')], /found no JSON$/],
    [
      'a file that is other JSON',
      [counters('other', '{ "hosts": { "a": 1 } }')],
      /found other JSON: device: /,
    ],
    ['a device in its place', [counters('device', undefined)], /found something else$/],
  ])('ends with status 2 on %s, without a stack', async (_, args, message) => {
    const { status, err } = await run('stat', ...args);
    expect(status).toBe(2);
    expect(err.join('\n')).toMatch(message);
    expect(err.join('\n')).not.toMatch(/\n\s+at /);
  });
});

/** What the timing of the device decides; bytes and requests, and what moves, do not hang on it. */
const withoutTimes = (line: string): string =>
  line
    .replace(/\d+( cycles)$/, '…$1')
    .replace(/^(payload bytes a cycle|wire bytes a cycle|of the wire limit) .*/, '$1 …')
    .replace(/^(RDMA_WRITE +\d+ +\d+ +\d+) .*/, '$1 …')
    .replace(/^([A-Z_]+ +\d+) +\d+ +\d+$/, '$1 …');

/** A folder with such a counters.json; without a text a device. */
function counters(name: string, text: string | undefined): string {
  const folder = join(work, `counters-${name}`);
  mkdirSync(folder);
  if (text === undefined) symlinkSync('/dev/zero', join(folder, 'counters.json'));
  else writeFileSync(join(folder, 'counters.json'), text);
  return folder;
}

describe('openhca', () => {
  it('ends with status 2 on a command that does not exist', async () => {
    expect(await run('xyz')).toMatchObject({
      status: 2,
      err: ["error: unknown command 'xyz'"],
    });
  });

  it('ends with status 2 when the environment says what nobody understands', async () => {
    const seen = await runIn(root, ['demo', '--device', 'model'], { WAVE: 'yes' });
    expect(seen).toEqual({ status: 2, out: [''], err: ['WAVE: expected one of 0, 1, found "yes"'] });
  });

  it('says in a line that its output cannot be written', async () => {
    const child = spawn('bash', ['-c', `node ${openhca} run scenarios/write.yaml >/dev/full`], { cwd: root });
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const status = await new Promise((done) => child.on('close', done));
    expect({ status, err }).toEqual({
      status: 1,
      err: expect.stringMatching(/^standard output: cannot be written: .*\n$/),
    });
  });
});

describe('openhca without a simulator', () => {
  const bare = join(work, 'bare');
  mkdirSync(join(bare, 'docs'), { recursive: true });
  for (const name of ['bin', 'src', 'package.json', 'scenarios', 'docs/scenario.schema.json'])
    cpSync(join(root, name), join(bare, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(bare, 'node_modules'));

  it.each([
    ['run', ['scenarios/write.yaml', '--device', 'rtl']],
    ['demo', []],
    ['bench', ['--only', 'doorbell']],
  ])('ends with status 3 and says what builds it: %s', async (command, args) => {
    const { status, err } = await runIn(bare, [command, ...args], {}, join(bare, 'bin/openhca.js'));
    expect({ status, last: err.at(-1) }).toEqual({
      status: 3,
      last: expect.stringMatching(
        /^simulator: expected the program .*, found none; build it with: make sim$/,
      ),
    });
  });
});

describe('openhca check', () => {
  it('lists the mistakes of all files', async () => {
    const wrong = [file('one.yaml', 'name: 1\n'), file('two.yaml', 'name: [\n')];
    const { status, out, err } = await run('check', 'scenarios/write.yaml', ...wrong);
    expect(status).toBe(2);
    expect(out).toEqual(['scenarios/write.yaml: RDMA WRITE of three packets: 3 steps']);
    expect(err.filter((line) => line.startsWith(wrong[0]!))).toHaveLength(2);
    expect(err.filter((line) => line.startsWith(wrong[1]!)).length).toBeGreaterThan(0);
  });

  it.each(['check', 'run'])('does not wait for a pipe to say something: %s', async (command) => {
    const pipe = join(work, `pipe-${command}`);
    execFileSync('mkfifo', [pipe]);
    expect(await run(command, pipe)).toEqual({
      status: 2,
      out: [''],
      err: [expect.stringMatching(/^.*: expected a file of at most 1 MiB, found what is no file$/)],
    });
  });
});

describe('openhca bench', () => {
  it('ends with status 2 when no row has that name', async () => {
    expect(await run('bench', '--only', 'zzz')).toEqual({
      status: 2,
      out: [''],
      err: [expect.stringMatching(/^--only: expected a part of the name of one of \d+ rows, found "zzz"$/)],
    });
  });
});

describe('openhca demo', () => {
  it.each(DEVICE_KINDS)('moves a file on the device %s', async (device) => {
    const out = join(work, `demo-${device}`);
    const seen = await run('demo', '--device', device, '--file', 'package.json', '--out', out);
    expect(seen.status).toBe(0);
    // A slow machine shows progress.
    expect(seen.err.filter((line) => !/^demo: /.test(line))).toEqual(['']);
    expect(seen.out.filter((line) => /^(SEND|RDMA)/.test(line))).toHaveLength(5);
    expect(seen.out.filter((line) => /^refused: .*: REM_ACCESS_ERR$/.test(line))).toHaveLength(3);
    expect(seen.out.at(-1)).toMatch(/^demo on .*: passed/);
  });

  it.each([
    ['none', 'nowhere.bin', /expected a file that can be read/],
    ['a folder', '.', /expected a file, found/],
    ['an empty one', file('empty.bin', ''), /expected at least a byte/],
    ['one that is too large', tooLarge(), /expected at most 67108864 bytes, found 67108865/],
  ])('ends with status 2 when the file is %s', async (_, path, message) => {
    const { status, err } = await run('demo', '--device', 'model', '--file', path, '--out', work);
    expect(status).toBe(2);
    expect(err).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends with its simulator on %s, with status %i', async (signal, expected) => {
    const large = file('large.bin', '');
    truncateSync(large, 2 ** 25);
    const child = spawn('node', [openhca, 'demo', '--file', large, '--out', join(work, signal)], {
      cwd: root,
    });
    const simulator = await firstChild(child.pid!);
    child.kill(signal);
    const status = await new Promise((done) => child.on('close', done));
    expect(status).toBe(expected);
    await expect.poll(() => existsSync(`/proc/${simulator}`), { timeout: 5000 }).toBe(false);
  });
});

function tooLarge(): string {
  const path = file('too-large.bin', '');
  truncateSync(path, 2 ** 26 + 1);
  return path;
}

/** The process that a process has started, once it has. */
async function firstChild(pid: number): Promise<number> {
  for (;;) {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    if (child) return Number(child);
    await new Promise((wait) => setTimeout(wait, 50));
  }
}
