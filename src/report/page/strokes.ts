import { BOLD, type Colours } from './theme.ts';

/** Lines, heads and texts on a canvas. */

type Context = CanvasRenderingContext2D;

export interface Line {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

const HEAD_PX = 7;
const HEAD_ANGLE = 2.72;
const CROSS_PX = 6;

export function stroke(
  context: Context,
  { x0, y0, x1, y1 }: Line,
  colour: string,
  width: number,
  dash: readonly number[] = [],
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash([...dash]);
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
  context.setLineDash([]);
}

/** The head of an arrow at the end of a line. */
export function head(context: Context, { x0, y0, x1, y1 }: Line, colour: string, width: number): void {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const size = HEAD_PX + width;
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x1, y1);
  for (const turn of [HEAD_ANGLE, -HEAD_ANGLE])
    context.lineTo(x1 + size * Math.cos(angle + turn), y1 + size * Math.sin(angle + turn));
  context.fill();
}

export function cross(context: Context, x: number, y: number, colour: string, size = CROSS_PX): void {
  for (const slope of [1, -1])
    stroke(
      context,
      { x0: x - size, y0: y - size * slope, x1: x + size, y1: y + size * slope },
      colour,
      size / 2,
    );
}

/** A text in a box of its colour; `direction` is where it goes on from `x`. */
export function tag(
  context: Context,
  colours: Colours,
  text: string,
  { x, y, colour, direction }: { x: number; y: number; colour: string; direction: 1 | -1 },
): void {
  context.font = BOLD;
  const width = context.measureText(text).width + 8;
  const left = direction === 1 ? x : x - width;
  context.fillStyle = colour;
  context.beginPath();
  context.roundRect(left, y - 8, width, 15, 3);
  context.fill();
  context.fillStyle = colours.ground;
  context.textAlign = 'left';
  context.fillText(text, left + 4, y + 3.5);
}

/** A text that can be read across lines. */
export function haloed(
  context: Context,
  text: string,
  x: number,
  y: number,
  colour: string,
  ground: string,
): void {
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.strokeStyle = ground;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}
