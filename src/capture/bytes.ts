import { closeSync, openSync, readSync } from 'node:fs';

/** Gives a file from its begin to its end, keeping a window of it. */
export class ByteReader {
  readonly #fill: (target: Uint8Array) => number;
  #buffer = new Uint8Array(2 ** 16);
  #start = 0;
  #end = 0;
  /** Of the next byte. */
  offset = 0;

  /** `fill` puts the next bytes into its argument and says how many; 0 at the end. */
  constructor(fill: (target: Uint8Array) => number) {
    this.#fill = fill;
  }

  /** The next `count` bytes, fewer only at the end of the file; they stay until the next call. */
  take(count: number): Uint8Array {
    this.#hold(count);
    const bytes = this.#buffer.subarray(this.#start, Math.min(this.#start + count, this.#end));
    this.#start += bytes.length;
    this.offset += bytes.length;
    return bytes;
  }

  /** Passes over bytes; says how many there were. */
  skip(count: number): number {
    let passed = 0;
    while (passed < count) {
      const { length } = this.take(Math.min(count - passed, this.#buffer.length));
      if (length === 0) break;
      passed += length;
    }
    return passed;
  }

  #hold(count: number): void {
    if (this.#end - this.#start >= count) return;
    const rest = this.#buffer.subarray(this.#start, this.#end);
    if (count > this.#buffer.length) this.#buffer = new Uint8Array(2 ** Math.ceil(Math.log2(count)));
    this.#buffer.set(rest);
    [this.#start, this.#end] = [0, rest.length];
    while (this.#end < count) {
      const more = this.#fill(this.#buffer.subarray(this.#end));
      if (more === 0) return;
      this.#end += more;
    }
  }
}

export function readerOf(bytes: Uint8Array): ByteReader {
  let at = 0;
  return new ByteReader((target) => {
    const part = bytes.subarray(at, at + target.length);
    target.set(part);
    at += part.length;
    return part.length;
  });
}

/** Reads a file for as long as `use` lasts. */
export function withFile<T>(path: string, use: (reader: ByteReader) => T): T {
  const file = openSync(path, 'r');
  try {
    return use(new ByteReader((target) => readSync(file, target)));
  } finally {
    closeSync(file);
  }
}
