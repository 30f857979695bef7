/** What the wire takes at best, in beats: the yardstick for measured cycles. */

export type Operation = 'SEND' | 'SEND_WITH_IMM' | 'RDMA_WRITE' | 'RDMA_WRITE_WITH_IMM' | 'RDMA_READ';

export interface WireLoad {
  operation: Operation;
  /** Of one message. */
  bytes: number;
  messages: number;
  mtuBytes: number;
  grh?: boolean;
  dataWidth: number;
}

/** Beats in each direction: from the requester, and back to it. */
export interface WireBeats {
  forth: number;
  back: number;
  packetsForth: number;
  packetsBack: number;
}

const LRH_BTH = 20;
const CRCS = 6;
const RETH = 16;
const AETH = 4;
const IMMDT = 4;
const GRH = 40;
const ACK_INTERVAL = 16;

/**
 * The beats of an ideal train of packets: each packet fills whole beats, messages are acknowledged at their end
 * and every 16th packet, READs are asked for by a packet each.
 */
export function wireBeats(load: WireLoad): WireBeats {
  const { operation, bytes, messages, mtuBytes, grh = false, dataWidth } = load;
  const base = LRH_BTH + CRCS + (grh ? GRH : 0);
  const beats = (length: number): number => Math.ceil(length / (dataWidth / 8));
  const packets = Math.max(1, Math.ceil(bytes / mtuBytes));
  const last = bytes - (packets - 1) * mtuBytes;
  const padded = (length: number): number => Math.ceil(length / 4) * 4;
  const sizes = (firstExtra: number, lastExtra: number): number => {
    let sum = 0;
    if (packets === 1) return beats(base + firstExtra + lastExtra + padded(last));
    sum += beats(base + firstExtra + mtuBytes);
    sum += (packets - 2) * beats(base + mtuBytes);
    return sum + beats(base + lastExtra + padded(last));
  };

  if (operation === 'RDMA_READ') {
    // First, last and only responses carry an AETH.
    const data = packets === 1 ? beats(base + AETH + padded(last)) : sizes(AETH, AETH);
    return {
      forth: messages * beats(base + RETH),
      back: messages * data,
      packetsForth: messages,
      packetsBack: messages * packets,
    };
  }
  const reth = operation.startsWith('RDMA_WRITE') ? RETH : 0;
  const imm = operation.endsWith('_IMM') ? IMMDT : 0;
  const acks = Math.ceil(packets / ACK_INTERVAL);
  return {
    forth: messages * sizes(reth, imm),
    back: messages * acks * beats(base + AETH),
    packetsForth: messages * packets,
    packetsBack: messages * acks,
  };
}

/** Cycles that the wire needs at least for loads of both sides; the two directions go at once. */
export function wireLimitCycles(a: readonly WireLoad[], b: readonly WireLoad[] = []): number {
  let [fromA, fromB] = [0, 0];
  for (const { forth, back } of a.map(wireBeats)) {
    fromA += forth;
    fromB += back;
  }
  for (const { forth, back } of b.map(wireBeats)) {
    fromB += forth;
    fromA += back;
  }
  return Math.max(fromA, fromB);
}
