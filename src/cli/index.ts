/** Shapes of what `openhca` tells with --json, for programs that read it. */

export {
  type CliError,
  type CliFailure,
  cliErrorSchema,
  cliFailureSchema,
  type LeftBundle,
  leftBundleSchema,
} from './documents.ts';
