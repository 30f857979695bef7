import type { Scope, Signal } from './fst.ts';

/** Signals of one block that belong together. */
export interface Group {
  readonly title: string;
  /** With the names of all scopes above. */
  readonly signals: readonly (Signal & { readonly path: string })[];
}

/** Blocks of an HCA by the way of a packet: instances in rtl/hca/hca.sv. Those that are not here come behind. */
export const BLOCKS = [
  'registers',
  'doorbell',
  'sq',
  'rq',
  'schedule',
  'requester',
  'flight',
  'orders',
  'gather_mux',
  'mem',
  'tx_buffer',
  'link_tx',
  'link_rx',
  'dispatch',
  'responder',
  'park',
  'acks',
  'read_responder',
  'completer',
  'lists',
  'timers',
  'scatter_mux',
  'cqes',
  'eqes',
  'flush',
  'cmd',
] as const;

/** A wider one says little as a number. */
const MOST_BITS = 64;
const HCAS = ['u_a', 'u_b'] as const;

/** For each HCA the ports, then its blocks. */
export function groupsOf(root: Scope): Group[] {
  return HCAS.flatMap((name) => {
    const found = find(root, name, '');
    if (!found) return [];
    const { scope, path } = found;
    const host = `host ${name.at(-1)}`;
    const blocks = scope.scopes
      .filter((each) => each.name.startsWith('u_') && each.signals.some(isHandshake))
      .map((each) => ({ rank: rankOf(each.name), group: blockGroup(host, each, path) }))
      .filter(({ group }) => group.signals.length > 0)
      .sort((a, b) => a.rank - b.rank);
    return [{ title: `${host} ports`, signals: streams(scope, path) }, ...blocks.map(({ group }) => group)];
  });
}

function rankOf(instance: string): number {
  const rank = (BLOCKS as readonly string[]).indexOf(instance.slice('u_'.length));
  return rank < 0 ? BLOCKS.length : rank;
}

function blockGroup(host: string, scope: Scope, above: string): Group {
  const path = `${above}.${scope.name}`;
  return {
    title: `${host} ${scope.name.slice('u_'.length)}`,
    signals: [...states(scope, path), ...streams(scope, path)],
  };
}

/** What a block and those inside it are at. */
const states = (scope: Scope, path: string): Group['signals'] => [
  ...scope.signals
    .filter(({ names }) => names)
    .map((signal) => ({ ...signal, path: `${path}.${signal.name}` })),
  ...scope.scopes.flatMap((inner) => states(inner, `${path}.${inner.name}`)),
];

/** Valid and ready of each stream of the ports, and what goes with them. */
function streams({ signals }: Scope, path: string): Group['signals'] {
  const prefixes = signals.filter(isHandshake).map(({ name }) => name.slice(0, -'_valid'.length));
  return prefixes.flatMap((prefix) =>
    signals
      .filter(({ name, bits }) => (name === prefix || name.startsWith(`${prefix}_`)) && bits <= MOST_BITS)
      .filter(({ name }) => !name.endsWith('_q'))
      .map((signal) => ({ ...signal, path: `${path}.${signal.name}` })),
  );
}

const isHandshake = ({ name }: Signal): boolean => /^[sm]_\w+_valid$/.test(name);

function find(scope: Scope, name: string, above: string): { scope: Scope; path: string } | undefined {
  for (const inner of scope.scopes) {
    const path = above === '' ? inner.name : `${above}.${inner.name}`;
    const found = inner.name === name ? { scope: inner, path } : find(inner, name, path);
    if (found) return found;
  }
  return undefined;
}
