import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { readEnvironment } from './src/cli/environment.ts';
import LongestFirst from './test/support/longest-first.ts';

/** One project per folder of test/, so that each can be run alone: `npx vitest run --project unit`. */
const project = (name: string, timeoutMs: number) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout: timeoutMs, hookTimeout: timeoutMs },
});

// A setting that cannot be read ends the run here, in one line, and not test by test.
try {
  readEnvironment();
} catch (error) {
  console.error((error as Error).message);
  process.exit(2);
}

/** Time that tests have is that of the native simulator; of the others, and of those that count beside, they need more. */
const { sim, variant } = readEnvironment();
const slower =
  { verilator: 1, 'cocotb-verilator': 4, 'cocotb-icarus': 30 }[sim] * (variant === undefined ? 1 : 4);

/** `REPORT` names the files below build/reports. */
const report = `build/reports/${process.env.REPORT ?? 'vitest'}`;

/** Of one part of the tests, to be merged with the others. */
const parts: [string, Record<string, unknown>][] = process.env.SHARD
  ? [['blob', { outputFile: `build/reports/shards/${process.env.REPORT}.json` }]]
  : [];
/** Failures, where a pull request shows them. */
const annotations: string[] = process.env.GITHUB_ACTIONS ? ['github-actions'] : [];

export default defineConfig({
  test: {
    pool: 'forks',
    setupFiles: ['./test/support/simulator.ts', './test/support/coverage.ts'],
    // Each waits for its simulator half of the time.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // A test that expects nothing, be it for an empty list, says nothing.
    expect: { requireAssertions: true },
    reporters: [
      'default',
      ['json', { outputFile: `${report}.json` }],
      ['junit', { outputFile: `${report}.xml` }],
      ...parts,
      ...annotations,
      './test/support/summary-reporter.ts',
    ],
    projects: [
      project('unit', 20_000),
      project('block', 120_000),
      project('system', 120_000 * slower),
      project('tools', 300_000 * slower),
      project('netlist', 120_000),
    ],
  },
});
