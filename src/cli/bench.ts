import type { SimulatorKind } from '../sim/binary.ts';
import type { CliCommand } from './command.ts';
import { Exit, guarded, InputError, strictOptions } from './exit.ts';
import { Output } from './output.ts';
import { Progress } from './progress.ts';
import { chooseSimulator, simOption } from './run-options.ts';

interface Options {
  only?: string;
  sim?: SimulatorKind;
}

export const bench: CliCommand = {
  name: 'bench',
  register(command) {
    strictOptions(command)
      .description('measure rates and latencies of the RTL in cycles; fail under a floor')
      .option('--only <text>', 'only rows whose name contains this; writes no files')
      .addOption(simOption())
      .action((options: Options) => guarded(() => run(options)));
  },
};

async function run({ only, sim }: Options): Promise<void> {
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
  const output = new Output();
  const progress = new Progress('bench', { everyMs: 0 });
  const rows = [];
  for (const [i, each] of cases.entries()) {
    progress.show(`${i + 1}/${cases.length} ${each.name}`);
    rows.push(...(await each.run()));
  }
  progress.end();
  output.document(rows);
  output.say(table(rows));
  if (only === undefined) {
    mkdirSync(join(repositoryRoot, 'build'), { recursive: true });
    writeFileSync(join(repositoryRoot, 'build/bench.json'), `${JSON.stringify(rows, null, 2)}\n`);
    writeFileSync(join(repositoryRoot, 'docs/performance.md'), page(rows));
  }
  const { text, met } = outcome(rows);
  if (only === undefined) output.note(`bench: ${speedLine(await bareSpeeds())}`);
  output.note(`bench: ${text}`);
  if (!met) process.exitCode = Exit.failed;
}
