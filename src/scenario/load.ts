import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { byPlace, LocatedYaml, type Path, type Place } from '../yaml/index.ts';
import { ScenarioError } from './errors.ts';
import { checkFaults, markRelativePsns } from './faults.ts';
import { checkPieces } from './pieces.ts';
import { checkReferences } from './references.ts';
import { type ScenarioData, scenarioSchema } from './schema.ts';

/** A scenario that can be run. */
export interface Scenario {
  /** Path as it was given. */
  readonly file: string;
  readonly folder: string;
  readonly data: ScenarioData;
  place(path: Path): Place;
}

/** A thousand times what a scenario is; more would take its time, and memory, before anything runs. */
const MAX_BYTES = 2 ** 20;
/** Of the file as a whole. */
const NOWHERE = { line: 0, column: 0 };

/** Reads a scenario; throws a ScenarioError that lists every mistake. */
export function loadScenario(file: string): Scenario {
  let text: string;
  if (file === '')
    throw new ScenarioError('scenario', [{ ...NOWHERE, expected: 'the name of a file', found: 'none' }]);
  const refuse = (found: string) =>
    new ScenarioError(file, [{ ...NOWHERE, expected: 'a file of at most 1 MiB', found }]);
  try {
    const found = statSync(file);
    // A pipe may never say anything, a device may have no end.
    if (!found.isFile()) throw refuse('what is no file');
    if (found.size > MAX_BYTES) throw refuse(`${found.size} bytes`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw error instanceof ScenarioError ? error : refuse('none that can be read');
  }
  return parseScenario(file, text);
}

export function parseScenario(file: string, text: string): Scenario {
  const yaml = new LocatedYaml(text);
  const { data, mistakes } = yaml.validate(scenarioSchema);
  if (mistakes) throw new ScenarioError(file, mistakes);
  markRelativePsns(data, yaml);
  const folder = dirname(file);
  const wrong = [
    ...checkReferences(data, yaml),
    ...checkPieces(data, yaml, folder),
    ...checkFaults(data, yaml),
  ];
  wrong.sort(byPlace);
  if (wrong.length > 0) throw new ScenarioError(file, wrong);
  return { file, folder, data, place: (path) => yaml.place(path) };
}
