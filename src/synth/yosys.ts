import { spawn } from 'node:child_process';

/** The program; it sees only the folder it runs in, so all its paths are relative to the repository. */
export const PROGRAM = '.venv/bin/yowasp-yosys';

/** Runs Yosys commands quietly; `log` gets everything it would say. */
export function yosys(commands: readonly string[], log: string): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(PROGRAM, ['-q', '-l', log, '-p', commands.join('; ')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let last = '';
    child.stderr.on('data', (chunk: Buffer) => {
      last = `${last}${chunk}`.slice(-2000);
    });
    child.on('error', fail);
    child.on('close', (code) => {
      if (code === 0) done();
      else fail(new Error(`yosys: expected exit code 0, got ${code}, see ${log}\n${last}`));
    });
  });
}
