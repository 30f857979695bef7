import type { DmaColumns, Entry, ReportData } from './data.ts';
import { headersOf } from './headers.ts';
import { marksOf } from './marks.ts';
import { packetColumns } from './packets.ts';
import { pairPackets } from './pair.ts';
import type { RunLeft } from './read.ts';

/** The data of a page, and the bytes of its packets that it has room for, one after another. */
export interface Prepared {
  data: ReportData;
  bytes: Uint8Array;
}

export interface PrepareOptions {
  /** Names the run where it does not do so itself. */
  folder: string;
  /** What the bytes of all packets may come to. */
  maxBytes?: number;
}

const DEFAULT_BYTES = 8 * 2 ** 20;
const DEFAULT_WIDTH = 256;
/** ICRC, VCRC and up to three bytes of pad. */
const TAIL_BYTES = 9;
/** Payload that is kept where not all of it can be. */
const PAYLOADS = [Number.POSITIVE_INFINITY, 256, 64, 16, 0] as const;

export function prepare(left: RunLeft, options: PrepareOptions): Prepared {
  const { timeline, record, counters, missing } = left;
  const dataWidth = record?.dataWidth ?? DEFAULT_WIDTH;
  const { packets, odd } = pairPackets(left.packets, {
    entries: timeline?.packets,
    cut: (record?.leftOut.entries ?? 0) > 0,
    beatBytes: dataWidth / 8,
  });
  const { columns, connections, retries } = packetColumns(packets, timeline?.verbs ?? []);
  const completions = timeline?.completions ?? [];
  const dma = dmaColumns(timeline?.dma ?? []);
  const problems = record?.problems ?? [];
  const { kept, bytes } = keep(
    packets.map((packet) => packet.bytes),
    options.maxBytes ?? DEFAULT_BYTES,
  );
  const data: ReportData = {
    title: record?.name ?? options.folder,
    record,
    counters,
    missing: [...missing, ...leftOut(left)],
    dataWidth,
    connections,
    packets: { ...columns, kept },
    arrivals: odd,
    retries,
    verbs: timeline?.verbs ?? [],
    completions,
    dma,
    marks: marksOf({ packets: columns, retries, dma, completions, problems }),
  };
  return { data, bytes };
}

function leftOut({ record }: RunLeft): string[] {
  const { packets = 0, entries = 0 } = record?.leftOut ?? {};
  return [
    ...(packets > 0 ? [`wire.pcapng has the first packets only; ${packets} were left out.`] : []),
    ...(entries > 0 ? [`timeline.json has the first entries only; ${entries} were left out.`] : []),
  ];
}

function dmaColumns(entries: readonly Entry[]): DmaColumns {
  const text = (name: string) => entries.map((entry) => String(entry[name] ?? ''));
  return {
    cycle: entries.map(({ cycle }) => cycle),
    device: entries.map(({ device }) => device),
    write: entries.map(({ access }) => Number(access === 'write')),
    address: text('address'),
    length: entries.map(({ length }) => Number(length)),
    ring: text('ring'),
    fault: text('fault'),
    what: text('what'),
  };
}

/** All bytes of all packets, or as much payload of each as there is room for; headers and CRCs always. */
function keep(packets: readonly Uint8Array[], room: number): { kept: number[]; bytes: Uint8Array } {
  const headers = packets.map((bytes) => {
    const last = headersOf(bytes).at(-1);
    return last ? last.at + last.bytes : 0;
  });
  let kept: number[] = [];
  let sum = 0;
  for (const payload of PAYLOADS) {
    kept = packets.map(({ length }, i) => Math.min(length, headers[i]! + payload + TAIL_BYTES));
    sum = kept.reduce((all, each) => all + each, 0);
    if (sum <= room) break;
  }
  const bytes = new Uint8Array(sum);
  let at = 0;
  for (const [i, packet] of packets.entries()) {
    const count = kept[i]!;
    const cut = count < packet.length;
    bytes.set(cut ? packet.subarray(0, count - TAIL_BYTES) : packet, at);
    if (cut) bytes.set(packet.subarray(packet.length - TAIL_BYTES), at + count - TAIL_BYTES);
    at += count;
  }
  return { kept, bytes };
}
