/** A reflected CRC of up to 32 bits, eight bytes at a time. The register holds no final inversion. */
export class Crc {
  readonly #tables: readonly Uint32Array[];

  /** `polynomial` in reflected form. */
  constructor(polynomial: number) {
    const first = new Uint32Array(256);
    for (let byte = 0; byte < 256; byte++) {
      let register = byte;
      for (let bit = 0; bit < 8; bit++)
        register = register & 1 ? (register >>> 1) ^ polynomial : register >>> 1;
      first[byte] = register;
    }
    const tables = [first];
    for (let slice = 1; slice < 8; slice++) {
      const below = tables[slice - 1]!;
      tables.push(below.map((register) => (register >>> 8) ^ first[register & 0xff]!));
    }
    this.#tables = tables;
  }

  /** The register after bytes `from` up to but not including `to`. */
  update(register: number, bytes: Uint8Array, from = 0, to = bytes.length): number {
    const [t0, t1, t2, t3, t4, t5, t6, t7] = this.#tables as readonly [
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ];
    let at = from;
    for (; at + 8 <= to; at += 8) {
      const low =
        (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) ^ register;
      register =
        t7[low & 0xff]! ^
        t6[(low >>> 8) & 0xff]! ^
        t5[(low >>> 16) & 0xff]! ^
        t4[low >>> 24]! ^
        t3[bytes[at + 4]!]! ^
        t2[bytes[at + 5]!]! ^
        t1[bytes[at + 6]!]! ^
        t0[bytes[at + 7]!]!;
    }
    for (; at < to; at++) register = (register >>> 8) ^ t0[(register ^ bytes[at]!) & 0xff]!;
    return register >>> 0;
  }
}
