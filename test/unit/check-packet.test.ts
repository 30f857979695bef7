import { describe, expect, it } from 'vitest';
import { crc16, crc32, icrcOf, TABLE_16, TABLE_32, vcrcOf } from '../../src/check/crc.ts';
import { decode, type Packet } from '../../src/check/index.ts';
import { ahead, distance, newer, older, within, wrap } from '../../src/check/psn.ts';
import { NATIVE, nativePacket, VECTORS, type Vector, vector } from '../support/vectors.ts';

const ascii = new TextEncoder().encode('123456789');
const take = (id: string): Packet => decode(vector(id)).packet!;
const le32 = (crc: number): string =>
  [0, 8, 16, 24].map((shift) => ((crc >>> shift) & 0xff).toString(16).padStart(2, '0')).join('');

/** What a RoCE packet shows to its ICRC: ones for an LRH and for all that may change on the way. */
function maskedRoce({ framing, bytes }: Vector): Uint8Array {
  const masked = Uint8Array.from([...new Uint8Array(8).fill(0xff), ...bytes]);
  const ones = (...at: number[]): void => {
    for (const i of at) masked[8 + i] = 0xff;
  };
  if (framing === 'roce2-ipv4') ones(1, 8, 10, 11, 26, 27, 32);
  else {
    masked[8]! |= 0x0f;
    ones(1, 2, 3, 7);
    if (framing === 'roce1') ones(44);
    else ones(46, 47, 52);
  }
  return masked;
}

describe('the CRCs of the checker', () => {
  it('are those of the catalogue for 123456789', () => {
    expect(crc32(ascii)).toBe(0xcbf43926);
    expect(crc16(ascii)).toBe(0x0a3d);
    expect(crc16(new Uint8Array(8))).toBe(0x6099);
  });

  it('have the published table entries', () => {
    expect([1, 2, 128, 255].map((i) => TABLE_32[i])).toEqual([
      0x77073096, 0xee0e612c, 0xedb88320, 0x2d02ef8d,
    ]);
    expect([1, 2, 128, 255].map((i) => TABLE_16[i])).toEqual([0x1ba1, 0x3742, 0xd008, 0x0960]);
  });

  it.each(NATIVE.map((v) => [v.id, v.name, v] as const))('are those of %s (%s)', (_, __, v) => {
    const bytes = nativePacket(v);
    expect(le32(icrcOf(bytes))).toBe(v.icrc);
    expect(le32(vcrcOf(bytes)).slice(0, 4)).toBe(v.vcrc);
  });

  const roce = VECTORS.filter(({ framing }) => framing !== 'native');
  it.each(roce.map((v) => [v.id, v.name, v] as const))('are those of %s (%s), masked by hand', (_, __, v) => {
    expect(le32(crc32(maskedRoce(v)))).toBe(v.icrc);
  });
});

describe('decode', () => {
  it('knows all 39 vectors of the summary', () => {
    expect(VECTORS.map(({ id }) => id[0]).join('')).toBe('PPPPPP'.concat('N'.repeat(26), 'R'.repeat(7)));
  });

  it.each([
    ['P1', 'RC WRITE_ONLY', { psn: 0x0dec2a, destQpn: 0x87b1b3, pkey: 0x2487, padCount: 2 }, 14],
    ['N1', 'RC SEND_ONLY', { psn: 0x10, se: true, ackReq: true, padCount: 3, destQpn: 0x102 }, 5],
    ['N2', 'RC SEND_ONLY_IMM', { psn: 0x11 }, 0],
    ['N3', 'RC WRITE_ONLY_IMM', { psn: 0x12 }, 4],
    ['N4', 'RC WRITE_ONLY', { psn: 0x13 }, 0],
    ['N5', 'RC READ_REQUEST', { psn: 0x14, ackReq: true }, 0],
    ['N6', 'RC READ_RESPONSE_ONLY', { psn: 0x14, ackReq: false, destQpn: 0x201 }, 8],
    ['N7', 'RC READ_RESPONSE_MIDDLE', { psn: 0x15 }, 256],
    ['N8', 'RC ACKNOWLEDGE', { psn: 0x15 }, 0],
    ['N11', 'RC COMPARE_SWAP', { psn: 0x17 }, 0],
    ['N12', 'RC FETCH_ADD', { psn: 0x18 }, 0],
    ['N13', 'RC ATOMIC_ACKNOWLEDGE', { psn: 0x18 }, 0],
    ['N14', 'RC SEND_ONLY_INVALIDATE', { psn: 0x19 }, 4],
    ['N15', 'UC SEND_FIRST', { psn: 0xfffffe }, 256],
    ['N16', 'UC WRITE_LAST_IMM', { psn: 0, se: true, padCount: 3 }, 1],
    ['N17', 'UD SEND_ONLY', { psn: 7 }, 8],
    ['N18', 'UD SEND_ONLY_IMM', { psn: 8 }, 6],
    ['N19', 'UD SEND_ONLY', { destQpn: 0xffffff }, 4],
    ['N20', 'RD SEND_ONLY', { psn: 0x20 }, 4],
    ['N21', 'RD ACKNOWLEDGE', { psn: 0x20 }, 0],
    ['N22', 'XRC SEND_ONLY', { psn: 0x30 }, 4],
    ['N23', 'XRC WRITE_ONLY_IMM', { psn: 0x31 }, 4],
    ['N24', 'RC SEND_ONLY', { reserved8: 0x80, psn: 0x40 }, 4],
    ['N25', 'RC SEND_ONLY', { reserved8: 0, psn: 0x40 }, 4],
    ['N26', 'UD SEND_ONLY', { destQpn: 0 }, 256],
  ])('reads %s as %s', (id, name, bth, payloadBytes) => {
    const packet = take(id);
    expect(packet.operation?.name).toBe(name);
    expect(packet.bth).toMatchObject(bth);
    expect(packet.payloadBytes).toBe(payloadBytes);
    expect(packet.payload.length).toBe(payloadBytes);
  });

  it('reads the extended headers', () => {
    expect(take('N3')).toMatchObject({
      reth: { va: 0x7000_0000_1000n, rkey: 0x123401, dmaLen: 4 },
      imm: 0x11223344,
    });
    expect(take('N9').aeth).toEqual({ syndrome: 0x2c, msn: 6 });
    expect(take('N10').aeth).toEqual({ syndrome: 0x62, msn: 0xffffff });
    expect(take('N11').atomicEth).toEqual({
      va: 0x7000_0000_2008n,
      rkey: 0x123401,
      swapAdd: 0x1111111122222222n,
      compare: 0x3333333344444444n,
    });
    expect(take('N13').atomicAck).toEqual({ original: 0x0102030405060708n });
    expect(take('N14').ieth).toBe(0x123401);
    expect(take('N17').deth).toEqual({ qkey: 0x11111111, srcQpn: 0x203 });
    expect(take('N20')).toMatchObject({ rdeth: { eecn: 0x301 }, deth: { qkey: 0x22222222, srcQpn: 0x204 } });
    expect(take('N21')).toMatchObject({ rdeth: { eecn: 0x302 }, deth: undefined });
    expect(take('N23').xrceth).toEqual({ srqn: 0x77 });
  });

  it('reads LRH and GRH', () => {
    expect(take('N24').lrh).toEqual({
      vl: 2,
      lver: 0,
      sl: 5,
      reserved2: 0,
      lnh: 3,
      dlid: 2,
      reserved5: 0,
      pktLen: 17,
      slid: 1,
    });
    expect(take('N24').grh).toEqual({
      ipVer: 6,
      tclass: 0x20,
      flowLabel: 0x12345,
      payLen: 20,
      nxtHdr: 0x1b,
      hopLimit: 0x3f,
      sgid: 0xfe80_0000_0000_0000_0002_c903_0000_0001n,
      dgid: 0xfe80_0000_0000_0000_0002_c903_0000_0002n,
    });
  });

  it('refuses raw packets and those that end within their headers', () => {
    expect(decode(Uint8Array.from([0, 0, 0, 2])).fault).toContain('raw');
    expect(decode(vector('N1').subarray(0, 25)).fault).toContain('at least 26');
    expect(decode(vector('N5').subarray(0, 41)).fault).toContain('headers of RC READ_REQUEST');
  });

  it('takes opcodes without a meaning as such', () => {
    for (const opcode of [0x15, 0x18, 0x1f, 0x2c, 0x3f, 0x56, 0x60, 0x66, 0x80, 0xb5, 0xff]) {
      const bytes = vector('N1').slice();
      bytes[8] = opcode;
      expect(decode(bytes).packet!.operation).toBeUndefined();
    }
  });
});

describe('numbers of 24 bits', () => {
  it.each([
    [0, 0xffffff, 1],
    [0xffffff, 0, -1],
    [0x7fffff, 0, 0x7fffff],
    [0x800000, 0, -0x800000],
    [5, 5, 0],
    [0x000010, 0xfffff0, 0x20],
  ])('has %i at distance of %i: %i [P1] [P2] [P3]', (a, b, d) => {
    expect(distance(a, b)).toBe(d);
    expect([older(a, b), newer(a, b)]).toEqual([d < 0, d > 0]);
  });

  it('wraps both ways', () => {
    expect([wrap(-1), wrap(2 ** 24), ahead(1, 0xffffff)]).toEqual([0xffffff, 0, 2]);
    expect([within(0, 0xfffffe, 1), within(2, 0xfffffe, 1)]).toEqual([true, false]);
  });
});
