import { pollCq, postRecv, postSend, type SendWr, type WorkCompletion } from '../../host/index.ts';
import type { CheckedRun } from '../run.ts';
import { type Operation, wireLimitCycles } from '../wire-limit.ts';
import type { Party } from './party.ts';
import { messageOf, type Plan } from './plan.ts';

/** What moving the file both ways by one operation took. */
export interface Transfer {
  operation: Operation;
  messages: number;
  bytes: number;
  packets: number;
  cycles: number;
  /** Least that the wire needs, of the cycles taken. */
  share: number;
  problems: string[];
}

/** One direction: who asks, who answers. */
interface Flow {
  from: Party;
  to: Party;
  posted: number;
  completed: number;
  receivesPosted: number;
  received: number;
}

const STEP_CYCLES = 2000;
const STALLED_CYCLES = 2_000_000;

const takesReceive = (operation: Operation): boolean =>
  operation.startsWith('SEND') || operation === 'RDMA_WRITE_WITH_IMM';

/** Moves the file from each party to the other at once, and accounts for every byte. */
export async function transfer(
  run: CheckedRun,
  parties: readonly [Party, Party],
  operation: Operation,
  plan: Plan,
  dataWidth: number,
): Promise<Transfer> {
  const before = counts(run);
  const flows = [flow(parties[0], parties[1]), flow(parties[1], parties[0])];
  const problems: string[] = [];

  for (const each of flows) postReceives(each, operation, plan);
  const start = run.fabric.now();
  let moved = start;
  while (!flows.every((each) => isDone(each, operation, plan)) && problems.length === 0) {
    for (const each of flows) {
      postReceives(each, operation, plan);
      postSends(each, operation, plan);
    }
    await run.fabric.run({ cycles: STEP_CYCLES, idle: true });
    for (const each of flows) if (await collect(each, operation, problems)) moved = run.fabric.now();
    if (run.fabric.now() - moved > STALLED_CYCLES)
      problems.push(`nothing moved for ${STALLED_CYCLES} cycles`);
  }
  const cycles = Math.max(...run.watch.lastCompletion) - start;
  await run.settle();
  await run.watch.drain();

  const after = counts(run);
  problems.push(...account(operation, plan, before, after));
  const load = {
    operation,
    bytes: plan.messageBytes,
    messages: plan.messages,
    mtuBytes: plan.mtuBytes,
    dataWidth,
  };
  const loads = [
    { ...load, messages: plan.messages - 1 },
    { ...load, messages: 1, bytes: messageOf(plan, plan.messages - 1).length },
  ];
  return {
    operation,
    messages: 2 * plan.messages,
    bytes: 2 * plan.fileBytes,
    packets: after.packets - before.packets,
    cycles,
    share: wireLimitCycles(loads, loads) / Math.max(1, cycles),
    problems,
  };
}

const flow = (from: Party, to: Party): Flow => ({
  from,
  to,
  posted: 0,
  completed: 0,
  receivesPosted: 0,
  received: 0,
});

function isDone({ completed, received }: Flow, operation: Operation, { messages }: Plan): boolean {
  return completed === messages && (!takesReceive(operation) || received === messages);
}

function postReceives(each: Flow, operation: Operation, plan: Plan): void {
  if (!takesReceive(operation)) return;
  const { to } = each;
  const wrs = [];
  while (each.receivesPosted < plan.messages && each.receivesPosted - each.received < plan.window) {
    const { at, length } = messageOf(plan, each.receivesPosted);
    const segment = { addr: to.targetMr.addr + BigInt(at), length, lkey: to.targetMr.lkey };
    wrs.push({ wrId: each.receivesPosted++, sgList: operation.startsWith('SEND') ? [segment] : [] });
  }
  if (wrs.length > 0) postRecv(to.end.qp, wrs);
}

function postSends(each: Flow, operation: Operation, plan: Plan): void {
  const wrs: SendWr[] = [];
  const ready = takesReceive(operation) ? each.receivesPosted : plan.messages;
  while (each.posted < ready && each.posted - each.completed < plan.window) {
    wrs.push(workRequest(each, operation, plan, each.posted++));
  }
  if (wrs.length > 0) postSend(requester(each, operation).end.qp, wrs);
}

/** A READ is asked for by the one who gets the file. */
const requester = ({ from, to }: Flow, operation: Operation): Party =>
  operation === 'RDMA_READ' ? to : from;

function workRequest({ from, to }: Flow, operation: Operation, plan: Plan, index: number): SendWr {
  const { at, length } = messageOf(plan, index);
  const offset = BigInt(at);
  const [local, remote] =
    operation === 'RDMA_READ' ? [to.targetMr, from.sourceMr] : [from.sourceMr, to.targetMr];
  return {
    wrId: index,
    opcode: operation,
    sgList: [{ addr: local.addr + offset, length, lkey: local.lkey }],
    ...(operation.startsWith('RDMA') ? { remoteAddr: remote.addr + offset, rkey: remote.rkey } : {}),
    ...(operation.endsWith('_IMM') ? { immediate: index } : {}),
  };
}

/** Takes what has completed; whether there was something. */
async function collect(each: Flow, operation: Operation, problems: string[]): Promise<boolean> {
  const sends = await pollCq(requester(each, operation).end.sendCq);
  const receives = takesReceive(operation) ? await pollCq(each.to.end.recvCq) : [];
  for (const completion of sends) check(completion, each.completed++, problems);
  for (const completion of receives) {
    const index = each.received++;
    check(completion, index, problems);
    if (operation.endsWith('_IMM') && completion.immediate !== index)
      problems.push(`immediate: expected ${index}, found ${completion.immediate}`);
  }
  return sends.length + receives.length > 0;
}

function check({ wrId, status, opcode }: WorkCompletion, index: number, problems: string[]): void {
  if (status !== 'SUCCESS') problems.push(`${opcode} ${wrId}: expected SUCCESS, found ${status}`);
  else if (Number(wrId) !== index) problems.push(`${opcode}: expected message ${index}, found ${wrId}`);
}

/** What the taps have seen so far. */
interface Counts {
  packets: number;
  payload: { send: number; write: number; readResponse: number };
  /** By host: read from the file, written to the target, and what should not be. */
  dma: { sourceRead: number; sourceWritten: number; targetRead: number; targetWritten: number }[];
}

export function counts({ watch }: CheckedRun): Counts {
  const [a, b] = watch.wireCounts;
  const sum = (kind: keyof Counts['payload']) => a.payload[kind] + b.payload[kind];
  return {
    packets: a.packets + b.packets,
    payload: { send: sum('send'), write: sum('write'), readResponse: sum('readResponse') },
    dma: watch.dma.map(({ traffic }) => {
      const of = (name: string) => traffic.filter((each) => each.name === name);
      const total = (name: string, kind: 'read' | 'written') =>
        of(name).reduce((bytes, each) => bytes + each[kind], 0);
      return {
        sourceRead: total('source', 'read'),
        sourceWritten: total('source', 'written'),
        targetRead: total('target', 'read'),
        targetWritten: total('target', 'written'),
      };
    }),
  };
}

function account(operation: Operation, { fileBytes }: Plan, before: Counts, after: Counts): string[] {
  const wrong: string[] = [];
  const expect = (what: string, expected: number, found: number) => {
    if (expected !== found) wrong.push(`${what}: expected ${expected} bytes, found ${found}`);
  };
  const carrier =
    operation === 'RDMA_READ' ? 'readResponse' : operation.startsWith('SEND') ? 'send' : 'write';
  for (const kind of ['send', 'write', 'readResponse'] as const) {
    const expected = kind === carrier ? 2 * fileBytes : 0;
    expect(`payload on the link (${kind})`, expected, after.payload[kind] - before.payload[kind]);
  }
  for (const side of [0, 1] as const) {
    const host = `DMA of host ${'ab'[side]}`;
    const [was, is] = [before.dma[side]!, after.dma[side]!];
    expect(`${host}, read from the file`, fileBytes, is.sourceRead - was.sourceRead);
    expect(`${host}, written to the target`, fileBytes, is.targetWritten - was.targetWritten);
    expect(`${host}, written to the file`, 0, is.sourceWritten - was.sourceWritten);
    expect(`${host}, read from the target`, 0, is.targetRead - was.targetRead);
  }
  return wrong;
}
