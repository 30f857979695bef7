import { mkdirSync, writeFileSync } from 'node:fs';
import { type Judged, Undecided } from './judge.ts';

/** What becomes of mutants, and how it is told. */

const WORKERS = 2;

/** What has to be known of a mutant to tell of it. */
export interface Told {
  readonly number: number;
  readonly block: string;
  readonly why: string;
  readonly equivalent?: string | undefined;
}

export interface Outcome<M extends Told = Told> {
  readonly mutant: M;
  readonly killed: boolean;
  readonly by: string;
  readonly found: string;
  readonly seconds: number;
}

/** Judges all, two at a time, once `first` is done; ends the program when one cannot be judged. */
export async function inTurn<M extends Told>(
  first: () => Promise<void>,
  all: readonly M[],
  judge: (mutant: M) => Promise<Outcome<M>>,
): Promise<Outcome<M>[]> {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const outcomes: Outcome<M>[] = [];
  const waiting = [...all];
  try {
    await first();
    await Promise.all(
      Array.from({ length: WORKERS }, async () => {
        for (let mutant = waiting.shift(); mutant; mutant = waiting.shift())
          outcomes.push(await judge(mutant));
      }),
    );
  } catch (error) {
    if (!(error instanceof Undecided)) throw error;
    end(1, error.message);
  }
  return outcomes;
}

export function conclude<M extends Told>(mutant: M, { report, seconds }: Judged): Outcome<M> {
  const { case: by = '', found = '', times } = report;
  const outcome = { mutant, killed: !times, by, found, seconds };
  console.log(line(outcome));
  return outcome;
}

export function line({ mutant, killed, by, found, seconds }: Outcome): string {
  const title = `${String(mutant.number).padStart(3)} ${mutant.block}: ${mutant.why}`;
  if (killed)
    return `${title}: killed by ${by} (${seconds.toFixed(1)} s)${found.startsWith('no end') ? ', hangs' : ''}`;
  return `${title}: SURVIVED, ${mutant.equivalent ? `equivalent: ${mutant.equivalent}` : 'no reason known'}`;
}

/** The share that was killed of those that can be. */
export function rate(outcomes: readonly Outcome[]): { killed: number; counted: number; percent: number } {
  const killed = outcomes.filter((outcome) => outcome.killed).length;
  const explained = outcomes.filter((outcome) => !outcome.killed && outcome.mutant.equivalent).length;
  const counted = outcomes.length - explained;
  return { killed, counted, percent: (100 * killed) / Math.max(1, counted) };
}

export function summary(outcomes: readonly Outcome[]): string {
  const { killed, counted, percent } = rate(outcomes);
  return (
    `mutate: ${killed} of ${counted} killed (${percent.toFixed(1)} %), ` +
    `${outcomes.length - counted} survivors explained, ${counted - killed} not`
  );
}

/** Leaves build/mutants/NAME.json. */
export function writeReport(name: string, outcomes: readonly Outcome[]): void {
  mkdirSync('build/mutants', { recursive: true });
  writeFileSync(`build/mutants/${name}.json`, `${JSON.stringify(outcomes, null, 2)}\n`);
}

/** Says what is in the way of a result, and ends all. */
export function end(status: number, text: string): never {
  console.error(`mutate: ${text}`);
  process.exit(status);
}
