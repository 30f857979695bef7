import type { Command } from 'commander';
import { SimError } from '../sim/errors.ts';
import { IbError } from '../spec/errors.ts';
import { tellFailure } from './output.ts';

export { Exit } from './exit-status.ts';

/** Wrong options end with the status of bad input. */
export function strictOptions(command: Command): Command {
  return command.exitOverride(({ exitCode, message }) => {
    // The message is on standard error already.
    process.exit(exitCode === 0 ? 0 : tellFailure('bad-input', message, null));
  });
}

/** A mistake of the user: the message is all there is to say. */
export class InputError extends Error {}

/** What reads something of the user: its errors are mistakes in that. */
export function takesInput<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof IbError ? new InputError(error.message) : error;
  }
}

/**
 * Runs the body of a command: says in one line what a user can mend, sets the exit status, and on SIGINT (Ctrl-C)
 * and SIGTERM ends what `onInterrupt` was told of.
 */
export async function guarded(
  body: (onInterrupt: (end: () => unknown) => void) => Promise<void>,
): Promise<void> {
  let end: () => unknown = () => {};
  const interrupted = (signal: NodeJS.Signals) => {
    const how = signal === 'SIGTERM' ? 'terminated' : 'interrupted';
    const status = tellFailure(how, how);
    Promise.resolve(end()).finally(() => process.exit(status));
    setTimeout(() => process.exit(status), 1000).unref();
  };
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  try {
    await body((how) => {
      end = how;
    });
  } catch (error) {
    if (error instanceof InputError) process.exitCode = tellFailure('bad-input', error.message);
    else if (error instanceof SimError) process.exitCode = tellFailure('simulator', error.message);
    else throw error;
  } finally {
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  }
}
