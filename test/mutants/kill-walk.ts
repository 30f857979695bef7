// The random walk against one simulator, as a program: `kill-walk.ts BINARY`. The last line of its output is a report as that of kill.ts:
// the chapter that failed and what it found, or how long all took. OPENHCA_MUTANT says which mutant acts in it, WALK_STEPS how far it goes.
import { walk } from '../../src/walk/index.ts';

const SEED = 1;
const STEPS = Number(process.env.WALK_STEPS ?? 3000);

const [binary] = process.argv.slice(2);
if (!binary) throw new Error('kill-walk: expected a simulator, got none');

const start = performance.now();
const { state, failure } = await walk({ device: 'rtl', seed: SEED, steps: STEPS, binary, shrinkMs: 0 });
const ms = Math.round(performance.now() - start);
const report = failure
  ? { case: `chapter ${failure.chapter}`, found: failure.problems[0]?.text.slice(0, 600), ms }
  : { times: { [`${state.chapters} chapters`]: ms } };
console.log(JSON.stringify(report));
process.exit(failure ? 1 : 0);
