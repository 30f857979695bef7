import type { RunRecord } from '../run/record.ts';
import type { RunStatistics } from '../run/stat/schema.ts';

/**
 * What the page is made of. Columns, one value a packet, keep a hundred thousand of them small; everything is ordered by cycle. Written by
 * `reportData`, read by the code of the page: types only, so that none of Node's code gets there.
 */
export interface ReportData {
  title: string;
  record: RunRecord | undefined;
  counters: RunStatistics | undefined;
  /** What the page cannot show and why, a sentence each. */
  missing: readonly string[];
  /** Bits that the wire carries in a cycle: the throughput that cannot be passed. */
  dataWidth: number;
  connections: readonly Connection[];
  packets: PacketColumns;
  /** Arrivals beside the first of a packet, or in other bytes than it left. */
  arrivals: readonly OddArrival[];
  retries: readonly Retry[];
  verbs: readonly Entry[];
  completions: readonly Entry[];
  dma: DmaColumns;
  marks: readonly Mark[];
}

export type Side = 0 | 1;

/** An entry of timeline.json. */
export interface Entry {
  cycle: number;
  device: Side;
  [field: string]: string | number | boolean;
}

/** Two queue pairs that talk; of one that nobody was seen to connect only the end that is named in packets. */
export interface Connection {
  qpns: readonly [a: number | undefined, b: number | undefined];
}

export const ARRIVAL_LOST = -1;
export const ARRIVAL_UNKNOWN = -2;
/** In the columns of headers: the packet has no such field. */
export const NONE = -1;

export interface PacketColumns {
  /** Place in wire.pcapng, from 1, as Wireshark counts. */
  frame: readonly number[];
  sender: readonly Side[];
  /** Cycles of the first and the last beat at the sender's port. */
  first: readonly number[];
  last: readonly number[];
  /** Cycle of the last beat at the receiver's port, or ARRIVAL_*. */
  arrival: readonly number[];
  opcode: readonly number[];
  psn: readonly number[];
  destQpn: readonly number[];
  syndrome: readonly number[];
  /** Index in `connections`. */
  connection: readonly number[];
  /** Bytes, LRH to VCRC, and those of payload without pad. */
  length: readonly number[];
  payload: readonly number[];
  /** 1: put on the wire by a test. */
  injected: readonly number[];
  /** The packet sent before with this PSN in this direction, or NONE. */
  resent: readonly number[];
  /** Of the rule that struck: its name and what it does; '' without. */
  fault: readonly string[];
  what: readonly string[];
  /** So many bytes of it are in the page: the first ones, then ICRC and VCRC. */
  kept: readonly number[];
}

export interface OddArrival {
  packet: number;
  cycle: number;
  /** As it came, where that differs. */
  text: string;
}

/** How a requester came to go back to a PSN it had sent. */
export type Cause = 'nak' | 'rnr' | 'implied' | 'timeout';

export interface Retry {
  /** First packet of the replay. */
  packet: number;
  cause: Cause;
  /** The NAK, if there is one. */
  nak: number;
  /** Cycle since which nothing was sent or came. */
  quietFrom: number;
}

export interface DmaColumns {
  cycle: readonly number[];
  device: readonly Side[];
  /** 1: to host memory. */
  write: readonly number[];
  address: readonly string[];
  length: readonly number[];
  /** Ring that it lies in; '' for data. */
  ring: readonly string[];
  fault: readonly string[];
  what: readonly string[];
}

/** Kinds of what one jumps to. */
export type MarkKind = 'fault' | 'nak' | 'retry' | 'failure';

/** Something to jump to. */
export interface Mark {
  kind: MarkKind;
  cycle: number;
  text: string;
  /** What it is: an index in the columns or lists of that name. */
  of: 'packets' | 'dma' | 'completions' | 'problems';
  index: number;
}
