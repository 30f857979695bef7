import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { sources as listed } from '../synth/front.ts';
import { type Proof, pathOf } from './proofs.ts';

/** The sources of one proof: what is read, and what that includes. Names are without folders. */
export interface Sources {
  readonly read: readonly string[];
  /** The text of each, and where it is from. */
  readonly texts: ReadonlyMap<string, { readonly from: string; readonly text: string }>;
}

/** What changes a source before it is read. */
export type Edit = (file: string, text: string) => string;

/** All that the top of a proof is made of, with what the proof puts inside. */
export function sourcesOf(proof: Proof, edit: Edit = (_, text) => text): Sources {
  const { files, includes } = listed();
  const known = new Map([...files, ...proof.with.map(pathOf)].map((file) => [basename(file, '.sv'), file]));
  const folders = [...includes, dirname(pathOf('x'))];
  const texts = new Map<string, { from: string; text: string }>();
  const read: string[] = [];

  const include = (name: string): void => {
    if (texts.has(name)) return;
    const from = folders.map((folder) => `${folder}/${name}`).find((path) => readable(path) !== undefined);
    if (!from)
      throw new Error(`proof ${proof.name}: expected ${name} in ${folders.join(', ')}, found it in none`);
    add(name, from, edit(from, readFileSync(from, 'utf8')));
  };
  const module = (name: string): void => {
    const from = known.get(name);
    if (!from || texts.has(`${name}.sv`)) return;
    const inside = proof.inside[name];
    const text = edit(from, readFileSync(from, 'utf8'));
    add(`${name}.sv`, from, inside ? injected(proof, name, text, inside) : text);
    read.push(`${name}.sv`);
  };
  const add = (name: string, from: string, text: string): void => {
    texts.set(name, { from, text });
    for (const [, file] of text.matchAll(/`include "([^"]+)"/g)) include(file!);
    for (const [, used] of text.matchAll(/\b(\w+_pkg)::/g)) module(used!);
    for (const [, used] of text.matchAll(/^\s*(\w+)\s+(?:#\s*\(|\w+\s*\()/gm))
      if (!proof.free.includes(used!)) module(used!);
  };

  module(proof.top);
  for (const name of proof.free) module(name);
  for (const name of Object.keys(proof.inside))
    if (!texts.has(`${name}.sv`))
      throw new Error(`proof ${proof.name}: expected ${name} in ${proof.top}, found it not there`);
  // Packages first.
  read.sort((a, b) => Number(b.endsWith('_pkg.sv')) - Number(a.endsWith('_pkg.sv')) || a.localeCompare(b));
  return { read, texts };
}

/** The properties stand in front of the end of the module, where all its names are known. */
function injected(proof: Proof, module: string, text: string, inside: string): string {
  const end = text.lastIndexOf('endmodule');
  if (end < 0) throw new Error(`proof ${proof.name}: expected an endmodule in ${module}, found none`);
  return `${text.slice(0, end)}\`include "${inside}"\n${text.slice(end)}`;
}

function readable(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
