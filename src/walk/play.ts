import { join } from 'node:path';
import { type CheckedRun, type DataWidth, type DeviceKind, type Problem, Verdict } from '../run/index.ts';
import { parseScenario, runScenario, type ScenarioData, type ScenarioResult } from '../scenario/index.ts';
import { type Profile, SimError } from '../sim/index.ts';
import { IbError } from '../spec/errors.ts';
import { scenarioText } from './text.ts';

/** What is left of a chapter that failed, in its folder. */
export const FAILING_FILE = 'failing.yaml';

export interface PlayOptions {
  readonly device: DeviceKind;
  readonly dataWidth?: DataWidth;
  readonly profile?: Profile;
  /** Another simulator than the one sim/build.sh makes. */
  readonly binary?: string;
  readonly traced?: boolean;
  readonly onOpen?: (run: CheckedRun) => void;
}

export type Played = Pick<ScenarioResult, 'verdict' | 'recording'>;
export type Play = (data: ScenarioData, options: PlayOptions, out?: string) => Promise<Played>;

/** Plays a scenario that was made up; a device that gives up has failed. */
export async function playData(data: ScenarioData, options: PlayOptions, out?: string): Promise<Played> {
  const scenario = parseScenario('walk.yaml', scenarioText(data));
  try {
    return await runScenario(scenario, {
      ...options,
      seed: data.seed, // not that of the walk: what is left of a failure fails by itself
      ...(out === undefined ? {} : { files: { out }, repeatedBy: join(out, FAILING_FILE) }),
    });
  } catch (error) {
    const told = error instanceof IbError && !(error instanceof SimError && error.kind === 'missing');
    if (!told) throw error;
    const problem: Problem = { check: 'expectation', text: `expected an end, found ${error.message}` };
    return {
      verdict: new Verdict([problem], { cycles: 0, packets: 0 }),
      recording: { completions: new Map(), events: [], outcomes: [], rests: [] },
    };
  }
}

/** What two failures have in common if they are the same: the check, and its words without names and numbers. */
export function kindOf({ check, text }: Problem): string {
  if (check === 'dma' || check === 'memory') return check;
  if (check === 'wire') return `wire ${/\): ([a-z-]+):/.exec(text)?.[1] ?? ''}`;
  const words = text
    .replace(/^walk\.yaml:\S*/, '')
    .replace(/\b(p\d\.[ab]|[ab]_?(fleeting|skewed|\d)|QP \d+|host [ab])\b/g, '*')
    .replace(/\b(0x)?[0-9a-f]*\d[0-9a-f]*\b/g, '#');
  return `${check} ${words}`;
}

/** The problem that tells most: what else is wrong with a completion follows from its status. */
export const firstOf = (problems: readonly Problem[]): Problem | undefined =>
  problems.find(({ text }) => /expected status \w+ as the model/.test(text)) ?? problems[0];
