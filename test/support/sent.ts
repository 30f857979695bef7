import { BTH } from '../../src/spec/gen/records.ts';
import type { Bench, Side } from './system-bench.ts';

const LRH_BYTES = 8;
const CRC_BYTES = 6;
const ACKNOWLEDGE = 0x11;

/** A packet without GRH that left a port. */
export interface Sent {
  cycle: number;
  side: Side;
  opcode: number;
  qpn: number;
  psn: number;
  /** Of an acknowledge. */
  syndrome: number | undefined;
  bytes: Uint8Array;
  /** Headers behind the BTH, payload and pad. */
  rest: Uint8Array;
  lost: boolean;
}

/** What both sides have sent since the taps were last taken; wants `setTaps({ packets: true })`. */
export async function takeSent(bench: Bench): Promise<Sent[]> {
  return (await bench.fabric.takeTaps()).flatMap((tap): Sent[] => {
    if (tap.kind !== 'packet' || ('injected' in tap && tap.injected)) return [];
    const { bytes, cycle, device, fault } = tap;
    const { opcode, destQpn: qpn, psn } = BTH.unpack(bytes, LRH_BYTES);
    const rest = bytes.subarray(LRH_BYTES + BTH.bytes, bytes.length - CRC_BYTES);
    const side = bench.index('a') === device ? 'a' : 'b';
    const syndrome = opcode === ACKNOWLEDGE ? rest[0] : undefined;
    return [{ cycle, side, opcode, qpn, psn, syndrome, bytes, rest, lost: fault !== undefined }];
  });
}
