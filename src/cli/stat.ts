import type { CliCommand } from './command.ts';
import { guarded, InputError, strictOptions, takesInput } from './exit.ts';
import { Output } from './output.ts';

export const stat: CliCommand = {
  name: 'stat',
  register(command) {
    strictOptions(command)
      .description('tell what a run has moved and how fast, and what its devices have counted')
      .argument('<folder>', 'where a run has left counters.json')
      .action((folder: string) =>
        guarded(async () => {
          if (folder === '') throw new InputError('stat: expected a folder, found none');
          const { figuresOf } = await import('../run/stat/figures.ts');
          const { readStatistics } = await import('../run/stat/read.ts');
          const { statTable } = await import('./stat-table.ts');
          const statistics = takesInput(() => readStatistics(folder));
          const figures = figuresOf(statistics);
          const output = new Output();
          output.document({ ...statistics, figures });
          output.say(statTable(statistics, figures).join('\n'));
        }),
      );
  },
};
