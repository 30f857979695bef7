import type { CliCommand } from './command.ts';

interface Options {
  only?: string;
  json?: boolean;
}

export const bench: CliCommand = {
  name: 'bench',
  register(command) {
    command
      .description('measure rates and latencies of the RTL in cycles; fail under a floor')
      .option('--only <text>', 'only rows whose name contains this; writes no files')
      .option('--json', 'print the rows as JSON')
      .action(run);
  },
};

async function run({ only, json }: Options): Promise<void> {
  const { mkdirSync, writeFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const { benchCases, isExact, page, table } = await import('../bench/index.ts');
  const { repositoryRoot } = await import('../gen/root.ts');

  const cases = benchCases({ dataWidth: 256 }).filter(({ name }) => !only || name.includes(only));
  const rows = [];
  for (const [i, each] of cases.entries()) {
    if (!json) process.stderr.write(`bench: ${i + 1}/${cases.length} ${each.name}\n`);
    rows.push(...(await each.run()));
  }
  console.log(json ? JSON.stringify(rows, null, 2) : table(rows));
  if (!only) {
    mkdirSync(join(repositoryRoot, 'build'), { recursive: true });
    writeFileSync(join(repositoryRoot, 'build/bench.json'), `${JSON.stringify(rows, null, 2)}\n`);
    writeFileSync(join(repositoryRoot, 'docs/performance.md'), page(rows));
  }
  const missed = rows.filter((each) => !each.met && isExact(each));
  console.log(
    missed.length === 0
      ? 'bench: every floor is met'
      : `bench: ${missed.length} floors missed: ${missed.map(({ name }) => name).join('; ')}`,
  );
  if (missed.length > 0) process.exitCode = 1;
}
