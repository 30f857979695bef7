/** Random walks: chapters of verbs, commands and faults, played on a device and predicted by the model. */

export { addBins, allBins, type BinCounts, emptyBins } from '../coverage/index.ts';
export { type Chapter, chapterOf } from './chapter.ts';
export { Dice } from './dice.ts';
export type { Failure } from './failure.ts';
export type { WalkState } from './state.ts';
export { scenarioText } from './text.ts';
export { successShare, type WalkOptions, type WalkResult, walk } from './walk.ts';
export { type Wishes, wishesFor } from './wishes.ts';
