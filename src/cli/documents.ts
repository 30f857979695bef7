import { z } from 'zod';

/** Why a command has no document to tell; `exit` is the status it ends with, `message` is for people. */
export const cliErrorSchema = z.object({
  code: z.enum(['failed', 'bad-input', 'simulator', 'interrupted', 'terminated']),
  exit: z.int(),
  message: z.string(),
});

export type CliError = z.infer<typeof cliErrorSchema>;

/** What is left of a run that failed. */
export const leftBundleSchema = z.object({
  folder: z.string(),
  files: z.array(z.string()),
  /** Makes the waves of the window around the failure, if they are not there and can be. */
  waves: z.string().optional(),
});

export type LeftBundle = z.infer<typeof leftBundleSchema>;

/** What every command tells in place of its document, with `--json`, when it cannot do what was asked; `bundle` if a run was under way. */
export const cliFailureSchema = z.object({ error: cliErrorSchema, bundle: leftBundleSchema.optional() });

export type CliFailure = z.infer<typeof cliFailureSchema>;
