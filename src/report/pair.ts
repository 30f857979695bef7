import type { CapturedPacket } from '../capture/index.ts';
import { ARRIVAL_LOST, ARRIVAL_UNKNOWN, type Entry, type OddArrival, type Side } from './data.ts';
import { ReportError } from './read.ts';

/** A packet with what the time line tells of it. */
export interface PairedPacket {
  frame: number;
  sender: Side;
  bytes: Uint8Array;
  first: number;
  last: number;
  arrival: number;
  injected: boolean;
  fault: string;
  what: string;
}

export interface Paired {
  packets: readonly PairedPacket[];
  odd: readonly OddArrival[];
}

export interface PairOptions {
  /** Packets as the time line tells them; undefined: it tells none. */
  entries: readonly Entry[] | undefined;
  /** The time line had no room for all: what is missing in it may have arrived. */
  cut: boolean;
  beatBytes: number;
}

/** Brings together the packets of the capture, the entries of those, and the entries of what arrived, by sender and number. */
export function pairPackets(captured: readonly CapturedPacket[], options: PairOptions): Paired {
  const { entries = [], cut, beatBytes } = options;
  const sent = [0, 1].map((side) => entries.filter((each) => each.device === side && 'packet' in each));
  const arrivals = new Arrivals(entries);
  const next = [0, 0];
  const odd: OddArrival[] = [];
  const order = captured.map((packet, i) => ({ packet, frame: i + 1 }));
  order.sort((x, y) => x.packet.cycle - y.packet.cycle);

  const packets = order.map(({ packet, frame }, index): PairedPacket => {
    const { cycle, sender, bytes, injected = false } = packet;
    const entry = sent[sender]![next[sender]!++];
    if (entry) sameOrRefuse(entry, packet, frame);
    const all = entry ? arrivals.of(sender, entry, injected) : undefined;
    for (const [i, { cycle: at, arrived }] of all?.entries() ?? []) {
      const altered = arrived !== entry!.packet;
      if (i > 0 || altered) odd.push({ packet: index, cycle: at, text: altered ? String(arrived) : '' });
    }
    const what = textOf(entry?.what);
    const missing = cut && what !== 'drop' ? ARRIVAL_UNKNOWN : ARRIVAL_LOST;
    const beats = Math.max(1, Math.ceil(bytes.length / beatBytes));
    return {
      frame,
      sender,
      bytes,
      first: typeof entry?.first === 'number' ? entry.first : Math.max(0, cycle - beats + 1),
      last: cycle,
      arrival: all ? (all[0]?.cycle ?? missing) : ARRIVAL_UNKNOWN,
      injected,
      fault: textOf(entry?.fault ?? packet.fault),
      what,
    };
  });
  return { packets, odd };
}

const textOf = (value: Entry[string] | undefined): string => (value === undefined ? '' : String(value));

function sameOrRefuse(entry: Entry, { cycle, bytes }: CapturedPacket, frame: number): void {
  if (entry.cycle === cycle && entry.bytes === bytes.length) return;
  throw new ReportError(
    `report: expected wire.pcapng and timeline.json of one run, found packet ${frame} of ${bytes.length} bytes in cycle ${cycle} in ` +
      `one and of ${entry.bytes} bytes in cycle ${entry.cycle} in the other`,
  );
}

/** What arrived: by the number that its sender gave it; what a test injected in its order. */
class Arrivals {
  readonly #byNumber = new Map<string, Entry[]>();
  readonly #injected: [Entry[], Entry[]] = [[], []];

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) {
      if (!('arrived' in entry)) continue;
      const sender = 1 - entry.device;
      if (entry.injected === true) this.#injected[sender]!.push(entry);
      else {
        const key = `${sender}:${entry.number}`;
        const list = this.#byNumber.get(key);
        if (list) list.push(entry);
        else this.#byNumber.set(key, [entry]);
      }
    }
  }

  /** Undefined where nobody told. */
  of(sender: Side, entry: Entry, injected: boolean): readonly Entry[] | undefined {
    if (injected) {
      const found = this.#injected[sender].shift();
      return found && [found];
    }
    if (entry.number === undefined) return undefined;
    return this.#byNumber.get(`${sender}:${entry.number}`) ?? [];
  }
}
