import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { IbError } from '../spec/errors.ts';
import { registerAll } from './commands.ts';
import { Exit, strictOptions } from './exit.ts';
import { tellFailure } from './output.ts';

const packageFile = new URL('../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

const program = strictOptions(new Command('openhca'))
  .description('An open InfiniBand host channel adapter: its simulation, model and checks')
  .version(version);

// A reader that has seen enough, or a full disk, ends us: `exit` takes the simulator along.
process.stdout.on('error', ({ message }) => {
  console.error(`standard output: cannot be written: ${message}`);
  process.exit(Exit.failed);
});
process.stderr.on('error', () => process.exit(Exit.failed));

registerAll(program);

try {
  await program.parseAsync();
} catch (error) {
  // What a user can mend is said in its message; anything else is a fault of ours and wants its stack.
  const mendable = error instanceof IbError || (error instanceof Error && 'syscall' in error);
  const message = error instanceof Error ? error.message : String(error);
  process.exitCode = tellFailure('failed', message, mendable ? message : error);
}
