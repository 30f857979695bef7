import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunOptions } from '../run/index.ts';
import { simulatorBinary } from '../sim/index.ts';
import { measure } from './traffic.ts';

export interface SimulatorSpeed {
  /** Thousand cycles a second through TypeScript, driver and checks at work. */
  whole: number;
  /** The same messages fed to the same program from a file: its C++ loop alone. */
  bare: number;
}

/** How much of the simulator's speed the TypeScript side leaves. */
export async function simulatorSpeed(options: RunOptions): Promise<SimulatorSpeed> {
  const folder = mkdtempSync(join(tmpdir(), 'openhca-bench-'));
  const frames = join(folder, 'frames');
  try {
    const begin = performance.now();
    const load = {
      operation: 'RDMA_WRITE',
      mtuBytes: 4096,
      messageBytes: 65_536,
      messages: 128,
      qps: 1,
      both: true,
    } as const;
    const cycles = await measure(load, { ...options, recordTo: frames });
    const whole = performance.now() - begin;

    const input = openSync(frames, 'r');
    const start = performance.now();
    spawnSync(simulatorBinary(options), [], { stdio: [input, 'ignore', 'ignore'] });
    const bare = performance.now() - start;
    closeSync(input);
    return { whole: cycles / whole, bare: cycles / bare };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
