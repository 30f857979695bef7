import type { CliCommand } from './command.ts';
import { gen } from './gen.ts';

/** In the order of `openhca --help`. */
export const commands: readonly CliCommand[] = [gen];
