import { MtuCode } from '../spec/gen/enums.ts';
import type { Opcode } from '../spec/gen/opcodes.ts';
import {
  AETH,
  type Aeth,
  ATOMICACKETH,
  ATOMICETH,
  type Atomicacketh,
  type Atomiceth,
  type Bth,
  type Grh,
  IMMDT,
  type Immdt,
  type Lrh,
  RETH,
  type Reth,
} from '../spec/gen/records.ts';

/** Headers behind the BTH, by the names that the opcode table uses. */
export interface ExtensionHeaders {
  reth?: Reth;
  atomiceth?: Atomiceth;
  aeth?: Aeth;
  atomicacketh?: Atomicacketh;
  immdt?: Immdt;
}

export const EXTENSIONS = {
  reth: RETH,
  atomiceth: ATOMICETH,
  aeth: AETH,
  atomicacketh: ATOMICACKETH,
  immdt: IMMDT,
} as const satisfies Record<keyof ExtensionHeaders, unknown>;

/** An opcode of the table, or what stands for those that are reserved. */
export type PacketOpcode = Omit<Opcode, 'name'> & { readonly name: Opcode['name'] | 'RC_RESERVED' };

/** A native packet whose CRCs are right. */
export interface Packet extends ExtensionHeaders {
  opcode: PacketOpcode;
  lrh: Lrh;
  grh?: Grh;
  bth: Bth;
  /** Without pad; empty when the pad count exceeds what is there. */
  payload: Uint8Array;
  /** Pad count exceeds payload and pad: a length error of the sender (IBA vol. 1, 9.7.4.1). */
  badPad?: true;
}

/** What the sender gives; lengths, LNH and pad count follow from it. */
export interface PacketToSend extends ExtensionHeaders {
  lrh: Partial<Omit<Lrh, 'lnh' | 'pktLen'>>;
  grh?: Partial<Omit<Grh, 'payLen'>>;
  bth: Partial<Omit<Bth, 'padCount'>> & { opcode: number };
  payload?: Uint8Array;
}

/** Payload bytes of an MTU code; 0 of a reserved one. */
export const mtuBytesOf = (code: number): number =>
  code >= MtuCode.MTU_256 && code <= MtuCode.MTU_4096 ? 128 << code : 0;
