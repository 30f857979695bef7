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
  /** In place of nth and count: the chance of each match; by the seed. */
  probability?: number;
  /**
   * `duplicate`: a copy comes right behind, or `cycles` later; `delay`: it comes `cycles` later, others pass; `reorder`: it
   * comes right behind the next one, or by itself after `cycles`; `corrupt`: `bit` is flipped, the CRCs stay; `badIcrc`: with a
   * right VCRC; `hold`: from this packet on nothing arrives for `cycles`.
   */
  what: 'drop' | 'duplicate' | 'delay' | 'reorder' | 'corrupt' | 'badIcrc' | 'badVcrc' | 'hold';
  /** Bit 8 i + j is bit j of byte i, LRH to VCRC. */
  bit?: number;
  cycles?: number;
  /** The run does not fail when it never strikes. */
  optional?: boolean;
}

/** What a packet that is reordered waits at most for one to pass it, unless told. */
export const REORDER_CYCLES = 1000;
