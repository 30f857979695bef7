import type { BinCounts } from '../coverage/index.ts';
import type { ScenarioData, Step } from '../scenario/index.ts';
import type { Profile } from '../sim/index.ts';
import { anyCommand, restore, resume, takeAway } from './commands.ts';
import { connect } from './connect.ts';
import { Dice } from './dice.ts';
import { fail } from './flaws.ts';
import { newPlan } from './ground.ts';
import { hostFails } from './hosts.ts';
import { changeLink, spoilHost } from './link.ts';
import type { EndPlan, Host, Plan } from './plan.ts';
import { resizeCq } from './queues.ts';
import { spareQueue } from './spare.ts';
import { catchUp, flood, pause, postSome } from './traffic.ts';
import { cutOff, flushed, malformed } from './troubles.ts';
import type { Wishes } from './wishes.ts';

/** A piece of a walk: a scenario of its own, between two fresh hosts. */
export interface Chapter {
  readonly number: number;
  readonly data: ScenarioData;
  readonly bins: BinCounts;
}

export interface ChapterOptions {
  /** It draws its profile unless one is wanted. */
  readonly profile?: Profile | undefined;
  readonly wishes?: Wishes | undefined;
}

/** Reasons for which packets are dropped: by a link that fails, requests that wait for a receive, queue pairs in Error. */
const LOSSY = ['VCRC', 'ICRC', 'LENGTH', 'DUPLICATE', 'SEQUENCE', 'RESPONSE'] as const;
const WAITED = ['DUPLICATE', 'SEQUENCE', 'RESPONSE'] as const;
const FAILED = ['STATE', 'QPN', 'SEQUENCE', 'DUPLICATE', 'RESPONSE', 'PATH', 'POISONED'] as const;

/**
 * The chapter of that number of the walk with that seed, about so many steps long; the buses of these hosts can fail.
 */
export function chapterOf(
  seed: number,
  number: number,
  steps: number,
  buses: readonly Host[],
  { profile, wishes }: ChapterOptions = {},
): Chapter {
  const dice = new Dice(seed, number);
  const plan = newPlan(dice, `walk ${seed}, chapter ${number}`, dice.oneIn(RACING), profile);
  if (wishes) plan.wishes = wishes;
  const end = plan.racing ? spareQueue(plan, buses) : [];
  while (plan.steps.length < steps) {
    if (plan.racing) race(plan, buses);
    else burst(plan);
  }
  for (const step of end) plan.add(step);
  ending(plan);
  const compare = plan.racing ? { compare_with_model: false } : {};
  return { number, data: { ...plan.data, ...compare, steps: plan.steps }, bins: plan.bins };
}

/** One chapter in so many is a race. */
const RACING = 5;

function burst(plan: Plan): void {
  const { dice } = plan;
  prepare(plan);
  for (const end of plan.ends) if (end.state === 'ERR') flushed(plan, end);
  for (const pair of plan.pairs) if (dice.percent(25)) fail(plan, dice.of(pair.ends));
  const cut = dice.percent(6) && cutOff(plan, dice.of(plan.ends));
  if (dice.percent(4)) malformed(plan, dice.of(plan.ends));
  for (let i = dice.between(4, 14); i > 0; i--) {
    const held = plan.ends.filter(({ state }) => state === 'SQD');
    const end = dice.of(held.length > 0 && dice.oneIn(2) ? held : plan.ends);
    if (mayPost(end) && dice.oneIn(12)) flood(plan, end);
    else if (mayPost(end)) postSome(plan, end);
    if (dice.percent(2)) resizeCq(plan);
    if (dice.oneIn(4)) pause(plan);
    if (dice.oneIn(3)) catchUp(plan, dice.of(plan.ends));
  }
  for (const end of plan.ends) catchUp(plan, end);
  rest(plan);
  // Who is connected anew may send at once.
  if (cut) changeLink(plan, 'none');
}

const mayPost = (end: EndPlan): boolean =>
  !end.pair.silent.has(end) && !end.pair.broken && (end.state === 'RTS' || end.state === 'SQD');

function prepare(plan: Plan): void {
  const { dice } = plan;
  for (const pair of plan.pairs) if (pair.broken) connect(plan, pair);
  const held = plan.ends.filter(({ state }) => state === 'SQD');
  const waiting = held.some(({ sends }) => sends > 0);
  for (const end of held) resume(plan, end);
  if (!plan.calm && dice.percent(50))
    changeLink(plan, dice.oneIn(3) ? 'none' : dice.weighted(plan.wishes.fault));
  // Commands want that nothing is under way.
  if (waiting && dice.oneIn(2)) rest(plan);
  else if (waiting) return;
  for (let i = dice.below(6); i > 0; i--) anyCommand(plan);
}

/** A burst in which a host fails, or commands take away what is in use. */
function race(plan: Plan, buses: readonly Host[]): void {
  const { dice } = plan;
  for (const pair of plan.pairs) connect(plan, pair);
  plan.failures = true;
  if (buses.length === 2) for (const end of dice.some(plan.ends, 2)) hostFails(plan, end);
  const host = buses.length > 0 && dice.percent(70);
  if (host) spoilHost(plan, dice.of(buses));
  else changeLink(plan, dice.oneIn(2) ? 'none' : dice.weighted(plan.wishes.fault));
  const later: Step[] = [];
  for (let i = dice.between(8, 20); i > 0; i--) {
    postSome(plan, dice.of(plan.ends));
    if (dice.oneIn(3)) pause(plan);
    if (dice.oneIn(3)) catchUp(plan, dice.of(plan.ends));
    if (!host && dice.oneIn(6)) later.push(...takeAway(plan));
  }
  for (const end of plan.ends) catchUp(plan, end);
  plan.add({ faults: [] });
  plan.fault = 'none';
  rest(plan);
  for (const step of later) plan.add({ ...step, may_fail: true });
  if (later.length > 0) rest(plan);
  restore(plan);
}

function rest(plan: Plan): void {
  plan.add({ rest: {} });
  const waiting = plan.ends.some(({ state, sends }) => state === 'SQD' && sends > 0);
  if (!waiting) plan.claims.clear();
  for (const end of plan.ends) {
    if (end.state === 'SQD') continue;
    end.sends = end.unsignaled;
    const peer = end.pair.ends[end.host === 'a' ? 1 : 0];
    if (peer.state !== 'SQD') end.receives = 0;
  }
}

/** Everything ends, and what was dropped on the way is accounted for. */
function ending(plan: Plan): void {
  if (plan.ends.some(({ state }) => state === 'SQD')) {
    for (const end of plan.ends) if (end.state === 'SQD') resume(plan, end);
    plan.add({ rest: {} });
  }
  const { lossy, waited, failures } = plan;
  const reasons = [...(lossy ? LOSSY : []), ...(waited ? WAITED : []), ...(failures ? FAILED : [])];
  const any = Object.fromEntries(reasons.map((reason) => [reason, 'any' as const]));
  for (const host of ['a', 'b'] as const) {
    const drops = { ...plan.drops[host], ...any };
    if (Object.keys(drops).length > 0) plan.add({ expect_counters: { host, drops } } as Step);
  }
}
