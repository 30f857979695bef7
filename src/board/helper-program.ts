import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from '../gen/root.ts';
import { IbError } from '../spec/errors.ts';

const SOURCE = fileURLToPath(new URL('uio-helper.c', import.meta.url));
const PROGRAM = resolve(repositoryRoot, 'build/board/uio-helper');
const FLAGS = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror'];

/** The program that maps what Node cannot; compiled when its source is newer. */
export function helperProgram(): string {
  if (existsSync(PROGRAM) && statSync(PROGRAM).mtimeMs >= statSync(SOURCE).mtimeMs) return PROGRAM;
  mkdirSync(dirname(PROGRAM), { recursive: true });
  const fresh = `${PROGRAM}.${process.pid}`; // two runs may want it at once
  const { error, status, stderr } = spawnSync('gcc', [...FLAGS, '-o', fresh, SOURCE], { encoding: 'utf8' });
  if (error || status !== 0)
    throw new IbError('not-supported', `board: expected gcc to compile ${SOURCE}, found ${error ?? stderr}`);
  renameSync(fresh, PROGRAM);
  return PROGRAM;
}
