import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Block, children, closure, DESIGN_RTLIL, type Design, type Source } from './front.ts';
import { baseName, type Module, type Netlist } from './netlist.ts';
import { yosys } from './yosys.ts';

/** Bump when the recipe below changes: nothing mapped before counts any more. */
const RECIPE = 3;

/** Yosys' own script for abc9 does not end on the XORs of a CRC. */
const ABC9 = '+&scorr;&sweep;&dc2;&dch,-f;&ps;&if';
const SYNTH = 'synth_xilinx -family xcup -abc9 -noiopad -noclkbuf';

export interface Mapped {
  readonly module: Module;
  /** Memories that found no place in LUT or block RAM. */
  readonly inRegisters: readonly string[];
  readonly cached: boolean;
  readonly seconds: number;
}

/** Maps one block to LUTs, registers and RAMs; takes the result of an earlier run if its sources are the same. */
export async function map(design: Design, block: Block, source: Source): Promise<Mapped> {
  const file = `build/synth/${block.name}-${digest([block.module]).slice(0, 8)}`;
  const key = cacheKey(design, block, source);
  const cached = existsSync(`${file}.key`) && readFileSync(`${file}.key`, 'utf8') === key;
  const start = performance.now();
  if (!cached) {
    const inside = children(design.netlist, block.module).map(([, child]) => child);
    const commands = (relaxed: boolean) => [
      `read_rtlil ${DESIGN_RTLIL}`,
      ...(block.container ? [...new Set(inside)].map((child) => `blackbox ${child}`) : []),
      `hierarchy -top ${block.module}`,
      ...(block.container ? [] : ['flatten']),
      ...(relaxed ? ['setattr -unset ram_style */m:*'] : []),
      `scratchpad -set abc9.script ${ABC9}`,
      `${SYNTH} -top ${block.module}`,
      `select ${block.module}`,
      `write_json -selected ${file}.json`,
    ];
    try {
      await yosys(commands(false), `${file}.log`);
    } catch (error) {
      // A memory that must be LUT RAM and cannot: put it into registers, so that limits.ts names it.
      if (!readFileSync(`${file}.log`, 'utf8').includes('no valid mapping found for memory')) throw error;
      await yosys(commands(true), `${file}.log`);
    }
    writeFileSync(`${file}.key`, key);
  }
  const { modules } = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as { modules: Netlist };
  const log = readFileSync(`${file}.log`, 'utf8');
  const inRegisters = [...log.matchAll(/using FF mapping for memory (\S+)/g)].map(([, name]) =>
    name!.slice(block.module.length + 1),
  );
  return { module: modules[block.module]!, inRegisters, cached, seconds: (performance.now() - start) / 1000 };
}

/** What a block is made of: its files, the packages and records, its parameters (they are in its name), the recipe. */
function cacheKey(design: Design, block: Block, { files, includes }: Source): string {
  const modules = new Set([...closure(design.netlist, block.module)].map(baseName));
  const stem = (file: string) => file.replace(/^.*\/|\.sv$/g, '');
  const used = files.filter((file) => modules.has(stem(file)) || file.endsWith('_pkg.sv'));
  const headers = includes.flatMap((folder) => headersIn(folder));
  const names = [...closure(design.netlist, block.module)].sort();
  return digest([
    String(RECIPE),
    ABC9,
    SYNTH,
    ...names,
    ...[...used, ...headers].map((file) => readFileSync(file, 'utf8')),
  ]);
}

function headersIn(folder: string): string[] {
  return ['ib_types.svh', 'mem_types.svh', 'hca_types.svh']
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(path));
}

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');
