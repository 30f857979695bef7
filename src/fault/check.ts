import { IbError } from '../spec/errors.ts';
import { DMA_FAULTS, type DmaFaultRule, FAULTS, type FaultRule } from './rule.ts';

const MOST_RULES = 1024;
const MOST_BITS = 8 * 4352;
const WORD = 2 ** 32;
const SERIAL = 2 ** 24;
const MEMORY = 1n << 64n;

/** With `cycles`: must, may; without: may not. */
const CYCLES: Readonly<Partial<Record<FaultRule['what'], 'must' | 'may'>>> = {
  delay: 'must',
  hold: 'must',
  duplicate: 'may',
  reorder: 'may',
};

/** Throws at the first thing that no rule of the link can have. */
export function checkFaultRules(rules: readonly FaultRule[]): void {
  checkList('faults', rules, (rule, at) => {
    const wrong = wrongLinkRule(rule);
    if (wrong) refuse(at, wrong);
  });
}

export function checkDmaFaultRules(rules: readonly DmaFaultRule[]): void {
  checkList('dma faults', rules, (rule, at) => {
    const wrong = wrongDmaRule(rule);
    if (wrong) refuse(at, wrong);
  });
}

/** A key of a rule, what it must be, and what it is. */
export type Wrong = readonly [key: string, expected: string, found: unknown];

export function wrongLinkRule(rule: FaultRule): Wrong | undefined {
  const { from, qpn, opcode, psn, what, bit, cycles } = rule;
  const needs = CYCLES[what];
  return (
    wrongChoice('what', FAULTS, what) ??
    wrongChoice('from', ['a', 'b'], from, true) ??
    wrongNumber('qpn', qpn, 0, SERIAL) ??
    wrongNumber('opcode', opcode, 0, 256) ??
    wrongNumber('psn', psn, 0, SERIAL) ??
    wrongChance(rule) ??
    wrongPresence('bit', bit, what === 'corrupt' ? 'must' : undefined, what) ??
    wrongNumber('bit', bit, 0, MOST_BITS) ??
    wrongPresence('cycles', cycles, needs, what) ??
    wrongNumber('cycles', cycles, 1, WORD)
  );
}

export function wrongDmaRule(rule: DmaFaultRule): Wrong | undefined {
  const { host, kind, what, from = 0n, to = MEMORY } = rule;
  const kinds = DMA_FAULTS.filter((each) => (each === 'fail') === (kind === 'write'));
  if (typeof from !== 'bigint' || from < 0n || from >= MEMORY) return ['from', 'an address, a bigint', from];
  if (typeof to !== 'bigint' || to <= from || to > MEMORY) return ['to', `an address beyond ${from}`, to];
  return (
    wrongChoice('host', ['a', 'b'], host) ??
    wrongChoice('kind', ['read', 'write'], kind) ??
    wrongChoice('what', kinds, what) ??
    wrongChance(rule)
  );
}

function wrongChance({ nth, count, probability }: FaultRule | DmaFaultRule): Wrong | undefined {
  if (probability === undefined)
    return wrongNumber('nth', nth, 0, WORD) ?? wrongNumber('count', count, 0, WORD);
  if (nth !== undefined || count !== undefined)
    return ['probability', 'none beside nth or count', probability];
  const right = typeof probability === 'number' && probability > 0 && probability <= 1;
  return right ? undefined : ['probability', 'a number above 0, at most 1', probability];
}

function wrongNumber(key: string, value: unknown, from: number, end: number): Wrong | undefined {
  if (value === undefined) return undefined;
  const right = Number.isInteger(value) && (value as number) >= from && (value as number) < end;
  return right ? undefined : [key, `a whole number ${from}..${end - 1}`, value];
}

function wrongChoice(
  key: string,
  choices: readonly string[],
  value: unknown,
  optional = false,
): Wrong | undefined {
  if ((optional && value === undefined) || choices.includes(value as string)) return undefined;
  return [key, choices.join(' or '), value];
}

function wrongPresence(
  key: string,
  value: unknown,
  needs: 'must' | 'may' | undefined,
  what: string,
): Wrong | undefined {
  if (needs === 'must' && value === undefined) return [key, `a number with ${what}`, value];
  if (needs === undefined && value !== undefined) return [key, `none with ${what}`, value];
  return undefined;
}

function checkList<T>(what: string, rules: readonly T[], check: (rule: T, at: string) => void): void {
  if (!Array.isArray(rules) || rules.length > MOST_RULES)
    throw new IbError('bad-argument', `${what}: expected a list of at most ${MOST_RULES} rules`);
  rules.forEach((rule, i) => {
    if (typeof rule !== 'object' || rule === null) refuse(`${what}[${i}]`, ['rule', 'an object', rule]);
    check(rule, `${what}[${i}]`);
  });
}

function refuse(at: string, [key, expected, found]: Wrong): never {
  throw new IbError('bad-argument', `${at}.${key}: expected ${expected}, got ${String(found)}`);
}
