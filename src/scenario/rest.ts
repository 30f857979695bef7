import { askCq, type Cq, type Qp, type QpInfo, queryQp } from '../host/index.ts';
import type { Qpc } from '../spec/gen/records.ts';
import { Unexpected } from './errors.ts';
import type { Inbox } from './inbox.ts';
import type { RestSpec } from './steps.ts';
import type { World } from './world.ts';

/** What is found when nothing moves any more; it does not depend on how fast anything was. */
export interface AtRest {
  /** By region. */
  readonly memory: ReadonlyMap<string, Uint8Array>;
  /** By queue pair and completion queue: what the device tells of it. */
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
  for (const [name, cq] of world.cqs) if (cq.alive) states.set(name, await cqState(name, cq));
  return { memory, states };
}

/** PSNs say something only while both ends go on. */
async function stateOf(qp: Qp, peer: Qp): Promise<string> {
  const { state, sqPsn, rqPsn, ...info } = await queryQp(qp);
  const told = [state, attributesOf(info)];
  if (goesOn(state) && peer.alive && goesOn((await queryQp(peer)).state))
    told.splice(1, 0, `sends ${sqPsn} next, expects ${rqPsn}`);
  return told.join(', ');
}

const goesOn = (state: string): boolean => state === 'RTS' || state === 'SQD';

/** As they stand: the wish for an event says nothing once it has come. */
function attributesOf({ av, ...info }: Omit<QpInfo, 'state' | 'sqPsn' | 'rqPsn'>): string {
  const { sqdNotify: _, ...told } = { ...info, ...av };
  return Object.entries(told)
    .filter(([, value]) => ['number', 'bigint', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name} ${value}`)
    .join(' ');
}

/** All has been polled; what is freed is what the driver has told. */
async function cqState(name: string, cq: Cq): Promise<string> {
  const { capacity, consumer, armed, error } = await askCq(cq);
  const freed = (cq.freed + INDEX_END) % INDEX_END;
  if (!error && consumer !== freed) throw new Unexpected(`${name} to be freed up to ${freed}`, `${consumer}`);
  return `${capacity} entries, armed ${armed}${error ? ', in error' : ''}`;
}

const INDEX_END = 2 ** 24;
