import {
  allocBuffer,
  type Context,
  connectPair,
  type Endpoint,
  type Mr,
  pollCq,
  postRecv,
  postSend,
  processEvents,
  regMr,
  type SendWr,
  type WorkCompletion,
} from '../host/index.ts';
import { type CheckedRun, type Operation, openRun, type RunOptions, wireLimitCycles } from '../run/index.ts';

/** One stream of equal messages, as the bench rows name it. */
export interface Load {
  operation: Operation;
  mtuBytes: number;
  messageBytes: number;
  /** Of each queue pair. */
  messages: number;
  qps: number;
  /** Also the other way at the same time. */
  both: boolean;
  /** Payload in the WQE. */
  inline?: boolean;
}

export interface Measured {
  /** From the first doorbell to the last completion in memory. */
  cycles: number;
  limitCycles: number;
  messages: number;
}

const REGION_BYTES = 1 << 18;
const ALL_RIGHTS = 0xf;
const STEP_CYCLES = 1000;
const QUIET_STEPS = 40;
const CQE_BYTES = 32;

interface Stream {
  context: Context;
  from: Endpoint;
  to: Endpoint;
  source: Mr;
  target: Mr;
}

/** Moves a load under all checks and tells how long it took. */
export async function measure(load: Load, options: RunOptions): Promise<Measured> {
  const run = await openRun('rtl', { dmaBytes: false, ...options });
  try {
    const streams: Stream[] = [];
    for (let i = 0; i < load.qps; i++) {
      const { a, b } = await connect(load, run);
      streams.push(await open(run.a, a, b));
      if (load.both) streams.push(await open(run.b, b, a));
    }
    const start = run.fabric.now();
    run.watch.setTaps({ dma: true });
    for (const stream of streams) post(load, stream);
    const end = await drain(run, load, streams);
    run.watch.setTaps({});
    await run.settle();
    for (const { to } of streams) await pollCq(to.recvCq);
    const verdict = await run.finish();
    if (verdict.problems.length > 0) {
      throw new Error(
        `bench: the checks object: ${verdict.problems
          .slice(0, 3)
          .map(({ text }) => text)
          .join('; ')}`,
      );
    }
    const wire = {
      operation: load.operation,
      bytes: load.messageBytes,
      messages: load.messages * load.qps,
      mtuBytes: load.mtuBytes,
      dataWidth: options.dataWidth ?? 256,
    };
    return {
      cycles: end - start,
      limitCycles: wireLimitCycles([wire], load.both ? [wire] : []),
      messages: load.messages * load.qps,
    };
  } finally {
    await run.close();
  }
}

async function connect(load: Load, run: CheckedRun): Promise<Record<'a' | 'b', Endpoint>> {
  const cap = {
    maxSendWr: load.messages,
    maxRecvWr: load.messages,
    maxSendSge: load.inline ? 1 : 3,
    maxRecvSge: 3,
    maxInlineData: load.inline ? load.messageBytes : 0,
  };
  return connectPair(run.a, run.b, { mtuBytes: load.mtuBytes, cap, cqEntries: load.messages + 1 });
}

/** What one end sends to the other, from a region of its own to one of the other's. */
async function open(context: Context, from: Endpoint, to: Endpoint): Promise<Stream> {
  const region = ({ pd }: Endpoint) =>
    regMr(pd, allocBuffer(pd.context, REGION_BYTES, {}), REGION_BYTES, ALL_RIGHTS & 7);
  return { context, from, to, source: await region(from), target: await region(to) };
}

/** Odd places, three pieces; small messages one after the other. */
function pieces({ messageBytes }: Load, { addr, lkey }: Mr, i: number) {
  if (messageBytes < 100) return [{ addr: addr + 8n * BigInt(i), length: messageBytes, lkey }];
  return [
    { addr: addr + 13n, length: 1001, lkey },
    { addr: addr + 70_007n, length: 30_011, lkey },
    { addr: addr + 120_003n, length: messageBytes - 31_012, lkey },
  ];
}

function post(load: Load, { from, to, source, target }: Stream): void {
  const { operation, messages, messageBytes } = load;
  const numbers = Array.from({ length: messages }, (_, i) => i);
  if (operation.startsWith('SEND')) {
    postRecv(
      to.qp,
      numbers.map((i) => ({ wrId: BigInt(i), sgList: pieces(load, target, i) })),
    );
  }
  const at = (i: number) => target.addr + (messageBytes < 100 ? 8n * BigInt(i) : 5n);
  postSend(
    from.qp,
    numbers.map(
      (i): SendWr => ({
        wrId: BigInt(i),
        opcode: operation,
        ...(load.inline
          ? { inlineData: new Uint8Array(messageBytes).fill(i) }
          : { sgList: pieces(load, source, i) }),
        signaled: true,
        remoteAddr: at(i),
        rkey: target.rkey,
      }),
    ),
  );
}

/** Runs until every completion is there; the cycle of the last write of a CQE by a requester. */
async function drain(run: CheckedRun, load: Load, streams: readonly Stream[]): Promise<number> {
  const left = streams.map(() => load.messages);
  let [last, quiet] = [0, 0];
  while (left.some((n) => n > 0)) {
    const { reason } = await run.fabric.run({ cycles: STEP_CYCLES, idle: true });
    quiet = reason === 'idle' ? quiet + 1 : 0;
    if (quiet > QUIET_STEPS)
      throw new Error(`bench: ${load.operation} stalled with ${left.join(', ')} messages to go`);
    for (const event of await run.watch.takeTaps()) {
      if (event.kind === 'dma-write' && event.length === CQE_BYTES) last = event.cycle;
    }
    for (const [i, { context, from }] of streams.entries()) {
      await processEvents(context);
      const done = await pollCq(from.sendCq);
      failOn(done);
      left[i] = (left[i] ?? 0) - done.length;
    }
  }
  return last;
}

function failOn(completions: readonly WorkCompletion[]): void {
  const bad = completions.find(({ status }) => status !== 'SUCCESS');
  if (bad) throw new Error(`bench: expected success, got ${bad.status} of WR ${bad.wrId}`);
}
