import { createHash } from 'node:crypto';
import { Access, mtuCode, queryCounters, queryNaks, queryQp, waitUntil } from '../host/index.ts';
import { bytesOf, lengthOf } from './bytes.ts';
import { Unexpected } from './errors.ts';
import { type ArrivedEvent, eventText, type Inbox } from './inbox.ts';
import {
  COUNTERS,
  type CountersSpec,
  type EventSpec,
  type MemorySpec,
  type QpExpectation,
  type Step,
} from './steps.ts';
import type { Amount } from './values.ts';
import { RIGHTS, sideOf, type World } from './world.ts';

const DEFAULT_CYCLES = 1_000_000;
const COUNTER_CYCLES = 200_000;

export async function expectMemory(world: World, given: NonNullable<Step['expect_memory']>): Promise<void> {
  for (const [i, spec] of [given].flat().entries()) {
    try {
      await oneMemory(world, spec);
    } catch (error) {
      if (error instanceof Unexpected && Array.isArray(given))
        throw new Unexpected(error.expected, error.found, [i, ...error.path]);
      throw error;
    }
  }
}

async function oneMemory(world: World, spec: MemorySpec): Promise<void> {
  const region = world.region(spec.region);
  const { offset = 0, holds } = spec;
  const rest = Math.max(0, region.size - offset);
  const length = spec.length ?? Math.min(rest, lengthHeld(world, spec) ?? rest);
  const found = await region.read(offset, length);
  if (holds === 'any') {
    region.loosen(offset, length);
  } else if (holds === 'unchanged') {
    const { expected } = await region.whole();
    region.compare(offset, expected.slice(offset, offset + length), found, ['holds']);
  } else if (typeof holds === 'object' && 'sha256' in holds) {
    const digest = createHash('sha256').update(found).digest('hex');
    if (digest !== holds.sha256.toLowerCase())
      throw new Unexpected(`SHA-256 ${holds.sha256} of ${length} bytes of ${spec.region}`, digest, ['holds']);
    region.learn(offset, found);
  } else {
    const expected = expectedBytes(world, spec, length);
    region.compare(offset, expected, found, ['holds']);
    region.learn(offset, expected);
  }
}

type Held = Exclude<MemorySpec['holds'], 'any' | 'unchanged' | { sha256: string }>;

function expectedBytes(world: World, spec: MemorySpec, length: number): Uint8Array {
  const holds = spec.holds as Held;
  if (typeof holds === 'string' || !('same_as' in holds))
    return bytesOf(holds, length, spec.region, world.origin);
  const { region, offset } = sourceOf(holds.same_as);
  const bytes = world.region(region).known.slice(offset, offset + length);
  if (bytes.length < length)
    throw new Unexpected(`${length} bytes from ${offset} of ${region}`, `${bytes.length}`, ['holds']);
  return bytes;
}

function lengthHeld(world: World, { holds }: MemorySpec): number | undefined {
  if (holds === 'any' || holds === 'unchanged') return undefined;
  if (typeof holds === 'string') return undefined;
  if ('sha256' in holds) return undefined;
  if (!('same_as' in holds)) return lengthOf(holds, world.origin);
  const { region, offset } = sourceOf(holds.same_as);
  return Math.max(0, world.region(region).size - offset);
}

const sourceOf = (same: string | { region: string; offset?: number | undefined }) =>
  typeof same === 'string' ? { region: same, offset: 0 } : { region: same.region, offset: same.offset ?? 0 };

export async function expectEvents(
  world: World,
  inbox: Inbox,
  { host, list, cycles = DEFAULT_CYCLES }: NonNullable<Step['expect_events']>,
): Promise<void> {
  const open = list.flatMap((spec, index) =>
    Array.from({ length: spec.repeat ?? 1 }, () => ({ spec, index })),
  );
  const arrived = inbox.events[sideOf(host)];
  const match = () => {
    for (let i = 0; i < arrived.length; ) {
      const at = open.findIndex(({ spec }) => isEvent(world, spec, arrived[i]!));
      if (at < 0) {
        i++;
        continue;
      }
      open.splice(at, 1);
      arrived.splice(i, 1);
    }
    return open.length === 0;
  };
  if (await inbox.wait(match, cycles)) return;
  const { spec, index } = open[0]!;
  const others = arrived.map((event) => eventText(world, sideOf(host), event)).join(', ');
  throw new Unexpected(
    `event ${spec.event}${spec.qp ? ` of ${spec.qp}` : ''}${spec.cq ? ` of ${spec.cq}` : ''} within ${cycles} cycles`,
    others || 'none',
    ['list', index],
  );
}

function isEvent(world: World, spec: EventSpec, found: ArrivedEvent): boolean {
  if (spec.event !== found.event) return false;
  if (spec.cq !== undefined && found.cq !== world.cqs.get(spec.cq)) return false;
  if (spec.qp === undefined) return true;
  return found.event !== 'COMPLETION' && found.number === world.end(spec.qp).qp.qpn;
}

export type Drops = Readonly<Record<string, number | 'any'>>;

/** Waits until the counters stand there; returns the drops that are accounted for now. */
export async function expectCounters(world: World, spec: CountersSpec): Promise<Drops> {
  const context = world.context(spec.host);
  let wrong: Unexpected | undefined;
  let drops: Drops = {};
  const look = async () => {
    const counters = await queryCounters(context);
    wrong = undefined;
    for (const [key, name] of Object.entries(COUNTERS) as [keyof typeof COUNTERS, keyof typeof counters][]) {
      wrong ??= differs(key, spec[key], counters[name] as number, [key]);
    }
    for (const [reason, amount] of Object.entries(spec.drops ?? {})) {
      const found = counters.drops[reason as keyof typeof counters.drops];
      wrong ??= differs(`${reason} drops`, amount, found, ['drops', reason]);
    }
    const naks = spec.naks && (await queryNaks(context));
    for (const [nak, amount] of Object.entries(spec.naks ?? {})) {
      const found = naks![nak as keyof typeof naks];
      wrong ??= differs(`${nak} NAKs`, amount, found, ['naks', nak]);
    }
    drops = Object.fromEntries(
      Object.entries(spec.drops ?? {}).map(([reason, amount]) => [
        reason,
        typeof amount === 'number' ? amount : 'any',
      ]),
    );
    return wrong === undefined;
  };
  if (!(await waitUntil(world.run.fabric, look, spec.cycles ?? COUNTER_CYCLES)) && wrong) throw wrong;
  return drops;
}

function differs(
  what: string,
  amount: Amount | undefined,
  found: number,
  path: readonly string[],
): Unexpected | undefined {
  if (amount === undefined || amount === 'any') return undefined;
  const { min, max } = typeof amount === 'number' ? { min: amount, max: amount } : amount;
  if (found >= (min ?? 0) && found <= (max ?? Number.POSITIVE_INFINITY)) return undefined;
  const expected =
    min === max
      ? `${min}`
      : [min && `at least ${min}`, max !== undefined && `at most ${max}`].filter(Boolean).join(', ');
  return new Unexpected(`${what}: ${expected}`, `${found}`, path);
}

export async function expectQp(world: World, spec: QpExpectation): Promise<void> {
  const { qp, ...expected } = spec;
  const found = await queryQp(world.end(qp).qp);
  const destQpn = typeof spec.dest_qp === 'string' ? world.end(spec.dest_qp).qp.qpn : spec.dest_qp;
  const rights = (spec.access ?? []).reduce((sum, right) => sum | RIGHTS[right], 0);
  const values: Record<string, [expected: unknown, found: unknown]> = {
    state: [spec.state, found.state],
    access: [rights, found.access & ~Access.LOCAL_WRITE],
    pkey_index: [spec.pkey_index, found.pkeyIndex],
    mtu: [spec.mtu && mtuCode(spec.mtu), found.pathMtu],
    sq_psn: [spec.sq_psn, found.sqPsn],
    rq_psn: [spec.rq_psn, found.rqPsn],
    timeout: [spec.timeout, found.timeout],
    retry_count: [spec.retry_count, found.retryCnt],
    rnr_retry: [spec.rnr_retry, found.rnrRetry],
    min_rnr_timer: [spec.min_rnr_timer, found.minRnrTimer],
    max_rd_atomic: [spec.max_rd_atomic, found.maxRdAtomic],
    max_dest_rd_atomic: [spec.max_dest_rd_atomic, found.maxDestRdAtomic],
    dest_qp: [destQpn, found.destQpn],
  };
  for (const key of Object.keys(expected)) {
    const [wanted, is] = values[key]!;
    if (wanted !== is) throw new Unexpected(`${key} ${wanted} of ${qp}`, `${is}`, [key]);
  }
}
