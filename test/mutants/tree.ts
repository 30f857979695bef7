import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inTypeScript, type Mutant, replaced } from './mutants.ts';

const FOLDER = 'build/mutants/ts';
/** Where `simulatorBinary` looks. */
const SIMULATOR = 'build/sim/w256/openhca-sim';
/** What a test may change or import by a path of its own; the rest is as it is here. */
const COPIED = ['src', 'test', 'scripts'];
const OWN = ['build', '.git', ...COPIED];

/**
 * A tree like this one with its own src and test, in which a mutant of TypeScript stands already; its simulator is `binary`. Without a
 * mutant it is the sound one.
 */
export function makeTree(name: string, binary: string, mutant?: Mutant): string {
  const tree = resolve(FOLDER, name);
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(resolve(tree, SIMULATOR, '..'), { recursive: true });
  for (const folder of COPIED) cpSync(folder, resolve(tree, folder), { recursive: true });
  for (const each of readdirSync('.').filter((entry) => !OWN.includes(entry)))
    symlinkSync(resolve(each), resolve(tree, each));
  symlinkSync(binary, resolve(tree, SIMULATOR));
  if (mutant && inTypeScript(mutant))
    writeFileSync(resolve(tree, mutant.file), replaced(readFileSync(mutant.file, 'utf8'), mutant));
  return tree;
}

export function removeTree(tree: string): void {
  rmSync(tree, { recursive: true, force: true });
}

export interface TreeReport {
  /** Names of tests. */
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly why: string }[];
}

/** As vitest left it in that tree under that name; nothing if it came to none, or a file could not even be read. */
export function readReport(tree: string, name: string): TreeReport | undefined {
  let files: {
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
    status: string;
  }[];
  try {
    files = JSON.parse(readFileSync(resolve(tree, `build/reports/${name}.json`), 'utf8')).testResults;
  } catch {
    return undefined;
  }
  if (files.some(({ assertionResults }) => assertionResults.length === 0)) return undefined;
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  return {
    passed: tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
    failed: tests
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages = [] }) => ({
        name: fullName,
        why: (failureMessages[0] ?? '').slice(0, 500),
      })),
  };
}
