import { opcodeOf } from '../spec/gen/opcodes.ts';
import type { DmaFaultRule, FaultCount, FaultRule } from './rule.ts';

/** Rules that should have struck and did not, a line each. */
export function unstruck(
  what: 'link' | 'dma',
  rules: readonly (FaultRule | DmaFaultRule)[],
  counts: readonly FaultCount[],
): string[] {
  return rules.flatMap((rule, i) => {
    const { matches = 0, strikes = 0 } = counts[i] ?? {};
    if (strikes > 0 || rule.optional) return [];
    const found =
      matches === 0 ? 'no match' : `${matches} ${matches === 1 ? 'match' : 'matches'}, none struck`;
    return [`${what} rule ${describeRule(rule, i)}: expected to strike, found ${found}`];
  });
}

/** Its name, or its place and what it does. */
export function describeRule(rule: FaultRule | DmaFaultRule, index: number): string {
  if (rule.name !== undefined) return `"${rule.name}"`;
  if ('host' in rule) return `${index} (${rule.what} of a ${rule.kind} on host ${rule.host})`;
  const opcode =
    rule.opcode === undefined ? undefined : (opcodeOf(rule.opcode)?.name ?? `opcode ${rule.opcode}`);
  const of = [
    opcode,
    rule.psn === undefined ? undefined : `PSN ${rule.psn}`,
    rule.from && `from ${rule.from}`,
  ];
  return `${index} (${[rule.what, ...of].filter((each) => each !== undefined).join(' ')})`;
}
