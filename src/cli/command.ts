import type { Command } from 'commander';

/** A command of `openhca`: one file each, which imports what is heavy only when it runs. */
export interface CliCommand {
  readonly name: string;
  register(command: Command): void;
}
