// Area and logic depth of the HCA in all sizes, and how fast its blocks are on an ECP5: `make synth`. Fails on what src/synth/limits.ts
// does not allow of the default size.
//
//   ONLY=default   that size alone, without ECP5; docs/sizes.md stays as it is
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { changes, committed } from '../src/synth/changes.ts';
import { placed, type Speed } from '../src/synth/ecp5.ts';
import type { Block } from '../src/synth/front.ts';
import { judge } from '../src/synth/limits.ts';
import type { Mapped } from '../src/synth/map.ts';
import { table, worst } from '../src/synth/report.ts';
import { DEFAULT, SIZES } from '../src/synth/sizes.ts';
import { sizesPage } from '../src/synth/sizes-page.ts';
import { inTurn, type Survey, survey } from '../src/synth/survey.ts';
import { NEXTPNR, PROGRAM } from '../src/synth/yosys.ts';

const PAGES = { default: 'docs/synthesis.md', sizes: 'docs/sizes.md' };

const { ONLY } = process.env;
if (ONLY !== undefined && ONLY !== '' && ONLY !== DEFAULT.name) {
  console.error(`synth: ONLY: expected ${DEFAULT.name}, found ${JSON.stringify(ONLY)}`);
  process.exit(2);
}
for (const [tool, path] of [
  ['Yosys', PROGRAM],
  ['nextpnr', NEXTPNR],
] as const)
  if (!existsSync(path)) {
    console.error(`synth: expected ${tool} at ${path}, found none: run make setup`);
    process.exit(1);
  }
mkdirSync('build/synth', { recursive: true });

const surveys: Survey[] = [];
for (const size of ONLY ? [DEFAULT] : SIZES)
  surveys.push(
    await survey(size, ({ name }: Block, { cached, seconds }: Mapped) => {
      if (!cached) console.log(`  ${size.name}: ${name}: mapped in ${seconds.toFixed(0)} s`);
    }),
  );
const [{ design, mapped, figures }] = surveys as [Survey];
const speeds: Speed[] = [];
if (!ONLY) {
  await inTurn(
    design.blocks.filter(({ container }) => !container),
    async (block) => {
      const speed = await placed(design, block);
      speeds.push(speed);
      console.log(`  ${block.name}: ${speed.mhz?.toFixed(0) ?? 'no'} MHz on an ECP5`);
    },
  );
  speeds.sort((a, b) => (a.mhz ?? 0) - (b.mhz ?? 0) || a.name.localeCompare(b.name, 'en'));
}

const faults = judge(design, mapped, figures);
const pages = [
  [PAGES.default, table(figures)],
  ...(ONLY ? [] : [[PAGES.sizes, sizesPage(surveys, speeds)]]),
] as [string, string][];
const changed = pages.flatMap(([path, page]) =>
  changes(committed(path), page).map((line) => `${path}: ${line}`),
);
const sizes = surveys.map(({ size, figures: { total, levels } }) => ({ ...size, total, levels }));
writeFileSync(
  'build/synth.json',
  `${JSON.stringify({ ...figures, sizes, speeds, changed, faults }, null, 2)}\n`,
);
writeFileSync('build/synth-worst.txt', worst(figures));
for (const [path, page] of pages) writeFileSync(path, page);
console.log(table(figures));
for (const line of changed) console.log(`synth: since the last commit: ${line}`);
for (const fault of faults) console.error(`synth: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
