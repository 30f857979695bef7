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
export { type Decoded, decode, describe, type Packet } from './packet.ts';
export { formatViolation, RULE_NAMES, RULES, type RuleName, type Violation } from './rules.ts';
export { WireChecker, type WireCheckerOptions, type WirePacket } from './wire-checker.ts';
