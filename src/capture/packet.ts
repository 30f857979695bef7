/** A packet in a capture. */
export interface CapturedPacket {
  cycle: number;
  /** The device whose port it left, or claims to have left. */
  sender: 0 | 1;
  /** LRH to VCRC. */
  bytes: Uint8Array;
  /** Put on the wire by a test. */
  injected?: boolean;
  /** The fault that befell it on the link, in a word; what arrived, if anything did, is not this. */
  fault?: string;
}

/** Simulated time: one cycle at 250 MHz. */
export const CYCLE_NS = 4;

/** No captured packet is longer; a file that says so is no capture. */
export const MOST_CAPTURED = 2 ** 18;
