import { spawn } from 'node:child_process';

export interface Ended {
  /** Nothing when a signal ended it. */
  readonly status: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** It was stopped at the limit: its outcome says nothing. */
  readonly cut: boolean;
  readonly seconds: number;
}

/** What runs now, each with the processes that it has started: all end with us. */
const running = new Set<number>();
process.on('exit', () => {
  for (const pid of running) stop(pid);
});

/** Runs a program of Node; one that takes longer is stopped, with all that it has started. */
export function runNode(
  args: readonly string[],
  limitMs: number,
  variables: Readonly<Record<string, string>> = {},
  folder = '.',
): Promise<Ended> {
  const start = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, that can be stopped as one
  });
  const pid = child.pid;
  if (pid !== undefined) running.add(pid);
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => {
      said[stream] += chunk;
    });
  let cut = false;
  const limit = setTimeout(() => {
    cut = true;
    if (pid !== undefined) stop(pid);
  }, limitMs);
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (status) => {
      clearTimeout(limit);
      if (pid !== undefined) running.delete(pid);
      done({ status: status ?? undefined, ...said, cut, seconds: (performance.now() - start) / 1000 });
    });
  });
}

function stop(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
