import { type AtomicUse, Word } from './atomics.ts';
import { hex } from './bytes.ts';
import type { Side } from './connection.ts';
import type { Packet } from './packet.ts';

/** The physical address of what an R_Key and an address name on a device; undefined where nobody knows. */
export type WordOf = (device: Side, rkey: number, va: bigint) => bigint | undefined;

interface Tracked {
  device: Side;
  name: string;
  /** Physical address, when it is known. */
  at: bigint | undefined;
  va: bigint;
  word: Word;
  /** Atomics that have come and are not answered. */
  open: number;
  /** It was written by others while atomics worked on it: nothing can be said. */
  loose: boolean;
}

const BYTES = 8n;

/** All words of memory that atomics work on, each told apart by what names it. */
export class AtomicWords {
  readonly #wordOf: WordOf | undefined;
  readonly #words = new Map<string, Tracked>();
  readonly #broken: { device: Side; name: string; found: string }[] = [];

  constructor(wordOf?: WordOf) {
    this.#wordOf = wordOf;
  }

  /** For one end of a connection: what comes to it is executed in that order. */
  user(device: Side): AtomicUse {
    const stream = {};
    return {
      came: (packet) => {
        this.#track(device, packet).open++;
      },
      answered: (packet, original, came, left) => {
        const tracked = this.#track(device, packet);
        tracked.open--;
        tracked.word.add(stream, packet, original, came, left);
      },
    };
  }

  /** A WRITE of `length` bytes has come: what it covers is not told apart from atomics any more. */
  written(device: Side, va: bigint, length: number): void {
    for (const tracked of this.#words.values()) {
      if (tracked.device === device && overlaps(tracked.va, va, length)) tracked.loose = true;
    }
  }

  memoryChanged(device: Side, by: 'device' | 'host', address?: bigint, length = 0): void {
    for (const tracked of this.#words.values()) {
      if (tracked.device !== device) continue;
      if (address !== undefined && tracked.at !== undefined) {
        if (!overlaps(tracked.at, address, length)) continue;
        if (by === 'device' && address === tracked.at && length === Number(BYTES)) continue; // the atomic itself
      }
      this.#cut(tracked);
    }
  }

  /** Words on which no order explains what atomics found. */
  broken(): readonly { device: Side; name: string; found: string }[] {
    for (const tracked of this.#words.values()) this.#judge(tracked);
    return this.#broken;
  }

  #track(device: Side, { atomicEth }: Packet): Tracked {
    const { va, rkey } = atomicEth!;
    const at = this.#wordOf?.(device, rkey, va);
    const key = `${device}:${at === undefined ? `va ${va}` : at}`;
    const known = this.#words.get(key);
    if (known) return known;
    const tracked = { device, name: hex(va), at, va, word: new Word(), open: 0, loose: false };
    this.#words.set(key, tracked);
    return tracked;
  }

  #cut(tracked: Tracked): void {
    if (tracked.open > 0) tracked.loose = true;
    else {
      this.#judge(tracked);
      tracked.word = new Word();
    }
  }

  #judge(tracked: Tracked): void {
    if (tracked.loose || tracked.word.serial) return;
    const { device, name } = tracked;
    this.#broken.push({ device, name, found: tracked.word.text });
    tracked.loose = true;
  }
}

const overlaps = (word: bigint, from: bigint, length: number): boolean =>
  word < from + BigInt(length) && from < word + BYTES;
