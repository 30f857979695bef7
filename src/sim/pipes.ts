import { createReadStream, createWriteStream, type ReadStream, type WriteStream } from 'node:fs';
import type { ByteReader } from './bytes.ts';
import { ended, type FrameChannel, framed, Replies, type Reply } from './frames.ts';

/** Frames over two pipes that were there when we started; a simulator that is not ours answers them. */
export class PipeChannel implements FrameChannel {
  readonly #requests: WriteStream;
  readonly #replies: ReadStream;
  readonly #parts = new Replies();
  #waiting: { resolve(reply: ByteReader): void; reject(error: Error): void } | undefined;
  #reason: Extract<Reply, { kind: 'error' }> | undefined;
  #failure: Error | undefined;

  constructor(requestsFd: number, repliesFd: number) {
    this.#requests = createWriteStream('', { fd: requestsFd });
    this.#replies = createReadStream('', { fd: repliesFd });
    this.#requests.on('error', () => this.#end());
    this.#replies.on('error', () => this.#end());
    this.#replies.on('end', () => this.#end());
    this.#replies.on('data', (chunk) => this.#receive(chunk as Buffer));
  }

  exchange(frame: Uint8Array): Promise<ByteReader> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#waiting) throw new Error('simulator: an exchange is open already');
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#requests.write(framed(frame));
    });
  }

  async end(frame?: Uint8Array): Promise<void> {
    if (!this.#failure && frame) await this.exchange(frame).catch(() => {});
    this.#end();
    this.#requests.end();
    this.#replies.destroy();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const reply of this.#parts.take(chunk)) {
        if (reply.kind === 'error') this.#reason = reply;
        if (reply.kind === 'error') this.#end();
        if (reply.kind !== 'ok') continue;
        const waiting = this.#waiting;
        this.#waiting = undefined;
        waiting?.resolve(reply.body);
      }
    } catch {
      this.#end('simulator: does not speak its protocol');
    }
  }

  #end(otherwise = 'simulator: is gone'): void {
    this.#failure ??= ended(this.#reason, otherwise);
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  }
}
