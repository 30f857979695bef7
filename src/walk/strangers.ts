import type { Step } from '../scenario/index.ts';
import { type EndPlan, otherHost, type Plan, peerOf } from './plan.ts';

/** Packets that nobody should take, and accesses that mean nothing: each is dropped, counted by its reason, and does no harm. */

type Inject = NonNullable<Step['inject']>;

const BAD_PACKETS: Readonly<Record<string, Partial<Inject>>> = {
  VCRC: { spoil: ['vcrc'] },
  ICRC: { spoil: ['icrc'] },
  LENGTH: { lrh: { pkt_len: 7 } },
  LVER: { lrh: { lver: 1 } },
  DLID: { lrh: { dlid: 77 } },
  PATH: { lrh: { slid: 99 } },
  TVER: { bth: { tver: 1 } },
  QPN: { bth: { dest_qp: 0x1234 } },
  PKEY: { bth: { pkey: 0x8001 } },
};
const FIRST_REGISTER = 0x100;
const NO_QUEUE = 0xabcdef;

export function stranger(plan: Plan): void {
  const { dice } = plan;
  const end = dice.of(plan.ends.filter(mayBeClaimed));
  const host = dice.of(['a', 'b'] as const);
  const kind = dice.of(['packet', 'packet', 'response', 'doorbell', 'register'] as const);
  if (kind === 'packet' && end) packet(plan, end);
  if (kind === 'response' && end)
    inject(plan, end, 'RESPONSE', { opcode: 'RC_ACKNOWLEDGE', psn: { next: 50_000 }, syndrome: 0x1f });
  if (kind === 'doorbell') {
    plan.add({ doorbell: { host, queue: dice.of(['sq', 'rq', 'cq']), number: NO_QUEUE, index: 1 } });
    drop(plan, host, 'DOORBELL');
  }
  if (kind === 'register') {
    plan.add({ write_register: { host, offset: FIRST_REGISTER, value: dice.below(1000) } });
    drop(plan, host, 'ACCESS');
  }
}

const mayBeClaimed = (end: EndPlan): boolean =>
  !end.pair.broken && end.state === 'RTS' && peerOf(end).state === 'RTS';

function packet(plan: Plan, end: EndPlan): void {
  const { dice } = plan;
  const area = dice.of(plan.areas.filter(({ host, alive }) => host !== end.host && alive));
  if (!area) return;
  const reason = dice.of(Object.keys(BAD_PACKETS));
  const write = {
    opcode: 'RC_WRITE_ONLY',
    remote: area.name,
    payload: { length: 4 * dice.between(3, 60) },
  } as const;
  inject(plan, end, reason, { ...write, ...BAD_PACKETS[reason] });
}

function inject(plan: Plan, end: EndPlan, reason: string, what: Partial<Inject>): void {
  const to = otherHost(end.host);
  plan.add({ inject: { to, as: end.name, ...what } });
  drop(plan, to, reason);
}

function drop(plan: Plan, host: 'a' | 'b', reason: string): void {
  plan.drops[host][reason] = (plan.drops[host][reason] ?? 0) + 1;
}
