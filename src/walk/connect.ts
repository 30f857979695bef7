import type { Step } from '../scenario/index.ts';
import { psnOf } from './ground.ts';
import { type EndPlan, type PairPlan, type Plan, peerOf } from './plan.ts';
import { catchUp, postSome } from './traffic.ts';

/** Connections that are made anew. */

type Modify = NonNullable<Step['modify_qp']>;

/** Both ends from Reset, or created again, to RTS. */
export function connect(plan: Plan, pair: PairPlan): void {
  const { dice } = plan;
  const psns = { a: psnOf(dice), b: psnOf(dice) };
  for (const end of pair.ends) {
    const qp = end.name;
    if (dice.oneIn(4)) {
      plan.add({ destroy: { qp }, may_fail: true });
      plan.add({ create: { qp }, may_fail: true });
    } else plan.add({ modify_qp: { qp, state: 'RESET' }, may_fail: true });
    Object.assign(end, { state: 'RTS', sends: 0, receives: 0, unsignaled: 0, late: [] });
  }
  const retries = { retry_count: pair.retries };
  if (!plan.racing && dice.oneIn(3)) plan.add({ rest: {} });
  const early = !plan.racing && dice.oneIn(3) ? dice.of(pair.ends) : undefined;
  for (const state of ['INIT', 'RTR', 'RTS'] as const) {
    const first = early ? peerOf(early) : dice.of(pair.ends);
    for (const end of [first, peerOf(first)]) {
      const psn =
        state === 'RTR'
          ? { rq_psn: psns[peerOf(end).host] }
          : state === 'RTS'
            ? { sq_psn: psns[end.host], ...retries }
            : {};
      if (dice.oneIn(8)) plan.add({ ...wrongStep(plan, end, state), may_fail: true });
      if (state === 'RTS' && early === end) firstOfAll(plan, end);
      plan.add({ modify_qp: { qp: end.name, state, connect: true, ...psn }, may_fail: true });
    }
  }
  pair.broken = false;
  pair.silent.clear();
}

/** A transition that lacks attributes, or has some that are too many or too large. */
function wrongStep({ dice }: Plan, { name: qp }: EndPlan, state: 'INIT' | 'RTR' | 'RTS'): Step {
  const wrong = dice.of<Omit<Modify, 'qp' | 'state'>>([
    {},
    { min_rnr_timer: 3 },
    { connect: true, pkey_index: 9 },
    { connect: true, ...(state === 'RTR' ? { max_dest_rd_atomic: 200 } : { max_rd_atomic: 200 }) },
    { connect: true, ...(state === 'RTS' ? { mtu: 256 } : { timeout: 5 }) },
  ]);
  return { modify_qp: { qp, state, ...wrong }, ...(dice.oneIn(4) ? {} : { unchecked: true }) };
}

/** Messages to an end that does not send yet: it is told that the connection is there. */
function firstOfAll(plan: Plan, end: EndPlan): void {
  const { pair } = end;
  const { broken } = pair;
  pair.broken = false;
  end.state = 'RTR';
  postSome(plan, peerOf(end));
  catchUp(plan, end);
  plan.add({ rest: {} });
  end.state = 'RTS';
  pair.broken = broken;
}
