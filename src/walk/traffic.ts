import type { Opcode } from '../coverage/index.ts';
import { account, anyOpcode, goodMessage, type Message } from './messages.ts';
import { type EndPlan, type Plan, peerOf } from './plan.ts';

/** Slots that stay free, so that a queue is never full whatever was polled. */
const SPARE = 1;
const MOST_AT_ONCE = 4;
const MOST_OF_FLOOD = 48;
const FLOOD_BYTES = 300;

/** Posts some messages of an end with one doorbell, and the receives that they need before or behind them. */
export function postSome(plan: Plan, end: EndPlan, most = MOST_AT_ONCE): void {
  postMany(plan, end, Math.min(most, plan.dice.between(1, MOST_AT_ONCE)), () => anyOpcode(plan));
}

/** As many as there is room for, of one kind: more than the device has under way at once. */
export function flood(plan: Plan, end: EndPlan): void {
  const opcode = anyOpcode(plan);
  postMany(plan, end, plan.dice.between(8, MOST_OF_FLOOD), () => opcode, FLOOD_BYTES);
}

function postMany(plan: Plan, end: EndPlan, count: number, opcode: () => Opcode, mostBytes?: number): void {
  const messages: Message[] = [];
  for (let i = 0; i < count; i++) {
    if (!hasRoom(end, messages)) break;
    const message = goodMessage(plan, end, opcode(), mostBytes);
    if (message) messages.push(message);
  }
  post(plan, end, messages);
}

function hasRoom(end: EndPlan, open: readonly Message[]): boolean {
  const peer = peerOf(end);
  const receives = open.filter(({ receive }) => receive).length;
  return end.sends + open.length + SPARE < end.sendSlots && peer.receives + receives + SPARE < peer.recvSlots;
}

/** Posts messages as they are. */
export function post(plan: Plan, end: EndPlan, messages: readonly Message[]): void {
  if (messages.length === 0) return;
  const peer = peerOf(end);
  const receives = messages.flatMap(({ receive }) => receive ?? []);
  const late = receives.length > 0 && end.pair.patient && (peer.late.length > 0 || plan.dice.oneIn(4));
  peer.receives += receives.length;
  if (receives.length > 0 && !late) plan.add({ post_recv: single(receives), ...mayFail(plan) });
  const sends = messages.map(({ send }) => send);
  for (const send of sends) account(plan, end, send, end.state === 'RTR' ? 'RTS' : end.state);
  plan.add({ post_send: single(sends), ...mayFail(plan) });
  if (late) peer.late.push(single(receives));
}

/** Posts the receives that are late, in order. */
export function catchUp(plan: Plan, end: EndPlan): void {
  for (const late of end.late.splice(0)) {
    plan.waited = true;
    plan.add({ post_recv: late, ...mayFail(plan) });
  }
}

/** Whoever is in Reset meanwhile, or gone, refuses. */
const mayFail = ({ racing }: Plan): { may_fail?: true } => (racing ? { may_fail: true } : {});

const single = <T>(list: T[]): T | T[] => (list.length === 1 ? list[0]! : list);

/** Time and polls between posts. */
export function pause(plan: Plan): void {
  const { dice } = plan;
  if (dice.oneIn(2)) plan.add({ run: { cycles: dice.between(1, 600) } });
  else {
    const cq = dice.of([...plan.cqs.a, ...plan.cqs.b]);
    plan.add({ poll: { cq, ...(dice.oneIn(2) ? { most: dice.between(1, 3) } : {}) } });
  }
}
