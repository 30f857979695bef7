import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Bundle, openRun, runRecordSchema } from '../../src/run/index.ts';
import { leaveTestBundle } from '../support/bench-bundle.ts';

const work = mkdtempSync(join(tmpdir(), 'openhca-bench-'));
afterAll(() => rmSync(work, { recursive: true }));

describe('a system test that fails', () => {
  it('leaves its run with what was expected and the command that repeats it', async () => {
    const bundle = new Bundle({ name: 'RC > writes (once)', of: ['model', 4], failures: work });
    const run = await openRun('model', { seed: 4, files: { out: bundle.folder } });
    const test = { name: 'RC > writes (once)', file: import.meta.filename, errors: ['expected 1 to be 2'] };
    const folder = (await leaveTestBundle(run, bundle, test, { seed: 4 }))!;

    expect(folder).toBe(join(work, 'RC_writes_once_-model-4'));
    expect(readdirSync(folder).sort()).toEqual(
      [
        'bench-bundle.test.ts',
        'counters.json',
        'problems.txt',
        'run.json',
        'timeline.json',
        'wire.pcapng',
      ].sort(),
    );
    const record = runRecordSchema.parse(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')));
    expect(record).toMatchObject({ passed: false, reason: 'expected 1 to be 2', seed: 4, device: 'model' });
    expect(record.command).toBe(
      "npx vitest run --project system test/unit/bench-bundle.test.ts -t 'RC writes \\(once\\)'",
    );
    expect(readFileSync(join(folder, 'problems.txt'), 'utf8')).toContain('expectation: expected 1 to be 2');
  });
});
