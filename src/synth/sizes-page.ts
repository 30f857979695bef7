import type { Speed } from './ecp5.ts';
import { parametersOf } from './sizes.ts';
import type { Survey } from './survey.ts';

/** docs/sizes.md. */
export function sizesPage(surveys: readonly Survey[], speeds: readonly Speed[]): string {
  return [
    '# Sizes',
    '',
    'Written by `make synth`: the whole HCA by Yosys, `synth_xilinx` for UltraScale+, as in [synthesis.md](synthesis.md), with some of its',
    'parameters set ([parameters.md](parameters.md)). LUT RAM is counted in LUTs, block RAM in 36 Kibit.',
    '',
    '| | parameters | LUT | LUT RAM | FF | block RAM | UltraRAM | DSP | levels |',
    '|---|---|---|---|---|---|---|---|---|',
    ...surveys.map(({ size, figures: { total, levels } }) =>
      row(
        size.name,
        parametersOf(size),
        total.lut,
        total.lutRam,
        total.ff,
        total.bram,
        total.uram,
        total.dsp,
        levels,
      ),
    ),
    '',
    'What grows, by block: LUTs with LUT RAM, and block RAM, of one instance.',
    '',
    `| block | ${surveys.map(({ size }) => size.name).join(' | ')} |`,
    `|---|${surveys.map(() => '---|').join('')}`,
    ...growing(surveys),
    '',
    '## Frequency on an ECP5',
    '',
    'Each block alone, with the parameters as they stand, by `synth_ecp5` and nextpnr: placed and routed in an LFE5U-85 of the slowest',
    'grade, its ports unconstrained. A block that takes more than the part has is left out of the race.',
    '',
    '| block | MHz |',
    '|---|---|',
    ...speeds.map(({ name, mhz }) => row(name, mhz === undefined ? 'does not fit' : mhz.toFixed(0))),
    '',
  ].join('\n');
}

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** Blocks that are not the same in all sizes, by the path of their first instance. */
function growing(surveys: readonly Survey[]): string[] {
  const names = new Map<string, string>();
  for (const { figures } of surveys) for (const { paths, name } of figures.blocks) names.set(paths[0]!, name);
  return [...names]
    .map(([path, name]) => [
      name,
      ...surveys.map(({ figures }) => {
        const area = figures.blocks.find(({ paths }) => paths.includes(path))?.area;
        return area ? `${area.lut + area.lutRam}${area.bram > 0 ? `, ${area.bram}` : ''}` : '';
      }),
    ])
    .filter(([, ...cells]) => new Set(cells).size > 1)
    .map((cells) => row(...cells));
}
