import { runNode } from './process.ts';
import { readReport } from './tree.ts';

/** Runs that say whether a mutant is found. */

const SUITE_LIMIT_MS = 300_000;
/** Of a block test, builds included. */
const BLOCK_LIMIT_MS = 300_000;
/** Many times what a walk takes without a mutant. */
const WALK_LIMIT_MS = 600_000;
/** A mutant that makes the suite so many times slower counts as found. */
const SLOWER = 5;
const FIRST_LIMIT_MS = 60_000;

export const NO_REPORT = 'no report';

export interface Report {
  /** What found something, and what; nothing found anything if there are `times`. */
  case?: string;
  found?: string;
  times?: Record<string, number>;
}

export interface Judged {
  readonly report: Report;
  readonly seconds: number;
}

/** It could not be told; a busy machine may be why. */
export class Undecided extends Error {}

/** A simulator with mutants in it, of which a run has one, or none with 0. */
export class Judge {
  readonly binary: string;
  /** What the build is called. */
  readonly variant: string;
  #limitMs = FIRST_LIMIT_MS;
  /** Block tests without a mutant. */
  readonly #sounds = new Map<string, Promise<Judged>>();

  constructor(variant: string, binary: string) {
    this.variant = variant;
    this.binary = binary;
  }

  /** The kill suite without a mutant, which says how long it may take with one. */
  async sound(): Promise<number> {
    const { report, seconds } = await this.suite(0);
    if (!report.times)
      throw new Undecided(`expected the suite to pass without a mutant, ${report.case}: ${report.found}`);
    this.#limitMs = Math.max(5_000, SLOWER * Math.max(...Object.values(report.times)));
    return seconds;
  }

  /** The kill suite, beginning with the case `first`. */
  suite(number: number, first = ''): Promise<Judged> {
    const args = ['test/mutants/kill.ts', this.binary, first];
    return decided(`mutant ${number}: the suite`, () =>
      this.#program(args, number, SUITE_LIMIT_MS, { KILL_LIMIT_MS: String(this.#limitMs) }),
    );
  }

  /** The random walk; one that comes to no end has found something. */
  async walk(number: number, steps?: number): Promise<Judged> {
    const variables = steps === undefined ? {} : { WALK_STEPS: String(steps) };
    return this.#program(['test/mutants/kill-walk.ts', this.binary], number, WALK_LIMIT_MS, variables);
  }

  /** The tests of a block whose names hold `title`; they are known to pass without a mutant. */
  async blockTest(number: number, test: string, title: string): Promise<Judged> {
    const file = `test/block/${test}.test.ts`;
    const run = async (active: number): Promise<Judged> =>
      decided(`mutant ${number}: ${file}`, async () => {
        const name = `mutants-${number}`;
        const { cut, status, stdout, seconds } = await runNode(
          ['node_modules/vitest/vitest.mjs', 'run', '--project', 'block', file, '-t', title, '--bail', '1'],
          BLOCK_LIMIT_MS,
          { BLOCK_MUTANTS: this.variant, OPENHCA_MUTANT: String(active), REPORT: name },
        );
        // Tests that no title fits would all pass.
        if (status === 0 && !readReport('.', name)?.passed.length)
          throw new Undecided(`mutant ${number}: expected tests of ${title} in ${file}, found none`);
        const found = `it ended with ${status}: ${stdout.slice(-500)}`;
        const report =
          status === 0 ? { times: {} } : { case: cut ? NO_REPORT : `the block test ${test}`, found };
        return { report, seconds };
      });
    const key = `${test} ${title}`;
    const sound = this.#sounds.get(key) ?? run(0);
    this.#sounds.set(key, sound);
    const { report } = await sound;
    if (!report.times) throw new Undecided(`expected ${file} to pass without a mutant, ${report.found}`);
    return run(number);
  }

  async #program(
    args: readonly string[],
    number: number,
    limitMs: number,
    variables: Readonly<Record<string, string>>,
  ): Promise<Judged> {
    const { stdout, stderr, status, cut, seconds } = await runNode(['--import', 'tsx', ...args], limitMs, {
      OPENHCA_MUTANT: String(number),
      ...variables,
    });
    try {
      return { report: JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Report, seconds };
    } catch {
      const how = cut ? `within ${limitMs / 1000} s it did not end` : `it ended with ${status}`;
      return { report: { case: NO_REPORT, found: `${how}: ${stderr.slice(-300)}` }, seconds };
    }
  }
}

/** A run that a busy machine has cut off says nothing: it is made again, and counts only if it comes to an end. */
async function decided(what: string, run: () => Promise<Judged>): Promise<Judged> {
  for (let tries = 1; ; tries++) {
    const judged = await run();
    if (judged.report.case !== NO_REPORT) return judged;
    if (tries === 2) throw new Undecided(`${what} came to no end: ${judged.report.found}`);
  }
}
