/** One page about a run: who sent what when, what became of it, and what came of all. */

export type { ReportData } from './data.ts';
export { ReportError, type RunLeft, readRun } from './read.ts';
export { type Prepared, prepare } from './report-data.ts';
export { type Report, writeReport } from './write.ts';
