import { type Judged, Undecided } from './judge.ts';
import { inTypeScript, type Mutant } from './mutants.ts';
import { runNode } from './process.ts';
import { makeTree, readReport, removeTree, type TreeReport } from './tree.ts';

const LIMIT_MS = 300_000;

/** Tests that judge a mutant alone: they run in a tree of their own, and are known to pass without it. */
export class TreeJudge {
  readonly #binary: string;
  /** What tests say without a mutant, by file and title. */
  readonly #sounds = new Map<string, Promise<TreeReport>>();

  /** `binary`: a simulator with the mutants of the RTL in it. */
  constructor(binary: string) {
    this.#binary = binary;
  }

  async judge(mutant: Mutant): Promise<Judged> {
    const start = performance.now();
    const { test = '', title } = mutant;
    const key = `${test} ${title}`;
    let sound = this.#sounds.get(key);
    if (!sound) {
      sound = this.#run(mutant, 0);
      this.#sounds.set(key, sound);
    }
    const [wrong] = (await sound).failed;
    if (wrong) throw new Undecided(`expected ${test} to pass without a mutant, ${wrong.name}: ${wrong.why}`);
    const [found] = (await this.#run(mutant, mutant.number)).failed;
    const seconds = (performance.now() - start) / 1000;
    return { report: found ? { case: `${test}: ${found.name}`, found: found.why } : { times: {} }, seconds };
  }

  async #run(mutant: Mutant, active: number): Promise<TreeReport> {
    const { number, test = '', title } = mutant;
    const tree = makeTree(`${number}-${active}`, this.#binary, active === 0 ? undefined : mutant);
    const args = ['run', '--project', test.split('/')[0]!, `test/${test}.test.ts`, '--bail', '1'];
    const once = () =>
      runNode(
        ['node_modules/vitest/vitest.mjs', ...args, ...(title ? ['-t', title] : [])],
        LIMIT_MS,
        { OPENHCA_MUTANT: String(inTypeScript(mutant) ? 0 : active), REPORT: 'mutant' },
        tree,
      );
    let ended = await once();
    if (ended.cut) ended = await once();
    const what = `mutant ${number}: expected tests of ${test} to`;
    if (ended.cut) throw new Undecided(`${what} end within ${LIMIT_MS / 1000} s, twice they did not`);
    const found = readReport(tree, 'mutant');
    if (!found || found.passed.length + found.failed.length === 0)
      throw new Undecided(`${what} run, ${(ended.stderr || ended.stdout).slice(-800)}`);
    removeTree(tree);
    return found;
  }
}
