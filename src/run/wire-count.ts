import { type Context, queryStatistics } from '../host/index.ts';
import { ICRC_BYTES, VCRC_BYTES } from '../spec/gen/constants.ts';
import { AethClass, Lnh, NakSyndrome } from '../spec/gen/enums.ts';
import { Op, opcodeOf } from '../spec/gen/opcodes.ts';
import { BTH, GRH, LRH } from '../spec/gen/records.ts';

/** NAKs by syndrome, an RNR NAK by its class: as a device counts them. */
const NAKS: Readonly<Record<number, 'RNR' | 'SEQUENCE' | 'INV_REQ' | 'ACCESS' | 'OP'>> = {
  [AethClass.RNR]: 'RNR',
  [NakSyndrome.NAK_SEQUENCE]: 'SEQUENCE',
  [NakSyndrome.NAK_INVALID_REQUEST]: 'INV_REQ',
  [NakSyndrome.NAK_REMOTE_ACCESS]: 'ACCESS',
  [NakSyndrome.NAK_REMOTE_OPERATIONAL]: 'OP',
};
const KINDS = Object.values(NAKS);

/** What the packets of a run add up to, by the device that sent them. */
export interface WireCount {
  packets: number;
  bytes: number;
  acks: number;
  naks: Record<string, number>;
  requests: number;
  /** Of READs and atomics. */
  responses: number;
  /** Payload by kind of packet. */
  payload: { send: number; write: number; readResponse: number };
}

export const newCount = (): WireCount => ({
  packets: 0,
  bytes: 0,
  acks: 0,
  naks: {},
  requests: 0,
  responses: 0,
  payload: { send: 0, write: 0, readResponse: 0 },
});

/** Adds a packet, looking at no more than it must: long runs have millions. */
export function countPacket(into: WireCount, bytes: Uint8Array): void {
  into.packets++;
  into.bytes += bytes.length;
  const grhBytes = (bytes[1]! & 3) === Lnh.IBA_GLOBAL ? GRH.bytes : 0;
  const bthAt = LRH.bytes + grhBytes;
  const opcode = opcodeOf(bytes[bthAt] ?? 0);
  if (!opcode) return;
  if (opcode.value === Op.RC_ACKNOWLEDGE) countAnswer(into, bytes[bthAt + BTH.bytes]!);
  else if (opcode.kind === 'response') into.responses++;
  else into.requests++;
  const pad = (bytes[bthAt + 1]! >> 4) & 3;
  const payload = bytes.length - opcode.headerBytes - grhBytes - pad - ICRC_BYTES - VCRC_BYTES;
  if (opcode.op === 'send') into.payload.send += payload;
  else if (opcode.op === 'write') into.payload.write += payload;
  else if (opcode.op === 'read') into.payload.readResponse += payload;
}

function countAnswer(into: WireCount, syndrome: number): void {
  const group = syndrome >> 5;
  const kind = NAKS[group === AethClass.RNR ? group : syndrome];
  if (group === AethClass.ACK) into.acks++;
  else if (kind) into.naks[kind] = (into.naks[kind] ?? 0) + 1;
}

/** What a device has written to its host of late; of completions in error, flushed ones apart. */
export interface Newest {
  readonly error: string | undefined;
  readonly event: string | undefined;
}

/** Where what a device that rests tells of itself is not what was seen of it. */
export async function wrongCounters(
  context: Context,
  sent: WireCount,
  newest: Newest | undefined,
): Promise<string[]> {
  const { naks, lastError, lastEvent, ...counters } = await queryStatistics(context);
  const sum = (of: 'SENT' | 'RECEIVED') => KINDS.reduce((all, kind) => all + naks[`${of}_${kind}`], 0);
  const pairs: [name: string, expected: number | string, found: number | string][] = [
    ['tx_packets', sent.packets, counters.txPackets],
    ['tx_bytes', sent.bytes, counters.txBytes],
    ['acks_sent', sent.acks, counters.acksSent],
    ['naks_sent', sum('SENT'), counters.naksSent],
    ['naks_received', sum('RECEIVED'), counters.naksReceived],
  ];
  for (const kind of KINDS) pairs.push([`NAKs SENT_${kind}`, sent.naks[kind] ?? 0, naks[`SENT_${kind}`]]);
  if (newest) {
    const error = lastError && `${lastError.status} of QP ${lastError.qpn}`;
    const event = lastEvent && `${lastEvent.event} ${lastEvent.number}`;
    pairs.push(['last_error', newest.error ?? 'none', error ?? 'none']);
    pairs.push(['last_event', newest.event ?? 'none', event ?? 'none']);
  }
  return pairs
    .filter(([, expected, found]) => expected !== found)
    .map(([name, expected, found]) => `${name}: expected ${expected} as was seen of it, found ${found}`);
}
