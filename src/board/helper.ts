import { ByteReader, ByteWriter } from '../sim/bytes.ts';
import { SimProcess } from '../sim/process.ts';
import type { CardConfig } from './config.ts';
import { helperProgram } from './helper-program.ts';
import { WINDOW_BYTES } from './window.ts';

/** Commands of the helper; docs/fpga.md describes them. */
const OP = { read: 1, write: 2, memoryRead: 3, memoryWrite: 4, wait: 5 } as const;
/** Memory moved by one command; larger transfers are cut. */
const MAX_TRANSFER_BYTES = 2 ** 24;
const NOTHING = new ByteReader(new Uint8Array(0));

/** The process that reaches the cards: posted commands travel with the next one that is awaited, in order over all cards. */
export class Helper {
  readonly #process: SimProcess;
  readonly #cards: number;
  #batch = new ByteWriter();
  #calls: { settle(reply: ByteReader): void; reject(error: unknown): void }[] = [];
  #tail: Promise<unknown> = Promise.resolve();

  constructor(cards: readonly CardConfig[]) {
    const args = cards.flatMap(({ window, interrupt, memory }) => [
      ...[window.file, window.offset, WINDOW_BYTES, interrupt ?? '-'],
      ...[memory.file, memory.offset, memory.bytes, memory.base],
    ]);
    this.#cards = cards.length;
    this.#process = new SimProcess({ binary: helperProgram(), args: args.map(String), name: 'board' });
  }

  read(card: number, offset: number, bytes: 4 | 8): Promise<bigint> {
    this.#batch.u8(OP.read).u8(card).u8(bytes).u32(offset);
    return this.#call((reply) => reply.u64());
  }

  /** Posted. */
  write(card: number, offset: number, value: bigint, bytes: 4 | 8): void {
    this.#batch.u8(OP.write).u8(card).u8(bytes).u32(offset).u64(BigInt.asUintN(64, value));
  }

  async memoryRead(card: number, address: bigint, length: number): Promise<Uint8Array> {
    const parts: Promise<Uint8Array>[] = [];
    for (let at = 0; at < length; at += MAX_TRANSFER_BYTES) {
      const size = Math.min(MAX_TRANSFER_BYTES, length - at);
      this.#batch
        .u8(OP.memoryRead)
        .u8(card)
        .u64(address + BigInt(at))
        .u32(size);
      parts.push(this.#call((reply) => reply.raw(size)));
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of await Promise.all(parts)) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** Posted. */
  memoryWrite(card: number, address: bigint, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += MAX_TRANSFER_BYTES) {
      const part = bytes.subarray(at, at + MAX_TRANSFER_BYTES);
      this.#batch
        .u8(OP.memoryWrite)
        .u8(card)
        .u64(address + BigInt(at))
        .u32(part.length)
        .raw(part);
    }
  }

  /** Waits for an interrupt of any card; how many came of each, all 0 when the time is up. */
  wait(microseconds: number): Promise<number[]> {
    this.#batch.u8(OP.wait).u32(microseconds);
    return this.#call((reply) => Array.from({ length: this.#cards }, () => reply.u32()));
  }

  close(): Promise<void> {
    return this.#process.end();
  }

  #call<T>(read: (reply: ByteReader) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#calls.push({ settle: (reply) => resolve(read(reply)), reject });
      this.#tail = this.#tail.then(() => this.#send());
    });
  }

  async #send(): Promise<void> {
    const calls = this.#calls;
    this.#calls = [];
    if (calls.length === 0) return; // they went with an earlier call
    try {
      const reply = this.#batch.length > 0 ? await this.#process.exchange(this.#batch.take()) : NOTHING;
      for (const call of calls) call.settle(reply);
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
  }
}
