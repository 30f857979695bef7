/** What runs have met of all that they should: points, their bins, and who fills them. */

export { type Exclusion, matcherOf, readExclusions } from './excluded.ts';
export { appendRun, type CollectedRun, collectedRuns, openFolder } from './folder.ts';
export { addHits, type Counts, type Hits } from './hits.ts';
export { readHoles } from './holes.ts';
export { holesOf, isHole, type JudgedBin, type JudgedPoint, type Judgement, judge, merged } from './judge.ts';
export * from './messages.ts';
export { binKey, cross, type Point } from './point.ts';
export { POINTS } from './points.ts';
export { RunCoverage, type Shown } from './run-coverage.ts';
export { testBegins, testEnds } from './test-name.ts';
export type { View } from './view.ts';
