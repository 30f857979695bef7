import { ICRC_BYTES, VCRC_BYTES } from '../spec/gen/constants.ts';
import { Lnh } from '../spec/gen/enums.ts';
import { type Opcode, opcodeOf } from '../spec/gen/opcodes.ts';
import { AETH, ATOMICACKETH, ATOMICETH, BTH, GRH, IMMDT, LRH, RETH } from '../spec/gen/records.ts';
import type { Fields, Layout } from '../spec/layout.ts';

/** A header of a packet: where its bytes lie. */
export interface Header {
  name: string;
  at: number;
  bytes: number;
  fields: readonly Field[];
}

export interface Field {
  name: string;
  /** First bit in the packet, bit 0 the most significant of byte 0. */
  bit: number;
  bits: number;
}

const EXTENSIONS: Readonly<Record<string, Layout<Fields>>> = {
  reth: RETH,
  atomiceth: ATOMICETH,
  aeth: AETH,
  atomicacketh: ATOMICACKETH,
  immdt: IMMDT,
} as unknown as Record<string, Layout<Fields>>;

/**
 * The headers that a packet's own bytes tell of, up to one that is cut short: what is looked at may be spoiled, so no CRC and no length
 * is believed.
 */
export function headersOf(bytes: Uint8Array): Header[] {
  const headers: Header[] = [];
  let at = 0;
  const take = (layout: { name: string; bytes: number; fields: Fields }): boolean => {
    if (at + layout.bytes > bytes.length) return false;
    headers.push({ name: layout.name, at, bytes: layout.bytes, fields: fieldsOf(layout.fields, at) });
    at += layout.bytes;
    return true;
  };
  if (!take(LRH)) return headers;
  const lnh = LRH.get(bytes, 'lnh');
  if (lnh !== Lnh.IBA_LOCAL && lnh !== Lnh.IBA_GLOBAL) return headers;
  if (lnh === Lnh.IBA_GLOBAL && !take(GRH)) return headers;
  if (!take(BTH)) return headers;
  const opcode = opcodeOf(BTH.get(bytes, 'opcode', at - BTH.bytes));
  for (const name of opcode?.headers ?? []) if (!take(EXTENSIONS[name]!)) return headers;
  return headers;
}

/** Big-endian: the first field is the most significant one. Names with an underscore are reserved bits. */
function fieldsOf(fields: Fields, at: number): Field[] {
  let bit = at * 8;
  return Object.entries(fields).map(([name, bits]) => {
    const field = { name: name.startsWith('_') ? 'reserved' : name, bit, bits };
    bit += bits;
    return field;
  });
}

/** The value of a field. */
export function fieldValue(bytes: Uint8Array, { bit, bits }: Field): bigint {
  let value = 0n;
  for (let i = bit; i < bit + bits; i++)
    value = (value << 1n) | BigInt((bytes[i >> 3]! >> (7 - (i & 7))) & 1);
  return value;
}

/** What of a packet decides where it is drawn and how. */
export interface Summary {
  opcode: Opcode | undefined;
  opcodeValue: number | undefined;
  psn: number | undefined;
  destQpn: number | undefined;
  syndrome: number | undefined;
  /** Of a READ request: bytes asked for. */
  readBytes: number | undefined;
  headerBytes: number;
  /** Without pad. */
  payloadBytes: number;
}

export function summaryOf(bytes: Uint8Array): Summary {
  const headers = headersOf(bytes);
  const at = (name: string) => headers.find((header) => header.name === name)?.at;
  const [bth, aeth, reth] = [at(BTH.name), at(AETH.name), at(RETH.name)];
  const opcodeValue = bth === undefined ? undefined : BTH.get(bytes, 'opcode', bth);
  const opcode = opcodeValue === undefined ? undefined : opcodeOf(opcodeValue);
  const last = headers.at(-1);
  const headerBytes = last ? last.at + last.bytes : 0;
  const pad = bth === undefined ? 0 : BTH.get(bytes, 'padCount', bth);
  const rest = bytes.length - headerBytes - pad - ICRC_BYTES - VCRC_BYTES;
  return {
    opcode,
    opcodeValue,
    psn: bth === undefined ? undefined : BTH.get(bytes, 'psn', bth),
    destQpn: bth === undefined ? undefined : BTH.get(bytes, 'destQpn', bth),
    syndrome: aeth === undefined ? undefined : AETH.get(bytes, 'syndrome', aeth),
    readBytes: reth !== undefined && opcode?.op === 'read' ? RETH.get(bytes, 'dmaLen', reth) : undefined,
    headerBytes,
    payloadBytes: bth === undefined ? 0 : Math.max(0, rest),
  };
}
