import { CmdOp } from '../spec/gen/enums.ts';
import { EQC, EQE, type Eqe } from '../spec/gen/records.ts';
import type { Context } from './context.ts';
import { ringDoorbell } from './doorbell.ts';
import { logSizeFor, Ring } from './ring.ts';
import { packEntry, writeEntry } from './table.ts';

/** An event queue: where completion events of some CQs arrive, and asynchronous events on number 0. */
export class Eq {
  alive = true;
  /** CQs that name it. */
  users = 0;
  /** Entries read, counting on without wrap. */
  consumer = 0;

  constructor(
    readonly context: Context,
    readonly eqn: number,
    readonly ring: Ring,
    public vector: number,
  ) {}
}

export interface EqOptions {
  entries?: number;
  /** MSI-X vector; otherwise the EQ's number. */
  vector?: number;
}

const DEFAULT_ENTRIES = 256;
const CHUNK = 32; // entries read at once

export async function createEq(context: Context, options: EqOptions = {}): Promise<Eq> {
  context.requireOpen();
  const eqn = context.eqNumbers.allocate();
  let ring: Ring | undefined;
  try {
    ring = new Ring(context, logSizeFor(options.entries ?? DEFAULT_ENTRIES), EQE.bytes, `EQ ${eqn}`);
    ring.clear();
    const eq = new Eq(context, eqn, ring, options.vector ?? eqn);
    const { mtt, logSize } = ring;
    writeEntry(context, 'eqc', eqn, { mtt, logSize, vector: eq.vector, uar: context.uar });
    await context.commands.execute(CmdOp.SW2HW_EQ, eqn);
    context.eqs.set(eqn, eq);
    return eq;
  } catch (error) {
    ring?.free();
    context.eqNumbers.free(eqn);
    throw error;
  }
}

/** Its interrupts come on another vector from now on. */
export async function modifyEq(eq: Eq, vector: number): Promise<void> {
  requireEq(eq);
  const mailbox = packEntry('eqc', { vector });
  await eq.context.commands.execute(CmdOp.MODIFY_EQ, eq.eqn, { mailbox });
  eq.vector = vector;
}

export async function queryEq(eq: Eq) {
  requireEq(eq);
  const eqc = EQC.unpack(await eq.context.commands.query(CmdOp.QUERY_EQ, eq.eqn, EQC.bytes));
  const { vector, producer, consumer, error } = eqc;
  return { capacity: 2 ** eqc.logSize, vector, producer, consumer, error: error === 1 };
}

export async function destroyEq(eq: Eq): Promise<void> {
  requireEq(eq);
  const { context } = eq;
  context.require(
    eq.users === 0,
    'BUSY',
    () => `EQ ${eq.eqn} serves ${eq.users} completion queues or the device`,
  );
  await context.commands.execute(CmdOp.HW2SW_EQ, eq.eqn);
  eq.alive = false;
  context.eqs.delete(eq.eqn);
  eq.ring.free();
  context.eqNumbers.free(eq.eqn);
}

/** Takes all entries that the device has written. Not to be called again before it is done. */
export async function readEq(eq: Eq): Promise<Eqe[]> {
  const taken: Eqe[] = [];
  for (;;) {
    const count = Math.min(CHUNK, eq.ring.run(eq.consumer));
    const bytes = await eq.context.device.memRead(eq.ring.address(eq.consumer), count * EQE.bytes);
    const before = taken.length;
    for (let i = 0; i < count; i++) {
      const eqe = EQE.unpack(bytes, i * EQE.bytes);
      if (eqe.phase !== eq.ring.phase(eq.consumer)) break;
      taken.push(eqe);
      eq.consumer++;
    }
    if (taken.length > before) ringDoorbell(eq.context, 'eq', eq.eqn, eq.consumer);
    if (taken.length - before < count) return taken;
  }
}

export function requireEq(eq: Eq): void {
  eq.context.requireOpen();
  eq.context.require(eq.alive, 'INVALID_EQ', () => `EQ ${eq.eqn} was destroyed`);
}
