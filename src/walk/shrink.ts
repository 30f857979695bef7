import fc from 'fast-check';
import type { ScenarioData, Step } from '../scenario/index.ts';

/** Whether a scenario still fails the way that it did. */
export type Fails = (data: ScenarioData) => Promise<boolean>;

/** The smallest step: one work request, with the others of its doorbell told by their common number. */
interface Atom {
  readonly step: Step;
  readonly doorbell: number;
}

/** Leaves steps out, then objects, as long as the scenario fails; after so many ms what has been reached is the result. */
export async function shrink(data: ScenarioData, fails: Fails, limitMs: number): Promise<ScenarioData> {
  const until = performance.now() + limitMs;
  let least = data;
  const fewer = async (candidate: ScenarioData): Promise<boolean> => {
    if (candidate.steps.length === 0 || performance.now() > until) return false;
    if (!(await fails(candidate))) return false;
    least = candidate;
    return true;
  };
  const last = data.steps.findLastIndex((step) => step.rest);
  // The end stays: without a last rest much would be owed.
  const [some, end] = last < 0 ? [data.steps, []] : [data.steps.slice(0, last), data.steps.slice(last)];
  const atoms = some.flatMap(atomsOf);
  const property = fc.asyncProperty(
    new Subsequence(atoms),
    async (left) => !(await fewer({ ...data, steps: [...stepsOf(left), ...end] })),
  );
  await fc.check(property, { numRuns: 1, examples: [[atoms]], endOnFailure: false });
  await fewer(withoutUnused(least));
  return least;
}

const CHUNKS_AT_FIRST = 2;

/** Lists that lack some of the entries: those without a large piece first. */
class Subsequence<T> extends fc.Arbitrary<T[]> {
  readonly #all: readonly T[];

  constructor(all: readonly T[]) {
    super();
    this.#all = all;
  }

  generate(): fc.Value<T[]> {
    return new fc.Value([...this.#all], undefined);
  }

  canShrinkWithoutContext(value: unknown): value is T[] {
    return Array.isArray(value);
  }

  /** The context is the length of the pieces that are left out. */
  shrink(value: T[], context?: unknown): fc.Stream<fc.Value<T[]>> {
    const first = typeof context === 'number' ? context : Math.ceil(value.length / CHUNKS_AT_FIRST);
    return fc.stream(shorter(value, Math.min(first, value.length)));
  }
}

function* shorter<T>(value: T[], first: number): IterableIterator<fc.Value<T[]>> {
  for (let piece = first; piece >= 1; piece = Math.floor(piece / 2)) {
    // What fails shows at the end: what was long before may go first.
    for (let at = 0; at < value.length; at += piece)
      yield new fc.Value([...value.slice(0, at), ...value.slice(at + piece)], piece);
  }
}

let doorbells = 0;

function atomsOf(step: Step): Atom[] {
  const doorbell = doorbells++;
  for (const action of ['post_send', 'post_recv'] as const) {
    const list = step[action];
    if (Array.isArray(list)) return list.map((one) => ({ step: { ...step, [action]: one }, doorbell }));
  }
  return [{ step, doorbell }];
}

function stepsOf(atoms: readonly Atom[]): Step[] {
  const groups: Atom[][] = [];
  for (const atom of atoms) {
    const last = groups.at(-1);
    if (last?.[0]?.doorbell === atom.doorbell) last.push(atom);
    else groups.push([atom]);
  }
  return groups.map(together);
}

function together(atoms: readonly Atom[]): Step {
  const [{ step }] = atoms as [Atom];
  if (atoms.length === 1) return step;
  const action = step.post_send ? 'post_send' : 'post_recv';
  return { ...step, [action]: atoms.map((atom) => atom.step[action]) };
}

/** The scenario without the regions, queues and connections that no step names. */
function withoutUnused(data: ScenarioData): ScenarioData {
  const text = JSON.stringify(data.steps);
  const keep = <T>(named: Record<string, T> | undefined, also = ''): Record<string, T> =>
    Object.fromEntries(
      Object.entries(named ?? {}).filter(([name]) => new RegExp(`"${name}["\\.]`).test(text + also)),
    );
  const [regions, qps] = [keep(data.regions), keep(data.qps)];
  const also = JSON.stringify({ regions, qps });
  return { ...data, regions, qps, cqs: keep(data.cqs, also), pds: keep(data.pds, also) };
}
