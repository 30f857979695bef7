import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadScenario, runScenario } from '../../src/scenario/index.ts';
import { type Profile, type SimulatorKind, simulatorBinary } from '../../src/sim/index.ts';
import { scenarioFolder } from './run-scenario.ts';

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

/** What is left of a run that has a cycle in it, or a count: each packet, each access of a host, each completion. */
const LEFT = ['wire.pcapng', 'timeline.json', 'counters.json'] as const;

/** Plays a scenario on the RTL in that simulator; what it has left, by name. */
export async function left(
  sim: SimulatorKind,
  file: string,
  profile: Profile,
): Promise<Record<string, string>> {
  const out = mkdtempSync(join(tmpdir(), 'openhca-sims-'));
  try {
    const options = { device: 'rtl', profile, binary: simulatorBinary({ sim }), files: { out } } as const;
    const { verdict } = await runScenario(loadScenario(`${scenarioFolder}${file}`), options);
    const files = LEFT.map((name) => [name, readFileSync(join(out, name)).toString('latin1')] as const);
    return {
      problems: verdict.lines.join('\n'),
      cycles: `${verdict.totals.cycles}`,
      ...Object.fromEntries(files),
    };
  } finally {
    rmSync(out, { recursive: true });
  }
}
