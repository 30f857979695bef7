import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Unexpected } from './errors.ts';
import type { Content } from './values.ts';

/** Where patterns and files of a scenario come from. */
export interface Origin {
  seed: number;
  /** Folder that file names are relative to. */
  folder: string;
}

/** No region is larger. */
const MAX_FILE_BYTES = 2 ** 30;

/** So many bytes of a content; `own` tells patterns without a number apart. */
export function bytesOf(content: Content, length: number, own: string, origin: Origin): Uint8Array {
  if (content === 'zero') return new Uint8Array(length);
  if (content === 'pattern') return pattern(hash(own), length, origin.seed);
  if ('pattern' in content) return pattern(content.pattern, length, origin.seed);
  if ('byte' in content) return new Uint8Array(length).fill(content.byte);
  const bytes = fixedBytes(content, origin);
  const filled = new Uint8Array(length);
  filled.set(bytes.subarray(0, length));
  return filled;
}

/** How long a content is by itself; undefined when it has any length. */
export function lengthOf(content: Content, origin: Origin): number | undefined {
  if (typeof content === 'string' || 'pattern' in content || 'byte' in content) return undefined;
  return fixedBytes(content, origin).length;
}

function fixedBytes(
  content: Extract<Content, { bytes: string } | { words: unknown } | { text: string } | { file: string }>,
  { folder }: Origin,
): Uint8Array {
  if ('bytes' in content) return Uint8Array.from(Buffer.from(content.bytes.replace(/\s/g, ''), 'hex'));
  if ('words' in content)
    return new Uint8Array(BigUint64Array.from(content.words, (word) => BigInt(word)).buffer);
  if ('text' in content) return new TextEncoder().encode(content.text);
  const fault = fileFault(content.file, folder);
  if (fault) throw new Unexpected(fault.expected, fault.found);
  return new Uint8Array(readFileSync(resolve(folder, content.file)));
}

/** Why a file of a scenario cannot be read, if it cannot. */
export function fileFault(file: string, folder: string): { expected: string; found: string } | undefined {
  const path = resolve(folder, file);
  const expected = `a file ${file}`;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // A device may have no end.
    if (!found?.isFile()) return { expected, found: found ? 'something else' : 'none' };
    if (found.size > MAX_FILE_BYTES)
      return { expected: `${expected} of at most ${MAX_FILE_BYTES} bytes`, found: `${found.size}` };
    accessSync(path, constants.R_OK);
    return undefined;
  } catch {
    return { expected, found: 'none that can be read' };
  }
}

/** Bytes that differ from number to number and from place to place (xorshift32). */
export function pattern(number: number, length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(length / 4) * 4);
  const words = new Uint32Array(bytes.buffer);
  let state = (Math.imul(number + 1, 0x9e37_79b1) ^ Math.imul(seed + 1, 0x85eb_ca6b)) >>> 0 || 1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  return bytes.subarray(0, length);
}

export function hash(text: string): number {
  let value = 0x811c_9dc5;
  for (const char of text) value = Math.imul(value ^ char.charCodeAt(0), 0x0100_0193) >>> 0;
  return value;
}

/** An IPv6-like text as one number; undefined when it is none. */
export function parseGid(text: string): bigint | undefined {
  const [head = '', tail, more] = text.split('::');
  if (more !== undefined) return undefined;
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const [left, right] = [groups(head), tail === undefined ? [] : groups(tail)];
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  if (!all.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
