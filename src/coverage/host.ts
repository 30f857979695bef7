import { DMA_FAULTS, type DmaFaultRule } from '../fault/index.ts';
import { DropReason, EventType, NakCounter, StallCounter } from '../spec/gen/enums.ts';
import { DOORBELLS, REGIONS } from '../spec/gen/registers.ts';
import { cross, type Point, type Side } from './point.ts';
import type { View } from './view.ts';

/** What a host sees of its device, and what its bus does to it. */

const ROLES = ['sq', 'rq', 'cq', 'eq', 'data'] as const;
/** Of host memory that a device touches; data is that of the consumer. */
export type Role = (typeof ROLES)[number];

const COUNTERS = [
  ['drop', REGIONS.dropCounters, DropReason],
  ['nak-counter', REGIONS.nakCounters, NakCounter],
  ['stall', REGIONS.stallCounters, StallCounter],
] as const;
const COUNTER_DOCS: Readonly<Record<(typeof COUNTERS)[number][0], string>> = {
  drop: 'a reason for which a device has dropped something, by its counter',
  'nak-counter': 'a kind of NAK that a device has counted',
  stall: 'a place where a device has counted cycles of waiting',
};
const WORD = 8;

export const HOST_POINTS: readonly Point[] = [
  { name: 'event', doc: 'an event that a device wrote', bins: Object.keys(EventType) },
  {
    name: 'host-fault',
    doc: 'how an access to host memory failed, and what it was for',
    bins: cross([...DMA_FAULTS], [...ROLES]),
  },
  { name: 'doorbell', doc: 'a doorbell that was rung', bins: Object.keys(DOORBELLS) },
  ...COUNTERS.map(([name, , names]) => ({ name, doc: COUNTER_DOCS[name], bins: Object.keys(names) })),
];

/** A register of BAR0 was read. */
export function observeRead(view: View, side: Side, offset: number, value: bigint): void {
  if (value === 0n) return;
  for (const [point, { at, bytes }, names] of COUNTERS) {
    if (offset < at || offset >= at + bytes) continue;
    const index = (offset - at) / WORD;
    for (const [name, number] of Object.entries(names)) if (number === index) view.hit(side, point, name);
  }
}

export const observeHostFault = (view: View, side: Side, what: DmaFaultRule['what'], role: Role): void =>
  view.hit(side, 'host-fault', `${what} ${role}`);
