import type { Context, HostBuffer, Mr } from '../host/index.ts';
import { Unexpected } from './errors.ts';

/** A region of the scenario: where it lies, and what it must hold as far as is known. */
export class Region {
  /** What the consumer wrote and what was expected since. */
  readonly known: Uint8Array;
  /** Bytes that may be anything, 1 for each. */
  readonly #loose: Uint8Array;

  constructor(
    readonly name: string,
    readonly side: 0 | 1,
    readonly context: Context,
    readonly buffer: HostBuffer,
    public mr: Mr,
    content: Uint8Array,
  ) {
    this.known = content;
    this.#loose = new Uint8Array(content.length);
    buffer.write(0, content);
  }

  get size(): number {
    return this.known.length;
  }

  /** The consumer writes. */
  fill(offset: number, bytes: Uint8Array): void {
    this.#within(offset, bytes.length);
    this.buffer.write(offset, bytes);
    this.learn(offset, bytes);
  }

  /** These bytes are there from now on. */
  learn(offset: number, bytes: Uint8Array): void {
    this.known.set(bytes, offset);
    this.#loose.fill(0, offset, offset + bytes.length);
  }

  loosen(offset: number, length: number): void {
    this.#loose.fill(1, offset, offset + length);
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#within(offset, length);
    return this.buffer.read(offset, length);
  }

  /** All of it, with what may be anything as it was found. */
  async whole(): Promise<{ found: Uint8Array; expected: Uint8Array }> {
    const found = await this.buffer.read();
    const expected = this.known.map((byte, i) => (this.#loose[i] ? found[i]! : byte));
    return { found, expected };
  }

  /** Throws at the first byte that differs. */
  compare(offset: number, expected: Uint8Array, found: Uint8Array, path: readonly PropertyKey[] = []): void {
    const at = expected.findIndex((byte, i) => byte !== found[i]);
    if (at < 0) return;
    const differing = expected.reduce((count, byte, i) => count + (byte === found[i] ? 0 : 1), 0);
    const show = (bytes: Uint8Array) => Buffer.from(bytes.subarray(at, at + 8)).toString('hex');
    throw new Unexpected(
      `${this.name} to hold ${show(expected)} from byte ${offset + at}`,
      `${show(found)} (${differing} of ${expected.length} bytes ${differing === 1 ? 'differs' : 'differ'})`,
      path,
    );
  }

  #within(offset: number, length: number): void {
    if (offset + length > this.size)
      throw new Unexpected(`at most ${this.size} bytes in ${this.name}`, `${length} from ${offset}`);
  }
}
