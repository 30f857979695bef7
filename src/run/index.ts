/** Runs of two HCAs under all checks, shared by scenarios, demo, benches and tests. */

export {
  Bundle,
  type BundleOptions,
  completeBundle,
  FAILURES_FOLDER,
  PROBLEMS_FILE,
  waveLine,
} from './bundle.ts';
export { createFabric, type FabricOptions, simulatorOf } from './fabric.ts';
export type { FileOptions, RunFiles } from './files.ts';
export {
  CLOCK_HZ,
  DATA_WIDTHS,
  type DataWidth,
  DEVICE_KINDS,
  type DeviceKind,
  RUN_KINDS,
  type RunKind,
} from './kinds.ts';
export {
  type Outcome,
  type Played,
  quoted,
  RECORD_FILE,
  type RunRecord,
  recordOf,
  runRecordSchema,
} from './record.ts';
export {
  CheckedRun,
  type ExpectedDrops,
  extentsOf,
  type FinishOptions,
  type HostOptions,
  openRun,
  type RunOptions,
} from './run.ts';
export { type Bubbles, type Figures, figuresOf, type Throughput } from './stat/figures.ts';
export type { Moved, Seen, Sent } from './stat/meter.ts';
export { readStatistics } from './stat/read.ts';
export type { RequestCount } from './stat/requests.ts';
export type { Spread } from './stat/samples.ts';
export { type RunStatistics, STATISTICS_FILE, statisticsSchema } from './stat/schema.ts';
export { CHECKS, type CheckName, type Problem, type RunTotals, Verdict } from './verdict.ts';
export { Watch, type WatchOptions } from './watch.ts';
export type { WireCount } from './wire-count.ts';
export { type Operation, type WireBeats, type WireLoad, wireBeats, wireLimitCycles } from './wire-limit.ts';
