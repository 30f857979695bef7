import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { makeFolder } from '../folder.ts';
import { DEVICE_KINDS, type DeviceKind, type RunKind } from '../run/kinds.ts';
import { PART } from '../run/whole.ts';
import { SIMULATORS, type SimulatorKind, useSimulator } from '../sim/binary.ts';
import { readEnvironment } from './environment.ts';
import { InputError } from './exit.ts';

/** Options that all commands with devices share. */
export function deviceOptions(
  command: Command,
  device: DeviceKind = 'model',
  profile = 'ideal unless told',
  kinds: readonly RunKind[] = DEVICE_KINDS,
): Command {
  return command
    .addOption(new Option('--device <kind>', 'what the two HCAs are').choices([...kinds]).default(device))
    .addOption(
      new Option('--data-width <bits>', 'of the RTL: 128, 256 or 512').argParser(dataWidth).default(256),
    )
    .addOption(
      new Option('--profile <name>', `how host buses and link of the RTL behave; ${profile}`).choices([
        'ideal',
        'typical',
        'hostile',
      ]),
    )
    .addOption(simOption())
    .option('--seed <n>', 'decides everything random', natural);
}

export const simOption = (): Option =>
  new Option('--sim <name>', 'what runs the RTL; also SIM in the environment').choices([...SIMULATORS]);

/** What runs the RTL from here on: what the option says, or the environment. */
export function chooseSimulator({ sim }: { sim?: SimulatorKind | undefined }): SimulatorKind {
  const chosen = sim ?? readEnvironment().sim;
  useSimulator(chosen, readEnvironment().variant);
  return chosen;
}

/** What a run leaves in the folder of `--out`. */
export const LEFT_FILES = ['wire.pcapng', 'timeline.json', 'counters.json', 'run.json'] as const;

/** Makes the folder of `--out` and sees that files can be left in it, before anything runs. */
export function outFolder(out: string, names: readonly string[] = LEFT_FILES): void {
  if (out === '') throw new InputError('--out: expected a folder, found none');
  try {
    makeFolder(resolve(out));
    for (const name of names) {
      if (statSync(join(out, name), { throwIfNoEntry: false })?.isFile() === false)
        throw new Error(`${name} is none that can be replaced`);
    }
    const probe = join(out, `.probe${PART}`);
    closeSync(openSync(probe, 'w'));
    rmSync(probe);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InputError(`--out: expected a folder that can be written, found ${out}: ${why}`);
  }
}

/** What runs, for a head line; the model has neither width nor buses. */
export function describeDevice(options: {
  device: RunKind;
  dataWidth: number;
  profile?: string | undefined;
  sim?: SimulatorKind;
}): string {
  const { device, dataWidth, profile = 'ideal', sim = 'verilator' } = options;
  if (device === 'model' || device === 'board') return device;
  return [device, `${dataWidth} bits`, profile, ...(sim === 'verilator' ? [] : [sim])].join(', ');
}

export function natural(text: string): number {
  const value = /^(\d+|0x[0-9a-f]+)$/i.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 2 ** 31))
    throw new InvalidArgumentError(`expected a number from 0 to 2^31, found ${quoted(text)}`);
  return value;
}

const quoted = (text: string): string => JSON.stringify(text);

function dataWidth(text: string): number {
  const value = Number(text);
  if (![128, 256, 512].includes(value))
    throw new InvalidArgumentError(`expected 128, 256 or 512, found ${quoted(text)}`);
  return value;
}
