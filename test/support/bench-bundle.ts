import { relative, resolve } from 'node:path';
import { type Bundle, type CheckedRun, type Problem, quoted, recordOf } from '../../src/run/index.ts';

const root = resolve(import.meta.dirname, '../..');

/** The test whose run it was. */
export interface FailedTest {
  name: string;
  file: string;
  errors: readonly string[];
}

/** Leaves the bundle of a test that failed, whose run has been recorded; closes the run. Returns the folder. */
export async function leaveTestBundle(
  run: CheckedRun,
  bundle: Bundle,
  { name, file, errors }: FailedTest,
  settings: { seed: number; profile?: 'ideal' | 'typical' | 'hostile' },
): Promise<string | undefined> {
  const totals = { cycles: run.fabric.now(), packets: run.watch.packets };
  await run.close();
  const { leftOutPackets: packets, leftOutEntries: entries } = run.files!;
  const problems = errors.map((text): Problem => ({ check: 'expectation', text }));
  const played = { ...settings, name, file, device: run.watch.kind, command: 'run' };
  const record = recordOf(played, { problems, totals, leftOut: { packets, entries } });
  // vitest takes a pattern, and has no marks between the names of suite and test.
  const pattern = quoted(name.replaceAll(' > ', ' ').replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const command = `npx vitest run --project system ${quoted(relative(root, file))} -t ${pattern}`;
  run.files!.record({ ...record, command });
  return bundle.keep([file]);
}
