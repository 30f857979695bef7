/** What queries and the driver tell of a device that rests; indices as the device counts them. */
export interface Observation {
  queuePairs: readonly ObservedQueuePair[];
  completionQueues: readonly ObservedQueue[];
  eventQueues: readonly ObservedQueue[];
  /** Objects that the driver has, and those that the device says it owns; by kind. */
  objects?: Readonly<Record<string, { driver: number; device: number }>>;
  /** Counters that must be 0 in a run without faults, by name. */
  counters?: Readonly<Record<string, number>>;
}

export interface ObservedQueuePair {
  name: string;
  /** RESET, INIT, RTR, RTS, SQD, SQE, ERR. */
  state: string;
  sq: WorkQueueIndices;
  rq: WorkQueueIndices;
  /** WRs of which the driver has seen no completion; unsignaled ones behind which none came do not count. */
  owedSends: number;
  owedReceives: number;
  /** PSNs, when the queries tell them. */
  sqPsn?: { next: number; oldest: number };
}

export interface WorkQueueIndices {
  /** What the driver rang last. */
  rung: number;
  /** What the device has as producer. */
  producer: number;
  /** The oldest WQE that is not done. */
  oldest: number;
}

export interface ObservedQueue {
  name: string;
  producer: number;
  consumer: number;
  size: number;
  armed?: boolean | undefined;
  /** Entries that came since it was armed and fired nothing. */
  unfired?: number | undefined;
  /** The error flag. */
  failed?: boolean | undefined;
}

export interface InvariantOptions {
  /** Receives may be left posted; sends may not. */
  receivesLeft?: boolean;
  /** The consumer has polled all. */
  drained?: boolean;
}

const INDEX = 2 ** 16;
const QUEUE_INDEX = 2 ** 24;

/** What is wrong with a device that has nothing to do, one line each. */
export function invariants(seen: Observation, options: InvariantOptions = {}): string[] {
  const { receivesLeft = true, drained = true } = options;
  return [
    ...seen.queuePairs.flatMap((pair) => queuePair(pair, receivesLeft)),
    ...seen.completionQueues.flatMap((queue) => entryQueue(queue, 'CQ', drained)),
    ...seen.eventQueues.flatMap((queue) => entryQueue(queue, 'EQ', drained)),
    ...Object.entries(seen.objects ?? {}).flatMap(([kind, { driver, device }]) =>
      driver === device ? [] : [`${kind}: the driver has ${driver}, the device owns ${device}`],
    ),
    ...Object.entries(seen.counters ?? {}).flatMap(([name, value]) =>
      value === 0 ? [] : [`counter ${name}: expected 0, found ${value}`],
    ),
  ];
}

function queuePair(pair: ObservedQueuePair, receivesLeft: boolean): string[] {
  const { name, state, sq, rq, owedSends, owedReceives, sqPsn } = pair;
  const wrong: string[] = [];
  const idle = state === 'RESET' || state === 'INIT' || state === 'RTR';
  if (idle && sq.producer !== sq.oldest) wrong.push(`${name} in ${state}: sends are under way`);
  for (const [queue, { rung, producer }] of [
    ['SQ', sq],
    ['RQ', rq],
  ] as const) {
    if (rung !== producer) wrong.push(`${name} ${queue}: rung to ${rung}, the device has ${producer}`);
  }
  const sends = left(sq);
  if (!idle && sends !== 0) wrong.push(`${name} SQ: ${sends} WQEs from ${sq.oldest} are not done`);
  if (owedSends !== 0) wrong.push(`${name} SQ: ${owedSends} WRs without their completion`);
  const receives = left(rq);
  const flushed = state === 'ERR';
  if ((flushed || !receivesLeft) && receives !== 0) {
    wrong.push(`${name} RQ in ${state}: ${receives} WQEs from ${rq.oldest} are not done`);
  }
  if (receives !== owedReceives) {
    wrong.push(`${name} RQ: ${receives} WQEs are not done, but ${owedReceives} WRs are without completion`);
  }
  if (sqPsn && !idle && !flushed && sqPsn.next !== sqPsn.oldest) {
    wrong.push(`${name} SQ: PSNs ${sqPsn.oldest} to ${sqPsn.next} are not acknowledged`);
  }
  return wrong;
}

const left = ({ producer, oldest }: WorkQueueIndices): number => (producer - oldest + INDEX) % INDEX;

function entryQueue(queue: ObservedQueue, kind: string, drained: boolean): string[] {
  const { name, producer, consumer, size, armed, unfired = 0, failed } = queue;
  const wrong: string[] = [];
  const entries = (producer - consumer + QUEUE_INDEX) % QUEUE_INDEX;
  if (entries > size) wrong.push(`${kind} ${name}: ${entries} entries in a ring of ${size}`);
  else if (drained && entries > 0) wrong.push(`${kind} ${name}: ${entries} entries were not polled`);
  if (armed && unfired > 0) wrong.push(`${kind} ${name}: armed, but ${unfired} entries raised no event`);
  if (failed) wrong.push(`${kind} ${name}: its error flag is set`);
  return wrong;
}
