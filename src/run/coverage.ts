import type { Shown } from '../coverage/index.ts';
import type { RunKind } from './kinds.ts';
import type { Watch } from './watch.ts';

/** Who shows what a run covers. */
const SHOWN: Readonly<Record<RunKind, Shown>> = {
  model: ['model', 'model'],
  rtl: ['rtl', 'rtl'],
  'rtl-model': ['rtl', 'model'],
  board: ['board', 'board'],
};

/** Counts from here on what the run covers, if `COVERAGE` in the environment names a folder to collect it in. */
export async function coverRun(watch: Watch): Promise<void> {
  const folder = process.env.COVERAGE;
  if (!folder) return;
  const { openFolder, RunCoverage } = await import('../coverage/index.ts');
  openFolder(folder);
  watch.coverage = new RunCoverage(SHOWN[watch.kind], watch.view);
}

/** Leaves what was counted in that folder. */
export async function leaveCoverage({ coverage }: Watch): Promise<void> {
  const folder = process.env.COVERAGE;
  if (!folder || !coverage) return;
  const { appendRun } = await import('../coverage/index.ts');
  appendRun(folder, coverage);
}
