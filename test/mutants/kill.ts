// The kill suite: node --import tsx test/mutants/kill.ts SIMULATOR [case to begin with]
//
// Plays case after case on a simulator and stops at the first that finds something. Prints one line of JSON:
// the case and what it found, or how long every case took. OPENHCA_MUTANT says which mutant acts in it.
import { ERRORS } from './case-errors.ts';
import { LOSSY } from './case-lossy.ts';
import { OBJECTS } from './case-objects.ts';
import { type Case, TRANSFERS } from './case-transfers.ts';

/** A case that takes so long found something: none takes a tenth of it without a mutant. */
const LIMIT_MS = Number(process.env.KILL_LIMIT_MS ?? 20_000);

const [binary, first = ''] = process.argv.slice(2);
const only = process.env.KILL_ONLY;
const all = [...TRANSFERS, ...ERRORS, ...LOSSY, ...OBJECTS].filter(({ name }) => !only || name === only);
const cases = [...all.filter(({ name }) => name === first), ...all.filter(({ name }) => name !== first)];
if (!binary || (first && cases[0]?.name !== first))
  throw new Error(`kill: expected a simulator and a case, got ${binary} ${first}`);

let current = '';
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    console.log(JSON.stringify({ case: current, found: String(error) }));
    process.exit(1);
  });

const times: Record<string, number> = {};
for (const each of cases) {
  current = each.name;
  const start = performance.now();
  const found = await play(each, binary);
  times[each.name] = Math.round(performance.now() - start);
  if (found !== undefined) {
    console.log(JSON.stringify({ case: each.name, found, ms: times[each.name] }));
    process.exit(1);
  }
}
console.log(JSON.stringify({ times }));
process.exit(0);

async function play(each: Case, simulator: string): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no end within ${LIMIT_MS} ms`), LIMIT_MS);
  });
  try {
    return await Promise.race([each.run(simulator).then(() => undefined), late]);
  } catch (error) {
    return String(error instanceof Error ? error.message : error).slice(0, 600);
  } finally {
    clearTimeout(timer);
  }
}
