import type { Profile } from '../sim/index.ts';
import type { Dice } from './dice.ts';
import { type Area, type EndPlan, type Host, type PairPlan, Plan } from './plan.ts';

/** What a chapter begins with: memory with all kinds of rights, and connections of all kinds. */

const MTUS = [256, 256, 512, 1024, 2048, 4096] as const;
const PSN_END = 2 ** 24;
/** Cycles of 4.096 us: as few as there may be, so that time-outs are short. */
const TICK = 16;
const ACK_TIMEOUTS = [7, 8, 9] as const;
/** Where there may be no second try: longer than any host is slow. */
const LONG_ACK_TIMEOUTS = [10, 11] as const;
const PROFILES = ['ideal', 'ideal', 'typical', 'hostile'] as const;
/** A key of each host; limited members do not talk to each other. */
const PKEYS = [
  { a: [0xffff], b: [0xffff] },
  { a: [0xffff, 0x8123, 0xc456], b: [0xffff, 0x8123, 0xc456] },
  { a: [0xffff, 0x0123, 0xc456], b: [0x7fff, 0x8123, 0x4456] },
] as const;
const ALL = ['local_write', 'remote_write', 'remote_read', 'remote_atomic'] as const;

type Regions = NonNullable<Plan['data']['regions']>;
type Pairs = NonNullable<Plan['data']['qps']>;
type Access = NonNullable<Regions[string]['access']>;

/** Rights that a message needs and a region has not. */
export const POOR = {
  /** Nothing may be written. */
  fixed: ['remote_read'],
  /** The peer may do nothing. */
  own: ['local_write'],
  /** Of another protection domain. */
  foreign: ALL,
} as const satisfies Record<string, readonly Access[number][]>;

export function newPlan(dice: Dice, name: string, racing = false, wanted?: Profile): Plan {
  const regions: Regions = {};
  const qps: Pairs = {};
  const pds = { other_a: { host: 'a' }, other_b: { host: 'b' } } as const;
  const cqs = { more_a: { host: 'a' }, more_b: { host: 'b' } } as const;
  const pkeys = dice.of(PKEYS);
  const lanes = dice.oneIn(2) ? {} : { sl2vl: Array.from({ length: 16 }, () => dice.below(15)) };
  const common = { tick: TICK, lmc: dice.below(3), ...lanes };
  const hosts = {
    a: { ...common, lid: 16, pkeys: [...pkeys.a], gids: ['fe80::a', gid(dice)] },
    b: { ...common, lid: 32, pkeys: [...pkeys.b], gids: ['fe80::b', gid(dice)] },
  };
  const seed = dice.between(1, 1_000_000);
  const drawn = dice.of(PROFILES);
  const profile = wanted ?? drawn; // the rest is the same with each
  const calm = !racing && dice.oneIn(4);
  const plan = new Plan(dice, { name, seed, profile, hosts, pds, cqs, regions, qps }, { racing, calm });
  for (const host of ['a', 'b'] as const) {
    plan.cqs[host].push(`more_${host}`);
    for (let i = 1; i <= 2; i++) {
      plan.areas.push(addRegion(regions, dice, `${host}${i}`, host, 48 * 1024, [...ALL]));
    }
    plan.areas.push(addRegion(regions, dice, `${host}_fleeting`, host, 8192, [...ALL]));
    plan.areas.push(addRegion(regions, dice, `${host}_skewed`, host, 8192, [...ALL], dice.between(1, 7)));
    for (const [kind, access] of Object.entries(POOR)) {
      addRegion(regions, dice, `${host}_${kind}`, host, 2048, [...access]);
      if (kind === 'foreign') regions[`${host}_${kind}`]!.pd = `other_${host}`;
    }
  }
  const pairs = dice.between(2, 4);
  for (let i = 1; i <= pairs; i++) plan.pairs.push(addPair(qps, plan, `p${i}`));
  return plan;
}

/** Each half of it says something. */
function gid(dice: Dice): string {
  const word = (): string => dice.between(1, 0xffff).toString(16);
  return `2001:${word()}:${word()}:${word()}:${word()}:${word()}:${word()}:${word()}`;
}

function addRegion(
  regions: Regions,
  dice: Dice,
  name: string,
  host: Host,
  size: number,
  access: Access,
  skew = 0,
): Area {
  const pageSize = 2 ** dice.of([12, 12, 13, 16]);
  const offset = dice.oneIn(4) ? 0 : dice.below(pageSize);
  const elsewhere = skew > 0 || dice.oneIn(4);
  const address = elsewhere ? { address: 8 * dice.below(2 ** 48) + ((offset + skew) % 8) } : {};
  regions[name] = { host, size, offset, page_size: pageSize, ...address, access };
  const entry = Object.values(regions).filter((each) => each.host === host).length - 1;
  return { name, host, size, whole: size, address: offset, skewed: skew > 0, alive: true, entry, renewed: 0 };
}

export const psnOf = (dice: Dice): number =>
  dice.oneIn(2) ? PSN_END - 1 - dice.below(40) : dice.below(PSN_END);

export const ackTimeouts = ({ calm }: Plan): readonly number[] => (calm ? LONG_ACK_TIMEOUTS : ACK_TIMEOUTS);

function addPair(qps: Pairs, plan: Plan, name: string): PairPlan {
  const { dice } = plan;
  const mtu = dice.of(MTUS);
  const pair: PairPlan = {
    name,
    mtu,
    timeout: plan.calm && dice.oneIn(2) ? 0 : dice.of(ackTimeouts(plan)),
    retries: plan.calm ? dice.below(8) : 7,
    patient: dice.percent(70),
    ends: [] as never,
    broken: false,
    silent: new Set(),
  };
  const sharedDepth = dice.between(1, 16);
  const grh = dice.oneIn(3);
  const ends = (['a', 'b'] as const).map((host) => {
    const end = {
      psn: psnOf(dice),
      send_cq: dice.of(plan.cqs[host]),
      recv_cq: dice.of(plan.cqs[host]),
      send_wrs: 2 ** dice.between(4, 6),
      recv_wrs: 2 ** dice.between(4, 6),
      send_sge: dice.of([1, 4, 14]),
      recv_sge: dice.of([2, 4, 14]),
      max_inline: dice.of([0, 32, 96]),
      max_rd_atomic: dice.between(1, sharedDepth),
      max_dest_rd_atomic: sharedDepth,
      min_rnr_timer: dice.between(1, 14),
      ...(grh ? { grh: global(dice) } : {}),
      signal_all: dice.oneIn(8),
    };
    qps[name] = { ...qps[name], [host]: end };
    const made: EndPlan = {
      name: `${name}.${host}`,
      host,
      pair,
      sendSlots: end.send_wrs,
      recvSlots: end.recv_wrs,
      segments: end.send_sge,
      recvSegments: end.recv_sge,
      inline: end.max_inline,
      signalAll: end.signal_all,
      cq: end.send_cq,
      state: 'RTS',
      sends: 0,
      receives: 0,
      unsignaled: 0,
      late: [],
      rdAtomic: end.max_rd_atomic,
    };
    return made;
  });
  pair.ends = [ends[0]!, ends[1]!];
  qps[name] = {
    mtu,
    timeout: pair.timeout,
    retry_count: pair.retries,
    rnr_retry: pair.patient ? 7 : dice.below(7),
    sl: dice.below(16),
    pkey_index: dice.below(plan.data.hosts?.a?.pkeys?.length ?? 1),
    path_bits: dice.below(2 ** (plan.data.hosts?.a?.lmc ?? 0)),
    ...qps[name],
  };
  return pair;
}

const global = (dice: Dice) => ({
  sgid_index: dice.below(2),
  hop_limit: dice.between(1, 255),
  tclass: dice.below(256),
  flow_label: dice.below(2 ** 20),
});
