// Area and logic depth of the HCA: `make synth`. Fails on what src/synth/limits.ts does not allow.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { elaborate, sources } from '../src/synth/front.ts';
import { judge } from '../src/synth/limits.ts';
import { type Mapped, map } from '../src/synth/map.ts';
import { measure } from '../src/synth/measure.ts';
import { table, worst } from '../src/synth/report.ts';
import { PROGRAM } from '../src/synth/yosys.ts';

const TOP = 'hca';
const WORKERS = 2;

if (!existsSync(PROGRAM)) {
  console.error(`synth: expected Yosys at ${PROGRAM}, found none: run make setup`);
  process.exit(1);
}
mkdirSync('build/synth', { recursive: true });
const design = await elaborate(sources(), TOP);

const mapped = new Map<string, Mapped>();
const waiting = [...design.blocks];
await Promise.all(
  Array.from({ length: WORKERS }, async () => {
    for (let block = waiting.shift(); block; block = waiting.shift()) {
      const result = await map(design, block);
      mapped.set(block.module, result);
      if (!result.cached) console.log(`  ${block.name}: mapped in ${result.seconds.toFixed(0)} s`);
    }
  }),
);

const figures = measure(design, mapped);
const faults = judge(design, mapped, figures);

writeFileSync('build/synth.json', `${JSON.stringify({ ...figures, faults }, null, 2)}\n`);
writeFileSync('build/synth-worst.txt', worst(figures));
writeFileSync('docs/synthesis.md', table(figures));
console.log(table(figures));
for (const fault of faults) console.error(`synth: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
