import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'openhca-shards-'));
afterAll(() => rmSync(work, { recursive: true }));

const FILES = ['wire-psn', 'wire-crc', 'bench-row'].map((name) => `test/unit/${name}.test.ts`);

function run(command: string, args: readonly string[], variables: Record<string, string> = {}) {
  const { SHARD: _, REPORT: __, GITHUB_ACTIONS: ___, ...rest } = process.env;
  const env = { ...rest, NO_COLOR: '1', ...variables };
  return spawnSync(command, args, { cwd: root, env, encoding: 'utf8' });
}

/** Names of the tests of a report, in order. */
function names(report: string): string[] {
  const { testResults } = JSON.parse(readFileSync(join(root, 'build/reports', `${report}.json`), 'utf8')) as {
    testResults: { assertionResults: { fullName: string }[] }[];
  };
  return testResults
    .flatMap(({ assertionResults }) => assertionResults.map(({ fullName }) => fullName))
    .sort();
}

describe('parts of the tests', () => {
  it.each(['0/2', '3/2', '1', 'a/b', '1/2/3'])('SHARD=%s is refused in one line', (SHARD) => {
    const { status, stdout, stderr } = run('bash', ['scripts/test.sh'], { SHARD });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: `SHARD: expected i/n with i from 1 to n, as 2/3, found "${SHARD}"\n`,
    });
  });

  it('are all of them, each once, and make one report', () => {
    const blobs = join(work, 'blobs');
    mkdirSync(blobs);
    const parts = ['1/3', '2/3', '3/3'].map((SHARD) => {
      const report = `test-${SHARD.replace('/', '-of-')}`;
      expect(run('bash', ['scripts/test.sh', ...FILES], { SHARD }).status).toBe(0);
      renameSync(join(root, 'build/reports/shards', `${report}.json`), join(blobs, `${report}.json`));
      return names(report);
    });
    for (const part of parts) expect(part.length).toBeGreaterThan(0);
    const merged = run('npx', ['vitest', 'run', `--merge-reports=${blobs}`], { REPORT: 'shards-merged' });
    expect(merged.status).toBe(0);
    const all = names('shards-merged');
    expect(all).toEqual(parts.flat().sort());
    expect(merged.stdout.trimEnd().split('\n').at(-1)).toBe(
      `tests: ${all.length} passed, 0 failed, 0 skipped`,
    );
    expect(
      run('npx', ['vitest', 'run', '--project', 'unit', ...FILES], { REPORT: 'shards-whole' }).status,
    ).toBe(0);
    expect(names('shards-whole')).toEqual(all);
  });
});
