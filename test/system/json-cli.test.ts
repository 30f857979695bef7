import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { cliFailureSchema } from '../../src/cli/documents.ts';

const root = resolve(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'openhca-json-'));
afterAll(() => rmSync(work, { recursive: true }));

/** Of a command with --json: its status, and the one document on its standard output. */
const openhca = (...args: string[]) =>
  new Promise<{ status: number; document: unknown }>((done) => {
    const child = execFile('node', [`${root}/bin/openhca.js`, ...args, '--json'], { cwd: work }, (_, out) =>
      done({ status: child.exitCode ?? -1, document: JSON.parse(out) }),
    );
    child.stdin!.end();
  });

const scenario = `${root}/scenarios/write.yaml`;
const folder = join(work, 'run');

describe('with --json', () => {
  it.each(commands.map(({ name }) => name))('%s tells an error as all commands do', async (name) => {
    const { status, document } = await openhca(name, '--no-such-option');
    expect(status).toBe(2);
    expect(cliFailureSchema.parse(document).error).toMatchObject({ code: 'bad-input', exit: 2 });
  });

  it('run tells what came of a run, and stat and report what it left', async () => {
    expect(await openhca('run', scenario, '--out', folder)).toMatchObject({
      status: 0,
      document: { passed: true, steps: 3 },
    });
    expect((await openhca('stat', folder)).document).toMatchObject({
      device: 'model',
      requests: { a: { RDMA_WRITE: { posted: 1, completed: 1, failed: 0 } } },
      figures: {},
    });
    expect((await openhca('report', folder)).document).toMatchObject({ packets: 4, passed: true });
  });

  it('check tells of all files, those that are none among them', async () => {
    const { status, document } = await openhca('check', 'nowhere.yaml', scenario);
    expect(status).toBe(2);
    expect(document).toMatchObject([
      { file: 'nowhere.yaml', passed: false, error: expect.stringMatching(/^nowhere.yaml: expected /) },
      { file: scenario, passed: true },
    ]);
  });

  it('demo tells what was moved', async () => {
    const args = ['--device', 'model', '--file', scenario, '--out', join(work, 'demo')];
    const { document } = await openhca('demo', ...args);
    expect(document).toMatchObject({ passed: true, device: 'model', problems: [] });
  });

  it('decode and gen tell what there is', async () => {
    expect((await openhca('decode', 'eqe', '00'.repeat(32))).document).toHaveLength(1);
    expect((await openhca('gen', '--check')).document).toMatchObject({ passed: true, changed: [] });
  });
});
