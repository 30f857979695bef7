import { defineConfig } from 'vitest/config';

/** One project per folder of test/, so that each can be run alone: `npx vitest run --project unit`. */
const project = (name: string, timeoutMs: number) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout: timeoutMs, hookTimeout: timeoutMs },
});

/** `SLOW=1` also runs the `*.slow.test.ts`; `REPORT` names the files below build/reports. */
const slow = process.env.SLOW === '1';
const report = `build/reports/${process.env.REPORT ?? 'vitest'}`;

export default defineConfig({
  test: {
    exclude: slow ? ['node_modules/**'] : ['node_modules/**', '**/*.slow.test.ts'],
    pool: 'forks',
    // A test that expects nothing, be it for an empty list, says nothing.
    expect: { requireAssertions: true },
    reporters: [
      'default',
      ['json', { outputFile: `${report}.json` }],
      ['junit', { outputFile: `${report}.xml` }],
      './test/support/summary-reporter.ts',
    ],
    projects: [
      project('unit', 20_000),
      project('block', 120_000),
      project('system', 120_000),
      project('tools', 300_000),
    ],
  },
});
