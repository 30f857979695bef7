// Generated from src/spec by `make gen`: edit the YAML there.

/** Attributes of modify_qp: their bits in the command parameter. */
export const QP_ATTRIBUTES = {
  /** new state (the command's modifier) */
  state: 0,
  /** state assumed by the caller; no field of the context */
  curState: 1,
  /** event when drained */
  sqdNotify: 2,
  /** remote write, read, atomic enabled */
  access: 3,
  pkeyIndex: 4,
  port: 5,
  /** datagram services only */
  qkey: 6,
  /** primary address vector */
  av: 7,
  pathMtu: 8,
  /** local ACK timeout */
  timeout: 9,
  retryCnt: 10,
  rnrRetry: 11,
  rqPsn: 12,
  /** initiator depth */
  maxRdAtomic: 13,
  /** path migration, not offered */
  altPath: 14,
  minRnrTimer: 15,
  sqPsn: 16,
  /** responder resources */
  maxDestRdAtomic: 17,
  /** path migration, not offered */
  migState: 18,
  /** queue resize, not offered */
  cap: 19,
  destQpn: 20,
} as const;
export type QpAttribute = keyof typeof QP_ATTRIBUTES;

/** The bit vector of some attributes. */
export const qpAttributeMask = (names: Iterable<QpAttribute>): number => {
  let mask = 0;
  for (const name of names) mask |= 1 << QP_ATTRIBUTES[name];
  return mask >>> 0;
};

/** Fields of the QPC that an attribute carries. */
export const QP_ATTRIBUTE_FIELDS: Readonly<Partial<Record<QpAttribute, readonly string[]>>> = {
  state: ['state'],
  pathMtu: ['pathMtu'],
  av: ['grh', 'dlid', 'sl', 'pathBits', 'sgidIndex', 'hopLimit', 'tclass', 'flowLabel', 'staticRate', 'dgid'],
  access: ['remoteWrite', 'remoteRead', 'remoteAtomic'],
  migState: ['migState'],
  sqdNotify: ['sqdNotify'],
  pkeyIndex: ['pkeyIndex'],
  destQpn: ['destQpn'],
  port: ['port'],
  timeout: ['ackTimeout'],
  retryCnt: ['retryCount'],
  rnrRetry: ['rnrRetry'],
  minRnrTimer: ['minRnrTimer'],
  maxRdAtomic: ['maxRdAtomic'],
  maxDestRdAtomic: ['maxDestRdAtomic'],
  sqPsn: ['sqPsn'],
  rqPsn: ['rqPsn'],
};

export interface QpTransition {
  readonly from: string;
  readonly to: string;
  readonly required: readonly QpAttribute[];
  readonly optional: readonly QpAttribute[];
}

/** What modify_qp may do; states are named as in QpState. */
export const QP_TRANSITIONS: readonly QpTransition[] = [
  { from: 'RESET', to: 'INIT', required: ['pkeyIndex', 'port', 'access'], optional: [] },
  { from: 'INIT', to: 'INIT', required: [], optional: ['pkeyIndex', 'port', 'access'] },
  { from: 'INIT', to: 'RTR', required: ['av', 'pathMtu', 'destQpn', 'rqPsn', 'maxDestRdAtomic', 'minRnrTimer'], optional: ['access', 'pkeyIndex'] },
  { from: 'RTR', to: 'RTS', required: ['timeout', 'retryCnt', 'rnrRetry', 'sqPsn', 'maxRdAtomic'], optional: ['access', 'minRnrTimer'] },
  { from: 'RTS', to: 'RTS', required: [], optional: ['access', 'minRnrTimer'] },
  { from: 'RTS', to: 'SQD', required: [], optional: ['sqdNotify'] },
  { from: 'SQD', to: 'SQD', required: [], optional: ['port', 'av', 'timeout', 'retryCnt', 'rnrRetry', 'maxRdAtomic', 'maxDestRdAtomic', 'access', 'pkeyIndex', 'minRnrTimer'] },
  { from: 'SQD', to: 'RTS', required: [], optional: ['access', 'minRnrTimer'] },
  { from: 'RESET', to: 'RESET', required: [], optional: [] },
  { from: 'INIT', to: 'RESET', required: [], optional: [] },
  { from: 'RTR', to: 'RESET', required: [], optional: [] },
  { from: 'RTS', to: 'RESET', required: [], optional: [] },
  { from: 'SQD', to: 'RESET', required: [], optional: [] },
  { from: 'ERR', to: 'RESET', required: [], optional: [] },
  { from: 'RESET', to: 'ERR', required: [], optional: [] },
  { from: 'INIT', to: 'ERR', required: [], optional: [] },
  { from: 'RTR', to: 'ERR', required: [], optional: [] },
  { from: 'RTS', to: 'ERR', required: [], optional: [] },
  { from: 'SQD', to: 'ERR', required: [], optional: [] },
  { from: 'ERR', to: 'ERR', required: [], optional: [] },
];

export const qpTransition = (from: string, to: string): QpTransition | undefined =>
  QP_TRANSITIONS.find((t) => t.from === from && t.to === to);
