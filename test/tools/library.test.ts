import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const { name, version, exports, dependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'openhca-library-'));
afterAll(() => rmSync(work, { recursive: true }));

function run(folder: string, command: string, ...args: string[]) {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };
  const { stdout, stderr, status } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
  return { stdout, stderr, status };
}

/** A project with the package in it, as npm unpacks it, and other packages from here, since a test has no network. */
function project(folder: string, packages: readonly string[]): string {
  const path = join(work, folder);
  mkdirSync(join(path, 'node_modules', name), { recursive: true });
  const tarball = join(work, `${name}-${version}.tgz`);
  const target = join(path, 'node_modules', name);
  expect(run(path, 'tar', 'xzf', tarball, '--strip-components=1', '-C', target).status).toBe(0);
  for (const each of packages) {
    const link = join(path, 'node_modules', each);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(`${root}/node_modules/${each}`), link);
  }
  return path;
}

let alone = '';
let example = '';

beforeAll(() => {
  const packed = run(root, 'npm', 'pack', '--pack-destination', work, '--silent');
  if (packed.status !== 0) throw new Error(`npm pack: expected a tarball, found ${packed.stderr}`);
  alone = project('alone', []);
  example = project('example', [...Object.keys(dependencies), 'typescript', '@types/node']);
  cpSync(`${root}/examples/library`, example, { recursive: true });
});

describe('the package', () => {
  it('holds what was built and no sources, tests or tools', () => {
    const inside = (path: string): boolean => existsSync(join(alone, 'node_modules', name, path));
    for (const path of [
      'dist/index.js',
      'dist/index.d.ts',
      'dist/board/uio-helper.c',
      'bin/openhca.js',
      'scenarios/write.yaml',
      'LICENSE',
    ])
      expect([path, inside(path)]).toEqual([path, true]);
    for (const path of ['src', 'test', 'rtl', 'node_modules', 'requirements.txt'])
      expect([path, inside(path)]).toEqual([path, false]);
  });

  it('plays a scenario on the model and makes a page of it', () => {
    const openhca = (...args: string[]) =>
      run(example, 'node', `node_modules/${name}/bin/openhca.js`, ...args);
    const played = openhca(
      'run',
      `node_modules/${name}/scenarios/write.yaml`,
      '--device',
      'model',
      '--out',
      'out',
    );
    expect(played).toMatchObject({ status: 0, stderr: '' });
    expect(openhca('report', 'out')).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(example, 'out/report.html'), 'utf8')).toMatch(
      /^<!doctype html>[\s\S]*<\/html>\s*$/i,
    );
  });

  it('has a file and types for each of its parts', () => {
    for (const [part, target] of Object.entries<string | { types: string; default: string }>(exports)) {
      const files = typeof target === 'string' ? [target] : [target.types, target.default];
      for (const file of files)
        expect([part, existsSync(join(alone, 'node_modules', name, file))]).toEqual([part, true]);
    }
  });

  it.each(['device', 'wire', 'spec', 'model', 'host', 'check', 'fault', 'capture', 'replay'])(
    'needs no other package for openhca/%s',
    (part) => {
      const script = `console.log(Object.keys(await import('openhca/${part}')).length)`;
      const { stdout, stderr, status } = run(alone, 'node', '--input-type=module', '-e', script);
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
      expect(Number(stdout)).toBeGreaterThanOrEqual(part === 'device' ? 0 : 3);
    },
  );

  it('needs no package that is built for a machine', () => {
    for (const each of Object.keys(dependencies)) {
      const {
        scripts = {},
        gypfile,
        optionalDependencies,
        os,
      } = JSON.parse(readFileSync(`${root}/node_modules/${each}/package.json`, 'utf8'));
      expect([each, scripts.install, scripts.postinstall, gypfile, optionalDependencies, os]).toEqual([
        each,
        ...Array(5).fill(undefined),
      ]);
    }
  });
});

describe('the example project', () => {
  it('compiles, against the types of the package', () => {
    const tsc = run(example, 'node', 'node_modules/typescript/bin/tsc');
    expect(tsc).toEqual({ stdout: '', stderr: '', status: 0 });
  });

  it('is refused by the types where it is wrong', () => {
    const wrong = join(example, 'wrong');
    mkdirSync(wrong, { recursive: true });
    const text =
      "import { createModelFabric } from 'openhca/model';\ncreateModelFabric().devices[2];\nexport {};\n";
    cpSync(join(example, 'tsconfig.json'), join(wrong, 'tsconfig.json'));
    mkdirSync(join(wrong, 'src'), { recursive: true });
    const write = run(wrong, 'node', '-e', `fs.writeFileSync('src/wrong.ts', ${JSON.stringify(text)})`);
    expect(write.status).toBe(0);
    const { stdout, status } = run(wrong, 'node', '../node_modules/typescript/bin/tsc');
    expect(status).not.toBe(0);
    expect(stdout).toContain('src/wrong.ts(2,29): error TS2493');
  });

  it.each([
    ['build/verbs.js', ['verbs: 3000 bytes arrived as sent', 'verbs: 4 packets']],
    ['build/device.js', ['device: counted model 0: the driver went through it']],
    ['build/scenario.js', ['scenario: passed, 15 of 15 steps']],
    [
      'src/packets.js',
      [
        'packets: 50 bytes, ICRC true, VCRC true',
        'packets: RC_WRITE_ONLY to QP 18: hello',
        'packets: vcrc: wrong',
        'packets: a capture of 228 bytes',
      ],
    ],
  ])('runs %s', (file, lines) => {
    const { stdout, stderr, status } = run(example, 'node', file);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout.trim().split('\n')).toEqual(lines);
  });

  it('finds by both checkers an ACK of what was not sent', () => {
    const { stdout, stderr, status } = run(example, 'node', 'src/checks.js');
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toMatch(
      /^checks: cycle 100, packet 1 of device 1 .*: response-of-sent: .*expected at most 0x000007, found 0x000008$/,
    );
    expect(lines.filter((line) => line.includes('response-of-sent')).length).toBe(2);
    expect(lines.at(-1)).toBe('checks: /wire.pcapng: failed, 1 violation; 1 connection');
  });
});

describe('the command of the package', () => {
  const openhca = (...args: string[]) => run(example, 'node', `node_modules/${name}/bin/openhca.js`, ...args);
  const scenario = `node_modules/${name}/scenarios/write.yaml`;

  it('plays scenarios on the model, and checks what was on the wire', () => {
    const played = openhca('run', scenario, '--out', 'out');
    expect(played).toMatchObject({ status: 0, stderr: '' });
    expect(played.stdout).toContain('passed; 3 of 3 steps');
    expect(openhca('check', scenario, 'out/wire.pcapng')).toMatchObject({ status: 0, stderr: '' });
    expect(openhca('decode', 'packet', 'out/wire.pcapng', '--packet', '1').stdout).toContain(
      'RC_WRITE_FIRST',
    );
    expect(openhca('stat', 'out').status).toBe(0);
    expect(openhca('--version').stdout).toBe(`${version}\n`);
  });

  it('says that there is no simulator in it', () => {
    const { status, stderr } = openhca('run', scenario, '--device', 'rtl');
    expect(status).toBe(3);
    expect(stderr).toMatch(/simulator/);
  });
});
