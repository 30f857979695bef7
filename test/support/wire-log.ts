import type { Fabric } from '../../src/device.ts';
import { decodePacket, type Packet } from '../../src/wire/index.ts';

/** A packet as it left a device. */
export interface Sent {
  device: 0 | 1;
  cycle: number;
  packet: Packet;
}

/** Packets since the last call; the taps must be on. */
export async function wireLog(fabric: Fabric, device?: 0 | 1): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const event of await fabric.takeTaps()) {
    if (event.kind !== 'packet' || (device !== undefined && event.device !== device)) continue;
    sent.push({ device: event.device, cycle: event.cycle, packet: decodePacket(event.bytes).packet! });
  }
  return sent;
}

/** As [opcode, PSN relative to the first of the connection]. */
export const steps = (sent: readonly Sent[], firstPsn: number): [string, number][] =>
  sent.map(({ packet }) => [packet.opcode.name.replace('RC_', ''), packet.bth.psn - firstPsn]);
