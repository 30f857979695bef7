import {
  type Endpoint,
  postRecv,
  postSend,
  type SendWr,
  type Sge,
  type WorkCompletion,
} from '../../src/host/index.ts';
import { type Bench, other, type Region, type Side } from './system-bench.ts';

export type Pair = Record<Side, Endpoint>;
export type Operation = 'SEND' | 'SEND_WITH_IMM' | 'RDMA_WRITE' | 'RDMA_WRITE_WITH_IMM' | 'RDMA_READ';

export const OPERATIONS: readonly Operation[] = [
  'SEND',
  'SEND_WITH_IMM',
  'RDMA_WRITE',
  'RDMA_WRITE_WITH_IMM',
  'RDMA_READ',
];

/** Bytes of a region. */
export interface Piece {
  region: Region;
  at: number;
  length: number;
}

export interface Message {
  op: Operation;
  /** Who posts it. */
  from?: Side;
  /** Local memory; of a READ where the data goes. */
  local?: readonly Piece[];
  inline?: Uint8Array;
  /** WRITE and READ. */
  remote?: { region: Region; at: number };
  /** Receive buffers of the peer, for operations that take a receive. */
  receive?: readonly Piece[];
  flags?: Pick<SendWr, 'signaled' | 'solicited' | 'fence' | 'immediate'>;
}

export const takesReceive = (op: Operation): boolean => op.startsWith('SEND') || op === 'RDMA_WRITE_WITH_IMM';
export const withImmediate = (op: Operation): boolean => op.endsWith('_IMM');

export const lengthOf = ({ local = [], inline }: Message): number =>
  inline ? inline.length : local.reduce((sum, { length }) => sum + length, 0);

const sges = (pieces: readonly Piece[] = []): Sge[] =>
  pieces.map(({ region, at, length }) => region.sge(at, length));

/** The work request of a message. */
export function workRequest(message: Message, wrId: number): SendWr {
  const { op, local, inline, remote, flags } = message;
  return {
    wrId,
    opcode: op,
    ...(inline ? { inlineData: inline } : { sgList: sges(local) }),
    ...(remote ? { remoteAddr: remote.region.va(remote.at), rkey: remote.region.key } : {}),
    signaled: true,
    ...(withImmediate(op) ? { immediate: 0x0102_0304 } : {}),
    ...flags,
  };
}

const WC_OPCODES = {
  SEND: 'SEND',
  SEND_WITH_IMM: 'SEND',
  RDMA_WRITE: 'RDMA_WRITE',
  RDMA_WRITE_WITH_IMM: 'RDMA_WRITE',
  RDMA_READ: 'RDMA_READ',
} as const;

const NOTHING = {
  byteLen: 0,
  withImm: false,
  immediate: 0,
  solicited: false,
  wcFlags: 0,
  slid: 0,
  sl: 0,
  dlidPathBits: 0,
  srcQp: 0,
  pkeyIndex: 0,
  vendorErr: 0,
};

/** Of the paths of a pair, as far as completions tell of it. */
export interface PathFacts {
  grh?: boolean;
  sl?: number;
  pkeyIndex?: number;
}

/** The completion of a send that succeeded, every field. */
export const sendDone = (
  pair: Pair,
  from: Side,
  wrId: number,
  op: Operation,
  byteLen: number,
  path: PathFacts = {},
): WorkCompletion => ({
  ...NOTHING,
  wrId,
  status: 'SUCCESS',
  statusCode: 0,
  opcode: WC_OPCODES[op],
  queue: 'send',
  qpNum: pair[from].qp.qpn,
  byteLen,
  srcQp: pair[other(from)].qp.qpn,
  pkeyIndex: path.pkeyIndex ?? 0,
});

/** The completion of a receive that succeeded, every field. */
export function receiveDone(
  pair: Pair,
  at: Side,
  wrId: number,
  message: Message,
  path: PathFacts = {},
): WorkCompletion {
  const { op, flags = {} } = message;
  const withImm = withImmediate(op);
  const own = pair[at].context.port;
  const peer = pair[other(at)].context.port;
  return {
    ...NOTHING,
    wrId,
    status: 'SUCCESS',
    statusCode: 0,
    opcode: op.startsWith('SEND') ? 'RECV' : 'RECV_RDMA_WITH_IMM',
    queue: 'receive',
    qpNum: pair[at].qp.qpn,
    byteLen: lengthOf(message),
    withImm,
    immediate: withImm ? (flags.immediate ?? 0x0102_0304) : 0,
    solicited: flags.solicited ?? false,
    wcFlags: (path.grh ? 1 : 0) | (withImm ? 2 : 0),
    slid: peer.lid,
    sl: path.sl ?? 0,
    dlidPathBits: own.lid & 0x7f,
    srcQp: pair[other(at)].qp.qpn,
    pkeyIndex: path.pkeyIndex ?? 0,
  };
}

/** A completion in error, every field. */
export const failed = (
  endpoint: Endpoint,
  queue: 'send' | 'receive',
  wrId: number,
  status: string,
  rest: Partial<WorkCompletion> = {},
): Partial<WorkCompletion> => ({ wrId, status, queue, qpNum: endpoint.qp.qpn, ...ERROR_FIELDS, ...rest });

const { vendorErr: _, ...ERROR_FIELDS } = NOTHING;

/** What the message does to memory. */
export function predict(message: Message): void {
  const { op, local = [], inline, remote, receive = [] } = message;
  if (op === 'RDMA_READ') {
    let at = remote!.at;
    for (const piece of local) {
      piece.region.image.set(remote!.region.image.slice(at, at + piece.length), piece.at);
      at += piece.length;
    }
    return;
  }
  const bytes = inline ?? joined(local.map(({ region, at, length }) => region.image.slice(at, at + length)));
  if (remote) {
    remote.region.image.set(bytes, remote.at);
    return;
  }
  let done = 0;
  for (const { region, at, length } of receive) {
    region.image.set(bytes.subarray(done, done + length), at);
    done = Math.min(bytes.length, done + length);
  }
}

const joined = (parts: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

/**
 * Posts messages all at once, receives first, and holds completions and memory to the prediction. Work
 * requests are numbered from `first`. With `late` receives are posted one by one behind the sends, each after so many cycles.
 */
export async function exchange(
  bench: Bench,
  pair: Pair,
  messages: readonly Message[],
  { path = {} as PathFacts, first = 0, late = 0 } = {},
): Promise<void> {
  const sends: Record<Side, WorkCompletion[]> = { a: [], b: [] };
  const receives: Record<Side, WorkCompletion[]> = { a: [], b: [] };
  const posts: (() => void)[] = [];
  messages.forEach((message, i) => {
    const from = message.from ?? 'a';
    const to = other(from);
    const wrId = first + i;
    if (takesReceive(message.op)) {
      posts.push(() => postRecv(pair[to].qp, { wrId, sgList: sges(message.receive) }));
      receives[to].push(receiveDone(pair, to, wrId, message, path));
    }
    if (message.flags?.signaled ?? true)
      sends[from].push(sendDone(pair, from, wrId, message.op, lengthOf(message), path));
    predict(message);
  });
  if (late === 0) for (const post of posts) post();
  for (const from of ['a', 'b'] as const) {
    const wrs = messages.flatMap((each, i) =>
      (each.from ?? 'a') === from ? [workRequest(each, first + i)] : [],
    );
    if (wrs.length > 0) postSend(pair[from].qp, wrs);
  }
  if (late > 0) {
    for (const post of posts) {
      await bench.fabric.run({ cycles: late });
      post();
    }
  }
  for (const side of ['a', 'b'] as const) {
    await bench.completions(pair[side].sendCq, sends[side]);
    await bench.completions(pair[side].recvCq, receives[side]);
  }
}
