import type { Command } from 'commander';
import { SimError } from '../sim/errors.ts';

/** 0 is everything as expected. */
export const Exit = { failed: 1, badInput: 2, simulator: 3, interrupted: 130 } as const;

/** Wrong options end with the status of bad input. */
export function strictOptions(command: Command): Command {
  return command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : Exit.badInput));
}

/** A mistake of the user: the message is all there is to say. */
export class InputError extends Error {}

/**
 * Runs the body of a command: says in one line what a user can mend, sets the exit status, and on Ctrl-C ends
 * what `onInterrupt` was told of.
 */
export async function guarded(
  body: (onInterrupt: (end: () => unknown) => void) => Promise<void>,
): Promise<void> {
  let end: () => unknown = () => {};
  const interrupted = () => {
    console.error('interrupted');
    Promise.resolve(end()).finally(() => process.exit(Exit.interrupted));
    setTimeout(() => process.exit(Exit.interrupted), 1000).unref();
  };
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  try {
    await body((how) => {
      end = how;
    });
  } catch (error) {
    if (error instanceof InputError) {
      console.error(error.message);
      process.exitCode = Exit.badInput;
    } else if (error instanceof SimError) {
      console.error(error.message);
      process.exitCode = Exit.simulator;
    } else {
      throw error;
    }
  } finally {
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  }
}
