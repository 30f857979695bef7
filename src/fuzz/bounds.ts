/** What reading one input may cost: processor time, and memory that the process did not have before. */
export interface Cost {
  readonly cpuMs: number;
  /** By which the high-water mark of the process rose. */
  readonly memoryKib: number;
}

const BASE: Cost = { cpuMs: 1500, memoryKib: 96 * 1024 };
/** Of an input. */
const PER_BYTE: Cost = { cpuMs: 0.06, memoryKib: 1 };

/** Runs `work`; what it cost. */
export function measured<T>(work: () => T): { value: T; cost: Cost } {
  const memory = process.resourceUsage().maxRSS;
  const start = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(start);
  return {
    value,
    cost: { cpuMs: (user + system) / 1000, memoryKib: process.resourceUsage().maxRSS - memory },
  };
}

/** What is too much for an input of so many bytes, if anything. */
export function excess({ cpuMs, memoryKib }: Cost, bytes: number): string | undefined {
  const most = (of: keyof Cost): number => BASE[of] + PER_BYTE[of] * bytes;
  if (cpuMs > most('cpuMs')) return `took ${cpuMs.toFixed(0)} ms for ${bytes} bytes`;
  if (memoryKib > most('memoryKib')) return `took ${memoryKib} KiB more for ${bytes} bytes`;
  return undefined;
}
