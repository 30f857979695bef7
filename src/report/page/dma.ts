import { lastBefore } from './axis.ts';
import { type Chosen, type Stage, seen, yOf } from './stage.ts';
import { cross } from './strokes.ts';

/** Reads and writes of host memory, a tick each; those that a fault struck with a cross. */
export function drawDma(stage: Stage): void {
  const { context, run, columns, colours } = stage;
  const { dma } = run.data;
  const [begin, end] = dmaWithin(stage);
  let drawn = -1;
  let row = -1;
  for (let i = begin; i < end; i++) {
    const y = Math.round(yOf(stage, dma.cycle[i]!));
    const side = dma.device[i]!;
    const column = 2 * side + dma.write[i]!;
    if (y !== row) [row, drawn] = [y, 0];
    const { left, right } = columns.dma[side];
    const middle = (left + right) / 2;
    const [from, to] = dma.write[i] ? [middle + 1, right] : [left, middle - 1];
    if ((drawn & (1 << column)) === 0) {
      context.fillStyle = dma.ring[i] ? colours.muted : dma.write[i] ? colours.response : colours.request;
      context.fillRect(from, y, to - from, 1.5);
      drawn |= 1 << column;
    }
    if (dma.fault[i]) cross(context, (from + to) / 2, y, colours.lost, 4);
  }
}

function dmaWithin(stage: Stage): [number, number] {
  const [from, to] = seen(stage);
  const { cycle } = stage.run.data.dma;
  const at = (value: number) => lastBefore(cycle, value, (each) => each) + 1;
  return [at(from - 1), at(to)];
}

/** The access that was clicked at. */
export function dmaAt(stage: Stage, x: number, y: number): Chosen | undefined {
  const { columns, run } = stage;
  const side = ([0, 1] as const).find((each) => x >= columns.dma[each].left && x <= columns.dma[each].right);
  if (side === undefined) return undefined;
  const { left, right } = columns.dma[side];
  const write = Number(x > (left + right) / 2);
  const { dma } = run.data;
  const [begin, end] = dmaWithin(stage);
  let [best, nearest] = [-1, 6];
  for (let i = begin; i < end; i++) {
    if (dma.device[i] !== side || dma.write[i] !== write) continue;
    const far = Math.abs(yOf(stage, dma.cycle[i]!) - y);
    if (far < nearest) [best, nearest] = [i, far];
  }
  return best < 0 ? undefined : { of: 'dma', index: best };
}
