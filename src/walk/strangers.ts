import type { Step } from '../scenario/index.ts';
import { REGISTERS } from '../spec/gen/registers.ts';
import { type EndPlan, type Host, otherHost, type Plan, peerOf } from './plan.ts';

/** Packets that nobody should take, and accesses that mean nothing: each is dropped, counted by its reason, and does no harm. */

type Inject = NonNullable<Step['inject']>;

interface Bad {
  readonly reason: string;
  readonly what: Partial<Inject>;
  /** Only of a path with a global route header, or only of one without. */
  readonly grh?: boolean;
}

const BAD_PACKETS: readonly Bad[] = [
  { reason: 'VCRC', what: { spoil: ['vcrc'] } },
  { reason: 'ICRC', what: { spoil: ['icrc'] } },
  { reason: 'LENGTH', what: { lrh: { pkt_len: 7 } } },
  { reason: 'LVER', what: { lrh: { lver: 1 } } },
  { reason: 'DLID', what: { lrh: { dlid: 77 } } },
  { reason: 'PATH', what: { lrh: { slid: 99 } } },
  { reason: 'TVER', what: { bth: { tver: 1 } } },
  { reason: 'QPN', what: { bth: { dest_qp: 0x1234 } } },
  { reason: 'PKEY', what: { bth: { pkey: 0x8001 } } },
  { reason: 'PKEY', what: { bth: { pkey: 0 } } },
  { reason: 'OPCODE', what: { bth: { opcode: 0x40 } } },
  { reason: 'VL', what: { lrh: { vl: 15 } } },
  { reason: 'GRH', what: { grh: { dgid: '2001::1:2:3' } }, grh: true },
  { reason: 'GRH', what: { grh: { ip_ver: 4 } }, grh: true },
  { reason: 'GRH', what: { grh: { nxt_hdr: 17 } }, grh: true },
  { reason: 'GRH', what: { grh: { dgid: 'fe80::99' } }, grh: true },
  { reason: 'PATH', what: { grh: { sgid: 'fe80::99' } }, grh: true },
  { reason: 'PATH', what: { grh: false }, grh: true },
  { reason: 'PATH', what: { grh: {} }, grh: false },
];
const NO_QUEUE = 0xabcdef;
const OTHER_PAGE = 3;

export function stranger(plan: Plan): void {
  const { dice } = plan;
  for (let i = dice.between(1, 4); i > 0; i--) {
    const end = dice.of(plan.ends.filter(mayBeClaimed));
    if (!end || dice.oneIn(3)) access(plan, dice.of(['a', 'b']));
    else if (dice.oneIn(4)) response(plan, end);
    else packet(plan, end);
  }
  // They have come before their queue pair can fail.
  plan.add({ run: { cycles: 300 } });
}

/** To a register or a doorbell, by somebody who is lost. */
function access(plan: Plan, host: Host): void {
  const { dice } = plan;
  const cq = dice.of(plan.cqs[host]);
  const [reason, step] = dice.of<[string, Step]>([
    ['DOORBELL', { doorbell: { host, queue: dice.of(['sq', 'rq', 'cq']), number: NO_QUEUE, index: 1 } }],
    ['DOORBELL', { doorbell: { host, queue: 'cq', cq, index: 0, command: 9 } }],
    ['DOORBELL', { doorbell: { host, queue: 'cq', cq, index: 1, page: OTHER_PAGE } }],
    ['ACCESS', { write_register: { host, offset: REGISTERS.identity.at, value: 5 } }],
    ['ACCESS', { write_register: { host, offset: REGISTERS.cmd.at, value: 1, bytes: 4 } }],
  ]);
  plan.add(step);
  drop(plan, host, reason);
}

/** An acknowledge of what was never sent. */
const response = (plan: Plan, end: EndPlan): void =>
  inject(plan, end, 'RESPONSE', { opcode: 'RC_ACKNOWLEDGE', psn: { next: 50_000 }, syndrome: 0x1f });

const mayBeClaimed = (end: EndPlan): boolean =>
  !end.pair.broken && end.state === 'RTS' && peerOf(end).state === 'RTS';

function packet(plan: Plan, end: EndPlan): void {
  const { dice } = plan;
  const area = dice.of(plan.areas.filter(({ host, alive }) => host !== end.host && alive));
  if (!area) return;
  const grh = plan.data.qps?.[end.pair.name]?.[end.host]?.grh !== undefined;
  const bad = dice.of(BAD_PACKETS.filter((each) => (each.grh ?? grh) === grh));
  const write = {
    opcode: 'RC_WRITE_ONLY',
    remote: area.name,
    payload: { length: 4 * dice.between(3, 60) },
  } as const;
  inject(plan, end, bad.reason, { ...write, ...bad.what });
}

function inject(plan: Plan, end: EndPlan, reason: string, what: Partial<Inject>): void {
  const to = otherHost(end.host);
  plan.add({ inject: { to, as: end.name, ...what } });
  drop(plan, to, reason);
}

function drop(plan: Plan, host: Host, reason: string): void {
  plan.drops[host][reason] = (plan.drops[host][reason] ?? 0) + 1;
}
