import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Prints `tests: N passed, N failed, N skipped` as the very last line of a run. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };

    for (const module of modules) {
      let failedHere = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') count.passed++;
        else if (state === 'failed') failedHere++;
        else count.skipped++;
      }
      // A file that does not even load has no test that could fail: it counts as one.
      count.failed += failedHere || (module.state() === 'failed' ? 1 : 0);
    }

    const line = `tests: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`;
    process.once('exit', () => writeSync(1, line)); // behind whatever other reporters still print
  }
}
