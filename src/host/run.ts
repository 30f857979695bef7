import type { Fabric } from '../device.ts';
import { qpStateName } from '../spec/gen/enums.ts';
import type { WorkCompletion } from './completion.ts';
import type { Context } from './context.ts';
import type { Cq } from './cq.ts';
import { VerbsError } from './errors.ts';
import { processEvents } from './events.ts';
import { pollCq } from './poll.ts';
import { queryPort } from './port.ts';

const PORT_ACTIVE = 4;
const STEP_CYCLES = 1000;
const MAX_QUIET_CYCLES = 32_000;

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

/** Lets time pass until the port can send: what leaves a port that is down is lost. */
export async function waitPortActive(
  fabric: Fabric,
  context: Context,
  timeoutCycles = 100_000,
): Promise<void> {
  const active = async () => (await queryPort(context)).state === PORT_ACTIVE;
  if (await waitUntil(fabric, active, timeoutCycles)) return;
  throw new VerbsError(
    'TIMEOUT',
    `port of ${context.device.name}: expected it active within ${timeoutCycles} cycles`,
  );
}

/** Lets time pass until something holds; tells whether it did within the time. */
export async function waitUntil(
  fabric: Fabric,
  holds: () => Promise<boolean>,
  timeoutCycles: number,
): Promise<boolean> {
  const end = fabric.now() + timeoutCycles;
  let quietCycles = 0; // nothing moved last time: only a timer can bring anything
  for (;;) {
    if (await holds()) return true;
    const left = end - fabric.now();
    if (left <= 0) return false;
    if (quietCycles > 0) await fabric.run({ cycles: Math.min(quietCycles, left) });
    const rest = end - fabric.now();
    if (rest <= 0) continue;
    const { reason } = await fabric.run({ cycles: Math.min(STEP_CYCLES, rest), idle: true });
    quietCycles = reason === 'idle' ? Math.min(Math.max(quietCycles * 2, STEP_CYCLES), MAX_QUIET_CYCLES) : 0;
  }
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
