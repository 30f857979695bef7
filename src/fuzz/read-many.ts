import { excess, measured } from './bounds.ts';
import { FileReader, hostileFile } from './files.ts';
import { hostileReplies } from './frames/replies.ts';

/** Many inputs one after another in this process, each within its bounds. */

export const MANY = ['files', 'replies'] as const;
export type Many = (typeof MANY)[number];

export interface Tally {
  /** How often what came of an input. */
  readonly ends: Record<string, number>;
  /** The dearest input, by number. */
  slowest: { number: number; cpuMs: number };
  largest: { number: number; memoryKib: number };
  /** The first that came to what it must not. */
  problem?: string | undefined;
}

export const newTally = (): Tally => ({
  ends: {},
  slowest: { number: -1, cpuMs: 0 },
  largest: { number: -1, memoryKib: 0 },
});

/** The inputs of a seed from `first` on; `begins` hears of each before it is read. */
export async function readMany(
  many: Many,
  seed: number,
  first: number,
  count: number,
  begins: (number: number) => void = () => {},
): Promise<Tally> {
  const tally = newTally();
  const reader = many === 'files' ? new FileReader() : undefined;
  try {
    for (let number = first; number < first + count && tally.problem === undefined; number++) {
      begins(number);
      const wrong = reader ? readFile(reader, seed, number, tally) : await readReplies(seed, number, tally);
      if (wrong !== undefined) tally.problem = `input ${number} of seed ${seed}: ${wrong}`;
    }
  } finally {
    reader?.close();
  }
  return tally;
}

function readFile(reader: FileReader, seed: number, number: number, tally: Tally): string | undefined {
  const input = hostileFile(seed, number);
  try {
    const { value, cost } = measured(() => reader.read(input));
    add(tally, value);
    if (cost.cpuMs > tally.slowest.cpuMs) tally.slowest = { number, cpuMs: cost.cpuMs };
    if (cost.memoryKib > tally.largest.memoryKib) tally.largest = { number, memoryKib: cost.memoryKib };
    const wrong = excess(cost, input.bytes.length);
    return wrong && `${input.kind}: ${wrong}`;
  } catch (error) {
    return `${input.kind}: ${error instanceof Error ? (error.stack ?? error.message) : error}`;
  }
}

async function readReplies(seed: number, number: number, tally: Tally): Promise<string | undefined> {
  const { ends, problem } = await hostileReplies(seed, number);
  for (const end of ends) add(tally, end);
  return problem;
}

function add({ ends }: Tally, end: string, count = 1): void {
  ends[end] = (ends[end] ?? 0) + count;
}

/** What a part has found, to what there is. */
export function addTally(all: Tally, part: Tally): void {
  for (const [end, count] of Object.entries(part.ends)) add(all, end, count);
  if (part.slowest.cpuMs > all.slowest.cpuMs) all.slowest = part.slowest;
  if (part.largest.memoryKib > all.largest.memoryKib) all.largest = part.largest;
  all.problem ??= part.problem;
}
