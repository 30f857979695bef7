import { type Qp, queryQp } from '../host/index.ts';
import type { Qpc } from '../spec/gen/records.ts';
import { Unexpected } from './errors.ts';
import type { Inbox } from './inbox.ts';
import type { RestSpec } from './steps.ts';
import type { World } from './world.ts';

/** What is found when nothing moves any more; it does not depend on how fast anything was. */
export interface AtRest {
  /** By region. */
  readonly memory: ReadonlyMap<string, Uint8Array>;
  /** By queue pair. */
  readonly states: ReadonlyMap<string, string>;
}

const REST_CYCLES = 1_000_000;
const STEP_CYCLES = 2000;
const MOST_QUIET_CYCLES = 32_000;

/** Waits until no queue pair has anything to do, and takes what has come as it is. */
export async function rest(world: World, inbox: Inbox, spec: RestSpec): Promise<AtRest> {
  const { cycles = REST_CYCLES, memory = true } = spec;
  const { fabric } = world.run;
  const end = fabric.now() + cycles;
  let quiet = STEP_CYCLES;
  for (;;) {
    const { reason } = await fabric.run({ cycles: STEP_CYCLES, idle: true });
    await inbox.collect();
    if (reason !== 'idle') quiet = STEP_CYCLES;
    else if ((await busy(world)) === undefined) break;
    else {
      // Only a timer can bring anything.
      await fabric.run({ cycles: quiet });
      quiet = Math.min(2 * quiet, MOST_QUIET_CYCLES);
    }
    if (fabric.now() > end)
      throw new Unexpected(`everything to rest within ${cycles} cycles`, await restless(world));
  }
  await world.run.settle();
  await inbox.collect();
  inbox.completions.length = 0;
  for (const events of inbox.events) events.length = 0;
  return memory ? look(world) : { memory: new Map(), states: new Map() };
}

async function restless(world: World): Promise<string> {
  const name = await busy(world);
  return name === undefined ? 'packets that never end' : `${name} at work`;
}

/** A queue pair that has something to do. */
async function busy(world: World): Promise<string | undefined> {
  for (const { name, qp } of world.ends.values()) if (qp.alive && (await isBusy(qp))) return name;
  return undefined;
}

async function isBusy(qp: Qp): Promise<boolean> {
  const { state, context } = await queryQp(qp);
  const { sqProducer, sqOldest, rqProducer, rqConsumer } = context;
  if (state === 'ERR') return sqProducer !== sqOldest || rqProducer !== rqConsumer;
  if (state === 'RTS') return sqProducer !== sqOldest;
  return state === 'SQD' && !allAcknowledged(context);
}

const PSN_END = 2 ** 24;
const allAcknowledged = ({ sqNextPsn, sqAckedPsn }: Qpc): boolean => sqNextPsn === (sqAckedPsn + 1) % PSN_END;

async function look(world: World): Promise<AtRest> {
  const memory = new Map<string, Uint8Array>();
  for (const region of world.regions.values()) {
    const found = await region.read(0, region.size);
    region.learn(0, found);
    memory.set(region.name, found);
  }
  const states = new Map<string, string>();
  for (const { name, qp, peer } of world.ends.values()) {
    const other = world.end(peer).qp;
    if (qp.alive) states.set(name, await stateOf(qp, other));
  }
  return { memory, states };
}

/** PSNs say something only while both ends go on. */
async function stateOf(qp: Qp, peer: Qp): Promise<string> {
  const { state, sqPsn, rqPsn } = await queryQp(qp);
  if (!goesOn(state) || !peer.alive || !goesOn((await queryQp(peer)).state)) return state;
  return `${state}, sends ${sqPsn} next, expects ${rqPsn}`;
}

const goesOn = (state: string): boolean => state === 'RTS' || state === 'SQD';
