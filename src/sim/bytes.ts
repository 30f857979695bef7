/** Little-endian fields, written and read one after another. */

export class ByteWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  u8(value: number): this {
    const at = this.#grow(1);
    this.#view.setUint8(at, value);
    return this;
  }

  u16(value: number): this {
    const at = this.#grow(2);
    this.#view.setUint16(at, value, true);
    return this;
  }

  u32(value: number): this {
    const at = this.#grow(4);
    this.#view.setUint32(at, value, true);
    return this;
  }

  u64(value: bigint | number): this {
    const at = this.#grow(8);
    this.#view.setBigUint64(at, BigInt(value), true);
    return this;
  }

  raw(bytes: Uint8Array): this {
    const at = this.#grow(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  text(value: string): this {
    const bytes = new TextEncoder().encode(value);
    return this.u32(bytes.length).raw(bytes);
  }

  /** What was written since the last call. */
  take(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#at);
    this.#at = 0;
    return bytes;
  }

  #grow(size: number): number {
    const at = this.#at;
    this.#at += size;
    if (this.#at > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#at, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    // Not a Buffer, whose slice() is no copy.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#step(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#step(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#step(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#step(8), true);
  }

  /** One of the two HCAs. */
  device(): 0 | 1 {
    const number = this.u8();
    if (number > 1) throw new RangeError(`reply: expected a device 0 or 1, got ${number}`);
    return number as 0 | 1;
  }

  /** One of a list, by its place. */
  of<T>(list: readonly T[], what: string): T {
    const at = this.u8();
    if (at >= list.length) throw new RangeError(`reply: expected a ${what} 0..${list.length - 1}, got ${at}`);
    return list[at]!;
  }

  /** A cycle or a count: below 2^53 in any run there will be. */
  count(): number {
    return Number(this.u64());
  }

  raw(size: number): Uint8Array {
    const at = this.#step(size);
    return this.#bytes.slice(at, at + size);
  }

  text(): string {
    return new TextDecoder().decode(this.raw(this.u32()));
  }

  /** As many as the number before them says. */
  list<T>(each: () => T): T[] {
    const list: T[] = [];
    for (let left = this.u32(); left > 0; left--) list.push(each());
    return list;
  }

  #step(size: number): number {
    if (this.left < size) throw new RangeError(`reply: expected ${size} more bytes, got ${this.left}`);
    const at = this.#at;
    this.#at += size;
    return at;
  }
}
