import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadScenario, runScenario, type ScenarioOptions } from '../../src/scenario/index.ts';
import { scenarioFolder } from './run-scenario.ts';

/** What is left of a run that has a cycle in it, or a count: each packet, each access of a host, each completion. */
const LEFT = ['wire.pcapng', 'timeline.json', 'counters.json'] as const;

/** Plays a scenario; what it has left, by name. */
export async function left(file: string, options: ScenarioOptions): Promise<Record<string, string>> {
  const out = mkdtempSync(join(tmpdir(), 'openhca-left-'));
  try {
    const { verdict } = await runScenario(loadScenario(`${scenarioFolder}${file}`), {
      ...options,
      files: { out },
    });
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
