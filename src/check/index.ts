export type { End, Ends, GlobalPath, Port, Side } from './connection.ts';
export type { Offers } from './format.ts';
export { FREEDOMS, type FreedomName } from './freedoms.ts';
export { type Decoded, decode, describe, type Packet } from './packet.ts';
export { formatViolation, RULE_NAMES, RULES, type RuleName, type Violation } from './rules.ts';
export { WireChecker, type WireCheckerOptions, type WirePacket } from './wire-checker.ts';
