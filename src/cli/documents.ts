import { z } from 'zod';

/** Why a command has no document to tell; `exit` is the status it ends with, `message` is for people. */
export const cliErrorSchema = z.object({
  code: z.enum(['failed', 'bad-input', 'simulator', 'interrupted', 'terminated']),
  exit: z.int(),
  message: z.string(),
});

export type CliError = z.infer<typeof cliErrorSchema>;

/** What every command tells in place of its document, with `--json`, when it cannot do what was asked. */
export const cliFailureSchema = z.object({ error: cliErrorSchema });
