/** What happened in a run, for people and for scripts: verbs, packets, DMA and completions by cycle. */

export interface TimelineEntry {
  cycle: number;
  device: 0 | 1;
  /** What else tells them apart; addresses as `bigint` become hexadecimal text. */
  [field: string]: string | number | bigint | boolean | undefined;
}

export const TIMELINE_SECTIONS = ['verbs', 'packets', 'dma', 'completions'] as const;

export type TimelineSection = (typeof TIMELINE_SECTIONS)[number];

export class Timeline {
  readonly #lines: Record<TimelineSection, { cycle: number; line: string }[]> = {
    verbs: [],
    packets: [],
    dma: [],
    completions: [],
  };

  add(section: TimelineSection, entry: TimelineEntry): void {
    const line = JSON.stringify(entry, (_, value) =>
      typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
    );
    this.#lines[section].push({ cycle: entry.cycle, line });
  }

  /** The JSON text in pieces, an entry a line, by cycle. */
  *chunks(): Generator<string> {
    yield '{\n';
    for (const [i, section] of TIMELINE_SECTIONS.entries()) {
      yield `${i === 0 ? '' : ',\n'}"${section}": [`;
      const lines = this.#lines[section].toSorted((a, b) => a.cycle - b.cycle);
      for (const [j, { line }] of lines.entries()) yield `${j === 0 ? '\n' : ',\n'}${line}`;
      yield lines.length === 0 ? ']' : '\n]';
    }
    yield '\n}\n';
  }

  toString(): string {
    return [...this.chunks()].join('');
  }
}
