import type { FaultRule } from '../../src/fault/index.ts';
import { Access, postSend, type QpAttr, type SendWr } from '../../src/host/index.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { ALL_ACCESS, type Bench, openBench, type Region, type Setup, type Side } from './system-bench.ts';
import { exchange, type Message, OPERATIONS, type Operation, type Pair } from './system-messages.ts';

/** Small enough that a time-out is a few thousand cycles: T is TICK x 2^TIMEOUT. */
export const TICK = 16;
export const TIMEOUT = 9;
export const MTU = 256;
const HALF = 32_768;

/** Drops that a link which fails brings about. */
const DROPS = {
  DUPLICATE: 'any',
  SEQUENCE: 'any',
  RESPONSE: 'any',
  ICRC: 'any',
  VCRC: 'any',
  LENGTH: 'any',
} as const;

export interface Talk {
  bench: Bench;
  pair: Pair;
  source: Region;
  sink: Region;
}

export type Shape = (talk: Talk) => Message[];

const message =
  (op: Operation, length: number, at: number): Shape =>
  ({ source, sink }) => {
    const local = [{ region: source, at, length }];
    const remote = { region: sink, at: at + 3 };
    if (op.startsWith('SEND')) return [{ op, local, receive: [{ ...remote, length }] }];
    return [{ op, local, remote, ...(op === 'RDMA_WRITE_WITH_IMM' ? { receive: [] } : {}) }];
  };

const several =
  (...shapes: Shape[]): Shape =>
  (talk) =>
    shapes.flatMap((shape) => shape(talk));

/** READs go to places that nothing else reads. */
export const SHAPES: readonly (readonly [string, Shape])[] = [
  ['an empty SEND', message('SEND', 0, 0)],
  ['a SEND of three packets', message('SEND', 3 * MTU - 5, 0)],
  ['a WRITE of three packets', message('RDMA_WRITE', 3 * MTU, 0)],
  ['a WRITE with immediate of two packets', message('RDMA_WRITE_WITH_IMM', 2 * MTU - 1, 0)],
  ['a READ of four responses', message('RDMA_READ', 4 * MTU - 7, 0)],
  [
    'SENDs, WRITEs and READs',
    several(
      message('SEND', 2 * MTU, 0),
      message('RDMA_READ', 2 * MTU + 7, 3000),
      message('RDMA_WRITE', 2 * MTU + 5, 1000),
      message('RDMA_READ', 1, 4000),
      message('SEND_WITH_IMM', 10, 2000),
      message('RDMA_READ', 3 * MTU, 5000),
    ),
  ],
];

export interface LossyOptions {
  attr?: Omit<QpAttr, 'state' | 'av'>;
  seed?: number;
  psns?: readonly [number, number];
}

/** Two HCAs whose link fails by these rules, after a good start. */
export async function openLossy(
  setup: Setup,
  faults: readonly FaultRule[],
  options: LossyOptions = {},
): Promise<Talk> {
  const { attr = {}, seed = 1, psns } = options;
  const host = { tick: TICK };
  const bench = await openBench(setup, { hosts: { a: host, b: host }, seed });
  for (const side of ['a', 'b'] as const) bench.drops[side] = { ...DROPS };
  const pair = await bench.connect({
    mtuBytes: MTU,
    attr: { timeout: TIMEOUT, ...attr },
    ...(psns ? { psns } : {}),
  });
  const source = await bench.region('a', 5 * HALF, { offset: 1 });
  const sink = await bench.region('b', 5 * HALF, { offset: 4093 });
  await bench.run.setFaults(faults);
  return { bench, pair, source, sink };
}

/** A shape over a link that fails: all of it arrives all the same. */
export async function play(
  setup: Setup,
  shape: Shape,
  faults: readonly FaultRule[],
  options: LossyOptions = {},
) {
  const talk = await openLossy(setup, faults, options);
  await exchange(talk.bench, talk.pair, shape(talk));
  return talk;
}

/** Two SENDs find no receive WQE; the first comes twice, the second time to one, and its ACK within the RNR wait. */
export async function ackInWait(setup: Setup): Promise<void> {
  const faults: FaultRule[] = [{ what: 'duplicate', from: 'a', opcode: Op.RC_SEND_ONLY, cycles: 4000 }];
  const talk = await openLossy(setup, setup.swapped ? [{ ...faults[0]!, from: 'b' }] : faults, {
    attr: { minRnrTimer: 14 },
  });
  const two = [message('SEND', 8, 0), message('SEND', 9, 100)].flatMap((each) => each(talk));
  await exchange(talk.bench, talk.pair, two, { late: 1000 });
}

/** How many packets each device sends for a shape when all goes well. */
export async function packetsOf(setup: Setup, shape: Shape): Promise<readonly [number, number]> {
  const { bench } = await play(setup, shape, []);
  await bench.settle();
  const [a, b] = bench.run.watch.wireCounts;
  return [a.packets, b.packets];
}

/** Each packet of a shape is struck in turn. */
export async function strikeEach(
  setup: Setup,
  shape: Shape,
  fault: Omit<FaultRule, 'from' | 'nth'>,
  options: LossyOptions = {},
): Promise<void> {
  const counts = await packetsOf(setup, shape);
  for (const side of [0, 1] as const) {
    for (let nth = 0; nth < counts[side]; nth++) {
      await play(setup, shape, [{ ...fault, from: side === 0 ? 'a' : 'b', nth }], options);
    }
  }
}

export const FAULTS: readonly (readonly [string, Omit<FaultRule, 'from' | 'nth'>])[] = [
  ['lost', { what: 'drop' }],
  ['doubled', { what: 'duplicate' }],
  ['doubled later', { what: 'duplicate', cycles: 3000 }],
  ['late', { what: 'delay', cycles: 3000 }],
  ['very late', { what: 'delay', cycles: 30_000 }],
  ['passed by the next', { what: 'reorder' }],
  ['spoiled', { what: 'corrupt', bit: 100 }],
];

const ATOMIC_ACCESS = ALL_ACCESS | Access.REMOTE_ATOMIC;

/** Any fault of any packet with that chance. */
export const randomFaults = (probability: number): FaultRule[] => [
  { what: 'drop', probability, optional: true },
  { what: 'duplicate', probability, cycles: 5000, optional: true },
  { what: 'duplicate', probability, optional: true },
  { what: 'reorder', probability, optional: true },
  { what: 'delay', probability, cycles: 20_000, optional: true },
  { what: 'corrupt', probability, bit: 77, optional: true },
];

export interface RandomOptions extends LossyOptions {
  probability?: number;
  messages?: number;
  operations?: readonly Operation[];
  /** Cycles from one receive to the next; 0: all are there before the sends. */
  late?: number;
  /** FETCH_AND_ADDs of two connections on one word. */
  atomics?: boolean;
}

/** As many cycles as receives may be late, and the RNR timer code: each wait takes the risk of a try. */
const LATE = [
  { late: 0, minRnrTimer: 1 },
  { late: 100, minRnrTimer: 1 },
  { late: 3000, minRnrTimer: 8 },
  { late: 20_000, minRnrTimer: 14 },
] as const;

export function lateness(seed: number): RandomOptions {
  const { late, minRnrTimer } = LATE[seed % LATE.length]!;
  return { late, attr: { minRnrTimer } };
}

/** Traffic of both sides over two connections while the link fails at random. */
export async function playRandom(setup: Setup, seed: number, options: RandomOptions = {}): Promise<void> {
  const { probability = 0.05, messages = 12, atomics = false, operations = OPERATIONS, late = 0 } = options;
  const { bench, pair, source, sink } = await openLossy(setup, [], { ...options, seed });
  const second = await bench.connect({ mtuBytes: MTU, attr: { timeout: TIMEOUT, ...options.attr } });
  await bench.run.setFaults(randomFaults(probability / 3)); // six kinds: twice the probability in all
  const dice = randomOf(seed);
  const places = { a: 0, b: 0 };
  for (const each of [pair, second]) {
    const list = Array.from({ length: messages }, (): Message => {
      const from: Side = dice(2) === 0 ? 'a' : 'b';
      const [near, far] = from === 'a' ? [source, sink] : [sink, source];
      const op = operations[dice(operations.length)]!;
      const length = [0, 1, MTU, dice(5 * MTU), dice(MTU)][dice(5)]!;
      const at = places[from];
      places[from] += length;
      // Data goes where nothing is read from.
      const [low, high] = [at % 2000, (from === 'a' ? 1 : 3) * HALF + at];
      const reads = op === 'RDMA_READ';
      const local = [{ region: near, at: reads ? high : low, length }];
      const remote = { region: far, at: reads ? low : high };
      if (op.startsWith('SEND')) return { op, from, local, receive: [{ ...remote, length }] };
      return { op, from, local, remote, ...(op === 'RDMA_WRITE_WITH_IMM' ? { receive: [] } : {}) };
    });
    await exchange(bench, each, list, { late });
  }
  if (atomics) await addTogether(bench, [pair, second], messages);
  await bench.settle();
}

/** Two connections add to one word at the same time. */
async function addTogether(bench: Bench, pairs: readonly Pair[], times: number): Promise<void> {
  const found = await bench.region('a', 16 * times, { access: ATOMIC_ACCESS });
  const word = await bench.region('b', 16, { access: ATOMIC_ACCESS });
  const view = new DataView(word.image.buffer);
  for (const [at, pair] of pairs.entries()) {
    postSend(
      pair.a.qp,
      Array.from({ length: times }, (_, i): SendWr => {
        const compareAdd = BigInt(2 * i + at + 1);
        view.setBigUint64(0, BigInt.asUintN(64, view.getBigUint64(0, true) + compareAdd), true);
        return {
          wrId: 1000 + i,
          opcode: 'ATOMIC_FETCH_AND_ADD',
          signaled: true,
          sgList: [found.sge(8 * (times * at + i), 8)],
          atomic: { remoteAddr: word.va(), rkey: word.key, compareAdd },
        };
      }),
    );
  }
  for (const pair of pairs) {
    const done = Array.from({ length: times }, (_, i) => ({ wrId: 1000 + i, status: 'SUCCESS' as const }));
    await bench.completions(pair.a.sendCq, done);
  }
  found.image.set(await found.buffer.read(0, 16 * times)); // any order will do here
}

const randomOf = (seed: number) => {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % end;
  };
};
