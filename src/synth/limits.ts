import { children, type Design, splitMemories } from './front.ts';
import type { Mapped } from './map.ts';
import type { Figures } from './measure.ts';
import { baseName } from './netlist.ts';

/** LUT levels between registers. */
const MAX_LEVELS = 16;
/** A memory larger than this belongs into LUT or block RAM. */
const MAX_REGISTER_MEMORY_BITS = 1024;

/** What must not be in a design, one line each. */
export function judge(design: Design, mapped: ReadonlyMap<string, Mapped>, figures: Figures): string[] {
  const faults: string[] = [];
  for (const { levels, start, end } of figures.paths)
    if (levels > MAX_LEVELS)
      faults.push(`${start} to ${end}: expected at most ${MAX_LEVELS} levels, got ${levels}`);
  if (figures.loop.length > 0) faults.push(`combinational loop: ${figures.loop.join(', ')}`);
  for (const { name, area } of figures.blocks)
    if (area.latches > 0) faults.push(`${name}: expected no latch, got ${area.latches}`);
  for (const [memory, bits] of registerMemories(design, mapped))
    if (bits > MAX_REGISTER_MEMORY_BITS)
      faults.push(
        `${memory}: expected at most ${MAX_REGISTER_MEMORY_BITS} bits of memory in registers, got ${bits}`,
      );
  return faults;
}

/** Memories in registers: those the reader split, and those for which the mapper found no RAM. */
export function registerMemories(design: Design, mapped: ReadonlyMap<string, Mapped>): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const [name, module] of Object.entries(design.netlist))
    for (const [memory, bits] of splitMemories(module)) sizes.set(`${baseName(name)}.${memory}`, bits);
  for (const [name, { inRegisters }] of mapped)
    for (const memory of inRegisters) {
      const size = sizeOf(design, name, memory.split('.'));
      if (size !== undefined) sizes.set(`${baseName(name)}.${memory}`, size);
    }
  return sizes;
}

/** Bits of a memory by its path in a block; undefined for tables made of constants. */
function sizeOf(design: Design, module: string, path: readonly string[]): number | undefined {
  const found = design.netlist[module];
  if (!found || path[0]!.startsWith('$')) return undefined;
  const memory = found.memories?.[path.join('.')];
  if (memory) return memory.width * memory.size;
  for (const [name, child] of children(design.netlist, module)) {
    const parts = name.split('.');
    if (path.length > parts.length && parts.every((part, i) => part === path[i]))
      return sizeOf(design, child, path.slice(parts.length));
  }
  return undefined;
}
