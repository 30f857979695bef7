import { closeSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';

/** What a file is called until it is whole. */
export const PART = '.part';

/** Writes a file that nobody sees before it is whole. */
export function writeWhole(path: string, content: string | Iterable<string>): void {
  const part = path + PART;
  if (typeof content === 'string') writeFileSync(part, content);
  else {
    const file = openSync(part, 'w');
    try {
      for (const chunk of content) writeAll(file, Buffer.from(chunk));
    } finally {
      closeSync(file);
    }
  }
  renameSync(part, path);
}

/** A disk that is nearly full takes a part, and says so before it refuses the rest. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** A file that grows: it has its name from `close` on, unless something of it could not be written. */
export class GrowingFile {
  readonly #path: string;
  readonly #file: number;
  #whole = true;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path + PART, 'w');
  }

  write(bytes: Uint8Array): void {
    const before = this.#whole;
    this.#whole = false;
    writeAll(this.#file, bytes);
    this.#whole = before;
  }

  close(): void {
    closeSync(this.#file);
    if (this.#whole) renameSync(this.#path + PART, this.#path);
  }
}

/** Neither the file nor a part of it is there any more. */
export function removeWhole(path: string): void {
  for (const each of [path, path + PART]) rmSync(each, { force: true });
}
