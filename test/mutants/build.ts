import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { CHOICE, inTypeScript, type Mutant, mutate, PACKAGE } from './mutants.ts';

const FOLDER = 'build/mutants';
const VARIANT = 'mutants';

/** Builds one simulator with all mutants in it, and tells where it is. The product's sources stay as they are. */
export function buildMutants(all: readonly Mutant[], dataWidth = 256): string {
  const mutants = all.filter((mutant) => !inTypeScript(mutant));
  const sources = readFileSync('rtl/files.f', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('.sv') && !line.startsWith('//'));
  const strange = mutants.filter(({ file }) => !sources.includes(file));
  if (strange.length > 0)
    throw new Error(`mutants: expected files of rtl/files.f, got ${strange.map((m) => m.file).join(' ')}`);

  rmSync(`${FOLDER}/rtl`, { recursive: true, force: true });
  mkdirSync(`${FOLDER}/rtl`, { recursive: true });
  const write = (name: string, text: string): string => {
    const path = resolve(FOLDER, 'rtl', name);
    writeFileSync(path, text);
    return path;
  };
  const files = [
    write('mutant_pkg.sv', PACKAGE),
    write('mutant_choice.cpp', CHOICE),
    ...sources.map((file) =>
      write(
        basename(file),
        mutate(
          readFileSync(file, 'utf8'),
          mutants.filter((mutant) => mutant.file === file),
        ),
      ),
    ),
  ];
  execFileSync('bash', ['sim/build.sh', String(dataWidth)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      SIM_VARIANT: VARIANT,
      SIM_RTL: files.join(' '),
      SIM_ARGS: '-Wno-fatal -Wno-lint -Wno-style',
      SIM_OPT: '-O2',
    },
  });
  // A copy: what is built next does not take it away from those that run.
  const program = resolve(FOLDER, 'simulator');
  copyFileSync(`build/sim/w${dataWidth}-${VARIANT}/openhca-sim`, program);
  return program;
}
