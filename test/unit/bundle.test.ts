import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Bundle, type RunRecord, waveLine } from '../../src/run/index.ts';
import { GrowingFile, writeWhole } from '../../src/run/whole.ts';
import { parseScenario, runScenario } from '../../src/scenario/index.ts';
import { scenarioFolder } from '../support/run-scenario.ts';

const work = mkdtempSync(join(tmpdir(), 'openhca-bundle-'));
afterAll(() => rmSync(work, { recursive: true }));

const WRITE = readFileSync(`${scenarioFolder}write.yaml`, 'utf8');
const FILES = ['counters.json', 'problems.txt', 'run.json', 'timeline.json', 'wire.pcapng'];

/** Plays a scenario that fails where it expects a byte too many; what is in the folder while it goes on. */
async function fail(bundle: Bundle, file: string, seed = 1): Promise<string[]> {
  writeFileSync(file, WRITE.replace('bytes: 3000', 'bytes: 3001'));
  let seen: string[] = [];
  const onStep = () => {
    seen = readdirSync(bundle.folder);
  };
  const scenario = parseScenario(file, readFileSync(file, 'utf8'));
  const { verdict } = await runScenario(scenario, { files: { out: bundle.folder }, seed, onStep });
  expect(verdict.ok).toBe(false);
  return seen;
}

describe('the bundle of a run', () => {
  const failures = join(work, 'failures');
  const file = join(work, 'too many.yaml');
  const options = { name: 'too many', of: ['model', 3], failures };

  it('is a folder named after what failed, with what was played and its problems', async () => {
    const bundle = new Bundle(options);
    await fail(bundle, file, 3);
    const folder = bundle.keep([file])!;
    expect(folder).toBe(join(failures, 'too_many-model-3'));
    expect(readdirSync(folder).sort()).toEqual([...FILES, 'too many.yaml'].sort());
    expect(readFileSync(join(folder, 'too many.yaml'))).toEqual(readFileSync(file));
    const problems = readFileSync(join(folder, 'problems.txt'), 'utf8');
    expect(problems).toMatch(
      /^RDMA WRITE of three packets: failed on model, seed 3, 4 packets, \d+ cycles\n\n/,
    );
    expect(problems).toMatch(/\nexpectation: .*too many\.yaml:16:40: expected bytes 3001 of completion 1/);
    expect(problems).toContain(`\nrepeat:   node bin/openhca.js run '${file}' --device model --seed 3\n`);
    expect(existsSync(bundle.folder)).toBe(false);
  });

  it('takes the place of the one before, whole', async () => {
    const stale = join(failures, 'too_many-model-3', 'stale');
    mkdirSync(join(stale, '..'), { recursive: true });
    writeFileSync(stale, '');
    const bundle = new Bundle(options);
    await fail(bundle, file);
    bundle.keep([file]);
    expect(existsSync(stale)).toBe(false);
    expect(readdirSync(failures)).toEqual(['too_many-model-3']);
  });

  it('stays in the folder that was asked for', async () => {
    const out = join(work, 'asked');
    const bundle = new Bundle({ ...options, out });
    await fail(bundle, file);
    expect(bundle.keep([file])).toBe(out);
    bundle.discard();
    expect(readdirSync(out).sort()).toEqual([...FILES, 'too many.yaml'].sort());
  });

  it('is none of a run that has not begun, nor of one that passes', () => {
    const bundle = new Bundle(options);
    expect(bundle.keep([file])).toBeUndefined();
    expect(existsSync(bundle.folder)).toBe(true);
    bundle.discard();
    expect(existsSync(bundle.folder)).toBe(false);
  });

  it('has no file by its name while the run goes on', async () => {
    const bundle = new Bundle(options);
    expect(await fail(bundle, file)).toEqual(['wire.pcapng.part']);
    bundle.discard();
  });
});

describe('a file that is written whole', () => {
  it('stays as it was when writing it fails', () => {
    const path = join(work, 'list.txt');
    writeWhole(path, 'old');
    const broken = (function* () {
      yield 'new';
      throw new Error('no more');
    })();
    expect(() => writeWhole(path, broken)).toThrow('no more');
    expect(readFileSync(path, 'utf8')).toBe('old');
    writeWhole(path, ['a', 'b']);
    expect(readFileSync(path, 'utf8')).toBe('ab');
  });

  it('has its name from the end on when it grows', () => {
    const path = join(work, 'grown');
    const file = new GrowingFile(path);
    file.write(new Uint8Array([1, 2]));
    expect(existsSync(path)).toBe(false);
    file.close();
    expect([...readFileSync(path)]).toEqual([1, 2]);
  });
});

describe('the command that makes waves', () => {
  const record = (values: object) => ({ command: 'node bin/openhca.js run x.yaml', ...values }) as RunRecord;

  it('builds the simulator of the run and repeats it', () => {
    expect(waveLine(record({ device: 'rtl', dataWidth: 512 }), 'out/a b')).toBe(
      "SIM_TRACE=1 bash sim/build.sh 512 && node bin/openhca.js wave 'out/a b'",
    );
    const demo = record({
      device: 'rtl-model',
      dataWidth: 256,
      command: 'node bin/openhca.js demo --seed 1',
    });
    expect(waveLine(demo, 'out')).toBe(
      'SIM_TRACE=1 bash sim/build.sh 256 && node bin/openhca.js demo --seed 1 --wave',
    );
  });

  it('is none where nothing can write waves', () => {
    expect(waveLine(record({ device: 'model' }), 'out')).toBeUndefined();
    expect(waveLine(record({ device: 'rtl', sim: 'cocotb-icarus' }), 'out')).toBeUndefined();
  });
});
