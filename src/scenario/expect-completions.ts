import type { Cq, WorkCompletion } from '../host/index.ts';
import { WcFlag } from '../host/index.ts';
import { Unexpected } from './errors.ts';
import type { Arrived, Inbox } from './inbox.ts';
import type { CompletionSpec, Step } from './steps.ts';
import type { World } from './world.ts';

type Expectation = NonNullable<Step['expect_completions']>;

/** One completion that is expected. */
interface Wanted {
  spec: CompletionSpec;
  id: number | undefined;
  index: number;
}

const DEFAULT_CYCLES = 1_000_000;

/** Waits for the completions of a list and compares each with the first that its queue may bring next. */
export async function expectCompletions(
  world: World,
  inbox: Inbox,
  queueOf: ReadonlyMap<number, string>,
  expectation: Expectation,
): Promise<void> {
  const cq = world.cqs.get(expectation.cq)!;
  const open = expectation.list.flatMap((spec, index): Wanted[] =>
    Array.from({ length: spec.repeat ?? 1 }, (_, i) => ({
      spec,
      id: spec.id === undefined ? undefined : spec.id + i,
      index,
    })),
  );
  const total = open.length;
  const match = () => {
    for (let arrived = take(inbox, cq); arrived && open.length > 0; arrived = take(inbox, cq)) {
      matchOne(world, queueOf, expectation, open, arrived);
      inbox.completions.splice(inbox.completions.indexOf(arrived), 1);
    }
    return open.length === 0;
  };
  const cycles = expectation.cycles ?? DEFAULT_CYCLES;
  if (await inbox.wait(match, cycles)) return;
  const missing = open[0]!;
  throw new Unexpected(
    `${total} completions on ${expectation.cq} within ${cycles} cycles; the next is ${wantedText(missing)}`,
    `${total - open.length}`,
    ['list', missing.index],
  );
}

const take = (inbox: Inbox, cq: Cq): Arrived | undefined =>
  inbox.completions.find((arrived) => arrived.cq === cq);

function matchOne(
  world: World,
  queueOf: ReadonlyMap<number, string>,
  expectation: Expectation,
  open: Wanted[],
  arrived: Arrived,
): void {
  const { completion } = arrived;
  const queue = queueName(world, arrived);
  const at = expectation.strict ? 0 : open.findIndex((wanted) => mayBe(wanted, queue, queueOf));
  const wanted = open[at];
  if (!wanted) {
    throw new Unexpected(
      `no more completions of ${queue} on ${expectation.cq} here`,
      completionText(world, arrived),
      ['list'],
    );
  }
  for (const { key, expected, found } of compare(world, wanted, completion, arrived.side)) {
    if (expected === found) continue;
    throw new Unexpected(
      `${key} ${expected} of completion ${wantedText(wanted, key)}`,
      `${key} ${found} in ${completionText(world, arrived, key)}`,
      ['list', wanted.index, ...(key in wanted.spec ? [key] : [])],
    );
  }
  open.splice(at, 1);
}

/** Whether an expectation can be meant for a completion of that queue. */
function mayBe({ spec, id }: Wanted, queue: string, queueOf: ReadonlyMap<number, string>): boolean {
  if (id !== undefined) return queueOf.get(id) === queue;
  if (spec.qp !== undefined && !queue.startsWith(`${spec.qp} `)) return false;
  return spec.queue === undefined || queue.endsWith(` ${spec.queue}`);
}

type Shown = string | number | boolean | null;

function compare(
  world: World,
  { spec, id }: Wanted,
  found: WorkCompletion,
  side: 0 | 1,
): { key: string; expected: Shown; found: Shown }[] {
  const rows: { key: string; expected: Shown; found: Shown }[] = [];
  const add = (key: string, expected: Shown | undefined, value: Shown) => {
    if (expected !== undefined) rows.push({ key, expected, found: value });
  };
  const nameOf = (qpn: number, of: 0 | 1) => world.endNamed(of, qpn) ?? qpn;
  add('status', spec.status ?? 'SUCCESS', found.status);
  add('id', id, Number(found.wrId));
  add('qp', spec.qp, nameOf(found.qpNum, side));
  add('queue', spec.queue, found.queue);
  add('opcode', spec.opcode, found.opcode);
  add('bytes', spec.bytes, found.byteLen);
  add('imm', spec.imm, found.withImm ? found.immediate : null);
  add('solicited', spec.solicited, found.solicited);
  add('grh', spec.grh, (found.wcFlags & WcFlag.GRH) !== 0);
  add('slid', spec.slid, found.slid);
  add('sl', spec.sl, found.sl);
  add('path_bits', spec.path_bits, found.dlidPathBits);
  const source = typeof spec.src_qp === 'string' ? nameOf(found.srcQp, side === 0 ? 1 : 0) : found.srcQp;
  add('src_qp', spec.src_qp, source);
  add('pkey_index', spec.pkey_index, found.pkeyIndex);
  add('vendor', spec.vendor, found.vendorErr);
  return rows;
}

const queueName = (world: World, { side, completion }: Arrived): string =>
  `${world.endNamed(side, completion.qpNum) ?? `QP ${completion.qpNum}`} ${completion.queue}`;

/** A completion in words, but for a field that is told beside them. */
function wantedText({ spec, id }: Wanted, but?: string): string {
  const { opcode, status = 'SUCCESS', qp } = spec;
  return words({ id, qp, opcode, status }, but);
}

export function completionText(world: World, arrived: Arrived, but?: string): string {
  const { wrId, opcode, status, byteLen } = arrived.completion;
  const bytes = status === 'SUCCESS' && but !== 'bytes' ? `, ${byteLen} bytes` : '';
  return `${words({ id: wrId, opcode, status }, but)} of ${queueName(world, arrived)}${bytes}`;
}

const words = (fields: Record<string, string | number | bigint | undefined>, but?: string): string =>
  Object.entries(fields)
    .filter(([key, value]) => key !== but && value !== undefined)
    .map(([, value]) => String(value))
    .join(' ');
