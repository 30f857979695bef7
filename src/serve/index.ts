import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { type DeviceKind, openRun, type RunOptions } from '../run/index.ts';
import { IbError } from '../spec/errors.ts';
import { VERBS, type VerbName } from './requests.ts';
import { Verbs } from './verbs.ts';

const lineSchema = z.looseObject({ verb: z.enum(Object.keys(VERBS) as [VerbName, ...VerbName[]]) });

/** Takes a line with a verb, does it, gives a line with what became of it; until the lines end. */
export async function serve(
  lines: Readable,
  answer: (line: string) => void,
  kind: DeviceKind,
  options: RunOptions,
): Promise<void> {
  const run = await openRun(kind, options);
  try {
    const verbs = new Verbs(run);
    for await (const line of createInterface({ input: lines })) {
      if (line.trim() !== '') answer(JSON.stringify(await reply(verbs, line)));
    }
  } finally {
    await run.close();
  }
}

/** `result` of the verb, or an `error` with what programs look at and what people read. */
async function reply(verbs: Verbs, line: string): Promise<object> {
  try {
    const { verb, ...rest } = parse(lineSchema, fromJson(line), 'line');
    const asked = parse(VERBS[verb], rest, verb);
    // Each verb has its own arguments, which its schema has seen.
    const result = await (verbs[verb] as (asked: unknown) => unknown)(asked);
    return { result: result ?? {} };
  } catch (error) {
    if (!(error instanceof IbError)) throw error;
    const { code, message } = error;
    const reason = 'reason' in error ? { reason: error.reason } : {};
    return { error: { code, ...reason, message } };
  }
}

function fromJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new IbError('bad-argument', `line: expected JSON, found ${line.slice(0, 60)}`);
  }
}

function parse<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
  throw new IbError('bad-argument', `${[where, ...path].join('.')}: ${message}`);
}
