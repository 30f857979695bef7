import { binOf, isAtomic, type Opcode, type State } from '../coverage/index.ts';
import type { Step } from '../scenario/index.ts';
import type { Dice } from './dice.ts';
import { type Area, type EndPlan, type Host, otherHost, type Plan, peerOf } from './plan.ts';

type One<T> = T extends readonly (infer Each)[] ? Each : T;
export type Send = Exclude<One<NonNullable<Step['post_send']>>, readonly unknown[]>;
export type Receive = Exclude<One<NonNullable<Step['post_recv']>>, readonly unknown[]>;
export interface Piece {
  region: string;
  offset: number;
  length: number;
}

/** A message: its work request, and the receive that it needs. */
export interface Message {
  send: Send;
  receive?: Receive;
}

const TRIES = 12;
/** Beyond it a message has no room beside others. */
const MOST_BYTES = 24 * 1024;

export const takesReceive = (opcode: Opcode): boolean => opcode.startsWith('SEND') || opcode.endsWith('_IMM');
const mayBeInline = (opcode: Opcode): boolean => opcode.startsWith('SEND') || opcode.startsWith('RDMA_WRITE');

export const anyOpcode = ({ dice, wishes }: Plan): Opcode => dice.weighted(wishes.opcode);

export function lengthOf({ dice, wishes }: Plan, mtu: number): number {
  switch (dice.weighted(wishes.size)) {
    case 'empty':
      return 0;
    case 'part':
      return dice.oneIn(3) ? dice.of([1, 3, 4, 31, 32, 33, mtu - 1]) : dice.between(1, mtu - 1);
    case 'whole':
      return Math.min(mtu * dice.between(1, 3), Math.floor(MOST_BYTES / mtu) * mtu);
    case 'several':
      return dice.oneIn(3)
        ? mtu * dice.between(1, 3) + 1
        : mtu * dice.between(1, 3) + dice.between(1, mtu - 1);
    default: {
      const packets = dice.oneIn(6) ? dice.between(16, 40) : dice.between(4, 8);
      return Math.min(mtu * packets + dice.between(1, mtu - 1), MOST_BYTES - 1);
    }
  }
}

/** A message that comes out well; undefined when memory has no room for it now. */
export function goodMessage(
  plan: Plan,
  end: EndPlan,
  opcode = anyOpcode(plan),
  mostBytes = MOST_BYTES,
): Message | undefined {
  const { dice } = plan;
  const fence = dice.percent(12);
  const { mtu } = end.pair;
  const length = isAtomic(opcode) ? 8 : Math.min(lengthOf(plan, mtu), mostBytes);
  const inline = mayBeInline(opcode) && length <= end.inline && dice.oneIn(2);
  const fetches = opcode === 'RDMA_READ' || isAtomic(opcode);
  const segments = isAtomic(opcode) || inline ? 1 : end.segments;
  const local = pieces(plan, end, end.host, length, segments, fetches ? 'fetched' : 'read', fence);
  if (!local) return undefined;
  const send: Send = {
    qp: end.name,
    id: plan.id(),
    opcode,
    local,
    ...(inline ? { inline: true } : {}),
    ...(fence ? { fence } : {}),
    ...flags(plan, end, opcode),
  };
  const far = otherHost(end.host);
  if (opcode.startsWith('SEND')) {
    const peer = peerOf(end);
    // It may be longer than the message.
    const room = dice.oneIn(3) ? length + dice.below(100) : length;
    const place = pieces(plan, end, far, room, peer.recvSegments, 'written', false);
    return place && { send, receive: { qp: peer.name, id: plan.id(), local: place } };
  }
  const remote = isAtomic(opcode)
    ? word(plan, end, far)
    : piece(plan, end, far, length, opcode === 'RDMA_READ' ? 'read' : 'written', fence);
  if (!remote) return undefined;
  send.remote = { region: remote.region, offset: remote.offset };
  if (isAtomic(opcode)) Object.assign(send, operands(dice, opcode));
  if (!takesReceive(opcode)) return { send };
  return { send, receive: { qp: peerOf(end).name, id: plan.id() } };
}

/** Counts a work request, and what it is. */
export function account(plan: Plan, end: EndPlan, send: Send, state: State): void {
  const local = send.local as Piece[];
  const first = local.find(({ length }) => length > 0);
  const length = local.reduce((sum, each) => sum + each.length, 0);
  const address = first ? physical(plan, first) : undefined;
  const opcode = send.opcode as Opcode;
  plan.count(binOf({ opcode, length, address, mtu: end.pair.mtu, state, fault: plan.fault }));
  end.sends++;
  const signaled = end.signalAll || send.signaled !== false;
  end.unsignaled = signaled ? 0 : end.unsignaled + 1;
}

const physical = (plan: Plan, { region, offset }: Piece): number =>
  (plan.data.regions?.[region]?.offset ?? 0) + offset;

function flags(plan: Plan, end: EndPlan, opcode: Opcode): Partial<Send> {
  const { dice } = plan;
  // The driver learns of unsignaled ones by those behind them.
  const unsignaled = dice.percent(25) && end.unsignaled < 4;
  return {
    ...(unsignaled ? { signaled: false } : {}),
    ...(dice.percent(25) ? { solicited: true } : {}),
    ...(opcode.endsWith('_IMM') ? { imm: dice.below(2 ** 32) } : {}),
  };
}

function operands(dice: Dice, opcode: Opcode): Partial<Send> {
  const number = () => (dice.oneIn(3) ? dice.below(4) : dice.below(2 ** 32) * 2 ** 20);
  return opcode === 'ATOMIC_FETCH_AND_ADD' ? { add: number() } : { compare: number(), swap: number() };
}

/** A message's bytes in up to so many pieces, some of them empty. */
function pieces(
  plan: Plan,
  end: EndPlan,
  host: Host,
  length: number,
  most: number,
  touch: 'read' | 'written' | 'fetched',
  fenced: boolean,
): Piece[] | undefined {
  const { dice } = plan;
  const list: Piece[] = [];
  let left = length;
  const count = dice.oneIn(2) ? 1 : dice.between(1, most);
  for (let i = 1; i <= count && left > 0; i++) {
    const empty = i < count && dice.oneIn(6);
    const bytes = i === count ? left : empty ? 0 : dice.between(1, left);
    const found = piece(plan, end, host, bytes, touch, fenced);
    if (!found) return undefined;
    list.push(found);
    left -= bytes;
  }
  return list;
}

/** Where bytes may lie that nothing else touches; now and then those that the standard orders. */
function piece(
  plan: Plan,
  end: EndPlan,
  host: Host,
  length: number,
  touch: 'read' | 'written' | 'fetched',
  fenced: boolean,
): Piece | undefined {
  const { dice, claims } = plan;
  const areas = plan.areas.filter((area) => area.host === host && area.alive && area.size >= length);
  for (let i = 0; i < TRIES; i++) {
    const area = dice.of(areas);
    if (!area) return undefined;
    const offset = meet(plan, end, area, length, touch) ?? place(plan, area, length);
    if (claims.take(area.name, offset, length, touch, end.name, fenced))
      return { region: area.name, offset, length };
  }
  return undefined;
}

/** Any alignment, and the last byte of a region now and then. */
function place({ dice, wishes }: Plan, area: Area, length: number): number {
  const room = area.size - length;
  if (dice.oneIn(8)) return room;
  const at = dice.between(0, room);
  const step = Number(dice.weighted(wishes.step));
  const aligned = at - ((((area.address + at) % step) + step) % step);
  return aligned < 0 ? at : aligned;
}

/** Where the same send queue has been before. */
function meet(plan: Plan, end: EndPlan, area: Area, length: number, touch: string): number | undefined {
  const { dice, claims } = plan;
  if (!dice.oneIn(5)) return undefined;
  const before = touch === 'read' ? (['written', 'fetched'] as const) : (['written', 'read'] as const);
  const met = before.flatMap((each) => claims.of(area.name, end.name, each));
  const one = met.length > 0 ? dice.of(met) : undefined;
  return one && one.from + length <= area.size ? one.from : undefined;
}

/** A word at the peer for an atomic: one of few, so that they meet. */
function word(plan: Plan, end: EndPlan, host: Host): Piece | undefined {
  const { dice, claims } = plan;
  const areas = plan.areas.filter((area) => area.host === host && area.alive && !area.skewed);
  for (let i = 0; i < TRIES; i++) {
    const area = dice.of(areas);
    if (!area) return undefined;
    const first = (8 - (area.address % 8)) % 8;
    const offset = first + 8 * dice.below(dice.oneIn(2) ? 8 : Math.floor((area.size - first) / 8));
    if (offset + 8 <= area.size && claims.take(area.name, offset, 8, 'swapped', end.name, false))
      return { region: area.name, offset, length: 8 };
  }
  return undefined;
}
