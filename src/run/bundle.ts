import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { quoted, RECORD_FILE, type RunRecord } from './record.ts';
import { PART, writeWhole } from './whole.ts';

/** What is wrong with a run that failed, for people. */
export const PROBLEMS_FILE = 'problems.txt';

export interface BundleOptions {
  /** Where the files of the run shall be, passed or failed; else a folder below FAILURES_FOLDER, if it fails. */
  out?: string | undefined;
  /** What was played. */
  name: string;
  /** What tells its runs apart: device, width, seed. */
  of: readonly (string | number)[];
  /** In place of FAILURES_FOLDER. */
  failures?: string;
}

/** Where failing runs are left that have no folder of their own, below the current folder. */
export const FAILURES_FOLDER = 'build/failures';

/** The folder of a run while it goes on: kept if it fails or was asked for, else gone with the program. */
export class Bundle {
  /** For `FileOptions.out`. */
  readonly folder: string;
  readonly #options: BundleOptions;
  readonly #discard = () => this.discard();

  constructor(options: BundleOptions) {
    this.#options = options;
    this.folder = options.out ?? mkdtempSync(join(tmpdir(), 'openhca-run-'));
    process.once('exit', this.#discard);
  }

  /** Nothing is left of a run without a folder of its own. */
  discard(): void {
    process.off('exit', this.#discard);
    if (this.#options.out === undefined) rmSync(this.folder, { recursive: true, force: true });
  }

  /** The run has failed: its folder, with what was played beside what it left. Nothing if it left no record. */
  keep(played: readonly string[]): string | undefined {
    const { out, name, of, failures = FAILURES_FOLDER } = this.#options;
    const label = [name, ...of].join('-').replaceAll(/[^\w.-]+/g, '_');
    const folder = out ?? join(failures, label);
    if (!completeBundle(this.folder, played, folder)) return undefined;
    if (out === undefined) move(this.folder, folder);
    return folder;
  }
}

/** Puts into the folder of a failing run what was played, and its problems; false where no run left its record. `place` is where it will be. */
export function completeBundle(folder: string, played: readonly string[], place = folder): boolean {
  if (!existsSync(join(folder, RECORD_FILE))) return false;
  for (const file of played) {
    const copy = join(folder, basename(file));
    if (existsSync(copy)) continue;
    copyFileSync(file, copy + PART);
    renameSync(copy + PART, copy);
  }
  const record = JSON.parse(readFileSync(join(folder, RECORD_FILE), 'utf8')) as RunRecord;
  writeWhole(join(folder, PROBLEMS_FILE), `${problemLines(record, place).join('\n')}\n`);
  return true;
}

/** What makes waves of a window around the failure; nothing where there are none. */
export function waveLine(record: RunRecord, folder: string): string | undefined {
  const { device, dataWidth = 256, command, sim = 'verilator' } = record;
  const what = /openhca(?:\.js)? (run|demo) /.exec(command)?.[1];
  if (!what || (device !== 'rtl' && device !== 'rtl-model') || sim !== 'verilator') return undefined;
  const build = `SIM_TRACE=1 bash sim/build.sh ${dataWidth}`;
  const demo = what === 'demo';
  return `${build} && ${demo ? `${command} --wave` : `node bin/openhca.js wave ${quoted(folder)}`}`;
}

function problemLines(record: RunRecord, folder: string): string[] {
  const { name, device, dataWidth, profile, seed, cycles, packets, problems, reason, command, versions } =
    record;
  const what = [device, ...(dataWidth === undefined ? [] : [`${dataWidth} bits`, profile])].join(', ');
  const told = problems.map(({ check, text }) => `${check}: ${text}`);
  const waves = waveLine(record, folder);
  return [
    `${name}: failed on ${what}, seed ${seed}, ${packets} packets, ${cycles} cycles`,
    '',
    ...(told.length > 0 ? told : [reason ?? 'no reason is known']),
    '',
    `repeat:   ${command}`,
    `look:     node bin/openhca.js report ${quoted(folder)}`,
    ...(waves === undefined ? [] : [`waves:    ${waves}`]),
    `versions: ${Object.entries(versions)
      .map(([of, version]) => `${of} ${version}`)
      .join(', ')}`,
  ];
}

/** In one step, also from another file system. */
function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  const part = `${to}.${process.pid}${PART}`;
  mkdirSync(part); // with the rights of any other folder, not those of a temporary one
  cpSync(from, part, { recursive: true });
  rmSync(to, { recursive: true, force: true });
  renameSync(part, to);
  rmSync(from, { recursive: true, force: true });
}
