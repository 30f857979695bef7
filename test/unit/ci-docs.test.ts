import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const page = read('docs/ci.md');

/** As much of a workflow of GitHub as the example uses. */
const step = z
  .strictObject({
    id: z.string(),
    uses: z.string().regex(/^actions\/[\w-]+@v\d+$/),
    with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    if: z.string(),
    run: z.string(),
  })
  .partial()
  .refine(({ uses, run }) => (uses === undefined) !== (run === undefined), 'expected uses or run');
const job = z.strictObject({
  'runs-on': z.string(),
  needs: z.string().optional(),
  'timeout-minutes': z.int().optional(),
  env: z.record(z.string(), z.string()).optional(),
  strategy: z
    .object({ 'fail-fast': z.boolean(), matrix: z.record(z.string(), z.array(z.string())) })
    .optional(),
  steps: z.array(step).min(1),
});
const workflow = z.strictObject({
  name: z.string(),
  on: z.array(z.string()),
  jobs: z.record(z.string(), job),
});

const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
const jobs = Object.values(workflow.parse(parse(example)).jobs);
const steps = jobs.flatMap((each) => each.steps);

const targets = [...read('Makefile').matchAll(/^([a-z-]+):.*## /gm)].map(([, name]) => name);
const made = (text: string): string[] => [...text.matchAll(/\bmake ([a-z-]+)/g)].map(([, name]) => name!);

describe('the page on continuous integration', () => {
  it('names no target that is not in the Makefile, in text and workflow', () => {
    const named = made(page.replaceAll(/`make` compares/g, ''));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !targets.includes(name))).toEqual([]);
    expect(steps.flatMap(({ run = '' }) => made(run))).toEqual([
      'setup',
      'lint',
      'test',
      'smoke',
      'setup',
      'test-merge',
    ]);
  });

  it('makes its keys of files that are there', () => {
    const hashed = steps.flatMap(({ with: values = {} }) =>
      [...String(values.key ?? '').matchAll(/hashFiles\(([^)]*)\)/g)].flatMap(([, list]) =>
        list!.split(',').map((name) => name.trim().replaceAll("'", '').replace('/**', '')),
      ),
    );
    expect(hashed).toContain('package-lock.json');
    expect(hashed.filter((name) => !existsSync(`${root}/${name}`))).toEqual([]);
  });

  it('makes the key of the simulators of what sim/build.sh makes its stamp of', () => {
    const script = read('sim/build.sh');
    const [, top = ''] = /^top=(.*)$/m.exec(script) ?? [];
    const [, found = ''] = /^sources=\$\(find (.*?) \$\{/m.exec(script) ?? [];
    const sources = found.replace('"$top"', top);
    const key = steps.map(({ with: values }) => String(values?.key)).find((text) => text.startsWith('sim-'));
    const inKey = (path: string) => key?.includes(`'${path}'`) || key?.includes(`'${path.split('/')[0]}/**'`);
    expect(sources.split(' ')).toContain('rtl');
    expect(sources.split(' ').filter((path) => !inKey(path))).toEqual([]);
  });

  it('caches what the Makefile keeps', () => {
    const [, npm] = /^NPM_STAMP +:= (.*)$/m.exec(read('Makefile')) ?? [];
    const [, venv] = /^VENV_STAMP := (.*)$/m.exec(read('Makefile')) ?? [];
    expect(steps.map(({ run }) => run)).toEqual(expect.arrayContaining([`touch ${npm}`, `touch ${venv}`]));
  });

  it('uploads the parts from where they are left, and reports', () => {
    const paths = steps.map(({ with: values }) => String(values?.path ?? ''));
    expect(paths.filter((path) => path === 'build/reports/shards')).toHaveLength(2);
    expect(read('vitest.config.ts')).toContain('build/reports/shards');
  });
});
