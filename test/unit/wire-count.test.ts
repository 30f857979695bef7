import { describe, expect, it } from 'vitest';
import { countPacket, newCount } from '../../src/run/wire-count.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { encodePacket } from '../../src/wire/index.ts';

const packet = (opcode: number, syndrome: number, payload = new Uint8Array()): Uint8Array =>
  encodePacket({
    lrh: { vl: 0, lver: 0, sl: 0, dlid: 1, slid: 2 },
    bth: { opcode, solicited: 0, migReq: 1, tver: 0, pkey: 0xffff, destQpn: 2, ackReq: 0, psn: 5 },
    payload,
    aeth: { syndrome, msn: 0 },
    immdt: { immediate: 0 },
    reth: { va: 0n, rkey: 0, dmaLen: payload.length },
    atomiceth: { va: 0n, rkey: 0, swapAdd: 0n, compare: 0n },
    atomicacketh: { original: 0n },
  });

describe('what packets add up to', () => {
  it('tells NAKs by their syndrome, an RNR NAK by its class, and an acknowledge whatever credits it has', () => {
    const count = newCount();
    for (const syndrome of [0x00, 0x01, 0x1f, 0x25, 0x3f, 0x60, 0x61, 0x62, 0x63, 0x63])
      countPacket(count, packet(Op.RC_ACKNOWLEDGE, syndrome));
    expect(count.acks).toBe(3);
    expect(count.naks).toEqual({ RNR: 2, SEQUENCE: 1, INV_REQ: 1, ACCESS: 1, OP: 2 });
  });

  it('counts packets, bytes and payload without its pad', () => {
    const count = newCount();
    const bytes = packet(Op.RC_SEND_ONLY, 0, new Uint8Array(5));
    countPacket(count, bytes);
    countPacket(count, packet(Op.RC_READ_RESPONSE_ONLY, 0x1f, new Uint8Array(8)));
    expect(count).toMatchObject({ packets: 2, acks: 0, payload: { send: 5, write: 0, readResponse: 8 } });
    expect(count.bytes).toBeGreaterThan(bytes.length);
  });
});
