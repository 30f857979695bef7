import type { WorkCompletion } from '../host/index.ts';
import type { Player } from './play.ts';
import type { AtRest } from './rest.ts';
import type { World } from './world.ts';

/** What a consumer saw of a run, but for its timing. */
export interface Recording {
  /** By work queue, in order. */
  completions: Map<string, WorkCompletion[]>;
  /** In no order. */
  events: string[];
  /** Of verbs that might be refused. */
  outcomes: readonly string[];
  rests: readonly AtRest[];
}

export function recordingOf(player: Player | undefined, world: World): Recording {
  const completions = new Map<string, WorkCompletion[]>();
  for (const { side, completion } of player?.inbox.log ?? []) {
    const qp = world.endNamed(side, completion.qpNum) ?? `QP ${completion.qpNum} of host ${'ab'[side]}`;
    const queue = `${qp} ${completion.queue}`;
    completions.set(queue, [...(completions.get(queue) ?? []), completion]);
  }
  const { rests = [], outcomes = [] } = player ?? {};
  return { completions, events: [...(player?.inbox.eventLog ?? [])].sort(), outcomes, rests };
}

/** Where a run differs from that of the model: completion by completion, field by field. */
export function compareRuns(model: Recording, run: Recording): string[] {
  const wrong: string[] = [];
  for (const [i, expected] of model.outcomes.entries()) {
    if (expected !== run.outcomes[i])
      wrong.push(`expected ${expected} as the model, found ${run.outcomes[i]}`);
  }
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
  for (const [i, expected] of model.rests.entries())
    wrong.push(...compareRests(`at rest ${i + 1}`, expected, run.rests[i]));
  return wrong;
}

function compareRests(when: string, expected: AtRest, found: AtRest | undefined): string[] {
  const wrong: string[] = [];
  for (const [name, state] of expected.states) {
    const seen = found?.states.get(name);
    if (seen !== state) wrong.push(`${when}: expected ${name} ${state} as the model, found ${seen}`);
  }
  for (const [name, bytes] of expected.memory) {
    const seen = found?.memory.get(name);
    const at = bytes.findIndex((byte, i) => byte !== seen?.[i]);
    if (at < 0) continue;
    const show = (of: Uint8Array | undefined) => Buffer.from(of?.subarray(at, at + 8) ?? []).toString('hex');
    const both = `${show(bytes)} from byte ${at} as the model, found ${show(seen)}`;
    wrong.push(`${when}: expected ${name} to hold ${both}`);
  }
  return wrong;
}

function compareOne(what: string, expected: WorkCompletion, found: WorkCompletion): string[] {
  return (Object.keys(expected) as (keyof WorkCompletion)[])
    .filter((key) => expected[key] !== found[key])
    .map((key) => `${what}: expected ${key} ${expected[key]} as the model, found ${found[key]}`);
}

const list = (events: string[]): string => (events.length === 0 ? 'none' : events.join(', '));
