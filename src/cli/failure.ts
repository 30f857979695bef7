import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle, RunRecord } from '../run/index.ts';
import { SimError } from '../sim/errors.ts';
import { IbError } from '../spec/errors.ts';
import type { LeftBundle } from './documents.ts';
import { tellFailure } from './output.ts';

export interface BundleSettings {
  bundle: Bundle;
  /** Files that were played. */
  played: readonly string[];
  /** Build the simulator that writes waves, if it is not there. */
  waves?: boolean | undefined;
  onInterrupt: (end: () => unknown) => void;
  note: (text: string) => void;
}

/** Leaves what a failing run needs to be understood and repeated; nothing if it did not come to run. */
export async function leaveBundle(settings: BundleSettings): Promise<LeftBundle | undefined> {
  const { bundle, played } = settings;
  const folder = bundle.keep(played);
  bundle.discard();
  if (folder === undefined) return undefined;
  const { PROBLEMS_FILE, RECORD_FILE, waveLine } = await import('../run/index.ts');
  const record = JSON.parse(readFileSync(join(folder, RECORD_FILE), 'utf8')) as RunRecord;
  const waves = waveLine(record, folder);
  const taken = waves !== undefined && (await takeWaves(folder, record, settings));
  const left = [PROBLEMS_FILE, RECORD_FILE, ...readdirSync(folder)];
  const files = [...new Set(left)].map((name) => join(folder, name));
  return { folder, files, ...(waves === undefined || taken ? {} : { waves }) };
}

/** Repeats the run, where the simulator that writes waves is there or may be built; whether it did. */
async function takeWaves(folder: string, record: RunRecord, settings: BundleSettings): Promise<boolean> {
  const { waves = false, onInterrupt, note } = settings;
  if (!/openhca(\.js)? run /.test(record.command)) return false;
  const { simulatorBinary } = await import('../sim/binary.ts');
  const { dataWidth = 256 } = record;
  if (waves) await buildTraced(dataWidth, onInterrupt);
  else if (!existsSync(simulatorBinary({ dataWidth, traced: true }))) return false;
  const { takeWaves: take, WaveError } = await import('../wave/index.ts');
  const { ReportError } = await import('../report/index.ts');
  try {
    note('waves: the run is repeated');
    await take(folder, { onOpen: (run) => onInterrupt(() => run.close()) });
    return true;
  } catch (error) {
    const known = [WaveError, ReportError, SimError, IbError].some((kind) => error instanceof kind);
    if (!known) throw error;
    note(`no waves: ${(error as Error).message}`);
    return false;
  }
}

async function buildTraced(dataWidth: number, onInterrupt: BundleSettings['onInterrupt']): Promise<void> {
  const { repositoryRoot } = await import('../gen/root.ts');
  const build = spawn('bash', ['sim/build.sh', `${dataWidth}`], {
    cwd: repositoryRoot,
    env: { ...process.env, SIM_TRACE: '1' },
    stdio: ['ignore', process.stderr, process.stderr],
    detached: true, // to be ended with the compilers it starts
  });
  onInterrupt(() => process.kill(-build.pid!));
  const [status] = (await once(build, 'exit')) as [number | null];
  if (status !== 0) throw new SimError('bad-state', 'missing', `--waves: sim/build.sh ended with ${status}`);
}

/** Where the bundle is, and how it gets its waves. */
export const bundleLines = ({ files, waves }: LeftBundle): string[] => [
  `left ${files.join(', ')}`,
  ...(waves === undefined ? [] : [`waves: ${waves}`]),
];

/** A run that did not come to its end: tells of its bundle, if there is one, and throws what is no trouble with the simulator. */
export function endWith(error: unknown, left: LeftBundle | undefined): void {
  if (left) console.error(bundleLines(left).join('\n'));
  if (!left || !(error instanceof SimError)) throw error;
  process.exitCode = tellFailure('simulator', error.message, error.message, left);
}
