import type { Step } from '../scenario/index.ts';
import { connect } from './connect.ts';
import { ackTimeouts } from './ground.ts';
import { intruder } from './intruders.ts';
import { type EndPlan, type Plan, peerOf } from './plan.ts';
import { blink, inUse, resizeCq } from './queues.ts';
import { stranger } from './strangers.ts';

/** Commands between bursts: nothing is under way. */

type Modify = NonNullable<Step['modify_qp']>;

export function anyCommand(plan: Plan): void {
  const { dice } = plan;
  const command = dice.weighted({
    arm: 6,
    fill: 2,
    newKey: 2,
    resize: 2,
    fleeting: 3,
    rights: 2,
    refused: 3,
    drain: 14,
    error: 2,
    reset: 1,
    stranger: 8,
    intruder: 3,
    resizeCq: 2,
    inUse: 1,
    blink: 2,
  });
  COMMANDS[command](plan);
}

const COMMANDS = {
  stranger,
  intruder,
  resizeCq,
  inUse,
  blink,

  arm(plan: Plan): void {
    const { dice } = plan;
    const cq = dice.of([...plan.cqs.a, ...plan.cqs.b]);
    // A weaker wish takes nothing away from a stronger one.
    for (let i = dice.between(1, 2); i > 0; i--)
      plan.add({ arm: { cq, kind: dice.of(['next', 'solicited']) } });
  },

  fill(plan: Plan): void {
    const { dice } = plan;
    const area = dice.of(plan.areas);
    const length = dice.between(1, 4096);
    const offset = dice.below(area.whole - length);
    plan.add({ fill: { region: area.name, offset, length, with: { pattern: dice.below(1000) } } });
  },

  newKey(plan: Plan): void {
    const area = plan.dice.of(plan.areas.filter(({ alive }) => alive));
    area.renewed++;
    plan.add({ rereg: { region: area.name, new_key: true }, may_fail: true });
  },

  resize(plan: Plan): void {
    const { dice } = plan;
    const area = dice.of(plan.areas.filter(({ alive }) => alive));
    const newKey = dice.oneIn(2);
    if (newKey) area.renewed++;
    area.size = dice.oneIn(2) ? area.whole : area.whole - dice.between(1, 4096);
    plan.add({
      rereg: { region: area.name, size: area.size, ...(newKey ? { new_key: true } : {}) },
      may_fail: true,
    });
  },

  /** A region comes and goes. */
  fleeting(plan: Plan): void {
    const area = plan.area(`${plan.dice.of(['a', 'b'])}_fleeting`);
    area.alive = !area.alive;
    plan.add(area.alive ? { reg: area.name, may_fail: true } : { dereg: area.name, may_fail: true });
  },

  /** Attributes that may change while it runs. */
  rights(plan: Plan): void {
    const end = plan.dice.of(usable(plan, 'RTS'));
    if (!end) return;
    plan.add({ modify_qp: { qp: end.name, min_rnr_timer: plan.dice.between(1, 12) }, may_fail: true });
  },

  /** What the driver, or without its checks the device, does not do. */
  refused(plan: Plan): void {
    const { dice } = plan;
    const end = dice.of(plan.ends.filter(({ pair }) => !pair.broken));
    if (!end) return;
    const unchecked = dice.oneIn(2) ? { unchecked: true } : {};
    const wrong = dice.of<Omit<Modify, 'qp'>>([
      { state: 'INIT', connect: true },
      { state: 'RTR', connect: true },
      { mtu: 512 },
      { sq_psn: 5 },
      { pkey_index: 9 },
      { state: 'SQD', mtu: 512 },
      { dest_qp: 3 },
    ]);
    plan.add({ modify_qp: { qp: end.name, ...wrong }, may_fail: true, ...unchecked });
  },

  /** To SQD: what is posted from here on waits. */
  drain(plan: Plan): void {
    const { dice } = plan;
    const end = dice.of(usable(plan, 'RTS'));
    if (!end) return;
    end.state = 'SQD';
    plan.add({
      modify_qp: { qp: end.name, state: 'SQD', ...(dice.oneIn(2) ? { sqd_notify: true } : {}) },
      may_fail: true,
    });
  },

  error(plan: Plan): void {
    const end = plan.dice.of(usable(plan, 'RTS').filter(({ sends }) => sends === 0));
    if (!end) return;
    end.state = 'ERR';
    plan.breaks(end.pair, peerOf(end));
    plan.add({ modify_qp: { qp: end.name, state: 'ERR' }, may_fail: true });
  },

  reset(plan: Plan): void {
    const pair = plan.dice.of(
      plan.pairs.filter(({ broken, ends }) => !broken && ends.every(({ sends }) => sends === 0)),
    );
    if (!pair) return;
    // Whether an end has told that it is drained before it is gone would depend on time.
    if (pair.ends.some(({ state }) => state === 'SQD')) plan.add({ rest: {} });
    connect(plan, pair);
  },
} as const;

const usable = (plan: Plan, state: EndPlan['state']): EndPlan[] =>
  plan.ends.filter((end) => !end.pair.broken && end.state === state);

/** What was posted in SQD goes on, with other attributes now and then. */
export function resume(plan: Plan, end: EndPlan): void {
  const { dice } = plan;
  if (dice.oneIn(2)) {
    const change: Omit<Modify, 'qp'> = dice.of([
      { timeout: end.pair.timeout === 0 ? 0 : dice.of(ackTimeouts(plan)) },
      { retry_count: end.pair.retries },
      { min_rnr_timer: dice.between(1, 12) },
      { max_rd_atomic: dice.between(1, end.rdAtomic) },
    ]);
    plan.add({ modify_qp: { qp: end.name, ...change }, may_fail: true });
  }
  plan.add({ modify_qp: { qp: end.name, state: 'RTS' }, may_fail: true });
  end.state = 'RTS';
}

/** In the middle of it all: something goes away that messages need. Gives what has to be done, when all is at rest, to bring it back. */
export function takeAway(plan: Plan): Step[] {
  const steps = taken(plan);
  for (const step of steps) plan.add({ ...step, may_fail: true });
  // A queue pair that still waits for its peer goes on waiting in SQD, and what it holds is done later.
  return steps.filter(({ modify_qp }) => modify_qp?.state === 'RTS');
}

function taken({ dice, ends, areas }: Plan): Step[] {
  const qp = dice.of(ends).name;
  const area = dice.of(areas.filter(({ alive }) => alive));
  if (!area) return [];
  switch (dice.of(['error', 'reset', 'destroy', 'dereg', 'key', 'drain'] as const)) {
    case 'error':
      return [{ modify_qp: { qp, state: 'ERR' } }];
    case 'reset':
      return [{ modify_qp: { qp, state: 'RESET' } }];
    case 'destroy':
      // It is connected when all are, before the next race.
      return [{ destroy: { qp } }, { create: { qp } }];
    case 'dereg':
      area.alive = false;
      return [{ dereg: area.name }];
    case 'key':
      area.renewed++;
      return [{ rereg: { region: area.name, new_key: true } }];
    default: {
      const drain: Step = { modify_qp: { qp, state: 'SQD', sqd_notify: true } };
      return [drain, { run: { cycles: 3000 } }, { modify_qp: { qp, state: 'RTS' } }];
    }
  }
}

/** What was taken away comes back. */
export function restore(plan: Plan): void {
  for (const area of plan.areas) {
    if (area.alive) continue;
    area.alive = true;
    plan.add({ reg: area.name, may_fail: true });
  }
}
