import type { Command } from 'commander';
import { bench } from './bench.ts';
import { check } from './check.ts';
import type { CliCommand } from './command.ts';
import { decode } from './decode.ts';
import { demo } from './demo.ts';
import { gen } from './gen.ts';
import { random } from './random.ts';
import { report } from './report.ts';
import { run } from './run.ts';
import { serve } from './serve.ts';
import { stat } from './stat.ts';
import { wave } from './wave.ts';

/** In the order of `openhca --help`. */
export const commands: readonly CliCommand[] = [
  demo,
  run,
  stat,
  report,
  wave,
  check,
  decode,
  random,
  bench,
  serve,
  gen,
];

/** Makes them commands of the program; with `--json` each tells one document, see docs/cli.md. */
export function registerAll(program: Command): void {
  for (const { name, register } of commands) {
    const command = program.command(name);
    register(command);
    command.option('--json', 'one JSON document on standard output, see docs/cli.md');
  }
}
