import { isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { repositoryRoot } from '../gen/root.ts';
import { SIMULATORS, type SimulatorKind, usedSimulator } from '../sim/binary.ts';
import { PROFILES, type Profile } from '../sim/protocol.ts';
import { DATA_WIDTHS, type DataWidth, RUN_KINDS, type RunKind } from './kinds.ts';
import { CHECKS, type Problem, type RunTotals } from './verdict.ts';
import { versionsOf, versionsSchema } from './versions.ts';
import { writeWhole } from './whole.ts';

/** What a run leaves of itself in run.json, passed or failed: what was played, on what, and what came of it. */
export const RECORD_FILE = 'run.json';

const count = z.int().min(0);

export const runRecordSchema = z.object({
  /** Of this file. */
  format: z.literal(1),
  name: z.string(),
  /** The file that was played or moved, relative to the folder of the product if it lies in there. */
  file: z.string(),
  device: z.enum(RUN_KINDS),
  /** Of a simulation of the RTL. */
  dataWidth: z.literal(DATA_WIDTHS).optional(),
  profile: z.enum(PROFILES).optional(),
  /** What ran the RTL; Verilator with the harness in C++ unless told. */
  sim: z.enum(SIMULATORS).optional(),
  seed: count,
  versions: versionsSchema,
  passed: z.boolean(),
  /** Why it failed, in a sentence: the first problem, or what ended the run. */
  reason: z.string().optional(),
  problems: z.array(z.object({ check: z.enum(CHECKS), text: z.string(), cycle: count.optional() })),
  cycles: count,
  packets: count,
  /** What the other files had no room for. */
  leftOut: z.object({ packets: count, entries: count }),
  /** Repeats the run; to be given in the folder of the product. */
  command: z.string(),
});

export type RunRecord = z.infer<typeof runRecordSchema>;

/** What was played, and on what. */
export interface Played {
  /** The words behind `openhca`, the file apart. */
  command: string;
  /** An option that takes the file; it is the argument unless told. */
  fileOption?: string;
  name: string;
  file: string;
  device: RunKind;
  /** The board file of two cards. */
  board?: string | undefined;
  dataWidth?: DataWidth | undefined;
  profile?: Profile | undefined;
  seed: number;
}

export interface Outcome {
  problems: readonly Problem[];
  /** What was thrown, if the run did not come to its end. */
  error?: unknown;
  totals: RunTotals;
  leftOut: { packets: number; entries: number };
}

export function recordOf(played: Played, { problems, error, totals, leftOut }: Outcome): RunRecord {
  const { name, device, seed } = played;
  const file = fromRoot(played.file);
  const { dataWidth = 256, profile = 'ideal' } = played;
  const sim = usedSimulator();
  const reason = error === undefined ? problems[0]?.text : messageOf(error);
  return {
    format: 1,
    name,
    file,
    device,
    ...(simulated(device) ? { dataWidth, profile } : {}),
    ...(simulated(device) && sim !== 'verilator' ? { sim } : {}),
    seed,
    versions: versionsOf(simulated(device) ? { sim, dataWidth } : undefined),
    passed: reason === undefined,
    ...(reason === undefined ? {} : { reason }),
    problems: problems.map((problem) => ({ ...problem, ...cycleOf(problem, totals) })),
    cycles: totals.cycles,
    packets: totals.packets,
    leftOut,
    command: commandOf({ ...played, file, dataWidth, profile }, sim),
  };
}

export const writeRecord = (folder: string, record: RunRecord): void =>
  writeWhole(join(folder, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`);

/** Of packets and accesses the text tells it; an expectation ends the run when it fails. */
function cycleOf({ check, text }: Problem, totals: RunTotals): { cycle?: number } {
  const told = /^cycle (\d+)[, ]/.exec(text)?.[1];
  if (told !== undefined) return { cycle: Number(told) };
  return check === 'expectation' && !text.startsWith('on the model: ') ? { cycle: totals.cycles } : {};
}

const simulated = (device: RunKind): boolean => device === 'rtl' || device === 'rtl-model';

function commandOf(played: Played, sim: SimulatorKind): string {
  const { command, fileOption, file, device, board, dataWidth, profile, seed } = played;
  const settings = simulated(device) ? ['--data-width', `${dataWidth}`, '--profile', `${profile}`] : [];
  if (simulated(device) && sim !== 'verilator') settings.push('--sim', sim);
  if (board !== undefined) settings.push('--board', quoted(board));
  const words = [...(fileOption === undefined ? [] : [fileOption]), quoted(file)];
  return ['node bin/openhca.js', command, ...words, '--device', device, ...settings, '--seed', seed].join(
    ' ',
  );
}

function fromRoot(file: string): string {
  const path = relative(repositoryRoot, resolve(file));
  return path.startsWith('..') || isAbsolute(path) ? resolve(file) : path;
}

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w./@:+,][\w./@:+,=-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
