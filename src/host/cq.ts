import { CmdOp } from '../spec/gen/enums.ts';
import { CQC, CQE, type Cqe } from '../spec/gen/records.ts';
import { REGISTERS } from '../spec/gen/registers.ts';
import type { Context } from './context.ts';
import { ringDoorbell } from './doorbell.ts';
import { type Eq, requireEq } from './eq.ts';
import { VerbsError } from './errors.ts';
import { fetchAllEvents, requireHandlerId } from './events.ts';
import { Lock } from './lock.ts';
import { logSizeFor, Ring } from './ring.ts';
import { packEntry, writeEntry } from './table.ts';

/** An entry that was read from the ring and not handed out yet. */
export interface ReadyEntry {
  readonly index: number;
  readonly cqe: Cqe;
}

/** A completion queue. Its indices count on without wrap, from 0 in each ring; what an earlier ring still held is below 0. */
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
  /** It moves to another ring: meanwhile no doorbell means anything. */
  moving = false;
  readonly lock = new Lock();

  constructor(
    readonly context: Context,
    readonly cqn: number,
    public ring: Ring,
    public eq: Eq,
    /** Which handler its events call. */
    readonly handlerId: number,
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
  /** The completion handler that its events call; otherwise 0. */
  handlerId?: number;
}

export async function createCq(context: Context, capacity: number, options: CqOptions = {}): Promise<Cq> {
  context.requireOpen();
  const logSize = ringSize(context, capacity);
  const { handlerId = 0 } = options;
  requireHandlerId(context, handlerId);
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
  const cq = new Cq(context, cqn, ring, eq, handlerId);
  eq.users++;
  context.cqs.set(cqn, cq);
  return cq;
}

export function ringSize(context: Context, capacity: number): number {
  const logSize = logSizeFor(capacity);
  const { logMaxCqes } = context.attributes.limits;
  context.require(
    capacity >= 1 && logSize <= logMaxCqes,
    'MAX_CQE_EXCEEDED',
    () => `CQ: expected 1..${2 ** logMaxCqes} entries, got ${capacity}`,
  );
  return logSize;
}

const CHUNK = 64; // entries read at once

/** Reads until so many entries are ready or the device has written no more. */
export async function readEntries(cq: Cq, wanted: number): Promise<void> {
  while (cq.ready.length < wanted) {
    const count = Math.min(CHUNK, cq.ring.run(cq.head));
    const bytes = await cq.context.device.memRead(cq.ring.address(cq.head), count * CQE.bytes);
    for (let i = 0; i < count; i++) {
      if (CQE.get(bytes, 'phase', i * CQE.bytes) !== cq.ring.phase(cq.head)) return;
      cq.ready.push({ index: cq.head++, cqe: CQE.unpack(bytes, i * CQE.bytes) });
    }
  }
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
  /** It has lost a completion and writes none any more. */
  error: boolean;
}

/** Of a CQ that is not in error. */
export async function queryCq(cq: Cq): Promise<CqAttributes> {
  requireCq(cq);
  const attributes = await askCq(cq);
  cq.context.require(!attributes.error, 'CQ_ERROR_STATE', () => `CQ ${cq.cqn} is in error`);
  return attributes;
}

/** What the device knows of it, in error or not. */
export async function askCq(cq: Cq): Promise<CqAttributes> {
  const cqc = CQC.unpack(await cq.context.commands.query(CmdOp.QUERY_CQ, cq.cqn, CQC.bytes));
  return {
    capacity: 2 ** cqc.logSize,
    producer: cqc.producer,
    consumer: cqc.consumer,
    armed: (['no', 'solicited', 'next'] as const)[cqc.armed] ?? 'no',
    error: cqc.error === 1,
  };
}

export function destroyCq(cq: Cq): Promise<void> {
  return cq.lock.run(async () => {
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
  });
}

const ARM = { solicited: 1, next: 2 } as const;

/**
 * The next completion (or the next solicited or failed one) calls the completion handler. When the
 * promise is kept the request is in effect: what came before it is in the queue, so poll after it.
 */
export function reqNotifyCq(cq: Cq, kind: keyof typeof ARM = 'next'): Promise<void> {
  return cq.lock.run(async () => {
    requireCq(cq);
    cq.freed = cq.consumer;
    ringDoorbell(cq.context, 'cq', cq.cqn, cq.consumer, ARM[kind]);
    await cq.context.device.barRead(0, REGISTERS.identity.at, 8);
  });
}

/** Lets the device write again what has been handed out. */
export function freeEntries(cq: Cq): void {
  if (cq.freed === cq.consumer || cq.moving) return;
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
