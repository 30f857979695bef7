import { IbError } from './errors.ts';

/** Field name to width in bits. Names with a leading underscore are reserved bits: sent as 0, ignored. */
export type Fields = Readonly<Record<string, number>>;

/** `big`: first field most significant, as headers are drawn. `little`: first field at bit 0. */
export type Endian = 'big' | 'little';

// biome-ignore format: one line says it
type UpTo32 = 1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24|25|26|27|28|29|30|31|32;

/** Fields of up to 32 bits are numbers, wider ones (addresses, GIDs) bigints. */
export type Values<F extends Fields> = {
  -readonly [name in keyof F as name extends `_${string}` ? never : name]: F[name] extends UpTo32
    ? number
    : bigint;
};

/** The values of a layout: `ValuesOf<typeof CQE>`. */
export type ValuesOf<L> = L extends Layout<infer F> ? Values<F> : never;

export interface Layout<F extends Fields> {
  readonly name: string;
  readonly endian: Endian;
  readonly fields: F;
  readonly bytes: number;
  /** A new record; what is not given is 0. */
  pack(values: Partial<Values<F>>): Uint8Array;
  /** The same into bytes `at` up of a larger buffer, whose old content there is lost. */
  packInto(target: Uint8Array, at: number, values: Partial<Values<F>>): void;
  unpack(bytes: Uint8Array, at?: number): Values<F>;
  /** One field, without touching the others. */
  get<N extends keyof Values<F>>(bytes: Uint8Array, field: N, at?: number): Values<F>[N];
  set<N extends keyof Values<F>>(bytes: Uint8Array, field: N, value: Values<F>[N], at?: number): void;
}

/** A record of bit fields. All positions are worked out here, once. */
export function layout<const F extends Fields>(name: string, endian: Endian, fields: F): Layout<F> {
  const bytes = Object.values(fields).reduce((sum, width) => sum + width, 0) / 8;
  const codecs = fieldCodecs(name, endian, fields);
  const byName = new Map(codecs.map((codec) => [codec.name, codec]));

  const codecOf = (field: PropertyKey): Codec =>
    byName.get(field as string) ??
    fail('unknown-field', `${name}: expected a field of it, got ${String(field)}`);
  const room = (buffer: Uint8Array, at: number): void => {
    if (buffer.length - at < bytes) {
      fail('short-buffer', `${name}: expected ${bytes} bytes, got ${Math.max(0, buffer.length - at)}`);
    }
  };
  const writeAll = (target: Uint8Array, at: number, values: object): void => {
    for (const [field, value] of Object.entries(values)) {
      if (value !== undefined) codecOf(field).write(target, at, value);
    }
  };

  return {
    name,
    endian,
    fields,
    bytes,
    pack(values) {
      const output = new Uint8Array(bytes);
      writeAll(output, 0, values);
      return output;
    },
    packInto(target, at, values) {
      room(target, at);
      target.fill(0, at, at + bytes);
      writeAll(target, at, values);
    },
    unpack(input, at = 0) {
      room(input, at);
      const values: Record<string, number | bigint> = {};
      for (const codec of codecs) values[codec.name] = codec.read(input, at);
      return values as Values<F>;
    },
    get(input, field, at = 0) {
      room(input, at);
      return codecOf(field).read(input, at) as never;
    },
    set(target, field, value, at = 0) {
      room(target, at);
      codecOf(field).write(target, at, value as number | bigint);
    },
  };
}

interface Codec {
  readonly name: string;
  read(bytes: Uint8Array, at: number): number | bigint;
  write(bytes: Uint8Array, at: number, value: number | bigint): void;
}

function fail(code: 'field-range' | 'unknown-field' | 'short-buffer', message: string): never {
  throw new IbError(code, message);
}

function fieldCodecs(record: string, endian: Endian, fields: Fields): Codec[] {
  const codecs: Codec[] = [];
  let offset = 0;
  for (const [name, width] of Object.entries(fields)) {
    const where = `${record}.${name}`;
    if (!name.startsWith('_')) {
      codecs.push(
        width <= 32 ? narrow(name, where, endian, offset, width) : wide(name, where, endian, offset, width),
      );
    }
    offset += width;
  }
  return codecs;
}

const outOfRange = (where: string, width: number, value: number | bigint): never =>
  fail('field-range', `${where}: expected ${width} bits, got ${value}`);

function narrow(name: string, where: string, endian: Endian, offset: number, width: number): Codec {
  const piece = new Piece(endian, offset, width);
  return {
    name,
    read: (bytes, at) => piece.read(bytes, at),
    write(bytes, at, value) {
      const number = Number(value);
      if (!Number.isInteger(number) || number < 0 || number > piece.max) outOfRange(where, width, value);
      piece.write(bytes, at, number);
    },
  };
}

/** A wide field is read and written as numbers of 32 bits, least significant first. */
function wide(name: string, where: string, endian: Endian, offset: number, width: number): Codec {
  const pieces: Piece[] = [];
  for (let low = 0; low < width; low += 32) {
    const size = Math.min(32, width - low);
    pieces.push(new Piece(endian, endian === 'little' ? offset + low : offset + width - low - size, size));
  }
  return {
    name,
    read(bytes, at) {
      let value = 0n;
      for (let i = pieces.length - 1; i >= 0; i--)
        value = (value << 32n) | BigInt(pieces[i]!.read(bytes, at));
      return value;
    },
    write(bytes, at, value) {
      let rest = BigInt(value);
      if (rest < 0n || rest >> BigInt(width) !== 0n) outOfRange(where, width, value);
      for (const piece of pieces) {
        piece.write(bytes, at, Number(rest & 0xffff_ffffn));
        rest >>= 32n;
      }
    },
  };
}

/** Up to 32 bits, which lie in one to five bytes. */
class Piece {
  readonly max: number;
  readonly #low: number; // index of the byte that holds the least significant bits
  readonly #step: 1 | -1; // from there to the byte above
  readonly #count: number;
  readonly #scale: number; // 2^(bits below the field in its lowest byte)
  readonly #keep: readonly number[]; // bits of each byte that belong to neighbours, lowest byte first

  constructor(endian: Endian, offset: number, width: number) {
    const first = offset >> 3;
    const last = (offset + width - 1) >> 3;
    const shift = endian === 'little' ? offset & 7 : -(offset + width) & 7;
    this.max = 2 ** width - 1;
    this.#low = endian === 'little' ? first : last;
    this.#step = endian === 'little' ? 1 : -1;
    this.#count = last - first + 1;
    this.#scale = 2 ** shift;

    let mask = this.max * this.#scale; // up to 40 bits: exact, but beyond what & and >> take
    this.#keep = Array.from({ length: this.#count }, () => {
      const own = mask % 256;
      mask = Math.floor(mask / 256);
      return 255 - own;
    });
  }

  read(bytes: Uint8Array, at: number): number {
    let value = 0;
    for (let i = this.#count - 1; i >= 0; i--) value = value * 256 + bytes[at + this.#low + i * this.#step]!;
    if (this.#scale > 1) value = Math.floor(value / this.#scale);
    return value > this.max ? value % (this.max + 1) : value;
  }

  write(bytes: Uint8Array, at: number, value: number): void {
    let rest = value * this.#scale;
    for (let i = 0; i < this.#count; i++) {
      const index = at + this.#low + i * this.#step;
      bytes[index] = (bytes[index]! & this.#keep[i]!) | (rest % 256);
      rest = Math.floor(rest / 256);
    }
  }
}
