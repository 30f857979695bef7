import { describe, expect, it } from 'vitest';
import { decode } from '../../src/check/packet.ts';
import { QpState } from '../../src/spec/gen/enums.ts';
import { Op } from '../../src/spec/gen/opcodes.ts';
import { QPC, type Qpc } from '../../src/spec/gen/records.ts';
import { lanes, openBlock, PAUSES, packets, Random, seed, type Word } from '../support/block.ts';
import { struct } from '../support/block-structs.ts';

const desc = struct('tx_desc_t');
const GID = 0x2001_0db8_0000_0000_0000_0000_0000_0001n;

/** Opcodes that the device sends, and the extended headers they have. */
const KINDS: readonly { opcode: number; reth?: true; imm?: true; aeth?: true; data: boolean }[] = [
  { opcode: Op.RC_SEND_FIRST, data: true },
  { opcode: Op.RC_SEND_MIDDLE, data: true },
  { opcode: Op.RC_SEND_LAST, data: true },
  { opcode: Op.RC_SEND_LAST_IMM, imm: true, data: true },
  { opcode: Op.RC_SEND_ONLY, data: true },
  { opcode: Op.RC_SEND_ONLY_IMM, imm: true, data: true },
  { opcode: Op.RC_WRITE_FIRST, reth: true, data: true },
  { opcode: Op.RC_WRITE_MIDDLE, data: true },
  { opcode: Op.RC_WRITE_LAST, data: true },
  { opcode: Op.RC_WRITE_LAST_IMM, imm: true, data: true },
  { opcode: Op.RC_WRITE_ONLY, reth: true, data: true },
  { opcode: Op.RC_WRITE_ONLY_IMM, reth: true, imm: true, data: true },
  { opcode: Op.RC_READ_REQUEST, reth: true, data: false },
  { opcode: Op.RC_READ_RESPONSE_FIRST, aeth: true, data: true },
  { opcode: Op.RC_READ_RESPONSE_MIDDLE, data: true },
  { opcode: Op.RC_READ_RESPONSE_LAST, aeth: true, data: true },
  { opcode: Op.RC_READ_RESPONSE_ONLY, aeth: true, data: true },
];

const paths: Record<'local' | 'global', Partial<Qpc>> = {
  local: { dlid: 0x1234, sl: 3, pathBits: 1, destQpn: 0xabcdef },
  global: {
    dlid: 0xc001,
    sl: 9,
    pathBits: 0x7e,
    destQpn: 2,
    grh: 1,
    tclass: 0x5a,
    flowLabel: 0xfedcb,
    hopLimit: 77,
    sgidIndex: 4,
    dgid: 0xfe80_0000_0000_0000_1111_2222_3333_4444n,
  },
};

describe.each([128, 256, 512])('link_tx at %d bits', (DATA_W) => {
  const lane = DATA_W / 8;

  it.each(PAUSES.flatMap((pauses) => (['local', 'global'] as const).map((path) => [pauses, path] as const)))(
    `sends every opcode with right headers and CRCs, pauses: %s, %s path (seed ${seed})`,
    async (pauses, path) => {
      const block = await openBlock('link_tx', { DATA_W, QPS: 8 }, pauses);
      const random = new Random();
      const qpc = { state: QpState.RTS, pkeyIndex: 6, ...paths[path] };
      block.set('lid', 0x40);
      block.set('lmc', 1);
      block.set('link_up', 1);
      block.set('sl2vl', 0x0123_4567_89ab_cdefn);
      let asked = false;
      block.agent(
        () => {
          block.set('s_cfg_valid', asked ? 1 : 0);
          block.set('s_cfg_data', lanes(QPC.pack(qpc)));
          block.settle();
          block.set('sgid', block.num('sgid_index') === 4 ? GID : 0);
          block.set('pkey', block.num('pkey_index') === 6 ? 0x8765 : 0);
          asked = false;
        },
        () => {
          if (block.num('m_cfg_valid')) asked = true;
        },
      );

      const sent = KINDS.flatMap((kind) =>
        (kind.data ? [0, 1, 2, 3, 13, 60, 64, 256] : [0]).map((length, i) => ({
          ...kind,
          payload: random.bytes(length),
          psn: random.below(2 ** 24),
          se: i % 2,
          a: i % 3 ? 1 : 0,
        })),
      );
      const headerBytes = ({ reth, imm, aeth }: (typeof sent)[number]) =>
        20 + (path === 'global' ? 40 : 0) + (reth ? 16 : 0) + (imm ? 4 : 0) + (aeth ? 4 : 0);
      block.source(
        's_pkt',
        sent.map(
          (each): Word => ({
            '': desc.pack({
              request: each.opcode < Op.RC_READ_RESPONSE_FIRST ? 1 : 0,
              qpn: 3,
              opcode: each.opcode,
              psn: each.psn,
              ack_req: each.a,
              solicited: each.se,
              payload: each.payload.length,
              va: 0x1122_3344_5566_7788n,
              rkey: 0xaabb_ccdd,
              dma_len: 0x0102_0304,
              imm: 0xcafe_f00d,
              syndrome: 0x1f,
              msn: 0x54321,
            }),
          }),
        ),
      );
      block.source(
        's_beat',
        sent.flatMap((each): Word[] => {
          const start = headerBytes(each);
          const image = new Uint8Array(start + 4 * Math.ceil(each.payload.length / 4));
          image.set(each.payload, start);
          return Array.from({ length: Math.ceil(image.length / lane) }, (_, i) => ({
            data: lanes(image.subarray(i * lane, (i + 1) * lane)),
          }));
        }),
        { pause: false },
      );
      const acks = Array.from({ length: 5 }, (_, i) => ({
        '': desc.pack({ bare: 1, qpn: 3, opcode: Op.RC_ACKNOWLEDGE, psn: i, msn: i, syndrome: 0x60 }),
      }));
      block.source('s_ack', acks);
      const sink = block.sink('m_link');

      block.until(() => packets(sink.words, DATA_W).length === sent.length + acks.length);

      const found = packets(sink.words, DATA_W).map((bytes) => decode(bytes).packet!);
      for (const packet of found) {
        expect(packet.icrc).toBe(packet.icrcExpected);
        expect(packet.vcrc).toBe(packet.vcrcExpected);
      }
      const others = found.filter(({ bth }) => bth.opcode !== Op.RC_ACKNOWLEDGE);
      expect(found.length - others.length).toBe(acks.length);
      for (const [i, packet] of others.entries()) {
        const each = sent[i]!;
        expect(packet.payload).toEqual(each.payload);
        expect(packet.lrh).toMatchObject({
          vl: path === 'local' ? 0xc : 0x6,
          lver: 0,
          sl: qpc.sl,
          dlid: qpc.dlid,
          slid: path === 'local' ? 0x41 : 0x40,
          pktLen: (packet.bytes.length - 2) / 4,
        });
        expect(packet.bth).toMatchObject({
          opcode: each.opcode,
          se: each.se === 1,
          padCount: (4 - (each.payload.length % 4)) % 4,
          tver: 0,
          pkey: 0x8765,
          destQpn: qpc.destQpn,
          ackReq: each.a === 1,
          psn: each.psn,
        });
        expect(packet.reth).toEqual(
          each.reth && { va: 0x1122_3344_5566_7788n, rkey: 0xaabb_ccdd, dmaLen: 0x0102_0304 },
        );
        expect(packet.imm).toBe(each.imm && 0xcafe_f00d);
        expect(packet.aeth).toEqual(each.aeth && { syndrome: 0x1f, msn: 0x54321 });
        if (path === 'global')
          expect(packet.grh).toEqual({
            ipVer: 6,
            tclass: 0x5a,
            flowLabel: 0xfedcb,
            payLen: packet.bytes.length - 50,
            nxtHdr: 0x1b,
            hopLimit: 77,
            sgid: GID,
            dgid: qpc.dgid,
          });
        else expect(packet.grh).toBeUndefined();
      }
      // Acknowledges go first.
      if (pauses === 'none')
        expect(found.slice(0, 5).every(({ bth }) => bth.opcode === Op.RC_ACKNOWLEDGE)).toBe(true);
    },
  );
});
