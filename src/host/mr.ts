import { CmdOp } from '../spec/gen/enums.ts';
import { MPT, type Mpt } from '../spec/gen/records.ts';
import { Access, accessOf, rightsOf } from './access.ts';
import type { Context } from './context.ts';
import { type Pd, requirePd } from './pd.ts';
import { checkAccess, type RegionMemory, type RegionOptions, type Translation, translate } from './region.ts';
import { mapPages, unmapPages } from './ring.ts';
import { packEntry, writeEntry } from './table.ts';

/** A memory region. */
export class Mr {
  alive = true;

  constructor(
    public pd: Pd,
    /** L_Key and R_Key. */
    public key: number,
    public access: number,
    public translation: Translation,
    /** First of its MTT entries. */
    public mtt: number,
  ) {}

  get context(): Context {
    return this.pd.context;
  }

  get lkey(): number {
    return this.key;
  }

  get rkey(): number {
    return this.key;
  }

  /** Address of the first byte in work requests. */
  get addr(): bigint {
    return this.translation.start;
  }

  get length(): number {
    return Number(this.translation.length);
  }

  /** Entry of the table. */
  get index(): number {
    return Math.floor(this.key / 256);
  }

  get entry(): Partial<Mpt> {
    const { start, length, offset, pageShift } = this.translation;
    const { key, mtt } = this;
    return { ...rightsOf(this.access), pd: this.pd.number, key, mtt, start, length, offset, pageShift };
  }
}

export async function regMr(
  pd: Pd,
  memory: RegionMemory,
  length: number | bigint,
  access: number,
  options: RegionOptions = {},
): Promise<Mr> {
  requirePd(pd);
  const { context } = pd;
  checkAccess(context, access);
  const translation = translate(context, memory, length, access, options);
  const key = context.keys.allocate();
  const mr = new Mr(pd, key, access, translation, 0);
  try {
    mr.mtt = holdPages(context, translation.pages);
  } catch (error) {
    context.keys.free(mr.index);
    throw error;
  }
  use(mr, +1);
  try {
    writeEntry(context, 'mpt', mr.index, mr.entry);
    await context.commands.execute(CmdOp.SW2HW_MPT, mr.index);
  } catch (error) {
    release(mr);
    throw error;
  }
  context.mrs.add(mr);
  return mr;
}

/** When it returns no access through the region happens any more. */
export async function deregMr(mr: Mr): Promise<void> {
  requireMr(mr);
  const { context } = mr;
  await context.commands.execute(CmdOp.HW2SW_MPT, mr.index);
  mr.alive = false;
  context.mrs.delete(mr);
  release(mr);
}

export interface RegionChange {
  pd?: Pd;
  access?: number;
  translation?: { memory: RegionMemory; length: number | bigint } & RegionOptions;
  /** Give the region another key; the old one is dead then. */
  newKey?: boolean;
}

/** Changes a region at once: an access meets the old one or the new one. On an error the old one stays. */
export async function reregMr(mr: Mr, change: RegionChange): Promise<void> {
  requireMr(mr);
  const { context } = mr;
  const pd = change.pd ?? mr.pd;
  const access = change.access ?? mr.access;
  requirePd(pd);
  checkAccess(context, access);
  const moved = change.translation;
  const translation = moved ? translate(context, moved.memory, moved.length, access, moved) : mr.translation;
  const mtt = moved ? holdPages(context, translation.pages) : mr.mtt;
  const key = change.newKey ? context.keys.renew(mr.index) : mr.key;
  const next = new Mr(pd, key, access, translation, mtt);
  try {
    const mailbox = packEntry('mpt', next.entry);
    await context.commands.execute(CmdOp.MODIFY_MPT, mr.index, { mailbox });
  } catch (error) {
    if (moved) releasePages(context, mtt, translation.pages);
    throw error;
  }
  use(mr, -1);
  if (moved) releasePages(context, mr.mtt, mr.translation.pages);
  Object.assign(mr, { pd, key, access, translation, mtt });
  use(mr, +1);
}

export interface MrAttributes {
  pd: number;
  lkey: number;
  rkey: number;
  access: number;
  start: bigint;
  length: bigint;
  pageShift: number;
  offset: bigint;
}

/** What the device holds. */
export async function queryMr(mr: Mr): Promise<MrAttributes> {
  requireMr(mr);
  const mpt = MPT.unpack(await mr.context.commands.query(CmdOp.QUERY_MPT, mr.index, MPT.bytes));
  const { pd, key, start, length, pageShift, offset } = mpt;
  const zeroBased = mr.access & Access.ZERO_BASED;
  return { pd, lkey: key, rkey: key, access: accessOf(mpt) | zeroBased, start, length, pageShift, offset };
}

function requireMr(mr: Mr): void {
  mr.context.requireOpen();
  mr.context.require(mr.alive, 'INVALID_MR', () => `region 0x${mr.key.toString(16)} was deregistered`);
}

function use(mr: Mr, step: 1 | -1): void {
  mr.pd.users += step;
  if (mr.translation.buffer) mr.translation.buffer.users += step;
}

function release(mr: Mr): void {
  use(mr, -1);
  releasePages(mr.context, mr.mtt, mr.translation.pages);
  mr.context.keys.free(mr.index);
}

/** The device may use these pages: they are pinned, and stand in the MTT. */
function holdPages(context: Context, pages: readonly bigint[]): number {
  const mtt = mapPages(context, pages);
  context.memory.pin(pages);
  return mtt;
}

function releasePages(context: Context, mtt: number, pages: readonly bigint[]): void {
  unmapPages(context, mtt, pages.length);
  context.memory.unpin(pages);
}
