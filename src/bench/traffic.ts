import type { TapEvent } from '../device.ts';
import {
  allocBuffer,
  type ConnectOptions,
  type Context,
  connectPair,
  createCq,
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
import {
  type CheckedRun,
  type FinishOptions,
  type Operation,
  openRun,
  type RunOptions,
} from '../run/index.ts';

/** One stream of equal messages, as the bench rows name it. */
export interface Load {
  operation: Operation | 'ATOMIC_FETCH_AND_ADD';
  mtuBytes: number;
  messageBytes: number;
  /** Of each queue pair. */
  messages: number;
  qps: number;
  /** Also the other way at the same time. */
  both: boolean;
  /** Payload in the WQE. */
  inline?: boolean;
  /** All queue pairs of a host complete to one CQ: of many, each cannot have its own. */
  shared?: boolean;
}

/** What a measurement adds to its streams. */
export interface Extra {
  /** All is connected and nothing posted. */
  before?(run: CheckedRun): Promise<void>;
  /** Sees what happened, as time goes on. */
  watch?(events: readonly TapEvent[]): void;
  /** All completions of the streams are there. */
  after?(run: CheckedRun): Promise<void>;
  /** What the checks are to expect. */
  finish?: FinishOptions;
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

/** Moves a load under all checks; the cycles from the first doorbell to the last completion in memory. */
export async function measure(load: Load, options: RunOptions, extra: Extra = {}): Promise<number> {
  const run = await openRun('rtl', { dmaBytes: false, ...options });
  try {
    const streams: Stream[] = [];
    const objects = load.shared ? await sharedCqs(load, run) : {};
    for (let i = 0; i < load.qps; i++) {
      const { a, b } = await connect(load, run, objects);
      streams.push(await open(run.a, a, b));
      if (load.both) streams.push(await open(run.b, b, a));
    }
    await extra.before?.(run);
    const start = run.fabric.now();
    run.watch.setTaps({ dma: true, ...(extra.watch ? { packets: true } : {}) });
    for (const stream of streams) post(load, stream);
    const end = await drain(run, load, streams, extra);
    run.watch.setTaps({});
    await extra.after?.(run);
    await run.settle();
    for (const { to } of streams) await pollCq(to.recvCq);
    const verdict = await run.finish(extra.finish);
    if (verdict.problems.length > 0) {
      throw new Error(
        `bench: the checks object: ${verdict.problems
          .slice(0, 3)
          .map(({ text }) => text)
          .join('; ')}`,
      );
    }
    return end - start;
  } finally {
    await run.close();
  }
}

async function sharedCqs({ messages, qps }: Load, { a, b }: CheckedRun): Promise<ConnectOptions> {
  const entries = messages * qps + 1;
  return { a: { sendCq: await createCq(a, entries) }, b: { sendCq: await createCq(b, entries) } };
}

async function connect(
  load: Load,
  run: CheckedRun,
  objects: ConnectOptions,
): Promise<Record<'a' | 'b', Endpoint>> {
  const cap = {
    maxSendWr: load.messages,
    maxRecvWr: load.messages,
    maxSendSge: load.inline ? 1 : 3,
    maxRecvSge: 3,
    maxInlineData: load.inline ? load.messageBytes : 0,
  };
  return connectPair(run.a, run.b, {
    mtuBytes: load.mtuBytes,
    cap,
    cqEntries: load.messages + 1,
    ...objects,
  });
}

/** What one end sends to the other, from a region of its own to one of the other's. */
async function open(context: Context, from: Endpoint, to: Endpoint): Promise<Stream> {
  const region = ({ pd }: Endpoint) =>
    regMr(pd, allocBuffer(pd.context, REGION_BYTES, {}), REGION_BYTES, ALL_RIGHTS);
  return { context, from, to, source: await region(from), target: await region(to) };
}

/** Odd places, three pieces; small messages one after the other. */
function pieces({ messageBytes }: Load, { addr, lkey }: Mr, i: number) {
  if (messageBytes < 100) return [{ addr: addr + 8n * BigInt(i), length: messageBytes, lkey }];
  const first = Math.min(1001, messageBytes >> 3);
  const second = Math.min(30_011, messageBytes >> 1);
  return [
    { addr: addr + 13n, length: first, lkey },
    { addr: addr + 70_007n, length: second, lkey },
    { addr: addr + 120_003n, length: messageBytes - first - second, lkey },
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
        ...(operation === 'ATOMIC_FETCH_AND_ADD'
          ? { atomic: { remoteAddr: target.addr + 8n * BigInt(i), rkey: target.rkey, compareAdd: 1n } }
          : { remoteAddr: at(i), rkey: target.rkey }),
      }),
    ),
  );
}

/** Runs until every completion is there; the cycle of the last write of a CQE by a requester. */
async function drain(run: CheckedRun, load: Load, streams: readonly Stream[], extra: Extra): Promise<number> {
  const cqs = new Map(streams.map(({ from }) => [from.sendCq, from.context]));
  let left = streams.length * load.messages;
  let [last, quiet] = [0, 0];
  while (left > 0) {
    const { reason } = await run.fabric.run({ cycles: STEP_CYCLES, idle: true });
    quiet = reason === 'idle' ? quiet + 1 : 0;
    if (quiet > QUIET_STEPS) throw new Error(`bench: ${load.operation} stalled with ${left} messages to go`);
    const events = await run.watch.takeTaps();
    extra.watch?.(events);
    const written = events.filter((event) => event.kind === 'dma-write' && event.length === CQE_BYTES);
    last = written.at(-1)?.cycle ?? last;
    for (const [cq, context] of cqs) {
      await processEvents(context);
      const done = await pollCq(cq);
      failOn(done);
      left -= done.length;
    }
  }
  return last;
}

function failOn(completions: readonly WorkCompletion[]): void {
  const bad = completions.find(({ status }) => status !== 'SUCCESS');
  if (bad) throw new Error(`bench: expected success, got ${bad.status} of WR ${bad.wrId}`);
}
