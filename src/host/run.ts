import type { Fabric } from '../device.ts';
import { qpStateName } from '../spec/gen/enums.ts';
import type { WorkCompletion } from './completion.ts';
import type { Cq } from './cq.ts';
import { VerbsError } from './errors.ts';
import { processEvents } from './events.ts';
import { pollCq } from './poll.ts';

const STEP_CYCLES = 1000;
const MAX_STEP_CYCLES = 64_000;

/** Lets time pass until a CQ has given `count` completions. */
export async function waitCompletions(
  fabric: Fabric,
  cq: Cq,
  count: number,
  timeoutCycles = 1_000_000,
): Promise<WorkCompletion[]> {
  const completions: WorkCompletion[] = [];
  const reached = await waitUntil(
    fabric,
    async () => {
      await processEvents(cq.context);
      completions.push(...(await pollCq(cq, count - completions.length)));
      return completions.length >= count;
    },
    timeoutCycles,
  );
  if (reached) return completions;
  throw new VerbsError('TIMEOUT', describe(cq, count, completions, timeoutCycles));
}

/** Lets time pass until something holds; tells whether it did within the time. */
export async function waitUntil(
  fabric: Fabric,
  holds: () => Promise<boolean>,
  timeoutCycles: number,
): Promise<boolean> {
  const end = fabric.now() + timeoutCycles;
  let idle = false; // nothing moves: only a timer can bring anything, so take longer steps
  let step = STEP_CYCLES;
  while (!(await holds())) {
    const left = end - fabric.now();
    if (left <= 0) return false;
    const { reason } = await fabric.run(
      idle ? { cycles: Math.min(step, left) } : { cycles: Math.min(STEP_CYCLES, left), idle: true },
    );
    step = idle ? Math.min(step * 2, MAX_STEP_CYCLES) : STEP_CYCLES;
    idle = idle || reason === 'idle';
  }
  return true;
}

function describe(cq: Cq, count: number, completions: WorkCompletion[], timeoutCycles: number): string {
  const { context } = cq;
  const got = completions.map(
    ({ wrId, status, opcode, qpNum }) => `${wrId} ${opcode} ${status} of QP ${qpNum}`,
  );
  const qps = [...context.qps.values()]
    .filter((qp) => qp.sendCq === cq || qp.recvCq === cq)
    .map((qp) => {
      const state = qpStateName(qp.state);
      return `QP ${qp.qpn} ${state}, ${qp.sq.outstanding} sends and ${qp.rq.outstanding} receives outstanding`;
    });
  return [
    `CQ ${cq.cqn} of ${context.device.name}: expected ${count} completions within ${timeoutCycles} cycles, got ${completions.length}`,
    ...got,
    ...qps,
  ].join('\n  ');
}
