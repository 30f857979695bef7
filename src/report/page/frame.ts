import { lastBefore } from './axis.ts';
import { number } from './dom.ts';
import { HEAD_PX, type Stage, seen, yOf } from './stage.ts';
import { stroke } from './strokes.ts';
import { BOLD, SMALL } from './theme.ts';

const TICK_PX = 56;
/** Breaks lower than this are a line, and have no text. */
const BREAK_PX = 9;
/** Breaks that are told between the lanes, too. */
const LONG_BREAK = 2000;

/** Axis, breaks and lanes: what packets are drawn upon. */
export function drawFrame(stage: Stage): void {
  const { context, columns, colours, top, bottom, width, run } = stage;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, bottom);
  context.save();
  context.beginPath();
  context.rect(0, top, width, bottom - top);
  context.clip();
  drawTicks(stage);
  drawBreaks(stage);
  context.restore();
  for (const side of [0, 1] as const) {
    const x = columns.lane[side];
    stroke(context, { x0: x, y0: top, x1: x, y1: bottom }, colours.ink, 2);
    const { left, right } = columns.dma[side];
    if (right > left) {
      context.globalAlpha = 0.5;
      context.fillStyle = colours.panel;
      context.fillRect(left, top, right - left, bottom - top);
      context.globalAlpha = 1;
    }
  }
  drawHeads(stage, run.data.record?.device);
}

function drawHeads({ context, columns, colours, width }: Stage, device: string | undefined): void {
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, width, HEAD_PX);
  context.fillStyle = colours.muted;
  context.font = SMALL;
  context.textAlign = 'right';
  context.fillText('cycle', columns.side[0].left - 8, 16);
  const kinds = { model: ['model', 'model'], rtl: ['RTL', 'RTL'], 'rtl-model': ['RTL', 'model'] };
  const kind = kinds[device as keyof typeof kinds] ?? ['', ''];
  for (const side of [0, 1] as const) {
    const { left, right } = columns.side[side];
    context.font = SMALL;
    context.fillStyle = colours.muted;
    context.textAlign = side === 0 ? 'right' : 'left';
    context.fillText('verbs, completions', side === 0 ? right - 2 : left + 2, 16, right - left);
    const dma = columns.dma[side];
    if (dma.right > dma.left) {
      context.textAlign = 'center';
      context.fillText('rd wr', (dma.left + dma.right) / 2, 16, dma.right - dma.left + 4);
    }
    context.font = BOLD;
    context.fillStyle = colours.ink;
    context.textAlign = side === 0 ? 'left' : 'right';
    const name = `host ${'ab'[side]}${kind[side] ? ` (${kind[side]})` : ''}`;
    context.fillText(name, columns.lane[side] + (side === 0 ? 6 : -6), 16);
  }
}

/** Every so many cycles, 1, 2 or 5 of a power of ten. */
function drawTicks(stage: Stage): void {
  const { context, columns, colours, top, bottom, axis, view, width } = stage;
  const least = (view.span / (bottom - top)) * TICK_PX;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? power;
  const [from, to] = seen(stage);
  context.font = SMALL;
  context.textAlign = 'right';
  let last = Number.NEGATIVE_INFINITY;
  for (let cycle = Math.ceil(Math.max(0, from) / step) * step; cycle <= to; cycle += step) {
    const within = axis.breaks[lastBefore(axis.breaks, cycle, ({ from: begin }) => begin)];
    if (within && cycle > within.from && cycle < within.to) {
      cycle = Math.floor(within.to / step) * step;
      continue;
    }
    const y = yOf(stage, cycle);
    if (y - last < TICK_PX / 2) continue;
    last = y;
    stroke(context, { x0: columns.side[0].left - 4, y0: y, x1: width, y1: y }, colours.line, 0.6);
    context.fillStyle = colours.muted;
    context.fillText(number(cycle), columns.side[0].left - 8, y + 4);
  }
}

function drawBreaks(stage: Stage): void {
  const { context, columns, colours, axis, width } = stage;
  const [from, to] = seen(stage);
  for (const { from: begin, to: end } of axis.breaks) {
    if (end < from || begin > to) continue;
    const [y0, y1] = [yOf(stage, begin), yOf(stage, end)];
    const middle = (y0 + y1) / 2;
    if (y1 - y0 < BREAK_PX) continue;
    context.fillStyle = colours.panel;
    context.fillRect(columns.side[0].left, y0, width - columns.side[0].left, y1 - y0);
    const x = columns.side[0].left - 8;
    const text = `\u22ef ${number(end - begin)}`;
    context.font = SMALL;
    context.textAlign = 'right';
    context.fillStyle = colours.muted;
    context.fillText(text, x, middle + 4);
    if (end - begin < LONG_BREAK) continue;
    context.textAlign = 'center';
    const half = (columns.lane[0] + columns.lane[1]) / 2;
    context.fillText(`${number(end - begin)} cycles in which nothing happens`, half, middle + 4);
  }
}
