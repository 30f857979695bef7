/** Which check found it: a packet, a DMA access, bytes in memory, a device at rest, what was expected, or a fault that never came. */
export const CHECKS = ['wire', 'dma', 'memory', 'invariant', 'expectation', 'model', 'fault'] as const;
export type CheckName = (typeof CHECKS)[number];

export interface Problem {
  check: CheckName;
  text: string;
}

export interface RunTotals {
  cycles: number;
  packets: number;
}

/** The outcome of a run: no problem of any check, or all of them. */
export class Verdict {
  constructor(
    readonly problems: readonly Problem[],
    readonly totals: RunTotals,
    /** What no check has looked at. */
    readonly unchecked: readonly string[] = [],
  ) {}

  get ok(): boolean {
    return this.problems.length === 0;
  }

  /** For tests: `expect(verdict.lines).toEqual([])`. */
  get lines(): string[] {
    return this.problems.map(({ check, text }) => `${check}: ${text}`);
  }
}
