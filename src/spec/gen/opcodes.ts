// Generated from src/spec by `make gen`: edit the YAML there.

/** Opcodes of the BTH. */
export const Op = {
  RC_SEND_FIRST: 0x00,
  RC_SEND_MIDDLE: 0x01,
  RC_SEND_LAST: 0x02,
  RC_SEND_LAST_IMM: 0x03,
  RC_SEND_ONLY: 0x04,
  RC_SEND_ONLY_IMM: 0x05,
  RC_WRITE_FIRST: 0x06,
  RC_WRITE_MIDDLE: 0x07,
  RC_WRITE_LAST: 0x08,
  RC_WRITE_LAST_IMM: 0x09,
  RC_WRITE_ONLY: 0x0a,
  RC_WRITE_ONLY_IMM: 0x0b,
  RC_READ_REQUEST: 0x0c,
  RC_READ_RESPONSE_FIRST: 0x0d,
  RC_READ_RESPONSE_MIDDLE: 0x0e,
  RC_READ_RESPONSE_LAST: 0x0f,
  RC_READ_RESPONSE_ONLY: 0x10,
  RC_ACKNOWLEDGE: 0x11,
  RC_ATOMIC_ACKNOWLEDGE: 0x12,
  RC_COMPARE_SWAP: 0x13,
  RC_FETCH_ADD: 0x14,
} as const;
export type Op = (typeof Op)[keyof typeof Op];

export interface Opcode {
  readonly name: keyof typeof Op;
  readonly value: number;
  readonly headers: readonly string[]; // behind the BTH, in wire order
  readonly headerBytes: number; // LRH, BTH and the extension headers, without a GRH
  readonly kind: 'request' | 'response';
  readonly position: 'first' | 'middle' | 'last' | 'only';
  readonly op: string;
  readonly payload: boolean;
}

export const OPCODES: readonly Opcode[] = [
  { name: 'RC_SEND_FIRST', value: 0x00, headers: [], headerBytes: 20, kind: 'request', position: 'first', op: 'send', payload: true },
  { name: 'RC_SEND_MIDDLE', value: 0x01, headers: [], headerBytes: 20, kind: 'request', position: 'middle', op: 'send', payload: true },
  { name: 'RC_SEND_LAST', value: 0x02, headers: [], headerBytes: 20, kind: 'request', position: 'last', op: 'send', payload: true },
  { name: 'RC_SEND_LAST_IMM', value: 0x03, headers: ['immdt'], headerBytes: 24, kind: 'request', position: 'last', op: 'send', payload: true },
  { name: 'RC_SEND_ONLY', value: 0x04, headers: [], headerBytes: 20, kind: 'request', position: 'only', op: 'send', payload: true },
  { name: 'RC_SEND_ONLY_IMM', value: 0x05, headers: ['immdt'], headerBytes: 24, kind: 'request', position: 'only', op: 'send', payload: true },
  { name: 'RC_WRITE_FIRST', value: 0x06, headers: ['reth'], headerBytes: 36, kind: 'request', position: 'first', op: 'write', payload: true },
  { name: 'RC_WRITE_MIDDLE', value: 0x07, headers: [], headerBytes: 20, kind: 'request', position: 'middle', op: 'write', payload: true },
  { name: 'RC_WRITE_LAST', value: 0x08, headers: [], headerBytes: 20, kind: 'request', position: 'last', op: 'write', payload: true },
  { name: 'RC_WRITE_LAST_IMM', value: 0x09, headers: ['immdt'], headerBytes: 24, kind: 'request', position: 'last', op: 'write', payload: true },
  { name: 'RC_WRITE_ONLY', value: 0x0a, headers: ['reth'], headerBytes: 36, kind: 'request', position: 'only', op: 'write', payload: true },
  { name: 'RC_WRITE_ONLY_IMM', value: 0x0b, headers: ['reth', 'immdt'], headerBytes: 40, kind: 'request', position: 'only', op: 'write', payload: true },
  { name: 'RC_READ_REQUEST', value: 0x0c, headers: ['reth'], headerBytes: 36, kind: 'request', position: 'only', op: 'read', payload: false },
  { name: 'RC_READ_RESPONSE_FIRST', value: 0x0d, headers: ['aeth'], headerBytes: 24, kind: 'response', position: 'first', op: 'read', payload: true },
  { name: 'RC_READ_RESPONSE_MIDDLE', value: 0x0e, headers: [], headerBytes: 20, kind: 'response', position: 'middle', op: 'read', payload: true },
  { name: 'RC_READ_RESPONSE_LAST', value: 0x0f, headers: ['aeth'], headerBytes: 24, kind: 'response', position: 'last', op: 'read', payload: true },
  { name: 'RC_READ_RESPONSE_ONLY', value: 0x10, headers: ['aeth'], headerBytes: 24, kind: 'response', position: 'only', op: 'read', payload: true },
  { name: 'RC_ACKNOWLEDGE', value: 0x11, headers: ['aeth'], headerBytes: 24, kind: 'response', position: 'only', op: 'ack', payload: false },
  { name: 'RC_ATOMIC_ACKNOWLEDGE', value: 0x12, headers: ['aeth', 'atomicacketh'], headerBytes: 32, kind: 'response', position: 'only', op: 'atomic', payload: false },
  { name: 'RC_COMPARE_SWAP', value: 0x13, headers: ['atomiceth'], headerBytes: 48, kind: 'request', position: 'only', op: 'atomic', payload: false },
  { name: 'RC_FETCH_ADD', value: 0x14, headers: ['atomiceth'], headerBytes: 48, kind: 'request', position: 'only', op: 'atomic', payload: false },
];

const byValue = new Map(OPCODES.map((opcode) => [opcode.value, opcode]));

/** The opcode of that value, if it is one of ours. */
export const opcodeOf = (value: number): Opcode | undefined => byValue.get(value);
