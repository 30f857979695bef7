import type { Area } from './area.ts';
import type { Path } from './graph.ts';
import type { Figures } from './measure.ts';

/** From this depth on a path is listed for people. */
const LISTED_LEVELS = 12;

/** docs/synthesis.md. */
export function table({ blocks, total, levels, paths }: Figures): string {
  const cells = (name: string, n: string, area: Area, inside: string, across: string) =>
    `| ${[name, n, area.lut, area.lutRam, area.ff, area.bram, inside, across].join(' | ')} |`;
  return [
    '# Synthesis',
    '',
    'Written by `make synth`: Yosys, `synth_xilinx` for UltraScale+, the parameters of `hca` as they stand. No place and',
    'route; figures of one instance. LUT RAM is counted in LUTs, block RAM in 36 Kibit. Levels are LUTs between registers, a',
    'carry chain counting one per 8 bits: inside the block, its ports taken as registers, and on the paths of',
    'the whole HCA that end in the block. The limit is 16.',
    '',
    '| block | instances | LUT | LUT RAM | FF | block RAM | levels inside | levels across |',
    '|---|---|---|---|---|---|---|---|',
    ...blocks.map((b) => cells(b.name, String(b.instances), b.area, String(b.inside), String(b.across))),
    cells('**all**', '', total, '', String(levels)),
    '',
    'The deepest paths:',
    '',
    '| levels | from | to |',
    '|---|---|---|',
    ...paths.slice(0, 10).map((p) => `| ${p.levels} | \`${shown(p.start)}\` | \`${shown(p.end)}\` |`),
    '',
  ].join('\n');
}

/** A bit whose name Yosys made up: its block says all that lasts. */
const shown = (name: string): string => name.replace(/(^|\.)\$\S*/, '$1(unnamed)');

/** The long paths, with the signals they pass. */
export function worst({ paths, loop }: Figures): string {
  const line = (p: Path) => `${p.levels}  ${p.start}  ->  ${p.end}\n      ${p.through.join('\n      ')}\n`;
  return [
    ...(loop.length > 0 ? [`loop: ${loop.join(' ')}\n`] : []),
    ...paths.filter((p) => p.levels > LISTED_LEVELS).map(line),
  ].join('');
}
