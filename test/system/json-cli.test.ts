import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { cliFailureSchema } from '../../src/cli/documents.ts';
import { loadScenario, runScenario } from '../../src/scenario/index.ts';

const root = resolve(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'openhca-json-'));
afterAll(() => rmSync(work, { recursive: true }));

/** Of a command with --json: its status, and the one document on its standard output. */
async function openhca(...args: string[]): Promise<{ status: number; document: unknown }> {
  const { status, out } = await new Promise<{ status: number; out: string }>((done) => {
    const child = execFile('node', [`${root}/bin/openhca.js`, ...args, '--json'], { cwd: work }, (_, out) =>
      done({ status: child.exitCode ?? -1, out }),
    );
    child.stdin!.end();
  });
  return { status, document: JSON.parse(out) };
}

const scenario = `${root}/scenarios/write.yaml`;
const folder = join(work, 'run');
const leaveRun = () => runScenario(loadScenario(scenario), { files: { out: folder } });

describe('with --json', () => {
  it.each(commands.map(({ name }) => name))('%s tells an error as all commands do', async (name) => {
    const { status, document } = await openhca(name, '--no-such-option');
    expect(status).toBe(2);
    expect(cliFailureSchema.parse(document).error).toMatchObject({ code: 'bad-input', exit: 2 });
  });

  it('run tells what came of a run', async () => {
    const document = { passed: true, steps: 3, problems: [] };
    expect(await openhca('run', scenario)).toMatchObject({ status: 0, document });
  });

  it('stat tells rates and counters of what a run has left', async () => {
    await leaveRun();
    expect((await openhca('stat', folder)).document).toMatchObject({
      device: 'model',
      requests: { a: { RDMA_WRITE: { posted: 1, completed: 1, failed: 0 } } },
      figures: {},
    });
  });

  it('report tells what it wrote', async () => {
    await leaveRun();
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

  it('decode tells the fields of each record', async () => {
    expect((await openhca('decode', 'eqe', '00'.repeat(64), '--count', '2')).document).toMatchObject([
      { index: 0 },
      { index: 1 },
    ]);
  });

  it('gen tells what it would write', async () => {
    expect((await openhca('gen', '--check')).document).toMatchObject({ passed: true, changed: [] });
  });
});
