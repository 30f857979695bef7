import { describe, expect, it } from 'vitest';
import { fieldValue, headersOf, summaryOf } from '../../src/report/headers.ts';
import { partsOf } from '../../src/report/page/parts.ts';
import { build, type PacketSpec } from './check-build.ts';

const SPEC: PacketSpec = {
  sender: 0,
  vl: 3,
  sl: 9,
  dlid: 0x1234,
  slid: 0xabcd,
  opcode: 0x0b, // RDMA WRITE only with immediate
  se: true,
  destQpn: 0x123456,
  a: true,
  psn: 0xfedcba,
  reth: { va: 0x1122334455667788n, rkey: 0xcafef00d, dmaLen: 5 },
  imm: 0xdeadbeef,
  payload: Uint8Array.of(1, 2, 3, 4, 5),
};
const GRH = { tclass: 0xa5, flowLabel: 0x12345, hopLimit: 63, sgid: 1n << 100n, dgid: 7n };

/** Every field of a header, by name. */
function fieldsOf(bytes: Uint8Array, name: string): Record<string, bigint> {
  const { fields } = headersOf(bytes).find((header) => header.name === name)!;
  return Object.fromEntries(fields.map((field) => [field.name, fieldValue(bytes, field)]));
}

const placesOf = (bytes: Uint8Array) => headersOf(bytes).map(({ name, at, bytes: size }) => [name, at, size]);

describe('the headers of a packet', () => {
  it('lie one behind the other', () => {
    expect(placesOf(build(SPEC))).toEqual([
      ['lrh', 0, 8],
      ['bth', 8, 12],
      ['reth', 20, 16],
      ['immdt', 36, 4],
    ]);
    expect(placesOf(build({ ...SPEC, grh: GRH })).slice(0, 3)).toEqual([
      ['lrh', 0, 8],
      ['grh', 8, 40],
      ['bth', 48, 12],
    ]);
  });

  it('have the fields that were put into them', () => {
    const bytes = build({ ...SPEC, grh: GRH });
    expect(fieldsOf(bytes, 'lrh')).toMatchObject({ vl: 3n, sl: 9n, lnh: 3n, dlid: 0x1234n, slid: 0xabcdn });
    expect(fieldsOf(bytes, 'grh')).toMatchObject({
      ipVer: 6n,
      tclass: 0xa5n,
      flowLabel: 0x12345n,
      hopLimit: 63n,
      sgid: 1n << 100n,
      dgid: 7n,
    });
    expect(fieldsOf(bytes, 'bth')).toMatchObject({
      opcode: 0x0bn,
      solicited: 1n,
      padCount: 3n,
      destQpn: 0x123456n,
      ackReq: 1n,
      psn: 0xfedcban,
    });
    expect(fieldsOf(bytes, 'reth')).toEqual({ va: 0x1122334455667788n, rkey: 0xcafef00dn, dmaLen: 5n });
    expect(fieldsOf(bytes, 'immdt')).toEqual({ immediate: 0xdeadbeefn });
  });

  it('end where the packet does, whatever its opcode asks for', () => {
    const bytes = build(SPEC);
    expect(placesOf(bytes.subarray(0, 30))).toEqual([
      ['lrh', 0, 8],
      ['bth', 8, 12],
    ]);
    expect(placesOf(bytes.subarray(0, 7))).toEqual([]);
    expect(placesOf(new Uint8Array())).toEqual([]);
  });

  it('are none behind the LRH of a raw packet', () => {
    expect(placesOf(build({ ...SPEC, lnh: 0 }))).toEqual([['lrh', 0, 8]]);
    expect(summaryOf(build({ ...SPEC, lnh: 0 }))).toMatchObject({ psn: undefined, payloadBytes: 0 });
  });

  it('tell how much payload there is without the pad', () => {
    expect(summaryOf(build(SPEC))).toMatchObject({ headerBytes: 40, payloadBytes: 5, psn: 0xfedcba });
  });
});

describe('the parts that the page shows', () => {
  it('cover every byte once, in order', () => {
    const bytes = build(SPEC);
    const parts = partsOf(bytes, bytes.length);
    expect(parts.map(({ name, at, bytes: size }) => [name, at, size])).toEqual([
      ['LRH', 0, 8],
      ['BTH', 8, 12],
      ['RETH', 20, 16],
      ['IMMDT', 36, 4],
      ['Payload', 40, 5],
      ['Pad', 45, 3],
      ['ICRC', 48, 4],
      ['VCRC', 52, 2],
    ]);
  });

  it('name the bytes that a field lies in', () => {
    const bytes = build(SPEC);
    const bth = partsOf(bytes, bytes.length).find(({ name }) => name === 'BTH')!;
    const psn = bth.fields.find(({ name }) => name === 'psn');
    expect(psn).toEqual({ name: 'psn', value: '0xfedcba', means: '', at: 17, bytes: 3 });
    const opcode = bth.fields.find(({ name }) => name === 'opcode');
    expect(opcode).toMatchObject({ value: '0x0b', means: 'WRITE ONLY IMM', at: 8, bytes: 1 });
  });

  it.each([
    [0x00, 'ACK, credit code 0'],
    [0x1f, 'ACK, no credits told'],
    [0x2c, 'RNR NAK, timer code 12'],
    [0x60, 'NAK SEQUENCE'],
    [0x63, 'NAK REMOTE OPERATIONAL'],
  ])('say what syndrome %i means', (syndrome, means) => {
    const { reth: _, imm: __, payload: ___, ...plain } = SPEC;
    const bytes = build({ ...plain, opcode: 0x11, aeth: { syndrome, msn: 3 } });
    const aeth = partsOf(bytes, bytes.length).find(({ name }) => name === 'AETH')!;
    expect(aeth.fields.map((field) => field.means)).toEqual([means, '']);
  });
});
