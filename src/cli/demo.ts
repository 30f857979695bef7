import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { DemoResult } from '../run/demo/demo.ts';
import type { Transfer } from '../run/demo/transfer.ts';
import type { DataWidth, DeviceKind } from '../run/kinds.ts';
import type { SimulatorKind } from '../sim/binary.ts';
import type { Profile } from '../sim/protocol.ts';
import type { CliCommand } from './command.ts';
import type { LeftBundle } from './documents.ts';
import { readEnvironment } from './environment.ts';
import { Exit, guarded, InputError, strictOptions } from './exit.ts';
import { bundleLines, endWith, leaveBundle } from './failure.ts';
import { Output } from './output.ts';
import { Progress } from './progress.ts';
import { chooseSimulator, describeDevice, deviceOptions, outFolder } from './run-options.ts';

interface Options {
  file?: string;
  device: DeviceKind;
  dataWidth: DataWidth;
  profile?: Profile;
  sim?: SimulatorKind;
  seed?: number;
  out: string;
  wave?: boolean;
}

const DEFAULT_FILE = new URL('../../docs/scenario.schema.json', import.meta.url).pathname;

export const demo: CliCommand = {
  name: 'demo',
  register(command) {
    strictOptions(deviceOptions(command, 'rtl'))
      .description('two HCAs move a file to each other by every operation')
      .option('--file <path>', 'the file, up to 64 MiB; also FILE in the environment')
      .option(
        '--out <folder>',
        'leave wire.pcapng, timeline.json, counters.json, run.json and wave.fst there',
        'out/demo',
      )
      .option('--wave', 'with waves of the first cycles; also WAVE=1 in the environment')
      .action((options: Options) => guarded((onInterrupt) => run(options, onInterrupt, new Output())));
  },
};

type OnInterrupt = (end: () => unknown) => void;

async function run(options: Options, onInterrupt: OnInterrupt, output: Output): Promise<void> {
  const { demo: play } = await import('../run/demo/demo.ts');
  const { MAX_FILE_BYTES } = await import('../run/demo/plan.ts');
  const { file: named = process.env.FILE || DEFAULT_FILE, device, dataWidth, profile, seed, out } = options;
  const { wave = readEnvironment().wave } = options;
  const sim = chooseSimulator(options);
  const bytes = readFile(named, MAX_FILE_BYTES);
  if (wave && device === 'model') throw new InputError('--wave: the model has no waves');
  if (wave && sim !== 'verilator') throw new InputError(`--wave: expected --sim verilator, found ${sim}`);
  outFolder(out);

  const progress = new Progress('demo');
  const shown = relative(process.cwd(), resolve(named));
  output.say(
    `${shown}, ${bytes.length} bytes, from each HCA to the other (${describeDevice({ ...options, sim })})`,
  );
  output.say(HEAD);
  const { Bundle } = await import('../run/index.ts');
  const bundle = new Bundle({ out, name: 'demo', of: [device] });
  const note = (text: string) => output.note(text);
  const leave = () => leaveBundle({ bundle, played: [named], onInterrupt, note });
  let result: DemoResult;
  try {
    result = await play(bytes, {
      device,
      dataWidth,
      ...(profile === undefined ? {} : { profile }),
      seed,
      out,
      wave,
      path: named,
      onProgress: (text) => progress.show(text),
      onTransfer: (done) => {
        progress.end();
        output.say(row(done, device));
      },
      onOpen: (open) => onInterrupt(() => open.close()),
    });
  } catch (error) {
    return endWith(error, await leave());
  }
  progress.end();
  const passed = result.problems.length === 0;
  const left = passed ? undefined : await leave();
  for (const line of resultLines(result, device, left)) output.say(line);
  const { verdict, plan: _, ...rest } = result;
  output.document({
    file: named,
    device,
    passed,
    ...rest,
    ...verdict.totals,
    ...(left ? { bundle: left } : {}),
  });
  if (!passed) process.exitCode = Exit.failed;
}

function resultLines(
  { refusals, problems, digest, notes, files, verdict }: DemoResult,
  device: DeviceKind,
  left: LeftBundle | undefined,
): string[] {
  const { cycles, packets } = verdict.totals;
  const outcome = problems.length === 0 ? 'passed' : `failed, ${problems.length} problems`;
  return [
    'Messages, bytes, packets and Gb/s are the sum of both directions.',
    ...refusals.map(({ what, status }) => `refused: ${what}: ${status}`),
    ...problems.map((problem) => `problem: ${problem}`),
    ...(problems.length === 0 ? [`SHA-256 on both hosts: ${digest}`] : []),
    ...notes.map((text) => `note: ${text}`),
    ...(left ? bundleLines(left) : [`left ${files.join(', ')}`]),
    `demo on ${device}: ${outcome}; ${packets} packets, ${cycles} cycles, all of them checked`,
  ];
}

const COLUMNS = [20, 9, 12, 9, 10, 8, 8] as const;
const cells = (values: readonly string[]): string =>
  values.map((value, i) => (i === 0 ? value.padEnd(COLUMNS[i]!) : value.padStart(COLUMNS[i]!))).join('');
const HEAD = cells(['operation', 'messages', 'bytes', 'packets', 'cycles', 'Gb/s', 'of wire']);

/** A model has no time of its own: its cycles say nothing of a rate. */
function row({ operation, messages, bytes, packets, cycles, share }: Transfer, device: DeviceKind): string {
  const timed = device !== 'model';
  const rate = (bytes * 8) / (cycles * 4);
  return cells([
    operation,
    `${messages}`,
    `${bytes}`,
    `${packets}`,
    timed ? `${cycles}` : '-',
    timed ? rate.toFixed(1) : '-',
    timed ? `${(share * 100).toFixed(1)} %` : '-',
  ]);
}

function readFile(path: string, most: number): Uint8Array {
  if (path === '') throw new InputError('--file: expected a file, found none');
  let size: number;
  try {
    const found = statSync(path);
    if (!found.isFile()) throw new InputError(`--file: expected a file, found ${path}, which is none`);
    size = found.size;
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`--file: expected a file that can be read, found ${path}`);
  }
  if (size > most) throw new InputError(`--file: expected at most ${most} bytes, found ${size}`);
  if (size === 0) throw new InputError(`--file: expected at least a byte, found none in ${path}`);
  return new Uint8Array(readFileSync(path));
}
