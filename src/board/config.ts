import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { MemoryRange } from '../device.ts';
import { IbError } from '../spec/errors.ts';
import { formatMistake, LocatedYaml } from '../yaml/index.ts';

/** One card, as the helper is told of it; paths are absolute. */
export interface CardConfig {
  window: { file: string; offset: number };
  /** Without one the driver looks for interrupts itself. */
  interrupt: string | undefined;
  memory: MemoryRange & { file: string; offset: number };
}

/** Two cards whose links are joined. */
export interface BoardConfig {
  /** Of the cards' one clock. */
  clockMhz: number;
  /** Seconds that a second of the cards takes: more than one where they are simulated. */
  slower: number;
  hosts: readonly [CardConfig, CardConfig];
}

export const BOARD_FILE = 'board.yaml';

const PAGE_BYTES = 4096;
const path = z.string().min(1);
const natural = z.union([z.int().min(0), z.bigint().min(0n)]);
const card = z.strictObject({
  window: z.strictObject({ file: path, offset: z.int().min(0).multipleOf(PAGE_BYTES).default(0) }),
  interrupt: path.optional(),
  memory: z.strictObject({
    file: path,
    offset: z.int().min(0).multipleOf(PAGE_BYTES).default(0),
    address: natural.optional(),
    bytes: z.int().min(PAGE_BYTES).multipleOf(PAGE_BYTES).optional(),
  }),
});
const schema = z.strictObject({
  clock_mhz: z.number().min(1).max(1000),
  slower: z.number().min(1).default(1),
  hosts: z.strictObject({ a: card, b: card }),
});

/** Reads the file, or board.yaml in the folder; what is wrong is thrown, each mistake with its place. */
export function loadBoard(given: string): BoardConfig {
  const file = existsSync(given) && statSync(given).isDirectory() ? join(given, BOARD_FILE) : given;
  if (!existsSync(file))
    throw wrong(`${given}: expected a board file or a folder with ${BOARD_FILE}, found none`);
  const { data, mistakes } = new LocatedYaml(readFileSync(file, 'utf8')).validate(schema);
  if (mistakes) throw wrong(mistakes.map((mistake) => formatMistake(file, mistake)).join('\n'));
  const from = dirname(resolve(file));
  const absolute = (name: string) => resolve(from, name);
  const cardOf = ({ window, interrupt, memory }: z.infer<typeof card>): CardConfig => ({
    window: { ...window, file: absolute(window.file) },
    interrupt: interrupt === undefined ? undefined : absolute(interrupt),
    memory: {
      file: absolute(memory.file),
      offset: memory.offset,
      base: BigInt(memory.address ?? fromSystem(absolute(memory.file), 'phys_addr')),
      bytes: memory.bytes ?? Number(fromSystem(absolute(memory.file), 'size')),
    },
  });
  const { clock_mhz: clockMhz, slower, hosts } = data;
  return { clockMhz, slower, hosts: [cardOf(hosts.a), cardOf(hosts.b)] };
}

/** What the driver u-dma-buf tells of its buffer. */
function fromSystem(file: string, name: 'phys_addr' | 'size'): bigint {
  const told = `/sys/class/u-dma-buf/${basename(file)}/${name}`;
  if (existsSync(told)) return BigInt(readFileSync(told, 'utf8').trim());
  const key = name === 'size' ? 'bytes' : 'address';
  throw wrong(`${file}: expected memory.${key} in the board file, or ${told}, found neither`);
}

const wrong = (message: string) => new IbError('bad-argument', message);
