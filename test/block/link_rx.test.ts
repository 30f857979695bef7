import { describe, expect, it } from 'vitest';
import { DropReason } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { beats, openBlock, PAUSES, type Pauses, Random, seed, type Word } from '../support/block.ts';
import { struct } from '../support/block-structs.ts';
import { build, type PacketSpec } from '../unit/check-build.ts';

const WIDTHS = [128, 256, 512];
const SLOTS = 16;
const desc = struct('rx_desc_t');
const GID = 0xfe80_0000_0000_0000_0000_0000_0000_0002n;

const base = { sender: 0 as const, dlid: 0x42, slid: 0x17, destQpn: 5, psn: 0x123 };
const grh = { tclass: 3, flowLabel: 0x12345, hopLimit: 7, sgid: 0x99n, dgid: GID };
const reth = { va: 0x1122_3344_5566_7788n, rkey: 0xcafe_0001, dmaLen: 77 };
const aeth = { syndrome: 0x1f, msn: 0x345 };

/** All opcodes of RC that the device has, with the headers they carry. */
const KINDS: readonly (Partial<PacketSpec> & { opcode: number; room: boolean })[] = [
  { opcode: Op.RC_SEND_FIRST, room: true },
  { opcode: Op.RC_SEND_MIDDLE, room: true },
  { opcode: Op.RC_SEND_LAST, room: true },
  { opcode: Op.RC_SEND_LAST_IMM, imm: 0x0a0b_0c0d, room: true },
  { opcode: Op.RC_SEND_ONLY, room: true },
  { opcode: Op.RC_SEND_ONLY_IMM, imm: 0x0a0b_0c0d, room: true },
  { opcode: Op.RC_WRITE_FIRST, reth, room: true },
  { opcode: Op.RC_WRITE_MIDDLE, room: true },
  { opcode: Op.RC_WRITE_LAST, room: true },
  { opcode: Op.RC_WRITE_LAST_IMM, imm: 0x0a0b_0c0d, room: true },
  { opcode: Op.RC_WRITE_ONLY, reth, room: true },
  { opcode: Op.RC_WRITE_ONLY_IMM, reth, imm: 0x0a0b_0c0d, room: true },
  { opcode: Op.RC_READ_REQUEST, reth, room: false },
  { opcode: Op.RC_READ_RESPONSE_FIRST, aeth, room: true },
  { opcode: Op.RC_READ_RESPONSE_MIDDLE, room: true },
  { opcode: Op.RC_READ_RESPONSE_LAST, aeth, room: true },
  { opcode: Op.RC_READ_RESPONSE_ONLY, aeth, room: true },
  { opcode: Op.RC_ACKNOWLEDGE, aeth, room: false },
];

interface Seen {
  descs: Record<string, bigint>[];
  drops: number[];
  payloads: Uint8Array[];
}

/** Sends packets and gives what becomes of them; slots come back when their payload was read. */
async function receive(
  DATA_W: number,
  packets: readonly Uint8Array[],
  pauses: Pauses = 'none',
  mtu = 1,
): Promise<Seen> {
  const lane = DATA_W / 8;
  const BEAT_W = Math.log2(8192 / lane) | 0;
  const block = await openBlock('link_rx', { DATA_W, SLOTS, BEAT_W }, pauses);
  block.set('enable', 1);
  block.set('lid', 0x40);
  block.set('lmc', 2);
  block.set('mtu', mtu);
  const words: Word[] = packets.flatMap((bytes) => beats(bytes, DATA_W));
  block.source('s_link', words);
  const seen: Seen = { descs: [], drops: [], payloads: [] };
  const queue: Record<string, bigint>[] = [];
  block.sink('m_desc', { onWord: (word) => queue.push(desc.unpack(word['']!)) });

  // Reads the payload of one packet after the other, then gives its slot back.
  let job: { fields: Record<string, bigint>; bytes: number[]; beat: number; asked: boolean } | undefined;
  block.agent(
    () => {
      block.set('dgid_known', block.get('dgid') === GID ? 1 : 0);
      block.set('s_free_valid', 0);
      block.set('s_rd_en', 0);
      if (job?.asked) {
        const data = block.get('m_rd_data');
        for (let i = 0; i < lane; i++) job.bytes.push(Number((data >> BigInt(8 * i)) & 0xffn));
        job.asked = false;
        job.beat++;
      }
      const length = Number(job?.fields.first ?? 0n) + Number(job?.fields.payload ?? 0n);
      if (job && job.beat * lane < length) {
        block.set('s_rd_en', 1);
        block.set('s_rd_addr', (Number(job.fields.slot) << BEAT_W) | job.beat);
        job.asked = true;
      } else if (job) {
        seen.descs.push(job.fields);
        seen.payloads.push(Uint8Array.from(job.bytes.slice(Number(job.fields.first), length)));
        block.set('s_free_valid', 1);
        block.set('s_free', job.fields.slot!);
        job = undefined;
      } else if (queue.length > 0) {
        job = { fields: queue.shift()!, bytes: [], beat: 0, asked: false };
      }
      // The look-up of the destination GID answers within the cycle.
      block.settle();
      block.set('dgid_known', block.get('dgid') === GID ? 1 : 0);
    },
    () => {
      if (block.num('m_drop_valid')) seen.drops.push(block.num('m_drop_reason'));
    },
  );
  block.until(
    () => seen.descs.length + seen.drops.length === packets.length,
    200_000,
    `${packets.length} packets`,
  );
  block.steps(40);
  expect(seen.descs.length + seen.drops.length).toBe(packets.length);
  return seen;
}

describe.each(WIDTHS)('link_rx at %d bits', (DATA_W) => {
  const random = new Random();

  it.each(PAUSES)(
    `passes on every opcode of RC, with and without GRH, pauses: %s (seed ${seed})`,
    async (pauses) => {
      const specs = KINDS.flatMap(({ room, ...kind }) =>
        (room ? [0, 1, 2, 3, 4, 13, 61, 128, 256] : [0]).flatMap((length) =>
          [undefined, grh].map(
            (global): PacketSpec => ({
              ...base,
              ...kind,
              payload: random.bytes(length),
              a: length % 2 === 1,
              se: length % 3 === 1,
              ...(global ? { grh: global } : {}),
            }),
          ),
        ),
      );

      const { descs, payloads, drops } = await receive(DATA_W, specs.map(build), pauses);

      expect(drops).toEqual([]);
      expect(payloads).toEqual(specs.map(({ payload }) => payload));
      specs.forEach((spec, i) => {
        const expected = {
          opcode: spec.opcode,
          solicited: spec.se ? 1 : 0,
          ack_req: spec.a ? 1 : 0,
          pkey: 0xffff,
          qpn: 5,
          psn: 0x123,
          slid: 0x17,
          path_bits: 0x42,
          grh: spec.grh ? 1 : 0,
          payload: spec.payload!.length,
          pad_bad: 0,
          first:
            20 +
            (spec.grh ? 40 : 0) +
            (spec.reth ? 16 : 0) +
            (spec.aeth ? 4 : 0) +
            (spec.imm === undefined ? 0 : 4),
          ...(spec.reth ? { va: spec.reth.va, rkey: spec.reth.rkey, dma_len: spec.reth.dmaLen } : {}),
          ...(spec.aeth ? { syndrome: spec.aeth.syndrome, msn: spec.aeth.msn } : {}),
          ...(spec.imm === undefined ? {} : { imm: spec.imm }),
          ...(spec.grh ? { sgid: spec.grh.sgid, dgid: spec.grh.dgid } : {}),
        };
        for (const [field, value] of Object.entries(expected))
          expect(`${field} ${descs[i]![field]}`).toBe(`${field} ${value}`);
      });
    },
  );

  it('drops for each reason, tells which, and goes on', async () => {
    const good: PacketSpec = { ...base, opcode: Op.RC_WRITE_ONLY, reth, payload: random.bytes(20) };
    const cases: [keyof typeof DropReason, Partial<PacketSpec>][] = [
      ['VCRC', { vcrcXor: 1 }],
      ['ICRC', { icrcXor: 1 }],
      ['LENGTH', { pktLen: 14 }],
      ['LENGTH', { pktLen: 16 }],
      ['LENGTH', { payload: random.bytes(256 + 128) }],
      ['LVER', { lver: 1 }],
      ['VL', { vl: 15 }],
      ['DLID', { dlid: 0x44 }],
      ['DLID', { dlid: 0x3f }],
      ['LNH', { lnh: 0 }],
      ['LNH', { lnh: 1 }],
      ['GRH', { grh: { ...grh, ipVer: 4 } }],
      ['GRH', { grh: { ...grh, nxtHdr: 6 } }],
      ['GRH', { grh: { ...grh, payLen: 40 } }],
      ['GRH', { grh: { ...grh, dgid: 0x55n } }],
      ['TVER', { tver: 1 }],
      ['OPCODE', { opcode: 0x64 }],
    ];

    const { drops, descs } = await receive(
      DATA_W,
      cases.flatMap(([, change]) => [build({ ...good, ...change }), build(good)]),
    );

    expect(drops).toEqual(cases.map(([reason]) => DropReason[reason]));
    expect(descs.length).toBe(cases.length);
  });

  it('drops a packet of each opcode that ends within its headers, and takes one that just holds them', async () => {
    const shortest = KINDS.flatMap(({ room: _, ...kind }) => [kind, { ...kind, grh }]).map(
      (kind): PacketSpec => ({ ...base, ...kind }),
    );

    const { drops, descs } = await receive(
      DATA_W,
      shortest.flatMap((spec) => [build({ ...spec, cut: 4 }), build(spec)]),
    );

    expect(drops).toEqual(shortest.map(() => DropReason.LENGTH));
    expect(descs.length).toBe(shortest.length);
  });

  it('tells of more pad than payload', async () => {
    const specs: PacketSpec[] = [
      { ...base, opcode: Op.RC_SEND_ONLY, padCount: 1 },
      { ...base, opcode: Op.RC_SEND_ONLY, payload: random.bytes(4), padCount: 3 },
    ];

    const { descs } = await receive(DATA_W, specs.map(build));

    expect(descs.map(({ pad_bad }) => pad_bad)).toEqual([1n, 0n]);
    expect(descs[1]!.payload).toBe(1n);
  });

  it('survives anything shorter than a header and longer than a slot', async () => {
    const junk = [1, 2, 3, 4, 6, 7, 10, 25, 26, 30].map((length) => random.bytes(length));
    const good = build({ ...base, opcode: Op.RC_SEND_ONLY, payload: random.bytes(33) });
    const long = random.bytes(12_001);

    const { drops, payloads } = await receive(DATA_W, [
      ...junk.flatMap((bytes) => [bytes, good]),
      long,
      good,
    ]);

    expect(drops.length).toBe(junk.length + 1);
    expect(payloads.length).toBe(junk.length + 1);
    expect(payloads.every((bytes) => bytes.length === 33)).toBe(true);
  });

  it('takes packets back to back without a pause', async () => {
    const block = await openBlock('link_rx', { DATA_W, SLOTS, BEAT_W: Math.log2(8192 / (DATA_W / 8)) | 0 });
    block.set('enable', 1);
    block.set('lid', 0x40);
    block.set('lmc', 2);
    block.set('mtu', 1);
    const words = Array.from({ length: 12 }, () =>
      build({ ...base, opcode: Op.RC_SEND_ONLY, payload: random.bytes(200) }),
    ).flatMap((bytes) => beats(bytes, DATA_W));
    block.steps(2); // the first cycle after reset takes nothing
    const source = block.source('s_link', words);
    block.sink('m_desc');

    expect(block.until(() => source.idle)).toBe(words.length);
  });
});
