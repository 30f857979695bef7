import { type Operation, type RunOptions, wireLimitCycles } from '../run/index.ts';
import { doorbellToMemory } from './latency.ts';
import { simulatorSpeed } from './ratio.ts';
import { recovery } from './recovery.ts';
import { type BenchRow, row } from './row.ts';
import { measure } from './traffic.ts';
import { STREAMS, shareBeside, WAITS } from './waiting.ts';

/** Row by row, so that whoever waits sees them come. */
export interface BenchCase {
  name: string;
  run(): Promise<BenchRow[]>;
}

const MESSAGE_BYTES = 65_536;
const MIN_PACKETS = 1000;
const OPERATIONS: readonly Operation[] = ['RDMA_WRITE', 'SEND', 'RDMA_READ'];
const MTUS = [4096, 1024, 256];
const LATENCIES = [
  { profile: 'ideal', text: 'host latency 0' },
  { profile: 'typical', text: 'host latency 1 us' },
] as const;

/** Floors in percent of the wire limit, by MTU; a host latency of 1 us may cost one point. */
const FLOORS: Record<string, Record<number, number>> = {
  RDMA_WRITE: { 4096: 98, 1024: 97, 256: 92 },
  SEND: { 4096: 98, 1024: 97, 256: 92 },
  RDMA_READ: { 4096: 97, 1024: 95 },
};
const LATENCY_COST = { ideal: 0, typical: 1 } as const;
/** Cycles a message, by queue pairs. */
const MESSAGE_FLOORS: Record<number, number> = { 1: 16, 16: 8 };
const LATENCY_FLOOR = 100;
const ATOMIC_FLOOR = 24;

const short = (operation: Operation): string => operation.replace('RDMA_', '');

function* dataCases(options: RunOptions): Generator<BenchCase> {
  for (const { profile, text } of LATENCIES) {
    for (const operation of OPERATIONS) {
      for (const mtuBytes of MTUS) {
        for (const both of [false, true]) {
          const perMessage = MESSAGE_BYTES / mtuBytes;
          const messages = Math.ceil(MIN_PACKETS / perMessage) + 1;
          const name = `${short(operation)} 64 KiB, MTU ${mtuBytes}, ${both ? 'both directions' : 'one direction'}, ${text}`;
          const floor = FLOORS[operation]?.[mtuBytes];
          const target = floor === undefined ? null : floor - LATENCY_COST[profile];
          const conditions = `1 QP, ${messages} messages of ${perMessage} packets, 3 SGEs at odd offsets over scattered 4 KiB pages, all signaled, payload 256, read request 512, 64 tags, ramp-up and checks included`;
          const run = async () => {
            const load = { operation, mtuBytes, messageBytes: MESSAGE_BYTES, messages, qps: 1, both };
            const cycles = await measure(load, { ...options, profile });
            const wire = {
              operation,
              bytes: MESSAGE_BYTES,
              messages,
              mtuBytes,
              dataWidth: options.dataWidth ?? 256,
            };
            const limit = wireLimitCycles([wire], both ? [wire] : []);
            return [row(name, (100 * limit) / cycles, '%', target, conditions)];
          };
          yield { name, run };
        }
      }
    }
  }
}

function* rateCases(options: RunOptions): Generator<BenchCase> {
  for (const operation of ['RDMA_WRITE', 'SEND'] as const) {
    for (const qps of [1, 16]) {
      for (const both of [false, true]) {
        const name = `${short(operation)} 8 bytes, ${qps} QP${qps > 1 ? 's' : ''}, ${both ? 'both directions' : 'one direction'}`;
        const conditions = '1024 messages each way, inline, all signaled, host latency 0';
        const run = async () => {
          const load = { operation, ...small(qps), both, inline: true };
          const cycles = await measure(load, { ...options, profile: 'ideal' });
          return [row(name, cycles / MESSAGES, 'cycles/message', MESSAGE_FLOORS[qps]!, conditions)];
        };
        yield { name, run };
      }
    }
  }
  for (const both of [false, true]) {
    const name = `FETCH_ADD, 16 QPs, ${both ? 'both directions' : 'one direction'}`;
    const conditions = `${MESSAGES} each way, all signaled, host latency 0`;
    const run = async () => {
      const load = { operation: 'ATOMIC_FETCH_AND_ADD', ...small(16), both } as const;
      const cycles = await measure(load, { ...options, profile: 'ideal' });
      return [row(name, cycles / MESSAGES, 'cycles/message', ATOMIC_FLOOR, conditions)];
    };
    yield { name, run };
  }
}

const MESSAGES = 1024;
const small = (qps: number) => ({ mtuBytes: 256, messageBytes: 8, messages: MESSAGES / qps, qps });

/** What one in STREAMS + 1 leaves to the others, in tenths of a percent. */
const BESIDE = Math.round((1000 * STREAMS) / (STREAMS + 1)) / 10;

function* faultCases(options: RunOptions): Generator<BenchCase> {
  for (const { profile, text } of LATENCIES) {
    for (const mtuBytes of [4096, 1024]) {
      const name = `silence after one lost packet, WRITE 64 KiB, MTU ${mtuBytes}, ${text}`;
      const conditions =
        'the longest while without a beat from the requester; floor: from the lost packet to its NAK, the WQE fetch, the first payload read and its packet, and what was being read draining';
      const run = async () => {
        const messages = Math.ceil((MIN_PACKETS * mtuBytes) / MESSAGE_BYTES) + 1;
        const load = {
          operation: 'RDMA_WRITE',
          mtuBytes,
          messageBytes: MESSAGE_BYTES,
          messages,
          qps: 1,
          both: false,
        } as const;
        const { idle, most } = await recovery(load, { ...options, profile });
        return [row(name, idle, 'cycles', most, conditions)];
      };
      yield { name, run };
    }
  }
  for (const [wait, { text }] of Object.entries(WAITS)) {
    const name = `WRITE 1 KiB, ${STREAMS} QPs beside one in ${text}`;
    const conditions = `16 messages each, MTU 1024, host latency 0; 100 is what the ${STREAMS} do alone, floor: ${STREAMS} of ${STREAMS + 1} parts`;
    const run = async () => {
      const share = await shareBeside(wait as keyof typeof WAITS, { ...options, profile: 'ideal' });
      return [row(name, 100 * share, '%', BESIDE, conditions)];
    };
    yield { name, run };
  }
}

/** Everything that `make bench` measures. */
export function benchCases(options: RunOptions): BenchCase[] {
  return [
    ...dataCases(options),
    ...rateCases(options),
    ...faultCases(options),
    {
      name: 'doorbell to remote memory',
      run: async () => {
        const cycles = await doorbellToMemory({ ...options, profile: 'ideal' });
        const conditions = 'WRITE of 8 bytes inline on an idle device, host latency 0';
        return [row('doorbell to remote memory, 8 bytes', cycles, 'cycles', LATENCY_FLOOR, conditions)];
      },
    },
    {
      name: 'simulator speed',
      run: async () => {
        const { whole, bare } = await simulatorSpeed({ ...options, profile: 'ideal' });
        const conditions = 'two HCAs streaming both ways; the bare loop is fed the same messages from a file';
        return [
          row('simulator through TypeScript', whole, 'kcycles/s', null, conditions),
          row('simulator, bare C++ loop', bare, 'kcycles/s', null, conditions),
          row('simulator ratio', whole / bare, 'ratio', 0.8, conditions),
        ];
      },
    },
  ];
}
