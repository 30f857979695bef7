import { formatMistake, type Mistake } from '../yaml/index.ts';

/** A scenario that cannot be run: every mistake with its place. */
export class ScenarioError extends Error {
  constructor(
    readonly file: string,
    readonly mistakes: readonly Mistake[],
  ) {
    super(mistakes.map((mistake) => formatMistake(file, mistake)).join('\n'));
    this.name = 'ScenarioError';
  }
}

/** Something that was expected did not come true. */
export class Unexpected extends Error {
  constructor(
    readonly expected: string,
    readonly found: string,
    /** Below the step: which of its expectations. */
    readonly path: readonly PropertyKey[] = [],
  ) {
    super(`expected ${expected}, found ${found}`);
    this.name = 'Unexpected';
  }
}
