import { otherHost, type Plan } from './plan.ts';

/** What changes under queue pairs: completion queues, the link. */

/** A CQ moves to another ring, also while completions come; all that may come has room. */
export function resizeCq(plan: Plan): void {
  const { dice } = plan;
  const cq = dice.of([...plan.cqs.a, ...plan.cqs.b]);
  plan.add({ resize_cq: { cq, entries: dice.of([400, 512, 700, 1024]) }, may_fail: true });
}

/** Nobody takes away what queue pairs use, be it asked of the driver or of the device. */
export function inUse(plan: Plan): void {
  const { dice } = plan;
  const { cq } = dice.of(plan.ends);
  plan.add({ destroy: { cq }, may_fail: true, unchecked: true });
}

/** The link of a port is gone for a while. */
export function blink(plan: Plan): void {
  const { dice } = plan;
  const host = dice.of(['a', 'b'] as const);
  const hosts = dice.oneIn(2) ? [host] : [host, otherHost(host)];
  for (const up of [false, true]) {
    for (const each of hosts) plan.add({ link: { host: each, up } });
    plan.add({ run: { cycles: dice.between(300, 1000), idle: false } });
  }
}
