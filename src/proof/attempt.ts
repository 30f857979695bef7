import { keep, keyOf, recall } from './cache.ts';
import { type Hunt, type Outcome, prove } from './job.ts';
import type { Proof, Run } from './proofs.ts';
import type { Sources } from './sources.ts';

export interface Attempt {
  readonly outcome: Outcome;
  readonly cached: boolean;
  readonly seconds: number;
}

/** The result of one run, from an earlier time if nothing has changed since. What ran out of time is tried again. */
export async function attempt(
  proof: Proof,
  run: Run,
  sources: Sources,
  tools: string,
  folder: string,
  hunt?: Hunt,
): Promise<Attempt> {
  const key = keyOf(proof, run, sources, tools, hunt);
  const known = recall(key);
  if (known) return { outcome: known, cached: true, seconds: 0 };
  const start = performance.now();
  const outcome = await prove(proof, run, sources, folder, hunt);
  if (outcome.status === 'proved' || outcome.status === 'failed') keep(key, outcome);
  return { outcome, cached: false, seconds: Math.round((performance.now() - start) / 100) / 10 };
}
