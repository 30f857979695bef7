/**
 * What can stand at the far end of the RTL's link: the golden model, a packet generator, a capture.
 * Packets are LRH to VCRC; cycles are those of the RTL.
 */
export interface LinkPeer {
  /** A packet came; its last beat left the RTL in this cycle. */
  receive(packet: Uint8Array, cycle: number): void;
  /** The packets it sends by now, in order; each is given once. */
  transmit(cycle: number): Uint8Array[];
  /** The next cycle at which it has something to do by itself (a timer), if any. */
  nextEventCycle(): number | undefined;
  /** If it has a host whose bus can fail: by the fault rule that `bus` answers for an access, if any. */
  setBus?(bus: HostBus | undefined): void;
}

export type HostBus = (kind: 'read' | 'write', address: bigint, length: number) => number | undefined;
