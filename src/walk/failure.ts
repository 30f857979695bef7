import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CheckedRun,
  completeBundle,
  PROBLEMS_FILE,
  type Problem,
  RECORD_FILE,
  simulatorOf,
} from '../run/index.ts';
import type { ScenarioData } from '../scenario/index.ts';
import { simulatorBinary } from '../sim/index.ts';
import type { Chapter } from './chapter.ts';
import { FAILING_FILE, firstOf, kindOf, type Play, type PlayOptions } from './play.ts';
import { shrink } from './shrink.ts';
import { scenarioText } from './text.ts';

/** A chapter that failed, and the least that is left of it and fails the same way. */
export interface Failure {
  readonly chapter: number;
  readonly problems: readonly Problem[];
  readonly steps: number;
  readonly files: readonly string[];
}

const WAVE_CYCLES = 200_000;

interface ExplainOptions extends PlayOptions {
  readonly out?: string;
  readonly play: Play;
  readonly shrinkMs: number;
  readonly stop: () => boolean;
}

/** Makes a failing chapter smaller, and leaves it with a capture of its packets. */
export async function explain(
  chapter: Chapter,
  problems: readonly Problem[],
  options: ExplainOptions,
): Promise<Failure> {
  const { out, play, shrinkMs, stop } = options;
  const kind = kindOf(firstOf(problems)!);
  const fails = async (data: ScenarioData): Promise<boolean> => {
    if (stop()) return false;
    const { verdict } = await play(data, options);
    return verdict.problems.some((problem) => kindOf(problem) === kind);
  };
  const least = shrinkMs > 0 ? await shrink(chapter.data, fails, shrinkMs) : chapter.data;
  const files = out === undefined ? [] : await leave(out, chapter, least, options);
  return { chapter: chapter.number, problems, steps: least.steps.length, files };
}

async function leave(
  out: string,
  chapter: Chapter,
  least: ScenarioData,
  options: ExplainOptions,
): Promise<string[]> {
  const folder = join(out, `chapter-${chapter.number}`);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, data: ScenarioData): string => {
    const path = join(folder, name);
    writeFileSync(path, scenarioText(data));
    return path;
  };
  const files = [write(FAILING_FILE, least), write('chapter.yaml', chapter.data)];
  const wave = join(folder, 'wave.fst');
  const { dataWidth, binary, play } = options;
  const traced =
    binary === undefined &&
    existsSync(simulatorBinary({ ...(dataWidth ? { dataWidth } : {}), traced: true }));
  const onOpen = (run: CheckedRun): void => {
    options.onOpen?.(run);
    const simulator = traced ? simulatorOf(run.watch.inner) : undefined;
    simulator?.waves(run.fabric.now(), run.fabric.now() + WAVE_CYCLES, wave);
  };
  const waved = traced && options.device !== 'model';
  // With the comparison, that run.json tells what failed.
  await play(least, { ...options, traced: waved, onOpen }, folder);
  if (completeBundle(folder, [])) files.push(join(folder, PROBLEMS_FILE));
  files.push(...['wire.pcapng', 'timeline.json', RECORD_FILE].map((name) => join(folder, name)));
  return waved ? [...files, wave] : files;
}
