/** The standard and the device interface as data: checked, with every position worked out. */
export interface Spec {
  readonly enums: readonly Enum[];
  readonly records: readonly RecordSpec[];
  readonly registers: readonly Register[];
  readonly regions: readonly Region[];
  readonly doorbells: readonly Doorbell[];
  readonly constants: readonly Constant[];
  readonly attributes: readonly Attribute[];
  readonly transitions: readonly Transition[];
  readonly opcodes: readonly Opcode[];
}

export interface Enum {
  readonly name: string;
  readonly width: number;
  readonly doc: string;
  readonly values: readonly { readonly name: string; readonly value: number; readonly doc: string }[];
}

export interface Field {
  readonly name: string;
  readonly reserved: boolean;
  readonly width: number;
  readonly lsb: number; // in the record as one integer: byte 0 lowest if little, highest if big
  readonly enum: string | undefined;
  readonly attr: string | undefined; // attribute of modify_qp that carries it
  readonly slice: string | undefined; // engine that writes it
  readonly doc: string;
}

export interface RecordSpec {
  readonly name: string;
  readonly endian: 'little' | 'big';
  readonly bytes: number;
  readonly doc: string;
  readonly fields: readonly Field[];
}

export interface Register {
  readonly name: string;
  readonly at: number; // byte offset in BAR0
  readonly width: 32 | 64;
  readonly access: 'ro' | 'rw' | 'wo';
  readonly reset: bigint;
  readonly doc: string;
  readonly fields: readonly Field[];
}

export interface Region {
  readonly name: string;
  readonly bar: number;
  readonly at: number;
  readonly bytes: number | undefined; // a table without is as long as the device has entries
  readonly entry: RecordSpec | undefined;
  readonly doc: string;
}

export interface Doorbell {
  readonly name: string;
  readonly at: number; // byte offset in a doorbell page
  readonly record: RecordSpec;
  readonly doc: string;
}

export interface Constant {
  readonly name: string;
  readonly value: bigint;
  readonly doc: string;
}

export interface Attribute {
  readonly name: string;
  readonly bit: number;
  readonly doc: string;
}

export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly doc: string;
}

export interface Opcode {
  readonly name: string;
  readonly value: number;
  readonly headers: readonly string[]; // behind the BTH, in wire order
  readonly headerBytes: number; // LRH, BTH and the extension headers, without a GRH
  readonly kind: 'request' | 'response';
  readonly position: 'first' | 'middle' | 'last' | 'only';
  readonly op: string;
  readonly payload: boolean;
  readonly doc: string;
}
