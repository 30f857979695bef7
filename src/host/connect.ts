import { MtuCode } from '../spec/gen/enums.ts';
import { Access } from './access.ts';
import type { Context } from './context.ts';
import { type Cq, createCq } from './cq.ts';
import { VerbsError } from './errors.ts';
import { modifyQp } from './modify-qp.ts';
import { allocPd, type Pd } from './pd.ts';
import { createQp, type Qp, type QpCap } from './qp.ts';
import type { AddressVector, QpAttr } from './qp-attributes.ts';

/** One side of a connection. */
export interface Endpoint {
  readonly context: Context;
  readonly pd: Pd;
  readonly sendCq: Cq;
  readonly recvCq: Cq;
  readonly qp: Qp;
}

/** Objects that exist already, in place of new ones. */
export type EndpointObjects = Partial<Pick<Endpoint, 'pd' | 'sendCq' | 'recvCq'>>;

export interface ConnectOptions {
  a?: EndpointObjects;
  b?: EndpointObjects;
  /** First PSNs that A and B send. */
  psns?: readonly [number, number];
  mtuBytes?: number;
  cap?: Partial<QpCap>;
  sqSigAll?: boolean;
  cqEntries?: number;
  /** Rights of the queue pairs; otherwise all. */
  access?: number;
  /** Attributes of both sides that replace the usual ones. */
  attr?: Omit<QpAttr, 'state' | 'av'>;
  /** Of both paths; the LIDs and GIDs are those of the ports. */
  path?: Partial<AddressVector>;
}

const ALL_REMOTE = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
/** Short enough for a simulation: about 1 ms until a retry, 10 us until one after RNR. */
const RELIABLE = { timeout: 8, retryCnt: 7, rnrRetry: 7, minRnrTimer: 1 } as const;

/** Two RC queue pairs that talk to each other, in RTS. */
export async function connectPair(
  a: Context,
  b: Context,
  options: ConnectOptions = {},
): Promise<{ a: Endpoint; b: Endpoint }> {
  const endA = await createEndpoint(a, options.a ?? {}, options);
  const endB = await createEndpoint(b, options.b ?? {}, options);
  const [psnA, psnB] = options.psns ?? [0x100, 0x200];
  await toInit(endA.qp, options);
  await toInit(endB.qp, options);
  await toReadyToReceive(endA.qp, endB, psnB, options);
  await toReadyToReceive(endB.qp, endA, psnA, options);
  await toReadyToSend(endA.qp, psnA, options);
  await toReadyToSend(endB.qp, psnB, options);
  return { a: endA, b: endB };
}

async function createEndpoint(
  context: Context,
  objects: EndpointObjects,
  options: ConnectOptions,
): Promise<Endpoint> {
  const pd = objects.pd ?? (await allocPd(context));
  const sendCq = objects.sendCq ?? (await createCq(context, options.cqEntries ?? 64));
  const recvCq =
    objects.recvCq ?? (objects.sendCq ? sendCq : await createCq(context, options.cqEntries ?? 64));
  const { cap = {}, sqSigAll = false } = options;
  const qp = await createQp(pd, { sendCq, recvCq, cap, sqSigAll });
  return { context, pd, sendCq, recvCq, qp };
}

export async function toInit(qp: Qp, options: ConnectOptions = {}): Promise<void> {
  const { pkeyIndex = 0, port = 1 } = options.attr ?? {};
  await modifyQp(qp, { state: 'INIT', pkeyIndex, port, access: options.access ?? ALL_REMOTE });
}

export async function toReadyToReceive(
  qp: Qp,
  peer: Pick<Endpoint, 'context' | 'qp'>,
  rqPsn: number,
  options: ConnectOptions = {},
): Promise<void> {
  const { attributes, port } = qp.context;
  const { attr = {} } = options;
  const mtu = Math.min(port.mtu, peer.context.port.mtu);
  await modifyQp(qp, {
    state: 'RTR',
    av: pathTo(peer.context, options.path ?? {}),
    pathMtu: options.mtuBytes === undefined ? mtu : mtuCode(options.mtuBytes),
    destQpn: attr.destQpn ?? peer.qp.qpn,
    rqPsn: attr.rqPsn ?? rqPsn,
    maxDestRdAtomic: attr.maxDestRdAtomic ?? attributes.limits.maxDestRdAtomic,
    minRnrTimer: attr.minRnrTimer ?? RELIABLE.minRnrTimer,
  });
}

export async function toReadyToSend(qp: Qp, sqPsn: number, options: ConnectOptions = {}): Promise<void> {
  const { attr = {} } = options;
  await modifyQp(qp, {
    state: 'RTS',
    timeout: attr.timeout ?? RELIABLE.timeout,
    retryCnt: attr.retryCnt ?? RELIABLE.retryCnt,
    rnrRetry: attr.rnrRetry ?? RELIABLE.rnrRetry,
    sqPsn: attr.sqPsn ?? sqPsn,
    maxRdAtomic: attr.maxRdAtomic ?? qp.context.attributes.limits.maxRdAtomic,
  });
}

/** The path to the port of a device; with `grh` also between networks. */
export function pathTo(context: Context, path: Partial<AddressVector> = {}): AddressVector {
  return { dlid: context.port.lid, dgid: context.port.gids[0] ?? 0n, hopLimit: 64, ...path };
}

/** The MtuCode of so many bytes. */
export function mtuCode(bytes: number): number {
  const code = (MtuCode as Record<string, number>)[`MTU_${bytes}`];
  if (code === undefined)
    throw new VerbsError(
      'INVALID_ATTR_VALUE',
      `mtuBytes: expected 256, 512, 1024, 2048 or 4096, got ${bytes}`,
    );
  return code;
}
