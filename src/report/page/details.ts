import { ARRIVAL_LOST, ARRIVAL_UNKNOWN, type Entry } from '../data.ts';
import { element, number } from './dom.ts';
import { hexDump } from './hex.ts';
import { partsOf, type ShownPart } from './parts.ts';
import type { Run } from './run.ts';
import type { Chosen } from './stage.ts';
import { fateOf, labelOf } from './style-of.ts';

type Row = readonly [name: string, value: string | Node];

const HOSTS = ['host a', 'host b'] as const;
const CAUSES = {
  nak: 'after a NAK of PSN sequence',
  rnr: 'after an RNR NAK, when its time was over',
  implied: 'after a response that left a gap: an implied NAK',
  timeout: 'no answer came: a time-out',
} as const;
/** Behind the headers of a packet that is not here as a whole. */
const TAIL_BYTES = 9;

/** All that is known of what was clicked; `choose` follows a reference. */
export function details(run: Run, chosen: Chosen | undefined, choose: (chosen: Chosen) => void): Node[] {
  if (!chosen)
    return [
      element('p', { class: 'hint' }, 'Click a packet, a completion, a verb or an access to see all of it.'),
    ];
  const { of, index } = chosen;
  switch (of) {
    case 'packets':
      return packetDetails(run, index, choose);
    case 'dma':
      return dmaDetails(run, index);
    case 'problems': {
      const { check, text } = run.data.record!.problems[index]!;
      return [heading(`${check} check`), element('p', { class: 'said' }, text)];
    }
    default:
      return entryDetails(
        run.data[of][index]!,
        of === 'verbs' ? String(run.data.verbs[index]!.verb) : undefined,
      );
  }
}

const heading = (text: string): HTMLElement => element('h2', {}, text);

const table = (rows: readonly Row[]): HTMLElement =>
  element(
    'table',
    { class: 'facts' },
    ...rows.map(([name, value]) => element('tr', {}, element('th', {}, name), element('td', {}, value))),
  );

function entryDetails({ cycle, device, ...fields }: Entry, title = 'Completion'): Node[] {
  const rows = Object.entries(fields).map(([name, value]): Row => [name, String(value)]);
  return [
    heading(fields.event === undefined ? title : `Event ${fields.event}`),
    table([['at', `cycle ${number(cycle)}, ${HOSTS[device]}`], ...rows]),
  ];
}

function dmaDetails({ data }: Run, index: number): Node[] {
  const { cycle, device, write, address, length, ring, fault, what } = data.dma;
  const rows: Row[] = [
    ['at', `cycle ${number(cycle[index]!)}, ${HOSTS[device[index]!]}`],
    ['address', address[index]!],
    ['length', `${number(length[index]!)} bytes`],
    ['of', ring[index] ? `ring ${ring[index]}` : 'data'],
  ];
  if (fault[index]) rows.push(['fault', `${what[index]}, by rule ${fault[index]}`]);
  return [heading(write[index] ? 'DMA write' : 'DMA read'), table(rows)];
}

function packetDetails(run: Run, packet: number, choose: (chosen: Chosen) => void): Node[] {
  const bytes = run.bytesOf(packet);
  const length = run.data.packets.length[packet]!;
  const parts = partsOf(bytes, length);
  const rows = new Map<ShownPart, HTMLElement>();
  const skipped = length - bytes.length;
  const skippedAt = skipped > 0 ? bytes.length - TAIL_BYTES : bytes.length;
  const lightPart = (at: number | undefined): void => {
    for (const [part, row] of rows)
      row.classList.toggle('lit', at !== undefined && at >= part.at && at < part.at + part.bytes);
  };
  const dump = hexDump(bytes, parts, { skippedAt, skipped }, lightPart);
  const lit = (node: HTMLElement, at: number, size: number): void => {
    node.tabIndex = 0;
    for (const event of ['pointerenter', 'focus', 'click'])
      node.addEventListener(event, () => dump.light(at, size));
  };
  const shown = parts.map((part, i) => {
    const title = element(
      'summary',
      {},
      element('b', { class: `part part-${i % 6}` }, part.name),
      ` ${part.title}`,
    );
    const body = part.fields.map((field) => {
      const row = element(
        'tr',
        {},
        element('th', {}, field.name),
        element('td', { class: 'value' }, field.value),
        element('td', {}, field.means),
      );
      lit(row, field.at, field.bytes);
      return row;
    });
    const place = element('details', { open: true }, title, element('table', { class: 'fields' }, ...body));
    lit(title, part.at, part.bytes);
    rows.set(part, place);
    return place;
  });
  return [heading(labelOf(run, packet)), table(factsOf(run, packet, choose)), dump.place, ...shown];
}

function factsOf(run: Run, packet: number, choose: (chosen: Chosen) => void): Row[] {
  const { packets, retries, arrivals } = run.data;
  const sender = packets.sender[packet]!;
  const fate = fateOf(run, packet);
  const rows: Row[] = [
    [
      'way',
      `${HOSTS[sender]} \u2192 ${HOSTS[1 - sender]}, ${packets.length[packet]} bytes, ${packets.payload[packet]} of payload`,
    ],
    ['left', `cycles ${number(packets.first[packet]!)} to ${number(packets.last[packet]!)}`],
    ['arrived', arrivedText(packets.arrival[packet]!)],
  ];
  for (const odd of run.odd.get(packet) ?? []) {
    const { cycle, text } = arrivals[odd]!;
    rows.push(['arrived so', `cycle ${number(cycle)}${text ? `: ${text}` : ', once more'}`]);
  }
  if (packets.fault[packet])
    rows.push(['fault', `${fate || packets.what[packet]}, by rule ${packets.fault[packet]}`]);
  if (packets.injected[packet]) rows.push(['origin', 'put on the wire by the test']);
  const link = (to: number) => {
    const made = element(
      'a',
      { href: '#', class: 'link' },
      `${labelOf(run, to)} in cycle ${number(packets.first[to]!)}`,
    );
    made.addEventListener('click', (event) => {
      event.preventDefault();
      choose({ of: 'packets', index: to });
    });
    return made;
  };
  const before = packets.resent[packet]!;
  if (before >= 0) rows.push(['sent before', link(before)]);
  const again = packets.resent.indexOf(packet, packet);
  if (again >= 0) rows.push(['sent again', link(again)]);
  const retry = run.retryOf.get(packet);
  if (retry !== undefined) {
    const { cause, nak, quietFrom } = retries[retry]!;
    rows.push(['goes back', CAUSES[cause]]);
    if (nak >= 0) rows.push(['told by', link(nak)]);
    else rows.push(['waited', `${number(packets.first[packet]! - quietFrom)} cycles`]);
  }
  rows.push(['in wire.pcapng', `packet ${packets.frame[packet]}`]);
  return rows;
}

function arrivedText(cycle: number): string {
  if (cycle === ARRIVAL_LOST) return 'never';
  return cycle === ARRIVAL_UNKNOWN ? 'not recorded' : `cycle ${number(cycle)}`;
}
