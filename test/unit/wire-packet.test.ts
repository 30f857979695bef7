import { describe, expect, it } from 'vitest';
import { DropReason, dropReasonName } from '../../src/spec/gen/enums.ts';
import { opcodeOf } from '../../src/spec/gen/opcodes.ts';
import { decodePacket, encodePacket, type PacketToSend, putIcrc, putVcrc } from '../../src/wire/index.ts';
import { bytesOf, hexOf, NATIVE, vector } from '../support/vectors.ts';

const bthOf = (bytes: Uint8Array): Uint8Array => bytes.subarray(bytes[1]! & 1 ? 48 : 8);
const rc = NATIVE.filter(({ id, bytes }) => id !== 'P2' && opcodeOf(bthOf(bytes)[0]!));
/** Without bits that no HCA sets. */
const sendable = rc.filter(({ bytes }) => bthOf(bytes)[4] === 0);

/** The packet with some bytes replaced and its CRCs made right again. */
function edited(packet: Uint8Array, edits: Record<number, number>, length = packet.length): Uint8Array {
  const copy = new Uint8Array(length);
  copy.set(packet.subarray(0, length));
  for (const [at, byte] of Object.entries(edits)) copy[Number(at)] = byte;
  putIcrc(copy, length - 6);
  putVcrc(copy, length - 2);
  return copy;
}

const reasonOf = (...args: Parameters<typeof decodePacket>): string => {
  const { dropped } = decodePacket(...args);
  return dropped ? dropReasonName(dropped.reason) : 'accepted';
};

describe('decodePacket', () => {
  it.each([
    ['P1', { psn: 0x0dec2a, padCount: 2, pkey: 0x2487 }, 14],
    ['N1', { psn: 0x10, solicited: 1, ackReq: 1, destQpn: 0x102, padCount: 3 }, 5],
    ['N2', { psn: 0x11, ackReq: 1 }, 0],
    ['N7', { psn: 0x15, ackReq: 0, destQpn: 0x201 }, 256],
    ['N10', { psn: 0xffffff }, 0],
    ['N24', { psn: 0x40, destQpn: 0x102 }, 4],
  ])('finds BTH and payload of %s', (id, bth, payloadBytes) => {
    const { packet } = decodePacket(vector(id));
    expect(packet?.bth).toMatchObject(bth);
    expect(packet?.payload.length).toBe(payloadBytes);
  });

  it('finds the extension headers of a WRITE with immediate', () => {
    const { packet } = decodePacket(vector('N3'));
    expect(packet?.reth).toEqual({ va: 0x7000_0000_1000n, rkey: 0x0012_3401, dmaLen: 4 });
    expect(packet?.immdt).toEqual({ immediate: 0x11223344 });
    expect(hexOf(packet!.payload)).toBe('01020304');
  });

  it('finds the AETH of a NAK', () => {
    expect(decodePacket(vector('N10')).packet?.aeth).toEqual({ syndrome: 0x62, msn: 0xffffff });
  });

  it('finds the GRH', () => {
    const { packet } = decodePacket(vector('N24'));
    expect(packet?.grh).toMatchObject({ tclass: 0x20, flowLabel: 0x12345, hopLimit: 0x3f, payLen: 20 });
    expect(packet?.grh?.dgid).toBe(0xfe800000_00000000_0002c903_00000002n);
  });

  it.each(sendable.map(({ id, name }) => [id, name]))('reads what encodePacket writes: %s %s', (id) => {
    const { packet } = decodePacket(vector(id));
    expect(hexOf(encodePacket(packet as PacketToSend))).toBe(hexOf(vector(id)));
  });

  it('is held against all vectors but the one with FECN', () => {
    expect(rc.filter((each) => !sendable.includes(each)).map(({ id }) => id)).toEqual(['N24']);
    expect(sendable.length).toBeGreaterThan(12);
  });

  it.each([
    ['VCRC', edited(vector('N1'), {}).with(20, 0xee)],
    ['VCRC', new Uint8Array()],
    ['LENGTH', edited(vector('N1'), { 5: 9 })], // one word more than there is
    ['LENGTH', edited(vector('N5'), { 5: 6 }, 26)], // READ request without its RETH
    ['LVER', edited(vector('N1'), { 0: 1 })],
    ['LNH', edited(vector('N1'), { 1: 0 })],
    ['GRH', edited(vector('N24'), { 8: 0x42 })],
    ['GRH', edited(vector('N24'), { 14: 0x11 })],
    ['TVER', edited(vector('N1'), { 9: 0xf1 })],
    ['GRH', edited(vector('N24'), { 13: 0xff })], // PayLen
    ['OPCODE', vector('N17')],
    ['GRH', vector('P2')],
  ])('drops for %s: packet %#', (reason, packet) => {
    expect(reasonOf(packet)).toBe(reason);
  });

  it('checks no ICRC of a raw packet', () => {
    const raw = edited(vector('N1'), { 1: 0, 28: 0 });
    raw[raw.length - 6]! ^= 1;
    putVcrc(raw, raw.length - 2);
    expect(reasonOf(raw)).toBe('LNH');
  });

  it('drops for ICRC when only the VCRC was made right', () => {
    const bad = vector('N1').with(20, 0xee);
    putVcrc(bad, bad.length - 2);
    expect(reasonOf(bad)).toBe('ICRC');
  });

  it('tells the first of several faults', () => {
    const port = { acceptsVl: () => false, acceptsDlid: () => false, mtuBytes: 256 };
    expect(reasonOf(vector('N1'), port)).toBe('VL');
    expect(reasonOf(edited(vector('N1'), { 0: 1 }), port)).toBe('LVER');
    expect(reasonOf(vector('N1'), { acceptsDlid: () => false })).toBe('DLID');
  });

  it('accepts what the largest headers would need beyond the MTU, and no word more', () => {
    const send = (bytes: number) =>
      encodePacket({ lrh: {}, bth: { opcode: 4 }, payload: new Uint8Array(bytes) });
    expect(reasonOf(send(356), { mtuBytes: 256 })).toBe('accepted');
    expect(reasonOf(send(357), { mtuBytes: 256 })).toBe('LENGTH');
  });

  it('takes a reserved opcode of RC for a request without headers of its own', () => {
    const { packet } = decodePacket(vector('N14'));
    expect(packet?.opcode).toMatchObject({ name: 'RC_RESERVED', kind: 'request', headers: [] });
  });

  it('marks a pad count beyond the payload', () => {
    expect(decodePacket(edited(vector('N4'), { 9: 0x70 })).packet).toMatchObject({ badPad: true });
  });

  it('numbers the reasons in the order of its tests', () => {
    expect(DropReason.VCRC).toBeLessThan(DropReason.ICRC);
    expect(DropReason.TVER).toBeLessThan(DropReason.OPCODE);
  });
});

describe('encodePacket', () => {
  it('refuses an opcode that is not of RC', () => {
    expect(() => encodePacket({ lrh: {}, bth: { opcode: 0x64 } })).toThrow('bth.opcode');
  });

  it('refuses a WRITE without its RETH', () => {
    expect(() => encodePacket({ lrh: {}, bth: { opcode: 0x0a } })).toThrow('expected a header reth');
  });

  it('pads with zeros', () => {
    const bytes = encodePacket({ lrh: {}, bth: { opcode: 4 }, payload: bytesOf('ffffffffff') });
    expect(hexOf(bytes.subarray(20, 28))).toBe('ffffffffff000000');
  });
});
