import { describe, expect, it } from 'vitest';
import { createModelFabric } from '../../src/model/index.ts';
import { DropReason, WrOpcode } from '../../src/spec/gen/enums.ts';
import { GID, PKEY } from '../../src/spec/gen/records.ts';
import { PORT_REG, REGISTERS } from '../../src/spec/gen/registers.ts';
import { decodePacket } from '../../src/wire/index.ts';
import { Node, packed, pattern } from '../support/model-node.ts';

const GIDS = [
  0xfe80_0000_0000_0000_0002_c903_0000_0001n,
  0xfe80_0000_0000_0000_0002_c903_0000_0002n,
] as const;

/** Two QPs whose packets carry a GRH; LMC is 2, the path bits of each end are 1 and 2. */
async function globalPair(dgids: readonly [bigint, bigint] = [GIDS[1], GIDS[0]]) {
  const fabric = createModelFabric();
  const sides = [];
  for (const index of [0, 1] as const) {
    const device = fabric.devices[index];
    const node = await Node.start(device, 4);
    device.barWrite(0, REGISTERS.port.at, packed(PORT_REG, { lid: 4 << (2 * index), lmc: 2, mtu: 5 }));
    device.barWrite(0, REGISTERS.sl2vl.at, 0x3n << 20n); // SL 5 on VL 3
    node.table('gidTable', 3, GID.pack({ gid: GIDS[index] }));
    node.table('pkeyTable', 2, PKEY.pack({ pkey: index === 0 ? 0x8123 : 0x0123 }));
    const cqs = { send: await node.cq(0), receive: await node.cq(1) };
    const qp = await node.qp(2, cqs);
    await qp.init({ pkeyIndex: 2 });
    await qp.connect(
      { qpn: 2, lid: index === 0 ? 16 + 2 : 4 + 1 },
      {
        grh: 1,
        sgidIndex: 3,
        dgid: dgids[index],
        flowLabel: 0x12345,
        tclass: 0x20,
        hopLimit: 64,
        sl: 5,
        pathBits: index + 1,
      },
    );
    sides.push({ node, qp, ...cqs, region: await node.region(10_000) });
  }
  const settle = () => fabric.run({ cycles: 1e8, idle: true });
  return { fabric, a: sides[0]!, b: sides[1]!, settle };
}

describe('a global path', () => {
  it('puts the attributes of the address vector into each header', async () => {
    const { fabric, a, b, settle } = await globalPair();
    fabric.setTaps({ packets: true });
    b.qp.receive({ sge: [{ region: b.region, length: 5000 }] });
    a.qp.send({ opcode: WrOpcode.SEND, sge: [{ region: a.region, length: 1500 }] });
    await settle();

    const packets = (await fabric.takeTaps()).flatMap((e) =>
      e.kind === 'packet' ? [decodePacket(e.bytes)] : [],
    );
    expect(packets).toHaveLength(3);
    const grh = { tclass: 0x20, flowLabel: 0x12345, hopLimit: 64, ipVer: 6, nxtHdr: 0x1b };
    expect(packets[0]!.packet).toMatchObject({
      lrh: { vl: 3, sl: 5, slid: 5, dlid: 18, lnh: 3 },
      grh: { ...grh, sgid: GIDS[0], dgid: GIDS[1], payLen: 12 + 1024 + 4 },
      bth: { pkey: 0x8123, migReq: 1, tver: 0 },
    });
    expect(packets[2]!.packet).toMatchObject({
      lrh: { vl: 3, sl: 5, slid: 18, dlid: 5 },
      grh: { ...grh, sgid: GIDS[1], dgid: GIDS[0], payLen: 12 + 4 + 4 },
      bth: { pkey: 0x0123, ackReq: 0, solicited: 0 },
    });
    expect(await b.receive.poll()).toMatchObject([
      { grh: 1, slid: 5, sl: 5, pathBits: 18, pkeyIndex: 2, byteLen: 1500 },
    ]);
    expect(await a.send.poll()).toMatchObject([{ status: 0 }]);
  });

  it('from a GID that is not the peer of the connection is dropped', async () => {
    const { a, b, settle } = await globalPair([GIDS[1], 5n]);
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE, inlineData: pattern(4), remote: b.region });
    await settle();
    expect(await b.node.dropped(DropReason.PATH)).toBe(1n);
  });

  it('to a GID that is not of the port is dropped', async () => {
    const { a, b, settle } = await globalPair([7n, GIDS[0]]);
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE, inlineData: pattern(4), remote: b.region });
    await settle();
    expect(await b.node.dropped(DropReason.GRH)).toBe(1n);
  });

  it('between two limited members of a partition carries nothing', async () => {
    const { a, b, settle } = await globalPair();
    a.node.table('pkeyTable', 2, PKEY.pack({ pkey: 0x0123 }));
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE, inlineData: pattern(4), remote: b.region });
    await settle();
    expect(await b.node.dropped(DropReason.PKEY)).toBe(1n);
  });
});
