import { hex } from './bytes.ts';
import type { Packet } from './packet.ts';

/** What one queue pair tells of the atomics that come to it. */
export interface AtomicUse {
  /** One has come in order. */
  came(packet: Packet): void;
  /** The first answer to one leaves; `came` is the cycle in which it had come. */
  answered(packet: Packet, original: bigint, came: number, left: number): void;
}

/** An atomic that was executed. */
interface Atomic {
  original: bigint;
  result: bigint;
  came: number;
  left: number;
}

/** By stream: the order in which one queue pair executes is known. */
type Streams = Map<unknown, Atomic[]>;

const MASK = (1n << 64n) - 1n;
const COMPARE_SWAP = 0x13;
/** Steps after which an order is not looked for any more. */
const MOST_STEPS = 200_000;

/** What an atomic leaves behind, by what it found. */
export function resultOf({ bth, atomicEth }: Packet, original: bigint): bigint {
  const { swapAdd, compare } = atomicEth!;
  if (bth.opcode === COMPARE_SWAP) return original === compare ? swapAdd : original;
  return (original + swapAdd) & MASK;
}

/** The atomics on one word of memory since it was last written otherwise. */
export class Word {
  #streams: Streams = new Map();

  add(stream: unknown, packet: Packet, original: bigint, came: number, left: number): void {
    const atomics = this.#streams.get(stream) ?? [];
    atomics.push({ original, result: resultOf(packet, original), came, left });
    this.#streams.set(stream, atomics);
  }

  /** What they found and left, in the order of each queue pair. */
  get text(): string {
    const lists = [...this.#streams.values()].map((list) =>
      list.map(({ original, result }) => `${hex(original)} to ${hex(result)}`).join(', '),
    );
    return lists.join('; ');
  }

  /** Whether the atomics can have been executed one after another, as the streams and time order them. */
  get serial(): boolean {
    const lists = [...this.#streams.values()];
    const heads = lists.map(() => 0);
    const starts = new Set(lists.map((list) => list[0]!.original));
    const search: Search = { lists, seen: new Set(), steps: 0 };
    return lists.length === 0 || [...starts].some((start) => order(search, heads, start));
  }
}

interface Search {
  lists: readonly (readonly Atomic[])[];
  seen: Set<string>;
  steps: number;
}

/** Whether what is left behind `heads` can follow on `value`. */
function order(search: Search, from: readonly number[], value: bigint): boolean {
  const { lists } = search;
  const heads = [...from];
  for (;;) {
    if (search.steps++ > MOST_STEPS) return true;
    const open = lists.map((list, i) => list[heads[i]!]);
    if (open.every((each) => each === undefined)) return true;
    const first = Math.min(...open.map((each) => each?.left ?? Number.POSITIVE_INFINITY));
    const fits = open.flatMap((each, i) =>
      each && each.original === value && each.came <= first ? [i] : [],
    );
    // One that changes nothing may come at once.
    const idle = fits.find((i) => open[i]!.result === value);
    const only = idle ?? (fits.length === 1 ? fits[0] : undefined);
    if (only === undefined) {
      const key = `${heads.join()}:${value}`;
      if (search.seen.has(key)) return false;
      search.seen.add(key);
      return fits.some((i) => order(search, stepped(heads, i), open[i]!.result));
    }
    value = open[only]!.result;
    heads[only]!++;
  }
}

const stepped = (heads: readonly number[], at: number): number[] =>
  heads.map((head, i) => (i === at ? head + 1 : head));
