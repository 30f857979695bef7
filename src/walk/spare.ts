import type { Step } from '../scenario/index.ts';
import { type Host, otherHost, type Plan } from './plan.ts';

/** A connection of its own whose completion queue fails; all of it is gone afterwards. */

const SENDS = 12;

/** Makes the objects, and the steps to be played when the rest of the chapter has come to its end. */
export function spareQueue(plan: Plan, buses: readonly Host[]): Step[] {
  const { dice, data } = plan;
  const host = dice.of(['a', 'b'] as const);
  const { qps = {}, cqs = {} } = data;
  const cq = `spare_${host}`;
  cqs[cq] = { host, entries: dice.of([1, 2, 4]) };
  qps.spare = { mtu: 256, [host]: { send_cq: cq, recv_cq: cq } };
  const qp = `spare.${host}`;
  const refused = buses.includes(host) && dice.oneIn(2);
  const from = `${host}1`;
  const to = `${otherHost(host)}1`;
  const sends = Array.from({ length: refused ? 2 : SENDS }, () => ({
    qp,
    id: plan.id(),
    opcode: 'RDMA_WRITE' as const,
    local: [{ region: from, offset: 0, length: 8 }],
    remote: { region: to, offset: 0 },
  }));
  const fault = { dma: 'write', what: 'fail', cq, entry: 0 } as const;
  const list = [
    { event: 'CQ_ERROR', cq },
    { event: 'QP_FATAL', qp },
  ] as const;
  const entries = dice.of([1, 64]);
  return [
    ...(refused ? [{ faults: [fault] }] : []),
    ...(dice.oneIn(2) ? [{ arm: { cq, kind: 'next' as const } }] : []),
    { post_send: sends },
    { expect_events: { host, list: [...list] } },
    { resize_cq: { cq, entries }, unchecked: true, fails: { command: 'BAD_CQ_STATE' } },
    { destroy: { qp } },
    { destroy: { qp: `spare.${otherHost(host)}` } },
    { destroy: { cq } },
    { faults: [] },
    { rest: {} },
  ];
}
