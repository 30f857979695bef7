import { type Stage, yOf } from './stage.ts';
import { ARROWS, arrowKind } from './style-of.ts';

const BAR_PX = 2;

/** In place of arrows that are too many: per row and direction how many packets were sent, by kind. */
export function drawBars(stage: Stage, packets: readonly number[]): void {
  const { context, run, columns, colours, top, bottom } = stage;
  const rows = Math.max(1, Math.ceil((bottom - top) / BAR_PX));
  const counts = new Uint32Array(2 * rows * ARROWS.length);
  const totals = new Uint32Array(2 * rows);
  for (const packet of packets) {
    const row = Math.floor((yOf(stage, run.last[packet]!) - top) / BAR_PX);
    if (row < 0 || row >= rows) continue;
    const bin = run.data.packets.sender[packet]! * rows + row;
    totals[bin]!++;
    counts[bin * ARROWS.length + ARROWS.indexOf(arrowKind(run, packet))]!++;
  }
  const most = totals.reduce((all, each) => Math.max(all, each), 1);
  // What stands out is drawn over them.
  context.globalAlpha = 0.6;
  const half = (columns.lane[1] - columns.lane[0]) / 2 - 4;
  for (const [bin, total] of totals.entries()) {
    if (total === 0) continue;
    const side = bin < rows ? 0 : 1;
    let x = columns.lane[side];
    for (const [kind, name] of ARROWS.entries()) {
      const size = (counts[bin * ARROWS.length + kind]! / most) * half;
      if (size === 0) continue;
      context.fillStyle = colours[name];
      context.fillRect(side === 0 ? x : x - size, top + (bin % rows) * BAR_PX, size, BAR_PX);
      x += side === 0 ? size : -size;
    }
  }
  context.globalAlpha = 1;
}
