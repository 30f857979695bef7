import { addBins } from '../coverage/index.ts';
import { type Chapter, chapterOf } from './chapter.ts';
import { explain, type Failure } from './failure.ts';
import { type Play, type PlayOptions, playData } from './play.ts';
import { loadState, saveState, type WalkState } from './state.ts';
import type { Wishes } from './wishes.ts';

export interface WalkOptions extends PlayOptions {
  readonly seed: number;
  /** At least so many. */
  readonly steps: number;
  /** Folder of the state, and of what is left of a failure. */
  readonly out?: string;
  /** Go on where the walk in that folder has stopped. */
  readonly resume?: boolean;
  /** What a failure may take to be made smaller; 0: it is left as it is. */
  readonly shrinkMs?: number;
  /** What it takes more often. */
  readonly wishes?: Wishes;
  /** How a chapter is played. */
  readonly play?: Play;
  readonly onChapter?: (state: WalkState) => void;
  /** Asked between chapters. */
  readonly stop?: () => boolean;
}

export interface WalkResult {
  readonly state: WalkState;
  readonly failure?: Failure;
}

/** Long enough to connect anew a few times, short enough to start over soon. */
const CHAPTER_STEPS = 150;
const SHRINK_MS = 300_000;
/** Hosts whose buses can fail: those of the RTL. */
const BUSES = { model: [], rtl: ['a', 'b'], 'rtl-model': ['a'] } as const;

/** Walks at random, chapter by chapter, until the steps are done or a chapter fails. */
export async function walk(options: WalkOptions): Promise<WalkResult> {
  const { device, seed, steps, out, resume = false, stop = () => false, play = playData } = options;
  const before = resume && out !== undefined ? loadState(out, device, seed) : undefined;
  const state: WalkState = before ?? {
    device,
    seed,
    chapters: 0,
    steps: 0,
    sends: 0,
    failed: 0,
    seconds: 0,
    bins: {},
  };
  while (state.steps < steps && !stop()) {
    const start = performance.now();
    const chapter = chapterOf(seed, state.chapters, CHAPTER_STEPS, BUSES[device], options);
    const { verdict, recording } = await play(chapter.data, options);
    if (stop()) break;
    if (!verdict.ok) {
      const { shrinkMs = SHRINK_MS } = options;
      return {
        state,
        failure: await explain(chapter, verdict.problems, { ...options, play, shrinkMs, stop }),
      };
    }
    add(state, chapter, [...recording.completions]);
    state.seconds += (performance.now() - start) / 1000;
    if (out !== undefined) saveState(out, state);
    options.onChapter?.(state);
  }
  return { state };
}

function add(
  state: WalkState,
  { data, bins }: Chapter,
  completions: readonly (readonly [queue: string, list: readonly { status: string }[]])[],
): void {
  const sends = completions.filter(([queue]) => queue.endsWith(' send')).flatMap(([, list]) => list);
  state.chapters++;
  state.steps += data.steps.length;
  state.sends += Object.values(bins).reduce((sum, count) => sum + count, 0);
  state.failed += sends.filter(({ status }) => status !== 'SUCCESS').length;
  addBins(state.bins, bins);
}

/** Of the send work requests. */
export const successShare = ({ sends, failed }: WalkState): number =>
  sends === 0 ? 1 : (sends - failed) / sends;
