import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DEVICE_KINDS } from '../run/index.ts';
import { writeWhole } from '../run/whole.ts';
import { IbError } from '../spec/errors.ts';

/** How far a walk is: all that it takes to go on. */
const walkState = z.strictObject({
  device: z.enum(DEVICE_KINDS),
  seed: z.int(),
  chapters: z.int(),
  steps: z.int(),
  /** Send work requests, and those of them that failed. */
  sends: z.int(),
  failed: z.int(),
  seconds: z.number(),
  bins: z.record(z.string(), z.int()),
});
export type WalkState = z.infer<typeof walkState>;

const pathIn = (folder: string): string => join(folder, 'walk.json');

export function saveState(folder: string, state: WalkState): void {
  mkdirSync(folder, { recursive: true });
  // Whoever is interrupted leaves the one before.
  writeWhole(pathIn(folder), `${JSON.stringify(state)}\n`);
}

/** What a walk of that device and seed has left there; undefined when there is nothing. */
export function loadState(folder: string, device: string, seed: number): WalkState | undefined {
  const path = pathIn(folder);
  if (!existsSync(path)) return undefined;
  const refuse = (found: string): IbError =>
    new IbError('bad-argument', `${path}: expected a walk on ${device} with seed ${seed}, found ${found}`);
  let state: WalkState;
  try {
    state = walkState.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw refuse('what is none');
  }
  if (state.device !== device || state.seed !== seed)
    throw refuse(`one on ${state.device} with seed ${state.seed}`);
  return state;
}
