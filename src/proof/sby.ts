import { spawn } from 'node:child_process';
import { BIN } from './tools.ts';

const TOOLS = ['yosys', 'smtbmc', 'witness'].flatMap((tool) => [
  `--${tool}`,
  tool === 'yosys' ? 'yowasp-yosys' : `yowasp-yosys-${tool}`,
]);

const running = new Set<number>();
const endAll = (): void => {
  for (const group of running) kill(group);
};
process.once('exit', endAll);

/** Runs a task of job.sby; gives what it said. Its status stands in the folder of the task. */
export function sby(folder: string, task: string, limitS: number): Promise<string> {
  return new Promise((done, fail) => {
    // A group of its own: the solver is ended with it.
    const child = spawn(`${BIN}/yowasp-sby`, [...TOOLS, '-f', 'job.sby', task], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PATH: `${BIN}:${process.env.PATH}` },
    });
    if (child.pid) running.add(child.pid);
    let said = '';
    const hear = (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-20_000);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const timer = setTimeout(() => child.pid && kill(child.pid), 1000 * 2 * limitS);
    child.on('error', fail);
    child.on('close', () => {
      clearTimeout(timer);
      if (child.pid) running.delete(child.pid);
      done(said);
    });
  });
}

function kill(group: number): void {
  try {
    process.kill(-group, 'SIGTERM');
  } catch {
    // It has ended meanwhile.
  }
}
