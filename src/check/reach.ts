import type { Packet } from './packet.ts';
import { newer, older, wrap } from './psn.ts';
import { ACK, kindOf } from './syndrome.ts';

/** What a response is to one who has waited for others. */
export interface Reach {
  /** Everything before it is answered. */
  psn: number;
  /** Data that was needed; an acknowledge; a NAK; or something from beyond data that is needed, which is an implied NAK. */
  kind: 'data' | 'ack' | 'nak' | 'lost';
}

/** How far a response brings one whose oldest PSN without an answer is `oldest`, and whose next READ or atomic there needs `read`. */
export function reachOf(packet: Packet, oldest: number, read: number | undefined): Reach | undefined {
  const { bth, operation, aeth } = packet;
  const { psn } = bth;
  const data = operation!.family !== 'ACK';
  const nak = kindOf(aeth?.syndrome ?? 0) !== ACK;
  const needed = read === undefined || newer(read, oldest) ? read : oldest;
  if (needed === undefined || older(psn, needed)) {
    if (data) return undefined;
    return nak ? { psn, kind: 'nak' } : { psn: wrap(psn + 1), kind: 'ack' };
  }
  if (psn !== needed || (!data && !nak)) return { psn: needed, kind: 'lost' };
  return data ? { psn: wrap(psn + 1), kind: 'data' } : { psn, kind: 'nak' };
}
