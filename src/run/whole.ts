import { closeSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';

/** What a file is called until it is whole. */
export const PART = '.part';

/** Writes a file that nobody sees before it is whole. */
export function writeWhole(path: string, content: string | Iterable<string>): void {
  const part = path + PART;
  if (typeof content === 'string') writeFileSync(part, content);
  else {
    const file = openSync(part, 'w');
    for (const chunk of content) writeSync(file, chunk);
    closeSync(file);
  }
  renameSync(part, path);
}

/** A file that grows: it has its name from `close` on. */
export class GrowingFile {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path + PART, 'w');
  }

  write(bytes: Uint8Array): void {
    writeSync(this.#file, bytes);
  }

  close(): void {
    closeSync(this.#file);
    renameSync(this.#path + PART, this.#path);
  }
}

/** Neither the file nor a part of it is there any more. */
export function removeWhole(path: string): void {
  for (const each of [path, path + PART]) rmSync(each, { force: true });
}
