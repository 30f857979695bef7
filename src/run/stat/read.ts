import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { IbError } from '../../spec/errors.ts';
import { type RunStatistics, STATISTICS_FILE, statisticsSchema } from './schema.ts';

const MOST_BYTES = 2 ** 20;

/** What a run has left in the counters.json of its folder; throws an IbError that says what is there instead. */
export function readStatistics(folder: string): RunStatistics {
  const path = join(folder, STATISTICS_FILE);
  const refuse = (found: string) =>
    new IbError(
      'bad-argument',
      `stat: expected the ${STATISTICS_FILE} of a run in ${folder}, found ${found}`,
    );
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) throw refuse('none');
  if (!file.isFile() || file.size > MOST_BYTES) throw refuse('something else');
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse(error instanceof SyntaxError ? 'no JSON' : `one that cannot be read: ${messageOf(error)}`);
  }
  const { success, data, error } = statisticsSchema.safeParse(value);
  if (success) return data as RunStatistics;
  const { path: at, message } = error.issues[0]!;
  throw refuse(`other JSON: ${at.join('.') || 'the whole'}: ${message}`);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
