import { RULES } from './rules.ts';

/** The rules of the wire, and those of other framings. */
export const TRACE_RULES = {
  ...RULES,
  'udp-len': ['annex A17: RoCEv2', 'UDP and IP count the same bytes, from the UDP header through ICRC'],
} as const satisfies Record<string, readonly [clause: string, text: string]>;

export type TraceRule = keyof typeof TRACE_RULES;

/** What a capture is held to, and the field that each rule is about. */
export const TRACE_FIELDS = {
  decodable: 'packet',
  vcrc: 'VCRC',
  icrc: 'ICRC',
  lver: 'LRH.LVer',
  'lrh-reserved': 'LRH.reserved',
  'pkt-len': 'LRH.PktLen',
  'grh-fixed': 'GRH.IPVer, GRH.NxtHdr',
  'pay-len': 'GRH.PayLen',
  'udp-len': 'UDP.length',
  tver: 'BTH.TVer',
  'bth-reserved': 'BTH.reserved',
  opcode: 'BTH.OpCode',
  se: 'BTH.SE',
  'ackreq-response': 'BTH.A',
  'pad-count': 'BTH.PadCnt',
  'pad-zero': 'pad',
  'payload-size': 'payload',
  'request-psn': 'BTH.PSN',
  'request-sequence': 'BTH.OpCode',
  'request-length': 'payload',
  'reth-max': 'RETH.DMALen',
  'resent-same': 'packet',
  'resent-read': 'RETH',
  'response-of-sent': 'BTH.PSN',
  'response-order': 'BTH.PSN',
  'read-response-opcode': 'BTH.OpCode',
  'read-response-length': 'payload',
  'atomic-response': 'BTH.OpCode',
  'atomic-again': 'AtomicAckETH',
  msn: 'AETH.MSN',
  syndrome: 'AETH.Syndrome',
  'nak-gap': 'AETH.Syndrome',
  'nak-fits': 'AETH.Syndrome',
  'error-once': 'packet',
} as const satisfies Partial<Record<TraceRule, string>>;

/** A break of a rule by a packet of a capture. */
export interface Finding {
  rule: TraceRule;
  clause: string;
  /** What the rule says. */
  text: string;
  /** Number of the packet in the capture, from 1 on. */
  packet: number;
  /** The packet in words. */
  what: string;
  field: string;
  expected: string;
  found: string;
}

/** The packet that a finding is about. */
export interface Place {
  packet: number;
  what: string;
}

/** Takes a break of a rule, by the packet at hand unless told. */
export type TraceReport = (
  rule: TraceRule,
  expected: string | number,
  found: string | number,
  at?: Place,
) => void;

export function finding(
  rule: TraceRule,
  place: Place,
  expected: string | number,
  found: string | number,
): Finding {
  const [clause, text] = TRACE_RULES[rule];
  return {
    rule,
    clause,
    text,
    ...place,
    field: (TRACE_FIELDS as Partial<Record<TraceRule, string>>)[rule] ?? 'packet',
    expected: `${expected}`,
    found: `${found}`,
  };
}

export const formatFinding = ({
  packet,
  what,
  field,
  rule,
  text,
  clause,
  expected,
  found,
}: Finding): string =>
  `packet ${packet} (${what}): ${field}: ${rule}: ${text} [${clause}]: expected ${expected}, found ${found}`;
