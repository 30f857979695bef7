import { readFileSync } from 'node:fs';
import { type Rtlil, splitRtlil } from './extract.ts';
import { baseName, type Module, type Netlist } from './netlist.ts';
import { DEFAULT, type Size } from './sizes.ts';
import { yosys } from './yosys.ts';

/** Modules that stay apart from what they instance; everything below them is one block each. */
const CONTAINERS = ['hca', 'mem_unit'];

export interface Source {
  readonly files: readonly string[];
  readonly includes: readonly string[];
}

/** The list in rtl/files.f. */
export function sources(): Source {
  const lines = readFileSync('rtl/files.f', 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('//'));
  return {
    files: lines.filter((line) => !line.startsWith('+')),
    includes: lines
      .filter((line) => line.startsWith('+incdir+'))
      .map((line) => line.slice('+incdir+'.length)),
  };
}

/** The design after elaboration, before anything is mapped. */
export interface Design {
  readonly netlist: Netlist;
  readonly rtlil: Rtlil;
  readonly top: string;
  /** Modules to be synthesised: the containers with their own logic, and their instances. */
  readonly blocks: readonly Block[];
}

export interface Block {
  readonly module: string;
  readonly name: string;
  readonly container: boolean;
  /** Where it stands in the top. */
  readonly paths: readonly string[];
}

/** Reads and elaborates the RTL. */
export async function elaborate(
  { files, includes }: Source,
  top: string,
  { name, parameters }: Size = DEFAULT,
): Promise<Design> {
  const [il, json] = ['il', 'json'].map((ending) => `build/synth/design-${name}.${ending}`) as [
    string,
    string,
  ];
  const set = Object.entries(parameters).map(([parameter, value]) => `-set ${parameter} ${value}`);
  const read = ['read_verilog -sv', ...includes.map((folder) => `-I${folder}`), ...files].join(' ');
  await yosys(
    [
      read,
      ...(set.length > 0 ? [`chparam ${set.join(' ')} ${top}`] : []),
      `hierarchy -check -top ${top}`,
      'proc',
      'opt_clean',
      'check -assert',
      'setattr -unset src',
      'setattr -mod -unset src',
      `write_rtlil ${il}`,
      `write_json ${json}`,
    ],
    `build/synth/design-${name}.log`,
  );
  const { modules } = JSON.parse(readFileSync(json, 'utf8')) as { modules: Netlist };
  const rtlil = splitRtlil(readFileSync(il, 'utf8'));
  return { netlist: modules, rtlil, top, blocks: findBlocks(modules, top) };
}

function findBlocks(netlist: Netlist, top: string): Block[] {
  const found = new Map<string, { container: boolean; paths: string[] }>();
  const visit = (module: string, path: string): void => {
    const container = CONTAINERS.includes(baseName(module));
    const entry = found.get(module) ?? { container, paths: [] };
    entry.paths.push(path);
    found.set(module, entry);
    if (!container) return;
    for (const [name, child] of children(netlist, module)) visit(child, path ? `${path}.${name}` : name);
  };
  visit(top, '');
  return [...found].map(([module, { container, paths }]) => ({
    module,
    name: baseName(module),
    container,
    paths,
  }));
}

/** The instances in a module: their names and modules. */
export function children(netlist: Netlist, module: string): [string, string][] {
  return Object.entries(netlist[module]!.cells)
    .filter(([, cell]) => netlist[cell.type])
    .map(([name, cell]) => [name, cell.type]);
}

/** A module and all it is made of. */
export function closure(netlist: Netlist, module: string, seen = new Set<string>()): Set<string> {
  if (seen.has(module)) return seen;
  seen.add(module);
  for (const [, child] of children(netlist, module)) closure(netlist, child, seen);
  return seen;
}

/** Memories that the reader made into registers word by word: name and bits, by module. */
export function splitMemories(module: Module): Map<string, number> {
  const registers = new Set<number | string>();
  for (const cell of Object.values(module.cells))
    if (/^\$(a|s|e|al|ads|sre|dffs)?[a-z]*dff[a-z]*$/.test(cell.type))
      for (const bit of cell.connections.Q ?? []) registers.add(bit);
  const sizes = new Map<string, number>();
  for (const [name, { bits }] of Object.entries(module.netnames)) {
    const memory = /^([A-Za-z_]\w*)\[\d+\]$/.exec(name)?.[1];
    if (memory) sizes.set(memory, (sizes.get(memory) ?? 0) + bits.filter((bit) => registers.has(bit)).length);
  }
  return sizes;
}
