import type { Figures, RunStatistics } from '../run/index.ts';

type Side = 'a' | 'b';
const SIDES = ['a', 'b'] as const;
const GROUPS = ['drops', 'naks'] as const;

/** Counters, rates, requests and where cycles go, then what went wrong; of groups what is not 0. */
export function statTable(statistics: RunStatistics, figures: Figures): string[] {
  const { device, cycles, hosts } = statistics;
  return [
    `${device}, ${cycles} cycles`,
    ...counterLines(statistics),
    ...sentLines(statistics, figures),
    ...SIDES.flatMap((side) => requestLines(side, statistics)),
    ...SIDES.flatMap((side) => bubbleLines(side, figures)),
    ...SIDES.flatMap((side) => notes(side, hosts[side])),
  ];
}

const pair = (name: string, ...values: readonly string[]): string => columns(name, values, [14, 14]);
const columns = (name: string, values: readonly string[], widths: readonly number[]): string =>
  name.padEnd(26) + values.map((value, i) => value.padStart(widths[i]!)).join('');

/** Both hosts side by side. */
function counterLines({ hosts: { a, b } }: RunStatistics): string[] {
  const lines = [pair('', 'host a', 'host b')];
  for (const [name, value] of Object.entries(a)) {
    const other = (b as unknown as Record<string, number>)[name] ?? 0;
    if (typeof value === 'number') lines.push(pair(name, `${value}`, `${other}`));
  }
  for (const group of GROUPS) {
    for (const [name, value] of Object.entries(a[group])) {
      const other = (b[group] as Record<string, number>)[name] ?? 0;
      if (value > 0 || other > 0) lines.push(pair(`${group} ${name}`, `${value}`, `${other}`));
    }
  }
  return lines;
}

function sentLines({ wire }: RunStatistics, { throughput }: Figures): string[] {
  if (!wire) return [];
  const lines = ['', pair('sent', 'host a', 'host b')];
  const add = (name: string, of: (side: Side) => string) => lines.push(pair(name, of('a'), of('b')));
  add('payload bytes', (side) => `${wire[side].payloadBytes}`);
  add('wire bytes', (side) => `${wire[side].bytes}`);
  if (!throughput) return lines;
  add('payload bytes a cycle', (side) => throughput[side].payloadBytesPerCycle.toFixed(2));
  add('wire bytes a cycle', (side) => throughput[side].wireBytesPerCycle.toFixed(2));
  add('of the wire limit', (side) => percent(throughput[side].shareOfWire));
  return [...lines, `from the first packet to the last: ${throughput.cycles} cycles`];
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const REQUEST_WIDTHS = [8, 11, 8, 12, 8, 8, 8, 8];

function requestLines(side: Side, { requests }: RunStatistics): string[] {
  const rows = Object.entries(requests?.[side] ?? {});
  if (rows.length === 0) return [];
  const head = ['posted', 'completed', 'failed', 'cycles min', 'p50', 'p90', 'p99', 'max'];
  return [
    '',
    columns(`requests of host ${side}`, head, REQUEST_WIDTHS),
    ...rows.map(([name, { posted, completed, failed, latency }]) => {
      const { min, p50, p90, p99, max } = latency ?? {};
      const cells = [posted, completed, failed, min, p50, p90, p99, max].map((value) => `${value ?? '-'}`);
      return columns(name, cells, REQUEST_WIDTHS);
    }),
  ];
}

/** Places where something moved or waited; the shares are of the cycles of the run. */
function bubbleLines(side: Side, { bubbles }: Figures): string[] {
  const rows = Object.entries(bubbles?.[side] ?? {}).filter(
    ([, { moving = 0, waiting }]) => moving + waiting > 0,
  );
  if (rows.length === 0) return [];
  const widths = [10, 10, 12];
  return [
    '',
    columns(`cycles of host ${side}`, ['moving', 'waiting', 'idle'], widths),
    ...rows.map(([name, { moving = '-', waiting, idle = '-' }]) =>
      columns(name, [`${moving}`, `${waiting}`, `${idle}`], widths),
    ),
  ];
}

function notes(side: Side, host: RunStatistics['hosts']['a']): string[] {
  const { health, lastError, lastEvent } = host;
  const told: string[] = [];
  if (health?.fatal) told.push(`stopped: cause ${health.cause}, event queue ${health.number}`);
  if (lastError) {
    const { qpn, queue, status, vendor } = lastError;
    told.push(`last error: ${status} of the ${queue} queue of QP ${qpn}, vendor ${vendor}`);
  }
  if (lastEvent) told.push(`last event: ${lastEvent.event} ${lastEvent.number}`);
  return told.map((text) => `host ${side}: ${text}`);
}
