import { Option } from 'commander';
import { PLACES, type Place } from '../wave/window.ts';
import type { CliCommand } from './command.ts';
import { guarded, InputError, strictOptions } from './exit.ts';
import { natural } from './run-options.ts';

interface Options {
  at?: number;
  around?: Place;
  nth?: number;
  cycles?: number;
  json?: boolean;
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
      .option('--json', 'tell what was left as JSON')
      .action((folder: string, options: Options) =>
        guarded(async (onInterrupt) => {
          const { around: place, at, nth, cycles, json } = options;
          if (folder === '') throw new InputError('wave: expected a folder, found none');
          if (at !== undefined && place !== undefined)
            throw new InputError('wave: expected --at or --around, found both');
          if (nth === 0 || cycles === 0)
            throw new InputError(`--${nth === 0 ? 'nth' : 'cycles'}: expected 1 or more, found 0`);
          const { takeWaves, WaveError } = await import('../wave/index.ts');
          const { ReportError } = await import('../report/index.ts');
          try {
            const onOpen = (run: { close(): Promise<void> }) => onInterrupt(() => run.close());
            const { window, files, groups, signals } = await takeWaves(folder, {
              at,
              place,
              nth,
              cycles,
              onOpen,
            });
            if (json) console.log(JSON.stringify({ ...window, files, groups, signals }, null, 2));
            else
              console.log(
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
