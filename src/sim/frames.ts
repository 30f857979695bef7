import { ByteReader } from './bytes.ts';
import { SimError } from './errors.ts';
import { ERROR_KINDS, FRAME, type SimErrorKind } from './protocol.ts';

const MAX_FRAME = 2 ** 28;

/** A frame of the client with its length before it. */
export function framed(frame: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(frame.length);
  return Buffer.concat([head, frame]);
}

export type Reply =
  | { kind: 'alive' }
  | { kind: 'ok'; body: ByteReader }
  | { kind: 'error'; why: SimErrorKind; message: string };

/** Puts the replies together that come in pieces. */
export class Replies {
  /** What people know the other side by. */
  readonly #name: string;
  #chunks: Buffer[] = [];
  #buffered = 0;

  constructor(name = 'simulator') {
    this.#name = name;
  }

  /** The replies that are whole by now; throws when it is no reply. */
  *take(chunk: Buffer): Generator<Reply> {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    while (this.#buffered >= 4) {
      if (this.#chunks[0]!.length < 4) this.#chunks = [Buffer.concat(this.#chunks)];
      const first = this.#chunks[0]!;
      const size = first.readUInt32LE(0);
      if (size < 1 || size > MAX_FRAME) throw new RangeError(`reply: expected 1..2^28 bytes, got ${size}`);
      if (this.#buffered < 4 + size) return;
      const all = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
      this.#chunks = all.length > 4 + size ? [all.subarray(4 + size)] : [];
      this.#buffered -= 4 + size;
      yield readReply(new ByteReader(all.subarray(4, 4 + size)), this.#name);
    }
  }
}

function readReply(frame: ByteReader, name: string): Reply {
  const kind = frame.u8();
  if (kind === FRAME.alive) return { kind: 'alive' };
  if (kind === FRAME.ok) return { kind: 'ok', body: frame };
  frame.u64(); // the cycle; the message names it where it matters
  const why = (ERROR_KINDS[frame.u8()] || 'protocol') as SimErrorKind;
  // People get it in a line.
  const message = frame.text().replaceAll(/\p{Cc}/gu, ' ');
  if (kind !== FRAME.error || message === '') throw new RangeError('reply: expected kind 0, 1 or 2');
  return { kind: 'error', why, message: `${name}: ${message}` };
}

/** Where frames go, and what answers them: a process of ours, or a simulator that somebody else has started. */
export interface FrameChannel {
  readonly pid?: number | undefined;
  /** One frame out, one reply. Only one exchange may be open. */
  exchange(frame: Uint8Array): Promise<ByteReader>;
  /** Sends a last frame and waits until the other side has gone. */
  end(frame?: Uint8Array): Promise<void>;
}

/** The error of a simulator that has ended, by what it has said before. */
export function ended(reason: Extract<Reply, { kind: 'error' }> | undefined, otherwise: string): SimError {
  const code = reason?.why === 'protocol' ? 'protocol' : 'sim-died';
  return new SimError(code, reason?.why ?? 'died', reason?.message ?? otherwise);
}
