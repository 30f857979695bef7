/** Hostile inputs: files, frames of the protocol, processes that die, and packets, work requests and writes against the RTL. */

export { hostileSession, killSimulators } from './frames/server.ts';
export { hostileProcess, killProcesses, PROCESS_KINDS, type ProcessKind } from './processes.ts';
export { addTally, type Many, newTally, readMany, type Tally } from './read-many.ts';
export { type Loss, measureLoss } from './rtl/loss.ts';
export { fuzzRtl, type RtlCounts, type RtlFuzzOptions, type RtlResult } from './rtl/rounds.ts';
export { Supervisor } from './supervisor.ts';
