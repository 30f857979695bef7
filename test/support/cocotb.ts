import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { SimulatorKind } from '../../src/sim/index.ts';

export const root = resolve(import.meta.dirname, '../..');

/** Builds what cocotb runs; nothing happens when it is there already. */
export function buildCocotb(
  sim: Exclude<SimulatorKind, 'verilator'>,
  environment: NodeJS.ProcessEnv = {},
): void {
  execFileSync(join(root, 'sim/cocotb/build.sh'), [sim.split('-')[1]!], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
}
