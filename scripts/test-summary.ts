// Sums the JSON reports of test runs into one line: `tests: N passed, N failed, N skipped`.
// A report that is not there counts as one failure: its run died before it could write.
import { existsSync, readFileSync } from 'node:fs';

interface Report {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

const total = { passed: 0, failed: 0, skipped: 0 };

for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    console.error(`test-summary: expected a report ${file}, found none`);
    total.failed++;
    continue;
  }
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const unloaded = report.testResults.filter(
    (suite) => suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + unloaded;

  total.passed += report.numPassedTests;
  total.failed += failed === 0 && !report.success ? 1 : failed;
  total.skipped += report.numPendingTests + report.numTodoTests;
}

console.log(`tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
if (total.failed > 0) process.exitCode = 1;
