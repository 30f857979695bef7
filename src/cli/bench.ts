import type { SimulatorKind } from '../sim/binary.ts';
import type { CliCommand } from './command.ts';
import { Exit, guarded, InputError, strictOptions } from './exit.ts';
import { chooseSimulator, simOption } from './run-options.ts';

interface Options {
  only?: string;
  json?: boolean;
  sim?: SimulatorKind;
}

export const bench: CliCommand = {
  name: 'bench',
  register(command) {
    strictOptions(command)
      .description('measure rates and latencies of the RTL in cycles; fail under a floor')
      .option('--only <text>', 'only rows whose name contains this; writes no files')
      .addOption(simOption())
      .option('--json', 'print the rows as JSON')
      .action((options: Options) => guarded(() => run(options)));
  },
};

async function run({ only, json, sim }: Options): Promise<void> {
  chooseSimulator({ sim });
  const { mkdirSync, writeFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const { bareSpeeds, benchCases, outcome, page, speedLine, table } = await import('../bench/index.ts');
  const { repositoryRoot } = await import('../gen/root.ts');

  const all = benchCases({ dataWidth: 256 });
  const cases = all.filter(({ name }) => only === undefined || name.includes(only));
  if (cases.length === 0)
    throw new InputError(
      `--only: expected a part of the name of one of ${all.length} rows, found ${JSON.stringify(only)}`,
    );
  const rows = [];
  for (const [i, each] of cases.entries()) {
    if (!json) process.stderr.write(`bench: ${i + 1}/${cases.length} ${each.name}\n`);
    rows.push(...(await each.run()));
  }
  console.log(json ? JSON.stringify(rows, null, 2) : table(rows));
  if (only === undefined) {
    mkdirSync(join(repositoryRoot, 'build'), { recursive: true });
    writeFileSync(join(repositoryRoot, 'build/bench.json'), `${JSON.stringify(rows, null, 2)}\n`);
    writeFileSync(join(repositoryRoot, 'docs/performance.md'), page(rows));
  }
  const { text, met } = outcome(rows);
  const tell = json ? console.error : console.log;
  if (only === undefined) tell(`bench: ${speedLine(await bareSpeeds())}`);
  tell(`bench: ${text}`);
  if (!met) process.exitCode = Exit.failed;
}
