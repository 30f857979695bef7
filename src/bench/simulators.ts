import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { framed } from '../sim/frames.ts';
import { SIMULATORS, type SimulatorKind, simulatorBinary } from '../sim/index.ts';
import { measure } from './traffic.ts';

/** So much that it takes some seconds. */
const MESSAGES: Readonly<Record<SimulatorKind, number>> = {
  verilator: 256,
  'cocotb-verilator': 64,
  'cocotb-icarus': 1,
};

export interface BareSpeed {
  sim: SimulatorKind;
  /** Thousand cycles a second, the time to start not counted; undefined where it is not built. */
  kcycles: number | undefined;
}

/** How fast each simulator is that is built, with messages from a file: time on this machine, and no measure of the RTL. */
export async function bareSpeeds(): Promise<BareSpeed[]> {
  const folder = mkdtempSync(join(tmpdir(), 'openhca-bench-'));
  try {
    const nothing = join(folder, 'nothing');
    writeFileSync(nothing, framed(HELLO));
    const speeds: BareSpeed[] = [];
    for (const sim of SIMULATORS) {
      const binary = simulatorBinary({ sim });
      if (!existsSync(binary)) {
        speeds.push({ sim, kcycles: undefined });
        continue;
      }
      const frames = join(folder, sim);
      const cycles = await record(frames, MESSAGES[sim]);
      speeds.push({ sim, kcycles: cycles / (timeOf(binary, frames) - timeOf(binary, nothing)) });
    }
    return speeds;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Seed 1, 16 cycles of reset (docs/protocol.md). */
const HELLO = Uint8Array.from([1, 0x4f, 0x48, 0x43, 0x41, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0]);

const record = (recordTo: string, messages: number): Promise<number> =>
  measure(
    { operation: 'RDMA_WRITE', mtuBytes: 4096, messageBytes: 16_384, messages, qps: 1, both: true },
    { recordTo, binary: simulatorBinary({ sim: 'verilator' }) },
  );

function timeOf(binary: string, frames: string): number {
  const input = openSync(frames, 'r');
  const start = performance.now();
  spawnSync(binary, [], { stdio: [input, 'ignore', 'ignore'] });
  closeSync(input);
  return performance.now() - start;
}

/** A line for people: speeds, and what they are of the native one. */
export function speedLine(speeds: readonly BareSpeed[]): string {
  const native = speeds[0]?.kcycles ?? 0;
  const each = speeds.map(({ sim, kcycles }) => {
    if (kcycles === undefined) return `${sim} not built`;
    return `${sim} ${kcycles.toPrecision(3)} kcycles/s${kcycles === native ? '' : ` (${(kcycles / native).toPrecision(2)})`}`;
  });
  return `speed of the simulators here: ${each.join(', ')}`;
}
