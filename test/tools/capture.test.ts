import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CapturedPacket, writeCapture } from '../../src/capture/index.ts';
import { decode, type Packet } from '../../src/check/index.ts';
import { build, type PacketSpec } from '../unit/check-build.ts';

const RC_OPCODES = [...Array(0x15).keys(), 0x16, 0x17];
/** tshark takes a payload that begins with an EtherType and two zeros for such a frame, and cannot be told not to. */
const FIRST_BYTE = 0xc0;
const FIXED_SIZES = [0, 1, 2, 3, 4, 255, 256];
const GRH = {
  tclass: 0xa5,
  flowLabel: 0x12345,
  hopLimit: 63,
  sgid: 0xfe80_0000_0000_0000_0002_c903_0000_0001n,
  dgid: 0xfe80_0000_0000_0000_0002_c903_0000_0002n,
};

/** Extended headers by opcode, each field with a value of its own. */
function headers(opcode: number, n: number): Partial<PacketSpec> {
  const reth = { va: 0x7000_0000_1000n + BigInt(n), rkey: 0x12340000 + n, dmaLen: 0x01000000 + n };
  const atomic = {
    va: 0x8000_0000_2008n,
    rkey: 0x5678 + n,
    swapAdd: 0x1111222233334444n,
    compare: 0x55n << 56n,
  };
  if ([0x06, 0x0a, 0x0c].includes(opcode)) return { reth };
  if (opcode === 0x0b) return { reth, imm: 0xcafe0000 + n };
  if ([0x03, 0x05, 0x09].includes(opcode)) return { imm: 0xbeef0000 + n };
  if ([0x0d, 0x0f, 0x10].includes(opcode)) return { aeth: { syndrome: 0x1f, msn: 0x010203 + n } };
  if (opcode === 0x12) return { aeth: { syndrome: 0x1f, msn: 5 }, atomicAck: 0x0102030405060708n };
  if (opcode === 0x13 || opcode === 0x14) return { atomic };
  if (opcode === 0x16 || opcode === 0x17) return { ieth: 0x00123401 + n };
  return {};
}

function sizesOf(opcode: number): readonly number[] {
  if ([0x00, 0x01, 0x06, 0x07, 0x0d, 0x0e].includes(opcode)) return [256];
  if ([0x0c, 0x11, 0x12, 0x13, 0x14].includes(opcode)) return [0];
  return [0x02, 0x03, 0x08, 0x09, 0x0f, 0x16].includes(opcode) ? FIXED_SIZES.slice(1) : FIXED_SIZES;
}

function specs(): PacketSpec[] {
  const list: PacketSpec[] = [];
  const add = (opcode: number, fields: Partial<PacketSpec>): void => {
    const n = list.length;
    list.push({
      sender: n % 2 === 0 ? 0 : 1,
      vl: n % 15,
      sl: (n * 3) % 16,
      dlid: 0x100 + n,
      slid: 0xbf00 - n,
      opcode,
      se: n % 5 === 0,
      m: n % 7 !== 0,
      pkey: 0x8000 + n,
      destQpn: 0xfffff0 - n,
      a: n % 3 === 0,
      psn: (0xffffc0 + n) % 2 ** 24,
      ...fields,
    });
  };
  for (const grh of [undefined, GRH]) {
    const path = grh ? { grh } : {};
    for (const opcode of RC_OPCODES) {
      for (const size of sizesOf(opcode)) {
        const payload = Uint8Array.from({ length: size }, (_, i) => (i * 37 + opcode + FIRST_BYTE) & 0xff);
        add(opcode, { ...path, ...headers(opcode, list.length), payload });
      }
    }
    for (const syndrome of [0x00, 0x1f, 0x20, 0x2c, 0x3f, 0x60, 0x61, 0x62, 0x63]) {
      add(0x11, { ...path, aeth: { syndrome, msn: 0xffffff } });
    }
  }
  return list;
}

const ALL = specs().filter((spec) => spec.opcode !== 0x11 || spec.aeth !== undefined);
const PACKETS: CapturedPacket[] = ALL.map((spec, i) => ({
  cycle: i * 1000 + 1,
  sender: spec.sender,
  bytes: build(spec),
  ...(i % 10 === 9 ? { injected: true } : {}),
}));

const folder = mkdtempSync(join(tmpdir(), 'openhca-capture-'));
const file = join(folder, 'packets.pcapng');
beforeAll(() => writeFileSync(file, writeCapture(PACKETS)));
afterAll(() => rmSync(folder, { recursive: true }));

/** Otherwise it takes payloads for RPC. */
const GUESS_NOTHING = ['--disable-heuristic', 'rpcrdma_infiniband'];

function tshark(...args: string[]): string {
  const all = ['-r', file, ...GUESS_NOTHING, ...args];
  const { stdout, stderr, status, error } = spawnSync('tshark', all, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (error) throw new Error('tshark: expected it to be installed', { cause: error });
  if (status !== 0) throw new Error(`tshark: expected exit 0, got ${status}: ${stderr}`);
  return stdout;
}

/** What each field of tshark must show for a packet, as a number; undefined where it must be empty. */
const FIELDS: Record<string, (packet: Packet) => number | bigint | undefined> = {
  'infiniband.lrh.vl': ({ lrh }) => lrh.vl,
  'infiniband.lrh.lver': ({ lrh }) => lrh.lver,
  'infiniband.lrh.sl': ({ lrh }) => lrh.sl,
  'infiniband.lrh.lnh': ({ lrh }) => lrh.lnh,
  'infiniband.lrh.dlid': ({ lrh }) => lrh.dlid,
  'infiniband.lrh.pktlen': ({ lrh }) => lrh.pktLen,
  'infiniband.lrh.slid': ({ lrh }) => lrh.slid,
  'infiniband.grh.ipver': ({ grh }) => grh?.ipVer,
  'infiniband.grh.tclass': ({ grh }) => grh?.tclass,
  'infiniband.grh.flowlabel': ({ grh }) => grh?.flowLabel,
  'infiniband.grh.paylen': ({ grh }) => grh?.payLen,
  'infiniband.grh.nxthdr': ({ grh }) => grh?.nxtHdr,
  'infiniband.grh.hoplmt': ({ grh }) => grh?.hopLimit,
  'infiniband.bth.opcode': ({ bth }) => bth.opcode,
  'infiniband.bth.se': ({ bth }) => Number(bth.se),
  'infiniband.bth.m': ({ bth }) => Number(bth.migReq),
  'infiniband.bth.padcnt': ({ bth }) => bth.padCount,
  'infiniband.bth.tver': ({ bth }) => bth.tver,
  'infiniband.bth.p_key': ({ bth }) => bth.pkey,
  'infiniband.bth.destqp': ({ bth }) => bth.destQpn,
  'infiniband.bth.a': ({ bth }) => Number(bth.ackReq),
  'infiniband.bth.psn': ({ bth }) => bth.psn,
  'infiniband.reth.va': ({ reth, atomicEth }) => reth?.va ?? atomicEth?.va,
  'infiniband.reth.r_key': ({ reth, atomicEth }) => reth?.rkey ?? atomicEth?.rkey,
  'infiniband.reth.dmalen': ({ reth }) => reth?.dmaLen,
  'infiniband.atomiceth.swapdt': ({ atomicEth }) => atomicEth?.swapAdd,
  'infiniband.atomiceth.cmpdt': ({ atomicEth }) => atomicEth?.compare,
  'infiniband.aeth.syndrome': ({ aeth }) => aeth?.syndrome,
  'infiniband.aeth.msn': ({ aeth }) => aeth?.msn,
  'infiniband.atomicacketh.origremdt': ({ atomicAck }) => atomicAck?.original,
};

const numberOf = (shown: string): bigint | undefined => (shown === '' ? undefined : BigInt(shown));
const colonless = (shown: string): string => shown.replaceAll(':', '');
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The columns of all packets, from one run. */
function table(fields: readonly string[]): string[][] {
  const wanted = fields.flatMap((field) => ['-e', field]);
  const lines = tshark('-T', 'fields', '-E', 'separator=|', ...wanted)
    .split('\n')
    .slice(0, -1);
  return lines.map((line) => line.split('|'));
}

describe('tshark', () => {
  it('dissects every packet as InfiniBand and none as malformed', () => {
    const shown = tshark('-V');
    expect(shown.match(/^InfiniBand$/gm)?.length).toBe(PACKETS.length);
    expect(shown.match(/.*(malformed|exception|dissector bug).*/gi)).toBeNull();
  });

  const names = Object.keys(FIELDS);
  let shownFields: string[][] = [];
  beforeAll(() => {
    shownFields = table(names);
  });

  it.each(names)('sees the %s that the checker sees', (field) => {
    const expected = PACKETS.map(({ bytes }) => FIELDS[field]!(decode(bytes).packet!));
    const found = shownFields.map((row) => numberOf(row[names.indexOf(field)]!));
    expect(found).toEqual(expected.map((value) => (value === undefined ? undefined : BigInt(value))));
    expect(expected.some((value) => value !== undefined)).toBe(true);
  });

  it('sees GIDs, immediates, keys to invalidate and CRCs', () => {
    const rows = table([
      'infiniband.grh.sgid',
      'infiniband.grh.dgid',
      'infiniband.immdt',
      'infiniband.ieth',
      'infiniband.invariant.crc',
      'infiniband.variant.crc',
    ]);
    rows.forEach((row, i) => {
      const { bytes } = PACKETS[i]!;
      const { grh, imm, ieth } = decode(bytes).packet!;
      const word = (value: number | undefined): string => value?.toString(16).padStart(8, '0') ?? '';
      const once = row.map((shown) => shown.split(',')[0]); // a header and its only field have one name
      expect(once).toEqual([
        grh ? 'fe80::2:c903:0:1' : '',
        grh ? 'fe80::2:c903:0:2' : '',
        word(imm),
        word(ieth),
        `0x${hexOf(bytes.subarray(-6, -2))}`,
        `0x${hexOf(bytes.subarray(-2))}`,
      ]);
    });
  });

  it('sees the payload with its pad', () => {
    const found = table(['frame.number', 'data.data']).map((row) => colonless(row[1]!));
    const expected = PACKETS.map(({ bytes }) => {
      const { payload, pad } = decode(bytes).packet!;
      return hexOf(payload) + hexOf(pad);
    });
    expect(found).toEqual(expected);
  });

  it('shows time and port', () => {
    const rows = table(['frame.time_epoch', 'frame.interface_name', 'frame.len']);
    expect(rows).toEqual(
      PACKETS.map(({ cycle, sender, bytes }) => [
        (cycle * 4 * 1e-9).toFixed(9),
        `hca${sender}`,
        `${bytes.length}`,
      ]),
    );
  });

  it('shows which packets were injected', () => {
    const found = table(['frame.number', 'frame.comment']).map((row) => row[1]);
    expect(found).toEqual(PACKETS.map(({ injected }) => (injected ? 'injected' : '')));
  });
});
