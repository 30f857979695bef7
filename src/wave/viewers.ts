import { basename } from 'node:path';
import type { Group } from './layout.ts';
import { UNITS_PER_CYCLE, type Window } from './window.ts';

/** What GTKWave and Surfer open: the signals of the blocks in groups. */

/** Kinds of lines of a GTKWave save file: what has names in the wave file is shown by them. */
const FLAG = {
  hex: 0x22,
  bit: 0x28,
  named: 0x1_0000_0028,
  open: 0x80_0200,
  closed: 0xc0_0200,
  end: 0x100_0200,
} as const;
const OTHER_MARKERS = 26;
const PIXELS = 1000;
/** GTKWave's zoom is a power of two, negative: of 200 times the units of time that a pixel stands for. */
const zoomOf = ({ from, to }: Window): number => -Math.log2((200 * UNITS_PER_CYCLE * (to - from)) / PIXELS);

export function gtkwaveFile(wave: string, groups: readonly Group[], window: Window): string {
  const time = (cycle: number): number => cycle * UNITS_PER_CYCLE;
  const lines = [
    `[dumpfile] "${basename(wave)}"`,
    `[timestart] ${time(window.from)}`,
    `*${zoomOf(window).toFixed(6)} ${time(window.at)}${' -1'.repeat(OTHER_MARKERS)}`,
  ];
  for (const [i, { title, signals }] of groups.entries()) {
    lines.push(`@${(i === 0 ? FLAG.open : FLAG.closed).toString(16)}`, `-${title}`);
    for (const { path, range, names } of signals) {
      const kind = names ? 'named' : range === '' ? 'bit' : 'hex';
      lines.push(`@${FLAG[kind].toString(16)}`);
      lines.push(`${path}${range}`);
    }
    lines.push(`@${FLAG.end.toString(16)}`, `-${title}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Commands that Surfer runs. */
export const surferFile = (groups: readonly Group[]): string =>
  `${groups
    .flatMap(({ title, signals }) => [
      `divider_add ${title}`,
      ...signals.map(({ path }) => `variable_add ${path}`),
    ])
    .join('\n')}\n`;
