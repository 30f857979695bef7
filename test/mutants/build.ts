import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { CHOICE, choosing, PACKAGE, type Place } from './choose.ts';

const FOLDER = 'build/mutants';

/** The sources of the RTL. */
export const sourcesOf = (): string[] =>
  readFileSync('rtl/files.f', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('.sv') && !line.startsWith('//'));

/**
 * Builds one simulator with all these places in it, and tells where it is. The product's sources stay as they are; `variant` is what
 * the build is called.
 */
export function buildMutants(variant: string, places: readonly Place[], dataWidth = 256): string {
  const sources = sourcesOf();
  const strange = places.filter(({ file }) => !sources.includes(file));
  if (strange.length > 0)
    throw new Error(
      `mutants: expected files of rtl/files.f, got ${strange.map(({ file }) => file).join(' ')}`,
    );

  const folder = `${FOLDER}/${variant}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): string => {
    const path = resolve(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const files = [
    write('mutant_pkg.sv', PACKAGE),
    write('mutant_choice.cpp', CHOICE),
    ...sources.map((file) =>
      write(
        basename(file),
        choosing(
          readFileSync(file, 'utf8'),
          places.filter((place) => place.file === file),
        ),
      ),
    ),
  ];
  execFileSync('bash', ['sim/build.sh', String(dataWidth)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      SIM_VARIANT: variant,
      SIM_RTL: files.join(' '),
      SIM_ARGS: '-Wno-fatal -Wno-lint -Wno-style',
      SIM_OPT: '-O2',
    },
  });
  // A copy: what is built next does not take it away from those that run.
  const program = resolve(FOLDER, `simulator-${variant}`);
  copyFileSync(`build/sim/w${dataWidth}-${variant}/openhca-sim`, program);
  return program;
}
