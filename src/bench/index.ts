/** Measurements of the RTL, in cycles, under all checks. */

export { type BenchRow, isExact, outcome, page, row, table } from './row.ts';
export { type BenchCase, benchCases } from './rows.ts';
export { bareSpeeds, speedLine } from './simulators.ts';
