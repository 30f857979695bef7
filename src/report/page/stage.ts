import type { Side } from '../data.ts';
import type { TimeAxis } from './axis.ts';
import type { Filter } from './filter.ts';
import type { Run } from './run.ts';
import type { Colours } from './theme.ts';
import type { View } from './view.ts';

/** What is chosen, to be shown in full: an index in the columns or lists of that name. */
export interface Chosen {
  of: 'packets' | 'dma' | 'completions' | 'verbs' | 'problems';
  index: number;
}

/** Everything that a part of the ladder is drawn by. */
export interface Stage {
  context: CanvasRenderingContext2D;
  run: Run;
  axis: TimeAxis;
  view: View;
  filter: Filter;
  chosen: Chosen | undefined;
  colours: Colours;
  columns: Columns;
  /** Below the heads of the columns. */
  top: number;
  bottom: number;
  width: number;
}

/** Where the columns of the ladder stand, from left to right. */
export interface Columns {
  /** Text of verbs and completions, up to the lanes of DMA. */
  side: readonly [Column, Column];
  dma: readonly [Column, Column];
  lane: readonly [number, number];
}

export interface Column {
  left: number;
  right: number;
}

export const HEAD_PX = 24;
const AXIS_PX = 76;
const DMA_PX = 28;
const GAP_PX = 6;

export function columnsFor(width: number, withDma: boolean): Columns {
  const dmaPx = withDma ? DMA_PX : 0;
  const sidePx = Math.max(90, Math.min(190, width * 0.15));
  const left = AXIS_PX + sidePx;
  const right = width - sidePx - 4;
  return {
    side: [
      { left: AXIS_PX, right: left },
      { left: right, right: width - 4 },
    ],
    dma: [
      { left: left + GAP_PX, right: left + GAP_PX + dmaPx },
      { left: right - GAP_PX - dmaPx, right: right - GAP_PX },
    ],
    lane: [left + 2 * GAP_PX + dmaPx, right - 2 * GAP_PX - dmaPx],
  };
}

export const yOf = ({ axis, view, top, bottom }: Stage, cycle: number): number =>
  top + ((axis.placeOf(cycle) - view.from) / view.span) * (bottom - top);

export const cycleOf = ({ axis, view, top, bottom }: Stage, y: number): number =>
  axis.cycleAt(view.from + ((y - top) / (bottom - top)) * view.span);

/** The cycles that are seen. */
export const seen = (stage: Stage): [from: number, to: number] => [
  stage.axis.cycleAt(stage.view.from),
  stage.axis.cycleAt(stage.view.to),
];

export const other = (side: Side): Side => (side === 0 ? 1 : 0);

/** Rows of the screen in which a text stands already. */
export class Rows {
  readonly #taken: Uint8Array;

  constructor(height: number) {
    this.#taken = new Uint8Array(Math.max(1, Math.ceil(height) + 1));
  }

  /** Takes the rows if all are free. */
  take(from: number, to: number): boolean {
    const [low, high] = [Math.max(0, Math.floor(from)), Math.ceil(to)];
    if (from < 0 || high >= this.#taken.length) return false;
    for (let y = low; y < high; y++) if (this.#taken[y]) return false;
    this.#taken.fill(1, low, high);
    return true;
  }
}
