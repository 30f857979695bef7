import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CaptureError } from '../capture/index.ts';
import { repositoryRoot } from '../gen/root.ts';
import { checkCapture, reportLines } from '../replay/index.ts';
import { parseScenario, ScenarioError } from '../scenario/index.ts';
import { Dice } from '../walk/index.ts';
import { hostileCapture } from './captures.ts';
import { hostileScenario } from './scenarios.ts';
import { remove, temporary } from './temporary.ts';

/** Hostile scenario and capture files, each read to its verdict: it is right, or its mistakes are told. */

export type FileKind = 'scenario' | 'capture';

export interface FileInput {
  readonly kind: FileKind;
  readonly bytes: Uint8Array;
}

/** The file of that number of a seed. */
export function hostileFile(seed: number, number: number): FileInput {
  const dice = new Dice(seed, number);
  return dice.oneIn(2)
    ? { kind: 'scenario', bytes: hostileScenario(dice, scenarios()) }
    : { kind: 'capture', bytes: hostileCapture(dice) };
}

let known: readonly string[] | undefined;
/** What mutations begin with. */
function scenarios(): readonly string[] {
  const folder = join(repositoryRoot, 'scenarios');
  known ??= readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  return known;
}

/** Reads files through one of its own, for captures are read twice: what they came to, in a word. Throws what must not be thrown. */
export class FileReader {
  readonly #folder = temporary();

  read({ kind, bytes }: FileInput): string {
    return kind === 'scenario' ? readScenario(Buffer.from(bytes).toString('utf8')) : this.#capture(bytes);
  }

  #capture(bytes: Uint8Array): string {
    const path = join(this.#folder, 'hostile.pcap');
    writeFileSync(path, bytes);
    try {
      const verdict = checkCapture(path);
      expectLines(reportLines(verdict));
      return verdict.passed ? 'capture: right' : 'capture: wrong';
    } catch (error) {
      if (!(error instanceof CaptureError)) throw error;
      expectLines([error.message]);
      return `capture: ${error.code}`;
    }
  }

  close(): void {
    remove(this.#folder);
  }
}

function readScenario(text: string): string {
  try {
    parseScenario('hostile.yaml', text);
    return 'scenario: right';
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    if (error.mistakes.length === 0) throw new Error('a scenario is refused for no mistake');
    return 'scenario: mistakes';
  }
}

const MOST_CHARACTERS = 4000;

/** What people read is there, and of a length that one can read. */
function expectLines(lines: readonly string[]): void {
  for (const line of lines)
    if (line === '' || line.length > MOST_CHARACTERS) throw new Error(`a line of ${line.length} characters`);
}
