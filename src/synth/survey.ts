import { type Block, type Design, elaborate, sources } from './front.ts';
import { type Mapped, map } from './map.ts';
import { type Figures, measure } from './measure.ts';
import type { Size } from './sizes.ts';

const TOP = 'hca';
const WORKERS = 2;

export interface Survey {
  readonly size: Size;
  readonly design: Design;
  readonly mapped: ReadonlyMap<string, Mapped>;
  readonly figures: Figures;
}

/** Maps the HCA of one size, block by block. */
export async function survey(size: Size, onMapped: (block: Block, result: Mapped) => void): Promise<Survey> {
  const design = await elaborate(sources(), TOP, size);
  const mapped = new Map<string, Mapped>();
  await inTurn(design.blocks, async (block) => {
    const result = await map(design, block);
    mapped.set(block.module, result);
    onMapped(block, result);
  });
  return { size, design, mapped, figures: measure(design, mapped) };
}

/** Does something with all, two at a time. */
export async function inTurn<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}
