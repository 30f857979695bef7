import type { Entry } from '../data.ts';
import type { TimeAxis } from './axis.ts';
import type { Run } from './run.ts';
import type { Chosen } from './stage.ts';
import type { View } from './view.ts';

/** Packets before and behind the first fault that are seen, and how far a replay may be to be seen as well. */
const BEFORE = 6;
const BEHIND = 22;
const REPLAY_WITHIN = 34;
const REPLAY = 3;
const MARGIN = 0.03;
const DMA_CYCLES = 200;
/** What was posted so shortly before, and completed so shortly behind, is seen as well; in places of the axis. */
const CONTEXT = 260;

/** What a reader sees before any click: the first fault and what became of it, or else all packets. */
export function firstView(run: Run, axis: TimeAxis, view: View): Chosen | undefined {
  const fault = run.data.marks.find(({ kind }) => kind === 'fault');
  if (fault?.of === 'packets') {
    showAround(run, axis, view, fault.index);
    return { of: 'packets', index: fault.index };
  }
  if (fault) {
    const place = axis.placeOf(fault.cycle);
    view.show(place - DMA_CYCLES, place + DMA_CYCLES);
    return { of: fault.of, index: fault.index };
  }
  if (run.count > 0) {
    const [from, to] = [run.first[0]!, run.end.reduce((most, end) => Math.max(most, end), 0)];
    view.show(axis.placeOf(from), axis.placeOf(to), MARGIN);
  }
  return undefined;
}

/** A packet among its neighbours, and the replay it leads to if that is near. */
export function showAround(run: Run, axis: TimeAxis, view: View, packet: number): void {
  const begin = Math.max(0, packet - BEFORE);
  const replay = run.data.retries.find((retry) => retry.packet > packet)?.packet;
  const near = replay !== undefined && replay - packet <= REPLAY_WITHIN ? replay + REPLAY : 0;
  const end = Math.min(run.count - 1, Math.max(packet + BEHIND, near));
  const [from, to] = [axis.placeOf(run.first[begin]!), axis.placeOf(run.end[end]!)];
  const posted = placesOf(
    run.data.verbs.filter(({ verb }) => verb === 'doorbell sq'),
    axis,
  );
  const completed = placesOf(run.data.completions, axis);
  const post = posted.findLast((place) => place <= from && place >= from - CONTEXT);
  const completion = completed.find((place) => place >= to && place <= to + CONTEXT);
  view.show(post ?? from, completion ?? to, MARGIN);
}

const placesOf = (entries: readonly Entry[], axis: TimeAxis): number[] =>
  entries.map(({ cycle }) => axis.placeOf(cycle));
