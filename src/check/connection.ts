/** What the checker is told of a connection: what the two consumers asked their devices for. */

export type Side = 0 | 1;

export const other = (side: Side): Side => (side === 0 ? 1 : 0);

export interface Port {
  /** Base LID; its low `lmc` bits are 0. */
  lid: number;
  lmc?: number;
  mtuBytes: number;
  /** VL by SL; all 0 unless told. */
  sl2vl?: readonly number[];
}

export interface GlobalPath {
  sgid: bigint;
  dgid: bigint;
  tclass: number;
  flowLabel: number;
  hopLimit: number;
}

/** How a queue pair sends again. */
export interface Retry {
  /** Cycles in which ACK time-outs and RNR delays count (4.096 us). */
  tick: number;
  /** The ACK time-out is 2^n ticks; 0: never. */
  ackTimeout: number;
  retryCount: number;
  /** 7: without end. */
  rnrRetry: number;
}

/** One end: what its queue pair sends. */
export interface End {
  qpn: number;
  dlid: number;
  pathBits?: number;
  sl: number;
  grh?: GlobalPath | undefined;
  pkey: number;
  mtuBytes: number;
  /** First PSN that it sends. */
  sqPsn: number;
  /** First PSN that it expects; that of the peer unless told. */
  rqPsn?: number | undefined;
  /** Initiator depth. */
  maxRdAtomic: number;
  /** Responder resources. */
  maxDestRdAtomic?: number | undefined;
  /** There was a time since it was connected at which it allowed no WRITEs. */
  refusedWrites?: boolean | undefined;
  /** Timer code of RNR NAKs. */
  minRnrTimer?: number | undefined;
  /** Messages that the device keeps outstanding. */
  maxInflight?: number | undefined;
  /** Of a device that sends again; another goes to Error at the first NAK. */
  retry?: Retry | undefined;
  /** It tells credits, and keeps to those that it hears. */
  credits?: boolean | undefined;
  /** Receive WQEs posted so far, when that is known. */
  posted?: number | undefined;
}

/** By device: end 0 is a queue pair of device 0. */
export type Ends = readonly [End, End];
