/** Faults of the link, by rules. */

export { type LinkArrival, LinkFaults } from './link-faults.ts';
export { type FaultRule, REORDER_CYCLES } from './rule.ts';
