import { ICRC_BYTES, VCRC_BYTES } from '../../spec/gen/constants.ts';
import { lnhName } from '../../spec/gen/enums.ts';
import { type Field, fieldValue, type Header, headersOf } from '../headers.ts';
import { opcodeName, syndromeName } from '../marks.ts';
import { isNak, isRnr } from '../retries.ts';
import type { Part } from './hex.ts';

/** A field as it is shown. */
export interface ShownField {
  name: string;
  value: string;
  /** What the value stands for. */
  means: string;
  /** Bytes that it lies in. */
  at: number;
  bytes: number;
}

export interface ShownPart extends Part {
  title: string;
  fields: readonly ShownField[];
}

const TITLES: Readonly<Record<string, string>> = {
  lrh: 'Local Route Header',
  grh: 'Global Route Header',
  bth: 'Base Transport Header',
  reth: 'RDMA Extended Transport Header',
  atomiceth: 'Atomic Extended Transport Header',
  aeth: 'ACK Extended Transport Header',
  atomicacketh: 'Atomic ACK Extended Transport Header',
  immdt: 'Immediate data',
};

/** A packet from its first byte to its last, part by part; `length` is what it had when all of it is not here. */
export function partsOf(bytes: Uint8Array, length: number): ShownPart[] {
  const headers = headersOf(bytes);
  const parts = headers.map((header): ShownPart => {
    const { name, at, bytes: size } = header;
    const fields = header.fields.map((field) => shown(bytes, header, field));
    return { name: name.toUpperCase(), title: TITLES[name] ?? '', at, bytes: size, fields };
  });
  const last = headers.at(-1);
  const behind = last ? last.at + last.bytes : 0;
  const crcAt = bytes.length - ICRC_BYTES - VCRC_BYTES;
  const bth = headers.find(({ name }) => name === 'bth');
  if (!bth || crcAt < behind) return parts;
  const padField = bth.fields.find(({ name }) => name === 'padCount')!;
  const pad = Math.min(Number(fieldValue(bytes, padField)), crcAt - behind);
  const plain = (name: string, title: string, at: number, size: number): void => {
    if (size > 0) parts.push({ name, title, at, bytes: size, fields: [] });
  };
  const all = length - behind - pad - ICRC_BYTES - VCRC_BYTES;
  const here = crcAt - behind - pad;
  const cut = here < all ? `${all} bytes, ${here} of them here` : `${all} bytes`;
  plain('Payload', cut, behind, here);
  plain('Pad', `${pad} bytes`, crcAt - pad, pad);
  plain('ICRC', `Invariant CRC ${hexOf(bytes, crcAt, ICRC_BYTES)}`, crcAt, ICRC_BYTES);
  const vcrcAt = crcAt + ICRC_BYTES;
  plain('VCRC', `Variant CRC ${hexOf(bytes, vcrcAt, VCRC_BYTES)}`, vcrcAt, VCRC_BYTES);
  return parts;
}

const hexOf = (bytes: Uint8Array, at: number, count: number): string =>
  `0x${[...bytes.subarray(at, at + count)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

function shown(bytes: Uint8Array, { name: header }: Header, field: Field): ShownField {
  const value = fieldValue(bytes, field);
  const at = field.bit >> 3;
  const end = (field.bit + field.bits - 1) >> 3;
  const digits = Math.ceil(field.bits / 4);
  const small = field.bits < 8 || DECIMAL.has(field.name);
  return {
    name: field.name,
    value: small ? `${value}` : `0x${value.toString(16).padStart(digits, '0')}`,
    means: meaningOf(`${header}.${field.name}`, Number(value)),
    at,
    bytes: end - at + 1,
  };
}

const DECIMAL = new Set(['pktLen', 'payLen', 'dmaLen', 'hopLimit', 'msn']);

function meaningOf(name: string, value: number): string {
  switch (name) {
    case 'bth.opcode':
      return opcodeName(value);
    case 'bth.destQpn':
      return `QP ${value}`;
    case 'lrh.lnh':
      return lnhName(value);
    case 'lrh.pktLen':
      return `words, ${value * 4} bytes up to the ICRC`;
    case 'aeth.syndrome':
      return syndromeMeaning(value);
    default:
      return '';
  }
}

/** Bits 4:0 are a code of credits, of a time, or of a cause (9.7.5.1). */
function syndromeMeaning(value: number): string {
  const code = value & 0x1f;
  if (isRnr(value)) return `RNR NAK, timer code ${code}`;
  if (isNak(value)) return syndromeName(value);
  return code === 0x1f ? 'ACK, no credits told' : `ACK, credit code ${code}`;
}
