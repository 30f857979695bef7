import { drawBars } from './bars.ts';
import { other, Rows, type Stage, seen, yOf } from './stage.ts';
import { cross, head, type Line, stroke, tag } from './strokes.ts';
import { arrowKind, fateOf, labelOf, STYLES } from './style-of.ts';
import { BOLD, SMALL } from './theme.ts';

/** More arrows than this a pixel are bars. */
const ARROWS_PER_PX = 0.8;
const MOST_SPECIAL = 400;
const LABEL_PX = 12;
/** Of the way from lane to lane. */
const LABEL_AT = 0.03;
const FATE_AT = 0.42;

export interface Drawn {
  packets: number;
  /** They were too many for an arrow each. */
  bars: boolean;
}

/** The packets between the lanes: arrows with labels, or bars of how many there are. */
export function drawPackets(stage: Stage): Drawn {
  const visible = visiblePackets(stage);
  const bars = visible.length > (stage.bottom - stage.top) * ARROWS_PER_PX;
  const { chosen } = stage;
  if (chosen?.of === 'packets') stroke(stage.context, lineOf(stage, chosen.index), stage.colours.chosen, 11);
  if (!bars) drawArrows(stage, visible);
  else {
    drawBars(stage, visible);
    const special = visible.filter((packet) => stage.run.special[packet] === 1);
    if (special.length <= MOST_SPECIAL) drawArrows(stage, special);
  }
  return { packets: visible.length, bars };
}

export function visiblePackets(stage: Stage): number[] {
  const { run, filter } = stage;
  const [from, to] = seen(stage);
  const [begin, end] = run.between(from, to);
  const visible: number[] = [];
  for (let i = begin; i < end; i++)
    if (filter.shown[i] && run.end[i]! >= from && run.first[i]! <= to) visible.push(i);
  return visible;
}

function drawArrows(stage: Stage, packets: readonly number[]): void {
  const { run } = stage;
  const rows = [new Rows(stage.bottom), new Rows(stage.bottom)] as const;
  const ranked = packets.toSorted((x, y) => rank(stage, x) - rank(stage, y));
  for (const packet of ranked.toReversed()) drawArrow(stage, packet);
  for (const packet of ranked) {
    const line = lineOf(stage, packet);
    drawLabel(stage, packet, line, rows[run.data.packets.sender[packet]!]!);
    drawFate(stage, packet, line);
  }
}

/** What is to be read first, and drawn on top. */
function rank({ run, chosen }: Stage, packet: number): number {
  if (chosen?.of === 'packets' && chosen.index === packet) return 0;
  if (run.lost(packet) || run.data.packets.fault[packet]) return 1;
  if (run.retryOf.has(packet)) return 2;
  return run.special[packet] ? 3 : 4;
}

/** From the first beat at the sender to the last one at the receiver; half of it for what is lost. */
export function lineOf(stage: Stage, packet: number, arrival?: number): Line {
  const { run, columns } = stage;
  const sender = run.data.packets.sender[packet]!;
  const [x0, far] = [columns.lane[sender], columns.lane[other(sender)]];
  const y0 = yOf(stage, run.first[packet]!);
  const told = arrival ?? run.data.packets.arrival[packet]!;
  const y1 = yOf(stage, told < 0 ? run.last[packet]! : told);
  if (!run.lost(packet)) return { x0, y0, x1: far, y1 };
  return { x0, y0, x1: (x0 + far) / 2, y1: (y0 + y1) / 2 };
}

function drawArrow(stage: Stage, packet: number): void {
  const { context, run, colours } = stage;
  const kind = arrowKind(run, packet);
  const { width, dash } = STYLES[kind];
  const line = lineOf(stage, packet);
  stroke(context, line, colours[kind], width, dash);
  if (kind === 'lost') cross(context, line.x1, line.y1, colours.lost);
  else head(context, line, colours[kind], width);
  for (const odd of run.odd.get(packet) ?? []) {
    const again = lineOf(stage, packet, run.data.arrivals[odd]!.cycle);
    stroke(context, again, colours.fault, 1.4, [2, 3]);
    head(context, again, colours.fault, 1.4);
  }
}

const directionOf = ({ run }: Stage, packet: number): 1 | -1 =>
  run.data.packets.sender[packet] === 0 ? 1 : -1;

/** Beside the lane of the sender, where there is room. */
function drawLabel(stage: Stage, packet: number, { x0, y0, x1, y1 }: Line, rows: Rows): void {
  const { context, run, colours } = stage;
  const direction = directionOf(stage, packet);
  const kind = arrowKind(run, packet);
  const part = kind === 'lost' ? 2 * LABEL_AT : LABEL_AT;
  const y = y0 + (y1 - y0) * part - 3;
  if (!rows.take(y - LABEL_PX + 2, y + 1)) return;
  const x = x0 + (x1 - x0) * part + 4 * direction;
  const text = labelOf(run, packet);
  if (kind === 'nak') {
    tag(context, colours, text, { x, y: y0 + (y1 - y0) * part, colour: colours.nak, direction });
    return;
  }
  context.font = STYLES[kind].bold ? BOLD : SMALL;
  context.textAlign = direction === 1 ? 'left' : 'right';
  const width = context.measureText(text).width;
  context.fillStyle = colours.ground;
  context.fillRect(direction === 1 ? x - 1 : x - width - 1, y - LABEL_PX + 3, width + 2, LABEL_PX - 1);
  context.fillStyle = colours[kind === 'ack' ? 'muted' : kind];
  context.fillText(text, x, y);
}

function drawFate(stage: Stage, packet: number, { x0, y0, x1, y1 }: Line): void {
  const fate = fateOf(stage.run, packet);
  if (fate === '') return;
  const { context, colours, run } = stage;
  const direction = directionOf(stage, packet);
  const lost = run.lost(packet);
  const at = lost ? 1 : FATE_AT;
  const x = x0 + (x1 - x0) * at + (lost ? 12 * direction : 0);
  const colour = lost ? colours.lost : colours.fault;
  tag(context, colours, fate, { x, y: y0 + (y1 - y0) * at, colour, direction });
}
