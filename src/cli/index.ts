/** Shapes of what `openhca` tells with --json, for programs that read it. */

export { type CliError, cliErrorSchema, cliFailureSchema } from './documents.ts';
