/** Faults of the link and of the hosts' buses, by rules. */

export { checkDmaFaultRules, checkFaultRules, type Wrong, wrongDmaRule, wrongLinkRule } from './check.ts';
export { DmaFaults, type HostAccess } from './dma-faults.ts';
export { type LinkArrival, LinkFaults } from './link-faults.ts';
export { Prng } from './prng.ts';
export {
  DMA_FAULTS,
  type DmaFaultRule,
  FAULTS,
  type FaultCount,
  type FaultCounts,
  type FaultRule,
  HOST_TIMEOUT_CYCLES,
  REORDER_CYCLES,
} from './rule.ts';
export { chanceOf } from './strikes.ts';
export { describeRule, unstruck } from './verdict.ts';
