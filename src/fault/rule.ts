/**
 * A fault of the link: which packets, and what happens to them. All fields that are told must fit. Packets that a
 * test injects pass by.
 */
export interface FaultRule {
  name?: string;
  /** Host that sent the packet; either unless told. */
  from?: 'a' | 'b';
  /** Destination queue pair in its BTH. */
  qpn?: number;
  opcode?: number;
  psn?: number;
  /** The first match that is struck, counted from 0; 0 unless told. */
  nth?: number;
  /** So many matches are struck from there on; 0: all; 1 unless told. */
  count?: number;
  /** In place of nth and count: the chance of each match, above 0, at most 1; by the seed. */
  probability?: number;
  /**
   * `drop`; `duplicate`: a copy comes right behind, or `cycles` later; `delay`: it comes `cycles` later, others pass;
   * `reorder`: it comes right behind the next one, or by itself after `cycles` (1000 unless told); `corrupt`: `bit` is flipped, the CRCs
   * stay; `badIcrc`: with a right VCRC; `badVcrc`; `hold`: from this packet on nothing arrives for `cycles`.
   */
  what: 'drop' | 'duplicate' | 'delay' | 'reorder' | 'corrupt' | 'badIcrc' | 'badVcrc' | 'hold';
  /** Bit 8 i + j is bit j of byte i, LRH to VCRC. A shorter packet does not match. */
  bit?: number;
  cycles?: number;
  /** The run does not fail when it never strikes. */
  optional?: boolean;
}

/** A fault of a host's bus: which accesses of its HCA, and how they fail. */
export interface DmaFaultRule {
  name?: string;
  host: 'a' | 'b';
  kind: 'read' | 'write';
  /** The access touches memory from here on; from 0 unless told. */
  from?: bigint;
  /** And before this; to the end of memory unless told. */
  to?: bigint;
  nth?: number;
  count?: number;
  probability?: number;
  /**
   * Reads end with the error flag: `timeout` without data, after the host's completion time-out; `unsupported` without data, at
   * once; `poison` with their data. Writes: `fail`, memory stays and the acknowledge tells an error.
   */
  what: 'timeout' | 'unsupported' | 'poison' | 'fail';
  optional?: boolean;
}

/** The host's completion time-out: so long a read that is lost is under way. */
export const HOST_TIMEOUT_CYCLES = 12_500;

/** How often a rule matched, and how often it struck. */
export interface FaultCount {
  matches: number;
  strikes: number;
}

export interface FaultCounts {
  link: FaultCount[];
  dma: FaultCount[];
}

export const FAULTS = [
  'drop',
  'duplicate',
  'delay',
  'reorder',
  'corrupt',
  'badIcrc',
  'badVcrc',
  'hold',
] as const satisfies FaultRule['what'][];

export const DMA_FAULTS = [
  'timeout',
  'unsupported',
  'poison',
  'fail',
] as const satisfies DmaFaultRule['what'][];

/** What a packet that is reordered waits at most for one to pass it. */
export const REORDER_CYCLES = 1000;
