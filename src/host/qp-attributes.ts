import { QpState } from '../spec/gen/enums.ts';
import { QP_ATTRIBUTES, type QpAttribute } from '../spec/gen/qp.ts';
import type { Qpc } from '../spec/gen/records.ts';
import { accessOf, remoteRights } from './access.ts';

/** A path to the peer. */
export interface AddressVector {
  dlid: number;
  sl?: number;
  /** Low bits of the source LID. */
  pathBits?: number;
  staticRate?: number;
  /** Send a GRH; the fields below are in it. */
  grh?: boolean;
  dgid?: bigint;
  sgidIndex?: number;
  hopLimit?: number;
  tclass?: number;
  flowLabel?: number;
}

/** Attributes of a queue pair; for modifyQp those that are named change. */
export interface QpAttr {
  state?: keyof typeof QpState;
  /** State that the caller takes the queue pair to be in. */
  curState?: keyof typeof QpState;
  sqdNotify?: boolean;
  /** Remote rights, a sum of Access. */
  access?: number;
  pkeyIndex?: number;
  port?: number;
  qkey?: number;
  av?: AddressVector;
  /** An MtuCode. */
  pathMtu?: number;
  /** Local ACK timeout, 4.096 us x 2^timeout; 0: none. */
  timeout?: number;
  retryCnt?: number;
  rnrRetry?: number;
  rqPsn?: number;
  /** READs and atomics outstanding as a requester. */
  maxRdAtomic?: number;
  altPath?: AddressVector;
  minRnrTimer?: number;
  sqPsn?: number;
  /** READs and atomics taken as a responder. */
  maxDestRdAtomic?: number;
  migState?: number;
  cap?: object;
  destQpn?: number;
}

/** Attributes that are named, but for the new state, which is no bit of the command. */
export const namedAttributes = (attr: QpAttr): QpAttribute[] =>
  (Object.keys(QP_ATTRIBUTES) as QpAttribute[]).filter(
    (name) => name !== 'state' && attr[name] !== undefined,
  );

/** The fields of the context that the named attributes stand in. */
export function attributeFields(attr: QpAttr): Partial<Qpc> {
  const fields: Partial<Qpc> = {};
  if (attr.access !== undefined) Object.assign(fields, remoteRights(attr.access));
  if (attr.av) Object.assign(fields, pathFields(attr.av));
  if (attr.sqdNotify !== undefined) fields.sqdNotify = attr.sqdNotify ? 1 : 0;
  if (attr.timeout !== undefined) fields.ackTimeout = attr.timeout;
  if (attr.retryCnt !== undefined) fields.retryCount = attr.retryCnt;
  for (const name of sameName) if (attr[name] !== undefined) fields[name] = attr[name];
  return fields;
}

/** Attributes whose field of the context has their name. */
const sameName = [
  'pkeyIndex',
  'port',
  'pathMtu',
  'rnrRetry',
  'rqPsn',
  'maxRdAtomic',
  'minRnrTimer',
  'sqPsn',
  'maxDestRdAtomic',
  'migState',
  'destQpn',
] as const satisfies (keyof QpAttr & keyof Qpc)[];

const pathFields = (av: AddressVector): Partial<Qpc> => ({
  dlid: av.dlid,
  sl: av.sl ?? 0,
  pathBits: av.pathBits ?? 0,
  staticRate: av.staticRate ?? 0,
  grh: av.grh ? 1 : 0,
  dgid: av.dgid ?? 0n,
  sgidIndex: av.sgidIndex ?? 0,
  hopLimit: av.hopLimit ?? 0,
  tclass: av.tclass ?? 0,
  flowLabel: av.flowLabel ?? 0,
});

/** What queryQp tells: attributes as they stand, PSNs expected and sent next. */
export type QpInfo = Required<Omit<QpAttr, 'curState' | 'qkey' | 'altPath' | 'cap'>>;

export function infoOf(qpc: Qpc): QpInfo {
  return {
    state: stateName(qpc.state),
    sqdNotify: qpc.sqdNotify === 1,
    access: accessOf(qpc),
    pkeyIndex: qpc.pkeyIndex,
    port: qpc.port,
    av: {
      dlid: qpc.dlid,
      sl: qpc.sl,
      pathBits: qpc.pathBits,
      staticRate: qpc.staticRate,
      grh: qpc.grh === 1,
      dgid: qpc.dgid,
      sgidIndex: qpc.sgidIndex,
      hopLimit: qpc.hopLimit,
      tclass: qpc.tclass,
      flowLabel: qpc.flowLabel,
    },
    pathMtu: qpc.pathMtu,
    timeout: qpc.ackTimeout,
    retryCnt: qpc.retryCount,
    rnrRetry: qpc.rnrRetry,
    rqPsn: qpc.epsn,
    maxRdAtomic: qpc.maxRdAtomic,
    minRnrTimer: qpc.minRnrTimer,
    sqPsn: qpc.sqNextPsn,
    maxDestRdAtomic: qpc.maxDestRdAtomic,
    migState: qpc.migState,
    destQpn: qpc.destQpn,
  };
}

export const stateName = (state: number): keyof typeof QpState =>
  (Object.keys(QpState) as (keyof typeof QpState)[]).find((name) => QpState[name] === state) ?? 'ERR';
