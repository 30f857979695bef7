export type { WordOf } from './atomic-words.ts';
export type { End, Ends, GlobalPath, Port, Retry, Side } from './connection.ts';
export {
  DMA_RULES,
  type DmaAccess,
  DmaChecker,
  type DmaRule,
  type DmaViolation,
  formatDmaViolation,
  type HostObserver,
  type Life,
  type ObservedRegion,
  type ObservedRing,
  type RingRole,
  type Traffic,
} from './dma-checker.ts';
export type { Offers } from './format.ts';
export { type Frame, type Framed, nativeFrame } from './frame.ts';
export { FREEDOMS, type FreedomName } from './freedoms.ts';
export { type InvariantOptions, invariants, type Observation } from './invariants.ts';
export {
  type Expectation,
  type Extent,
  formatMemoryViolation,
  type Memory,
  MemoryChecker,
  type MemoryViolation,
} from './memory-checker.ts';
export { type Decoded, decode, type Packet } from './packet.ts';
export { roceFrame } from './roce.ts';
export { formatViolation, RULE_NAMES, RULES, type RuleName, type Violation } from './rules.ts';
export { type Learned, Survey } from './survey.ts';
export { TraceChecker, type TraceVerdict } from './trace-checker.ts';
export type { ConnectionReport, EndReport, TraceOptions } from './trace-report.ts';
export { type Finding, formatFinding, TRACE_FIELDS, TRACE_RULES, type TraceRule } from './trace-rules.ts';
export { describe, type Transport } from './transport.ts';
export { WireChecker, type WireCheckerOptions, type WirePacket } from './wire-checker.ts';
