import { CmdOp } from '../spec/gen/enums.ts';
import { CQC, CQE, type Cqe } from '../spec/gen/records.ts';
import { REGISTERS } from '../spec/gen/registers.ts';
import type { Context } from './context.ts';
import { ringDoorbell } from './doorbell.ts';
import { type Eq, requireEq } from './eq.ts';
import { VerbsError } from './errors.ts';
import { fetchAllEvents } from './events.ts';
import { Lock } from './lock.ts';
import { logSizeFor, Ring } from './ring.ts';
import { packEntry, writeEntry } from './table.ts';

/** An entry that was read from the ring and not handed out yet. */
export interface ReadyEntry {
  readonly index: number;
  readonly cqe: Cqe;
}

/** A completion queue. Its indices count on without wrap. */
export class Cq {
  alive = true;
  /** Send and receive queues that complete to it. */
  users = 0;
  /** Work requests of those queues that have not been reported or covered by a later one. */
  outstanding = 0;
  /** Read from the ring, oldest first. */
  ready: ReadyEntry[] = [];
  /** Next entry to be read. */
  head = 0;
  /** What the device knows as consumed. */
  freed = 0;
  readonly lock = new Lock();

  constructor(
    readonly context: Context,
    readonly cqn: number,
    readonly ring: Ring,
    public eq: Eq,
  ) {}

  /** Entries it holds: at least what was asked for. */
  get capacity(): number {
    return this.ring.slots;
  }

  /** Next entry to be handed out; those before it are the device's to write. */
  get consumer(): number {
    return this.ready[0]?.index ?? this.head;
  }
}

export interface CqOptions {
  /** Where its completion events go; otherwise event queue 0. */
  eq?: Eq;
}

export async function createCq(context: Context, capacity: number, options: CqOptions = {}): Promise<Cq> {
  context.requireOpen();
  const logSize = logSizeFor(capacity);
  const { logMaxCqes } = context.attributes.limits;
  context.require(
    capacity >= 1 && logSize <= logMaxCqes,
    'MAX_CQE_EXCEEDED',
    () => `CQ: expected 1..${2 ** logMaxCqes} entries, got ${capacity}`,
  );
  const eq = options.eq ?? context.eqs.values().next().value;
  if (!eq) throw new VerbsError('INVALID_EQ', 'the device has no event queue');
  requireEq(eq);

  const cqn = context.cqNumbers.allocate();
  let ring: Ring | undefined;
  try {
    ring = new Ring(context, logSize, CQE.bytes, `CQ ${cqn}`);
    ring.clear();
    writeEntry(context, 'cqc', cqn, { mtt: ring.mtt, logSize, eqn: eq.eqn, uar: context.uar });
    await context.commands.execute(CmdOp.SW2HW_CQ, cqn);
  } catch (error) {
    ring?.free();
    context.cqNumbers.free(cqn);
    throw error;
  }
  const cq = new Cq(context, cqn, ring, eq);
  eq.users++;
  context.cqs.set(cqn, cq);
  return cq;
}

/** Its completion events go to another event queue from now on. */
export async function modifyCq(cq: Cq, eq: Eq): Promise<void> {
  requireCq(cq);
  requireEq(eq);
  const mailbox = packEntry('cqc', { eqn: eq.eqn });
  await cq.context.commands.execute(CmdOp.MODIFY_CQ, cq.cqn, { mailbox });
  cq.eq.users--;
  eq.users++;
  cq.eq = eq;
}

export interface CqAttributes {
  capacity: number;
  /** Entries ever written and ever freed, modulo 2^24. */
  producer: number;
  consumer: number;
  armed: 'no' | 'solicited' | 'next';
  /** It overflowed. */
  error: boolean;
}

export async function queryCq(cq: Cq): Promise<CqAttributes> {
  requireCq(cq);
  const cqc = CQC.unpack(await cq.context.commands.query(CmdOp.QUERY_CQ, cq.cqn, CQC.bytes));
  return {
    capacity: 2 ** cqc.logSize,
    producer: cqc.producer,
    consumer: cqc.consumer,
    armed: (['no', 'solicited', 'next'] as const)[cqc.armed] ?? 'no',
    error: cqc.error === 1,
  };
}

export async function destroyCq(cq: Cq): Promise<void> {
  requireCq(cq);
  const { context } = cq;
  context.require(cq.users === 0, 'BUSY', () => `CQ ${cq.cqn} is used by ${cq.users} work queues`);
  await context.commands.execute(CmdOp.HW2SW_CQ, cq.cqn);
  await fetchAllEvents(context);
  cq.alive = false;
  cq.eq.users--;
  context.cqs.delete(cq.cqn);
  cq.ring.free();
  context.cqNumbers.free(cq.cqn);
}

const ARM = { solicited: 1, next: 2 } as const;

/**
 * The next completion (or the next solicited or failed one) calls the completion handler. When the
 * promise is kept the request is in effect: what came before it is in the queue, so poll after it.
 */
export async function reqNotifyCq(cq: Cq, kind: keyof typeof ARM = 'next'): Promise<void> {
  requireCq(cq);
  cq.freed = cq.consumer;
  ringDoorbell(cq.context, 'cq', cq.cqn, cq.consumer, ARM[kind]);
  await cq.context.device.barRead(0, REGISTERS.identity.at, 8);
}

/** Lets the device write again what has been handed out. */
export function freeEntries(cq: Cq): void {
  if (cq.freed === cq.consumer) return;
  cq.freed = cq.consumer;
  ringDoorbell(cq.context, 'cq', cq.cqn, cq.consumer);
}

/** Work requests are about to be posted: entries the device may still think taken must not be missed then. */
export function reserveEntries(cq: Cq, count: number): void {
  cq.outstanding += count;
  const idle = cq.head - cq.freed - cq.ready.length;
  if (cq.outstanding + idle > cq.capacity) freeEntries(cq);
}

export function requireCq(cq: Cq): void {
  cq.context.requireOpen();
  cq.context.require(cq.alive, 'INVALID_CQ', () => `CQ ${cq.cqn} was destroyed`);
}
