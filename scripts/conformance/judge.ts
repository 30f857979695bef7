/** The state of each statement and event. */
import type { Compliance, ComplianceEvent, Statement } from './compliance.ts';
import { type ShownBy, shownOn } from './tests.ts';

export const STATES = [
  'RTL and model',
  'model only',
  'RTL only',
  'not yet',
  'not applicable',
  'rule for others',
  'obsolete',
] as const;
export type State = (typeof STATES)[number];

export interface Row {
  id: string;
  section: string;
  state: State;
  /** Why there is no test: the option, the party, the part of the work. */
  reason: string;
  /** The part of the work of scope.yaml. */
  phase: string;
  tests: readonly ShownBy[];
  /** How many break it on purpose. */
  mutants: number;
}

/** Parts of the work whose statements can be shown by now. */
export const IN_SCOPE: readonly string[] = ['first-light', 'rc'];

const OF_THE_HCA = ['hardware', 'driver'];
const NOTHING = { phase: '', reason: '' };

const featuresOf = ({ feature }: Statement | ComplianceEvent): readonly string[] =>
  feature === null ? [] : typeof feature === 'string' ? [feature] : feature;

function shown(tests: readonly ShownBy[]): State {
  const [rtl, model] = [shownOn('RTL', tests), shownOn('model', tests)];
  if (rtl && model) return 'RTL and model';
  return rtl ? 'RTL only' : model ? 'model only' : 'not yet';
}

/** What keeps it from being shown, if anything does. */
function excluded(each: Statement | ComplianceEvent, { offers }: Compliance): [State, string] | undefined {
  if ('obsolete' in each) {
    if (each.obsolete) return ['obsolete', ''];
    if (!each.actor.some((actor) => OF_THE_HCA.includes(actor)))
      return ['rule for others', each.actor.join(', ')];
  }
  const missing = featuresOf(each).filter((feature) => !offers(feature));
  return missing.length === 0 ? undefined : ['not applicable', missing.join(', ')];
}

/** Mutants by id. */
export type MutantCounts = ReadonlyMap<string, number>;

function judge(
  id: string,
  key: string,
  each: Statement | ComplianceEvent,
  compliance: Compliance,
  byId: ReadonlyMap<string, readonly ShownBy[]>,
  counts: MutantCounts,
): Row {
  const tests = byId.get(key) ?? [];
  const mutants = counts.get(id) ?? 0;
  const { phase, reason } = compliance.scope[id] ?? NOTHING;
  const section = 'section' in each ? each.section : '';
  const row = { id, section, phase, tests, mutants };
  const out = excluded(each, compliance);
  if (out) return { ...row, state: out[0], reason: out[1] };
  const state = shown(tests);
  if (state === 'not yet') return { ...row, state, reason: `${phase}: ${reason}` };
  // Tests that no fault makes fail may show nothing.
  if (mutants === 0 && IN_SCOPE.includes(phase)) return { ...row, state: 'not yet', reason: 'no mutant' };
  return { ...row, state, reason: '' };
}

export interface Judged {
  statements: readonly Row[];
  events: readonly Row[];
}

export function judgeAll(
  compliance: Compliance,
  byId: ReadonlyMap<string, readonly ShownBy[]>,
  counts: MutantCounts,
): Judged {
  return {
    statements: compliance.statements.map((each) => judge(each.id, each.id, each, compliance, byId, counts)),
    events: compliance.events.map((each) =>
      judge(each.name, `event: ${each.name}`, each, { ...compliance, scope: {} }, byId, counts),
    ),
  };
}

/** Ids in titles that mean nothing in test/compliance; those of faults are another page's. */
export function unknownIds(ids: Iterable<string>, { statements, events }: Compliance): string[] {
  const known = new Set([...statements.map(({ id }) => id), ...events.map(({ name }) => `event: ${name}`)]);
  return [...ids].filter((id) => !/^[A-Z]\d+$/.test(id) && !known.has(id));
}
