import type { CheckedRun, DataWidth, DeviceKind, Problem } from '../run/index.ts';
import { parseScenario, runScenario, type ScenarioData, type ScenarioResult } from '../scenario/index.ts';
import type { Profile } from '../sim/index.ts';
import { scenarioText } from './text.ts';

export interface PlayOptions {
  readonly device: DeviceKind;
  readonly dataWidth?: DataWidth;
  readonly profile?: Profile;
  /** Another simulator than the one sim/build.sh makes. */
  readonly binary?: string;
  readonly onOpen?: (run: CheckedRun) => void;
}

/** Plays a scenario that was made up; what it throws is a problem as well. */
export async function playData(
  data: ScenarioData,
  options: PlayOptions,
  out?: string,
): Promise<ScenarioResult> {
  const scenario = parseScenario('walk.yaml', scenarioText(data));
  return runScenario(scenario, { ...options, ...(out === undefined ? {} : { files: { out } }) });
}

/** What two failures have in common if they are the same: the check, and its words without names and numbers. */
export function kindOf({ check, text }: Problem): string {
  if (check === 'dma' || check === 'memory') return check;
  if (check === 'wire') return `wire ${/\): ([a-z-]+):/.exec(text)?.[1] ?? ''}`;
  const words = text
    .replace(/^walk\.yaml:\S*/, '')
    .replace(/\b(p\d\.[ab]|[ab]_?(fleeting|\d)|QP \d+|host [ab])\b/g, '*')
    .replace(/\b(0x)?[0-9a-f]*\d[0-9a-f]*\b/g, '#');
  return `${check} ${words}`;
}

/** The problem that tells most: what else is wrong with a completion follows from its status. */
export const firstOf = (problems: readonly Problem[]): Problem | undefined =>
  problems.find(({ text }) => /expected status \w+ as the model/.test(text)) ?? problems[0];
