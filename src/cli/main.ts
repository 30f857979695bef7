import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { IbError } from '../spec/errors.ts';
import { commands } from './commands.ts';

const packageFile = new URL('../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

const program = new Command('openhca')
  .description('An open InfiniBand host channel adapter: its simulation, model and checks')
  .version(version);

for (const { name, register } of commands) register(program.command(name));

try {
  await program.parseAsync();
} catch (error) {
  // What a user can mend is said in its message; anything else is a fault of ours and wants its stack.
  console.error(error instanceof IbError ? error.message : error);
  process.exitCode = 1;
}
