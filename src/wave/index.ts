/** Waves of a window of cycles, and what viewers show of them first. */

export { readHierarchy, type Scope, type Signal, WaveError } from './fst.ts';
export { BLOCKS, type Group, groupsOf } from './layout.ts';
export { takeWaves, type WaveOptions, type Waves } from './take.ts';
export { gtkwaveFile, surferFile } from './viewers.ts';
export { around, cycleOf, firstPlace, PLACES, type Place, type Window } from './window.ts';
