import { connectPair, createCq, postRecv, postSend, waitCompletions } from '../host/index.ts';
import type { CheckedRun, RunOptions } from '../run/index.ts';
import { type Extra, failOn, type Load, measure } from './traffic.ts';

/** What one queue pair of many can be waiting for. */
export const WAITS = {
  /** A receive WQE: it asks again every 10 us. */
  rnr: { text: 'RNR wait', attr: { minRnrTimer: 1 }, lost: 0 },
  /** An answer: its packet is lost three times, T is 32.768 us, so that a turn among all is no time-out. */
  retry: { text: 'retry', attr: { timeout: 3 }, lost: 3 },
} as const;

/** All queue pairs of 64 but the one, and QP 0 and 1. */
export const STREAMS = 61;
const LOAD: Load = {
  operation: 'RDMA_WRITE',
  mtuBytes: 1024,
  messageBytes: 1024,
  messages: 16,
  qps: STREAMS,
  both: false,
  shared: true,
};

/** How fast many queue pairs are while one waits, as a share of what they do alone. */
export async function shareBeside(wait: keyof typeof WAITS, options: RunOptions): Promise<number> {
  const alone = await measure(LOAD, options);
  return alone / (await measure(LOAD, options, waiter(wait)));
}

function waiter(wait: keyof typeof WAITS): Extra {
  const { attr, lost } = WAITS[wait];
  let ends: Awaited<ReturnType<typeof connectPair>>;
  return {
    finish: { drops: [{}, { SEQUENCE: 'any' }] },
    async before(run: CheckedRun) {
      ends = await connectPair(run.a, run.b, {
        a: { sendCq: await createCq(run.a, 4) },
        b: { sendCq: await createCq(run.b, 4) },
        attr,
      });
      const { qpn } = ends.b.qp;
      if (lost > 0) await run.setFaults([{ from: 'a', qpn, count: lost, what: 'drop' }]);
      postSend(ends.a.qp, [{ wrId: 0n, opcode: 'SEND', signaled: true }]);
      if (lost > 0) postRecv(ends.b.qp, [{ wrId: 0n }]);
    },
    async after(run: CheckedRun) {
      if (lost === 0) postRecv(ends.b.qp, [{ wrId: 0n }]);
      for (const { sendCq } of [ends.a, ends.b]) failOn(await waitCompletions(run.fabric, sendCq, 1));
    },
  };
}
