/** What follows a BTH, by opcode (IBA vol. 1, ch. 9; annex A14 for XRC). */

export type Header =
  | 'rdeth'
  | 'deth'
  | 'xrceth'
  | 'reth'
  | 'atomicEth'
  | 'aeth'
  | 'atomicAck'
  | 'imm'
  | 'ieth';

export const HEADER_BYTES: Record<Header, number> = {
  rdeth: 4,
  deth: 8,
  xrceth: 4,
  reth: 16,
  atomicEth: 28,
  aeth: 4,
  atomicAck: 8,
  imm: 4,
  ieth: 4,
};

export type Family = 'SEND' | 'WRITE' | 'READ' | 'ATOMIC' | 'READ_RESPONSE' | 'ATOMIC_ACK' | 'ACK' | 'RESYNC';
export type Position = 'first' | 'middle' | 'last' | 'only';

export interface Operation {
  readonly name: string;
  readonly family: Family;
  readonly position: Position;
  readonly headers: readonly Header[];
  readonly response: boolean;
}

const op = (family: Family, position: Position, name: string, ...headers: Header[]): Operation => ({
  name,
  family,
  position,
  headers,
  response: family === 'READ_RESPONSE' || family === 'ATOMIC_ACK' || family === 'ACK',
});

/** By the low five bits; the services add their own headers and leave some out. */
const OPERATIONS: Record<number, Operation> = {
  0: op('SEND', 'first', 'SEND_FIRST'),
  1: op('SEND', 'middle', 'SEND_MIDDLE'),
  2: op('SEND', 'last', 'SEND_LAST'),
  3: op('SEND', 'last', 'SEND_LAST_IMM', 'imm'),
  4: op('SEND', 'only', 'SEND_ONLY'),
  5: op('SEND', 'only', 'SEND_ONLY_IMM', 'imm'),
  6: op('WRITE', 'first', 'WRITE_FIRST', 'reth'),
  7: op('WRITE', 'middle', 'WRITE_MIDDLE'),
  8: op('WRITE', 'last', 'WRITE_LAST'),
  9: op('WRITE', 'last', 'WRITE_LAST_IMM', 'imm'),
  10: op('WRITE', 'only', 'WRITE_ONLY', 'reth'),
  11: op('WRITE', 'only', 'WRITE_ONLY_IMM', 'reth', 'imm'),
  12: op('READ', 'only', 'READ_REQUEST', 'reth'),
  13: op('READ_RESPONSE', 'first', 'READ_RESPONSE_FIRST', 'aeth'),
  14: op('READ_RESPONSE', 'middle', 'READ_RESPONSE_MIDDLE'),
  15: op('READ_RESPONSE', 'last', 'READ_RESPONSE_LAST', 'aeth'),
  16: op('READ_RESPONSE', 'only', 'READ_RESPONSE_ONLY', 'aeth'),
  17: op('ACK', 'only', 'ACKNOWLEDGE', 'aeth'),
  18: op('ATOMIC_ACK', 'only', 'ATOMIC_ACKNOWLEDGE', 'aeth', 'atomicAck'),
  19: op('ATOMIC', 'only', 'COMPARE_SWAP', 'atomicEth'),
  20: op('ATOMIC', 'only', 'FETCH_ADD', 'atomicEth'),
  21: op('RESYNC', 'only', 'RESYNC'),
  22: op('SEND', 'last', 'SEND_LAST_INVALIDATE', 'ieth'),
  23: op('SEND', 'only', 'SEND_ONLY_INVALIDATE', 'ieth'),
};

interface Service {
  readonly name: string;
  has(operation: number): boolean;
  /** Headers between BTH and those of the operation. */
  headers(response: boolean): Header[];
}

const SERVICES: Record<number, Service> = {
  0: { name: 'RC', has: (n) => n !== 0x15, headers: () => [] },
  1: { name: 'UC', has: (n) => n <= 0x0b, headers: () => [] },
  2: { name: 'RD', has: (n) => n <= 0x15, headers: (response) => (response ? ['rdeth'] : ['rdeth', 'deth']) },
  3: { name: 'UD', has: (n) => n === 0x04 || n === 0x05, headers: () => ['deth'] },
  5: { name: 'XRC', has: (n) => n !== 0x15, headers: (response) => (response ? [] : ['xrceth']) },
};

/** What an opcode of eight bits stands for; undefined when it is reserved. */
export function operationOf(opcode: number): Operation | undefined {
  const service = SERVICES[opcode >> 5];
  const operation = OPERATIONS[opcode & 0x1f];
  if (!service || !operation || !service.has(opcode & 0x1f)) return undefined;
  return {
    ...operation,
    name: `${service.name} ${operation.name}`,
    headers: [...service.headers(operation.response), ...operation.headers],
  };
}

/** Whether the packet ends a message that takes a receive WQE; only such a one may carry SE. */
export const endsReceive = ({ family, position, headers }: Operation): boolean =>
  (position === 'last' || position === 'only') &&
  (family === 'SEND' || (family === 'WRITE' && headers.includes('imm')));

/** Whether the responder needs a receive WQE when this packet comes. */
export const needsReceive = (operation: Operation): boolean =>
  operation.family === 'SEND'
    ? operation.position === 'first' || operation.position === 'only'
    : endsReceive(operation);
