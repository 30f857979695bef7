import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { repositoryRoot } from '../gen/root.ts';
import { prepare, readRun } from '../report/index.ts';
import { type CheckedRun, simulatorOf } from '../run/index.ts';
import { loadScenario, runScenario, type StepReport } from '../scenario/index.ts';
import { readHierarchy, WaveError } from './fst.ts';
import { groupsOf } from './layout.ts';
import { gtkwaveFile, surferFile } from './viewers.ts';
import { around, cycleOf, firstPlace, type Place, type Window } from './window.ts';

export interface WaveOptions {
  /** The window is around this cycle. */
  at?: number | undefined;
  /** Or around the nth mark of a kind; around what failed or struck first unless told. */
  place?: Place | undefined;
  nth?: number | undefined;
  cycles?: number | undefined;
  onOpen?: (run: CheckedRun) => void;
  onStep?: (step: StepReport) => void;
}

export interface Waves {
  readonly window: Window;
  readonly files: readonly string[];
  readonly groups: number;
  readonly signals: number;
}

const CYCLES = 4000;

/** Repeats the run that has left this folder, with waves of a window, and leaves them there with what viewers show of them. */
export async function takeWaves(folder: string, options: WaveOptions): Promise<Waves> {
  const { data } = prepare(readRun(folder), { folder });
  const { record } = data;
  if (!record) throw new WaveError(`wave: expected the run.json of a run in ${folder}, found none`);
  if (record.device === 'model')
    throw new WaveError(`wave: expected a run on RTL in ${folder}, found one on the model`);
  if (!/openhca(\.js)? run /.test(record.command))
    throw new WaveError(`wave: expected a run of a scenario in ${folder}, found: ${record.command}`);

  const { at, place = firstPlace(data), nth = 1, cycles = CYCLES } = options;
  const cycle = at ?? cycleOf(data, place, nth);
  if (cycle === undefined) {
    const found = data.marks.filter(({ kind }) => kind === place).length;
    throw new WaveError(`wave: expected ${place} ${nth} in ${folder}, found ${found} of them`);
  }
  const window = around(cycle, cycles);
  const wave = join(folder, 'wave.fst');
  rmSync(wave, { force: true });

  const { device, dataWidth, profile, seed, file } = record;
  const { verdict } = await runScenario(loadScenario(resolve(repositoryRoot, file)), {
    device,
    seed,
    traced: true,
    ...(options.onStep ? { onStep: options.onStep } : {}),
    ...(dataWidth === undefined ? {} : { dataWidth }),
    ...(profile === undefined ? {} : { profile }),
    onOpen: (run) => {
      options.onOpen?.(run);
      simulatorOf(run.watch.inner)?.waves(window.from, window.to, wave);
    },
  });
  if (verdict.totals.cycles !== record.cycles)
    throw new WaveError(
      `wave: expected the run in ${folder} again, ${record.cycles} cycles, found ${verdict.totals.cycles}: ` +
        'sources have changed since; run it again',
    );
  const groups = groupsOf(readHierarchy(wave));
  const files = [wave, join(folder, 'wave.gtkw'), join(folder, 'wave.sucl')];
  writeFileSync(files[1]!, gtkwaveFile(wave, groups, window));
  writeFileSync(files[2]!, surferFile(groups));
  const signals = groups.reduce((sum, group) => sum + group.signals.length, 0);
  return { window, files, groups: groups.length, signals };
}
