import { Option } from 'commander';
import { PLACES, type Place } from '../wave/window.ts';
import type { CliCommand } from './command.ts';
import { guarded, InputError, strictOptions } from './exit.ts';
import { Output } from './output.ts';
import { Progress } from './progress.ts';
import { natural } from './run-options.ts';

interface Options {
  at?: number;
  around?: Place;
  nth?: number;
  cycles?: number;
}

export const wave: CliCommand = {
  name: 'wave',
  register(command) {
    strictOptions(command)
      .description('repeat a run with waves of a window of cycles, for GTKWave and Surfer')
      .argument('<folder>', 'where openhca run has left it')
      .option('--at <cycle>', 'around this cycle', natural)
      .addOption(
        new Option('--around <what>', 'around what; unless told the first that there is').choices([
          ...PLACES,
        ]),
      )
      .option('--nth <n>', 'the nth of them, from 1', natural)
      .option('--cycles <n>', 'so many; 4000 unless told', natural)
      .action((folder: string, options: Options) =>
        guarded(async (onInterrupt) => {
          const { around: place, at, nth, cycles } = options;
          if (folder === '') throw new InputError('wave: expected a folder, found none');
          if (at !== undefined && place !== undefined)
            throw new InputError('wave: expected --at or --around, found both');
          if (nth === 0 || cycles === 0)
            throw new InputError(`--${nth === 0 ? 'nth' : 'cycles'}: expected 1 or more, found 0`);
          const { takeWaves, WaveError } = await import('../wave/index.ts');
          const { ReportError } = await import('../report/index.ts');
          const progress = new Progress('wave');
          try {
            const onOpen = (run: { close(): Promise<void> }) => onInterrupt(() => run.close());
            const { window, files, groups, signals } = await takeWaves(folder, {
              at,
              place,
              nth,
              cycles,
              onOpen,
              onStep: ({ index, count, title }) => progress.show(`step ${index + 1}/${count} ${title}`),
            });
            progress.end();
            const output = new Output();
            output.document({ ...window, files, groups, signals });
            output.say(
              `wave: cycles ${window.from} to ${window.to - 1}, around ${window.at}; ${signals} signals in ${groups} groups; ` +
                `left ${files.join(', ')}`,
            );
          } catch (error) {
            if (error instanceof WaveError || error instanceof ReportError)
              throw new InputError(error.message);
            throw error;
          }
        }),
      );
  },
};
