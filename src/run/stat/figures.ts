import type { Moved } from './meter.ts';
import type { RunStatistics } from './schema.ts';

type Name = 'a' | 'b';

/** What one host's device sent, between the first and the last packet of the run. */
export interface Throughput {
  payloadBytesPerCycle: number;
  /** From LRH to VCRC. */
  wireBytesPerCycle: number;
  /** Cycles in which the wire was busy, of all: 1 is the limit, a beat in each. */
  shareOfWire: number;
}

/** Cycles of a run at one of the places where stalls are counted. They add up to those of the run. */
export interface Bubbles {
  /** A word passed; not known of every place. */
  moving?: number;
  /** A word was there and what follows did not take it. */
  waiting: number;
  /** None was there. */
  idle?: number;
}

/** What a run's statistics say of its speed; what its devices or taps do not tell is left out. */
export interface Figures {
  throughput?: { cycles: number } & Record<Name, Throughput>;
  bubbles?: Partial<Record<Name, Record<string, Bubbles>>>;
}

/** Rates and shares; golden models have no time of their own, so of them there are none. */
export function figuresOf(statistics: RunStatistics): Figures {
  const throughput = throughputOf(statistics);
  const { moved, cycles, hosts } = statistics;
  const sides = (['a', 'b'] as const).filter((side) => moved?.[side]);
  const bubbles = sides.map((side) => [side, bubblesOf(cycles, hosts[side].stalls, moved![side]!)]);
  return {
    ...(throughput ? { throughput } : {}),
    ...(sides.length === 0 ? {} : { bubbles: Object.fromEntries(bubbles) }),
  };
}

function throughputOf({ wire }: RunStatistics): Figures['throughput'] {
  if (wire?.a.beats === undefined || wire.b.beats === undefined) return undefined;
  const cycles = wire.last - wire.first + 1;
  const of = ({ bytes, payloadBytes, beats = 0 }: typeof wire.a): Throughput => ({
    payloadBytesPerCycle: payloadBytes / cycles,
    wireBytesPerCycle: bytes / cycles,
    shareOfWire: beats / cycles,
  });
  return { cycles, a: of(wire.a), b: of(wire.b) };
}

function bubblesOf(
  cycles: number,
  stalls: Readonly<Record<string, number>>,
  moved: Moved,
): Record<string, Bubbles> {
  const all = Object.entries(stalls).map(([place, waiting]) => {
    const moving = moved[place as keyof Moved];
    const idle = moving === undefined ? undefined : cycles - moving - waiting;
    return [place, moving === undefined ? { waiting } : { moving, waiting, idle }] as const;
  });
  return Object.fromEntries(all) as Record<string, Bubbles>;
}
