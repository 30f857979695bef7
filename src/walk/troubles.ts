import { isAtomic } from '../coverage/index.ts';
import { account, goodMessage, type Piece } from './messages.ts';
import { type EndPlan, isQuiet, type Plan, peerOf } from './plan.ts';
import { post, postSome } from './traffic.ts';

/** What goes wrong with an end as a whole. */

/** All that is sent one way is lost, until the tries of an end are used up. Tells whether there was something to send. */
export function cutOff(plan: Plan, end: EndPlan): boolean {
  const peer = peerOf(end);
  if (plan.fault !== 'none' || end.pair.timeout === 0 || !isQuiet(end)) return false;
  const reads = plan.dice.oneIn(2);
  const next = () => goodMessage(plan, end, reads ? 'RDMA_READ' : undefined);
  const message = next();
  if (!message) return false;
  plan.breaks(end.pair, ...end.pair.ends);
  const wasPatient = end.pair.patient;
  end.pair.patient = false;
  plan.fault = 'drop';
  plan.lossy = true;
  // The requests, or what answers them.
  const qp = plan.dice.oneIn(3) ? end.name : peer.name;
  plan.add({ faults: [{ what: 'drop', qp, count: 0, optional: true }] });
  post(plan, end, [message]);
  // Of READs one may have to wait for another, which never ends.
  if (reads) post(plan, end, [next() ?? []].flat());
  else if (qp === peer.name && plan.dice.oneIn(2)) postSome(plan, end, 2);
  end.pair.patient = wasPatient;
  return true;
}

/** What the driver would not post, and the device does not do. */
export function malformed(plan: Plan, end: EndPlan): void {
  const { dice } = plan;
  if (!isQuiet(end)) return;
  const message = goodMessage(plan, end);
  const first = (message?.send.local as Piece[] | undefined)?.[0];
  if (!message || !first || message.receive) return;
  const { send } = message;
  if (isAtomic(send.opcode as never))
    send.local = dice.of([[4], [16], [], [4, 4]]).map((length) => ({ ...first, length }));
  else if (send.opcode === 'RDMA_READ') send.inline = true;
  else send.opcode = dice.of([9, 77, 255]);
  if (send.inline && first.length > 64) return;
  plan.breaks(end.pair, ...end.pair.ends);
  end.sends++;
  plan.add({ post_send: send, unchecked: true });
}

/** Work requests of an end in Error come back as they are. */
export function flushed(plan: Plan, end: EndPlan): void {
  for (let i = plan.dice.between(1, 4); i > 0; i--) {
    const message = goodMessage(plan, end);
    if (!message || end.sends + 2 > end.sendSlots) return;
    account(plan, end, message.send, 'ERR');
    plan.add({ post_send: message.send });
  }
}
