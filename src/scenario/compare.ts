import type { WorkCompletion } from '../host/index.ts';
import type { Player } from './play.ts';
import type { World } from './world.ts';

/** What a consumer saw of a run, but for its timing. */
export interface Recording {
  /** By work queue, in order. */
  completions: Map<string, WorkCompletion[]>;
  /** In no order. */
  events: string[];
}

export function recordingOf(player: Player | undefined, world: World): Recording {
  const completions = new Map<string, WorkCompletion[]>();
  for (const { side, completion } of player?.inbox.log ?? []) {
    const qp = world.endNamed(side, completion.qpNum) ?? `QP ${completion.qpNum} of host ${'ab'[side]}`;
    const queue = `${qp} ${completion.queue}`;
    completions.set(queue, [...(completions.get(queue) ?? []), completion]);
  }
  return { completions, events: [...(player?.inbox.eventLog ?? [])].sort() };
}

/** Where a run differs from that of the model: completion by completion, field by field. */
export function compareRuns(model: Recording, run: Recording): string[] {
  const wrong: string[] = [];
  for (const queue of new Set([...model.completions.keys(), ...run.completions.keys()])) {
    const [expected, found] = [model.completions.get(queue) ?? [], run.completions.get(queue) ?? []];
    if (expected.length !== found.length)
      wrong.push(`${queue}: expected ${expected.length} completions as the model, found ${found.length}`);
    for (let i = 0; i < Math.min(expected.length, found.length); i++) {
      wrong.push(...compareOne(`${queue}, completion ${i}`, expected[i]!, found[i]!));
    }
  }
  if (model.events.join() !== run.events.join())
    wrong.push(`events: expected ${list(model.events)} as the model, found ${list(run.events)}`);
  return wrong;
}

function compareOne(what: string, expected: WorkCompletion, found: WorkCompletion): string[] {
  return (Object.keys(expected) as (keyof WorkCompletion)[])
    .filter((key) => expected[key] !== found[key])
    .map((key) => `${what}: expected ${key} ${expected[key]} as the model, found ${found[key]}`);
}

const list = (events: string[]): string => (events.length === 0 ? 'none' : events.join(', '));
