import {
  Access,
  type Context,
  connectPair,
  type Endpoint,
  type HostBuffer,
  type Mr,
  modifyQp,
  regMr,
  toInit,
  toReadyToReceive,
  toReadyToSend,
} from '../../host/index.ts';
import { type CheckedRun, openRun } from '../../run/index.ts';
import type { Profile } from '../../sim/index.ts';
import type { Dice } from '../../walk/index.ts';

/** Two HCAs in RTL under all checks; on each a user context that means no good, beside one that works. */
export interface Ground {
  readonly run: CheckedRun;
  /** The hostile user contexts, by device. */
  readonly users: readonly [Context, Context];
  readonly pairs: HostilePair[];
  /** A hostile user's own memory, by device: rights of all kinds. */
  readonly regions: readonly [readonly Region[], readonly Region[]];
}

export interface Region {
  readonly buffer: HostBuffer;
  readonly mr: Mr;
}

/** The doorbell page of the hostile user context; the other works through page 0. */
export const HOSTILE_PAGE = 5;

const PAIRS = 3;
const MTUS = [256, 1024, 4096];
const CAP = { maxSendWr: 64, maxRecvWr: 64, maxSendSge: 16, maxRecvSge: 16, maxInlineData: 128 };
const CQ_ENTRIES = 4096;
const REGION_BYTES = 16_384;
const ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
const RIGHTS = [ALL, 0, Access.LOCAL_WRITE, Access.REMOTE_READ];

export interface GroundOptions {
  readonly seed: number;
  readonly profile: Profile;
  /** Another simulator than the one that make sim builds. */
  readonly binary?: string | undefined;
  readonly onOpen?: ((run: CheckedRun) => void) | undefined;
}

export async function openGround({ seed, profile, binary, onOpen }: GroundOptions): Promise<Ground> {
  const run = await openRun('rtl', {
    seed,
    profile,
    dmaBytes: true,
    hosts: [HOST, HOST],
    ...(binary === undefined ? {} : { binary }),
  });
  onOpen?.(run);
  const users = [userOf(run.a), userOf(run.b)] as const;
  const pairs: HostilePair[] = [];
  for (let i = 0; i < PAIRS; i++) pairs.push(await HostilePair.connect(users, MTUS[i % MTUS.length]!, i));
  const regions = [await regionsOf(pairs[0]!.ends[0]), await regionsOf(pairs[0]!.ends[1])] as const;
  return { run, users, pairs, regions };
}

/** Nobody reads events while packets rain. */
const HOST = { asyncEqEntries: 2 ** 14 };

/** The same device through another doorbell page: what it makes can be rung from there alone. */
const userOf = (context: Context): Context =>
  Object.create(context, { uar: { value: HOSTILE_PAGE, enumerable: true } }) as Context;

async function regionsOf({ context, pd }: Endpoint): Promise<Region[]> {
  const regions: Region[] = [];
  for (const access of RIGHTS) {
    const buffer = context.memory.allocate(REGION_BYTES, { offset: 12 });
    regions.push({ buffer, mr: await regMr(pd, buffer, REGION_BYTES, access) });
  }
  return regions;
}

/** A connection between the hostile user contexts: what comes over it, or is posted to it, is wrong more often than right. */
export class HostilePair {
  /** PSN that each device's responder may expect next; a guess. */
  readonly psns: [number, number] = [0, 0];

  private constructor(
    readonly ends: readonly [Endpoint, Endpoint],
    readonly mtuBytes: number,
  ) {}

  static async connect(
    users: readonly [Context, Context],
    mtuBytes: number,
    i: number,
  ): Promise<HostilePair> {
    const psns = [0xff_fff0 + i, 0x200 * i] as const;
    const options = { mtuBytes, psns, cap: CAP, cqEntries: CQ_ENTRIES };
    const { a, b } = await connectPair(...users, options);
    const pair = new HostilePair([a, b], mtuBytes);
    pair.psns.splice(0, 2, psns[1], psns[0]);
    return pair;
  }

  /** From Reset to RTS again, with PSNs of its own. */
  async reconnect(dice: Dice): Promise<void> {
    const [a, b] = this.ends;
    const [psnA, psnB] = [dice.below(2 ** 24), dice.below(2 ** 24)];
    const options = { mtuBytes: this.mtuBytes };
    for (const { qp } of this.ends) await modifyQp(qp, { state: 'RESET' });
    for (const { qp } of this.ends) await toInit(qp);
    await toReadyToReceive(a.qp, b, psnB, options);
    await toReadyToReceive(b.qp, a, psnA, options);
    await toReadyToSend(a.qp, psnA);
    await toReadyToSend(b.qp, psnB);
    this.psns.splice(0, 2, psnB, psnA);
  }
}
