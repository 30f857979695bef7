import type { Step } from '../scenario/index.ts';
import { REGIONS, REGISTERS } from '../spec/gen/registers.ts';
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
  // Shorter than its headers.
  { reason: 'LENGTH', what: { opcode: 'RC_SEND_ONLY', payload: { length: 0 }, bth: { opcode: 0x0a } } },
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
  for (let i = dice.between(2, 5); i > 0; i--) {
    const end = dice.of(plan.ends.filter(mayBeClaimed));
    if (!end || dice.oneIn(3)) access(plan, dice.of(['a', 'b']));
    else if (dice.oneIn(4)) response(plan, end);
    else if (dice.oneIn(5)) outOfTurn(plan, end);
    else packet(plan, end);
  }
  // They have come before their queue pair can fail.
  plan.add({ run: { cycles: 300 } });
}

/** To a register or a doorbell, by somebody who is lost. */
function access(plan: Plan, host: Host): void {
  const { dice } = plan;
  const cq = dice.of(plan.cqs[host]);
  const { name: qp } = dice.of(plan.ends.filter((end) => end.host === host));
  const queue = dice.of(['sq', 'rq'] as const);
  const [reason, step] = dice.of<[string, Step]>([
    ['DOORBELL', { doorbell: { host, queue: dice.of(['sq', 'rq', 'cq']), number: NO_QUEUE, index: 1 } }],
    ['DOORBELL', { doorbell: { host, queue: 'cq', cq, index: 0, command: 9 } }],
    // More than the ring has, and from the page of another.
    ['DOORBELL', { doorbell: { host, queue, qp, index: 0x7000 } }],
    ['DOORBELL', { doorbell: { host, queue, qp, index: 1, page: OTHER_PAGE } }],
    // Entries that the device owns.
    ['TABLE', { write_register: { host, bar: 2, offset: REGIONS.mptTable.at + 24, value: 0 } }],
    ['TABLE', { write_register: { host, bar: 2, offset: REGIONS.cqcTable.at, value: 0 } }],
    ['DOORBELL', { doorbell: { host, queue: 'cq', cq, index: 1, page: OTHER_PAGE } }],
    ['ACCESS', { write_register: { host, offset: REGISTERS.identity.at, value: 5 } }],
    ['ACCESS', { write_register: { host, offset: REGISTERS.cmd.at, value: 1, bytes: 4 } }],
  ]);
  plan.add(step);
  drop(plan, host, reason);
}

/** An answer to what was never sent, or was answered before. */
function response(plan: Plan, end: EndPlan): void {
  const { dice } = plan;
  const [before, never] = [{ next: -1 }, { next: dice.of([3, 50_000]) }];
  const data = { opcode: 'RC_READ_RESPONSE_ONLY', payload: { length: 40 } } as const;
  const what = dice.of<Partial<Inject>>([
    { opcode: 'RC_ACKNOWLEDGE', psn: never, syndrome: 0x1f },
    { opcode: 'RC_ACKNOWLEDGE', psn: never, syndrome: dice.between(0x60, 0x63) },
    { opcode: 'RC_ACKNOWLEDGE', psn: never, syndrome: 0x20 },
    { ...data, psn: never, syndrome: 0x1f },
    { ...data, psn: before, syndrome: 0x1f },
  ]);
  inject(plan, end, 'RESPONSE', what);
  // The newest one again says nothing.
  if (dice.oneIn(3)) {
    const again = { opcode: 'RC_ACKNOWLEDGE', psn: before, syndrome: 0x1f } as const;
    plan.add({ inject: { to: otherHost(end.host), as: end.name, ...again } });
  }
}

/** A request that was executed before, or one that others have to come before. */
function outOfTurn(plan: Plan, end: EndPlan): void {
  const { dice } = plan;
  const area = dice.of(plan.areas.filter(({ host, alive }) => host !== end.host && alive));
  if (!area) return;
  plan.waited = true; // whether the gap is told of depends on those before
  const next = dice.oneIn(2) ? -1 : dice.between(1, 5);
  const write = { opcode: 'RC_WRITE_ONLY', remote: area.name, payload: { length: 16 } } as const;
  inject(plan, end, next < 0 ? 'DUPLICATE' : 'SEQUENCE', { ...write, psn: { next } });
}

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
