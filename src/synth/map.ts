import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { extract } from './extract.ts';
import { type Block, children, closure, type Design } from './front.ts';
import type { Module, Netlist } from './netlist.ts';
import { yosys } from './yosys.ts';

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

/** Maps one block to LUTs, registers and RAMs; takes the result of an earlier run if nothing that it follows from has changed. */
export async function map(design: Design, block: Block): Promise<Mapped> {
  const file = `build/synth/${block.name}-${digest([block.module]).slice(0, 8)}`;
  const inside = children(design.netlist, block.module).map(([, child]) => child);
  const commands = (relaxed: boolean) => [
    `read_rtlil ${file}.il`,
    ...(block.container ? [...new Set(inside)].map((child) => `blackbox ${child}`) : []),
    `hierarchy -top ${block.module}`,
    ...(block.container ? [] : ['flatten']),
    ...(relaxed ? ['setattr -unset ram_style */m:*'] : []),
    `scratchpad -set abc9.script ${ABC9}`,
    `${SYNTH} -top ${block.module}`,
    `select ${block.module}`,
    `write_json -selected ${file}.json`,
  ];
  const text = extract(design.rtlil, closure(design.netlist, block.module));
  const key = digest([design.rtlil.writer, ...commands(false), text]);
  const cached = existsSync(`${file}.key`) && readFileSync(`${file}.key`, 'utf8') === key;
  const start = performance.now();
  if (!cached) {
    writeFileSync(`${file}.il`, text);
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

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');
