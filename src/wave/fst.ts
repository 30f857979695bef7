import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { unpackLz4 } from './lz4.ts';

/** A signal of a wave file, by the name that viewers know it by. */
export interface Signal {
  /** Without its range. */
  readonly name: string;
  /** As `[7:0]`; empty for a single bit. */
  readonly range: string;
  readonly bits: number;
  /** What its values are called. */
  readonly names?: Names | undefined;
}

/** An enumeration. */
export interface Names {
  /** With the module that has it. */
  readonly of: string;
  /** By the value in binary. */
  readonly values: ReadonlyMap<string, string>;
}

export interface Scope {
  readonly name: string;
  readonly signals: Signal[];
  readonly scopes: Scope[];
}

/** Why a file cannot be read: what was expected, what was found. */
export class WaveError extends Error {}

/** Blocks of an FST file begin with their kind and their length. */
const HEAD_BYTES = 9;
/** Packed by LZ4, which is what Verilator writes. */
const BLOCK_HIERARCHY = 6;
const MOST_BYTES = 256 * 2 ** 20;
/** What a hierarchy is made of. */
const TAG = { attribute: 252, attributeEnd: 253, scope: 254, scopeEnd: 255 } as const;
const ATTRIBUTE_MISC = 0;
const MISC_ENUM = 7;
const LAST_KIND = 29;

/** The scopes and signals of an FST file, as its simulator has named them. */
export function readHierarchy(path: string): Scope {
  const file = openSync(path, 'r');
  try {
    return parse(hierarchyOf(file, path));
  } finally {
    closeSync(file);
  }
}

function hierarchyOf(file: number, path: string): Uint8Array {
  const { size } = fstatSync(file);
  const head = new Uint8Array(HEAD_BYTES);
  const view = new DataView(head.buffer);
  for (let at = 0; at + HEAD_BYTES <= size; ) {
    readSync(file, head, 0, HEAD_BYTES, at);
    const length = Number(view.getBigUint64(1));
    if (length < 8 || at + 1 + length > size) break;
    if (head[0] === BLOCK_HIERARCHY) {
      const block = new Uint8Array(Math.min(length, MOST_BYTES));
      readSync(file, block, 0, block.length, at + 1);
      // Behind two lengths, that of the block and that of what it holds.
      const bytes = Number(new DataView(block.buffer).getBigUint64(8));
      const found = bytes <= MOST_BYTES ? unpackLz4(block.subarray(16), bytes) : undefined;
      if (found) return found;
      break;
    }
    at += 1 + length;
  }
  throw new WaveError(`${path}: expected an FST file with a hierarchy, found none`);
}

function parse(bytes: Uint8Array): Scope {
  const root: Scope = { name: '', signals: [], scopes: [] };
  const open = [root];
  const tables = new Map<number, Names>();
  let names: Names | undefined;
  let at = 0;
  const text = (): string => {
    const end = bytes.indexOf(0, at);
    const found = new TextDecoder().decode(bytes.subarray(at, end));
    at = end + 1;
    return found;
  };
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = bytes[at++]!;
    const scope = open.at(-1)!;
    if (tag === TAG.scope) {
      at++; // kind
      const inner: Scope = { name: text(), signals: [], scopes: [] };
      text(); // component
      scope.scopes.push(inner);
      open.push(inner);
    } else if (tag === TAG.scopeEnd) open.pop();
    else if (tag === TAG.attribute) {
      const [kind, sub] = [bytes[at]!, bytes[at + 1]!];
      at += 2;
      const told = text();
      const handle = number();
      if (kind !== ATTRIBUTE_MISC || sub !== MISC_ENUM) continue;
      // With a text it is made known; without one the next signal has it.
      if (told !== '') tables.set(handle, namesOf(told));
      else names = tables.get(handle);
    } else if (tag <= LAST_KIND) {
      at++; // direction
      const full = text();
      const [name = '', range = ''] = full.split(' ');
      const bits = number();
      number(); // which signal it is another name of
      scope.signals.push({ name, range, bits, names });
      names = undefined;
    } else if (tag !== TAG.attributeEnd)
      throw new WaveError(`hierarchy: expected a scope or a signal, found ${tag}`);
  }
  return root;
}

/** The name, how many there are, their names, their values. */
function namesOf(text: string): Names {
  const [of = '', count = '0', ...words] = text.split(' ');
  const known = words.slice(0, Number(count));
  return { of, values: new Map(known.map((name, i) => [words[known.length + i] ?? '', name])) };
}
