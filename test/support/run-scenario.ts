import { parseScenario, runScenario, ScenarioError, type ScenarioOptions } from '../../src/scenario/index.ts';

export const scenarioFolder = new URL('../../scenarios/', import.meta.url).pathname;

/** Plays a text as if it were a scenario of that name; what it says when it fails, line by line. */
export async function playText(text: string, options: ScenarioOptions = {}): Promise<string[]> {
  const { verdict } = await runScenario(parseScenario(`${scenarioFolder}test.yaml`, text), options);
  return verdict.lines.map(shorten);
}

/** The mistakes of a text, line by line; none when it is right. */
export function mistakesOf(text: string): string[] {
  try {
    parseScenario('test.yaml', text);
    return [];
  } catch (error) {
    if (error instanceof ScenarioError) return error.message.split('\n');
    throw error;
  }
}

const shorten = (line: string): string => line.replace(scenarioFolder, '');
