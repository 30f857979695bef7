import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { IbError } from '../spec/errors.ts';

/** As much of coverage.json as it takes to find holes. */
const schema = z.object({
  format: z.literal(1),
  points: z.array(z.object({ name: z.string(), holes: z.array(z.string()) })),
});

/** The holes of a point, from a coverage.json. Throws an IbError that tells what is there instead. */
export function readHoles(file: string, point: string): readonly string[] {
  const wrong = (found: string) =>
    new IbError('bad-argument', `${file}: expected a coverage.json of make coverage, found ${found}`);
  if (!existsSync(file)) throw wrong('no file');
  let data: z.infer<typeof schema>;
  try {
    data = schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw wrong('what is none');
  }
  const holes = data.points.find(({ name }) => name === point)?.holes;
  if (!holes) throw wrong(`no point ${point}`);
  return holes;
}
