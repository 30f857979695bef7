import { describe, expect, it } from 'vitest';
import { createModelFabric, Model, modelPeer } from '../../src/model/index.ts';
import { MAGIC } from '../../src/spec/gen/constants.ts';
import {
  CmdOp,
  CmdStatus,
  DropReason,
  EventType,
  QpState,
  qpStateName,
  WcStatus,
  WrOpcode,
} from '../../src/spec/gen/enums.ts';
import { QP_TRANSITIONS, type QpAttribute } from '../../src/spec/gen/qp.ts';
import { CQC, EQC, MPT, QPC, type Qpc } from '../../src/spec/gen/records.ts';
import { CAPABILITY_REG, CONTROL_REG, PORT_REG, REGIONS, REGISTERS } from '../../src/spec/gen/registers.ts';
import { connectedPair, Node, packed } from '../support/model-node.ts';

const started = () => Node.start(new Model(), 1);
const { OK, BAD_OWNER, BAD_PARAM, BAD_RESOURCE, BUSY } = CmdStatus;

async function withQp(fields: Partial<Qpc> = {}) {
  const node = await started();
  const cqs = { send: await node.cq(0), receive: await node.cq(1) };
  return { node, cqs, qp: await node.qp(2, cqs, fields) };
}

describe('registers', () => {
  it('say who and how large the device is', async () => {
    const model = new Model();
    expect(await model.barRead(0, REGISTERS.identity.at, 4)).toBe(BigInt(MAGIC));
    expect(await model.barRead(0, REGISTERS.sizes.at)).toBe(0x04_03_05_02_05_0d_06_06n);
    expect(await model.barRead(0, REGISTERS.portState.at)).toBe(4n);
  });

  it('take 32 and 64 bits, whole halves only', async () => {
    const model = new Model();
    model.barWrite(0, REGISTERS.nodeGuid.at, 0x1122334455667788n);
    model.barWrite(0, REGISTERS.nodeGuid.at + 4, 0xaabbccddn, 4);
    expect(await model.barRead(0, REGISTERS.nodeGuid.at)).toBe(0xaabbccdd55667788n);
    expect(await model.barRead(0, REGISTERS.nodeGuid.at, 4)).toBe(0x55667788n);
  });

  it('keep nothing in reserved bits', async () => {
    const model = new Model();
    model.barWrite(0, REGISTERS.port.at, 2n ** 64n - 1n);
    expect(await model.barRead(0, REGISTERS.port.at)).toBe(0xf7ffffn);
  });

  it('count accesses that are none', async () => {
    const node = await started();
    const { device } = node;
    device.barWrite(0, REGISTERS.identity.at, 1n);
    device.barWrite(0, 0x7f8, 1n);
    device.barWrite(0, REGISTERS.control.at + 2, 1n, 4);
    device.barWrite(0, REGIONS.doorbellPages.at, 0n, 4);
    expect(await device.barRead(0, 0x7f8)).toBe(0n);
    expect(await node.dropped(DropReason.ACCESS)).toBe(5n);
  });

  it('offer what the mask leaves, until the device is enabled', async () => {
    const model = new Model();
    const fence = packed(CAPABILITY_REG, { fence: 1 });
    const all = await model.barRead(0, REGISTERS.capability.at);
    model.barWrite(0, REGISTERS.capMask.at, ~fence);
    expect(await model.barRead(0, REGISTERS.capability.at)).toBe(all & ~fence);
    model.barWrite(0, REGISTERS.control.at, packed(CONTROL_REG, { enable: 1 }));
    model.barWrite(0, REGISTERS.capMask.at, 2n ** 64n - 1n);
    expect(await model.barRead(0, REGISTERS.capability.at)).toBe(all & ~fence);
  });
});

describe('tables', () => {
  it('refuse and count writes to an entry of the device, or to none', async () => {
    const { node } = await withQp();
    const { at, stride } = REGIONS.qpcTable;
    const before = await node.device.barRead(2, at + 2 * stride);
    node.device.barWrite(2, at + 2 * stride, 0n);
    node.device.barWrite(2, at + 64 * stride, 0n);
    expect(await node.device.barRead(2, at + 2 * stride)).toBe(before);
    expect(await node.dropped(DropReason.TABLE)).toBe(2n);
  });

  it('take an entry back by its command', async () => {
    const { node } = await withQp();
    await node.command(CmdOp.DESTROY_QP, 2);
    node.table('qpcTable', 2, QPC.pack({ pd: 9 }));
    expect(await node.dropped(DropReason.TABLE)).toBe(0n);
    expect(await node.tryCommand(CmdOp.QUERY_QP, 2)).toBe(BAD_OWNER);
  });
});

describe('commands', () => {
  it('answer with their token', async () => {
    const node = await started();
    expect(await node.tryCommand(CmdOp.NOP, 0xff_ffff)).toBe(OK); // tryCommand compares the token
    expect(await node.tryCommand(0x7e, 0)).toBe(CmdStatus.BAD_OP);
  });

  it.each([
    [CmdOp.SW2HW_MPT, 64],
    [CmdOp.QUERY_CQ, 32],
    [CmdOp.HW2SW_EQ, 4],
    [CmdOp.MODIFY_QP, 64],
  ])('%i refuses number %i, the first beyond its table', async (op, number) => {
    const node = await started();
    expect(await node.tryCommand(op, number)).toBe(BAD_RESOURCE);
    expect(await node.tryCommand(op, number - 1)).toBe(op === CmdOp.SW2HW_MPT ? BAD_PARAM : BAD_OWNER);
  });

  it.each([
    ['a page of 2 KiB', { pageShift: 11 }, BAD_PARAM],
    ['a page of 2 GiB', { pageShift: 31 }, BAD_PARAM],
    ['remote write without local write', { remoteWrite: 1 }, BAD_PARAM],
    ['remote atomic without local write', { remoteAtomic: 1 }, BAD_PARAM],
    ['more than 2^63 bytes', { length: 2n ** 63n + 1n }, BAD_PARAM],
    ['2^63 bytes', { length: 2n ** 63n }, OK],
    ['an end beyond 2^64', { start: 2n ** 64n - 1n, length: 2n }, BAD_PARAM],
    ['an end at 2^64', { start: 2n ** 64n - 1n, length: 1n }, OK],
  ])('SW2HW_MPT of a region with %s', async (_, fields, status) => {
    const node = await started();
    node.table('mptTable', 3, MPT.pack({ pageShift: 12, ...fields }));
    expect(await node.tryCommand(CmdOp.SW2HW_MPT, 3)).toBe(status);
    expect(await node.tryCommand(CmdOp.HW2SW_MPT, 3)).toBe(status === OK ? OK : BAD_OWNER);
  });

  it('SW2HW_CQ wants a log size up to 20 and a live EQ', async () => {
    const node = await started();
    const attempt = async (fields: Parameters<typeof CQC.pack>[0]) => {
      node.table('cqcTable', 4, CQC.pack(fields));
      return node.tryCommand(CmdOp.SW2HW_CQ, 4);
    };
    expect(await attempt({ logSize: 21 })).toBe(BAD_PARAM);
    expect(await attempt({ eqn: 1 })).toBe(BAD_PARAM);
    expect(await attempt({ eqn: 9 })).toBe(BAD_PARAM);
    expect(await attempt({ logSize: 20 })).toBe(OK);
    expect(await attempt({ logSize: 20 })).toBe(BAD_OWNER);
  });

  it('keep a CQ or an EQ while another needs it', async () => {
    const { node } = await withQp();
    expect(await node.tryCommand(CmdOp.HW2SW_CQ, 1)).toBe(BUSY);
    expect(await node.tryCommand(CmdOp.HW2SW_EQ, 0)).toBe(BUSY);
    await node.command(CmdOp.DESTROY_QP, 2);
    expect(await node.tryCommand(CmdOp.HW2SW_CQ, 1)).toBe(OK);
    expect(await node.tryCommand(CmdOp.HW2SW_CQ, 0)).toBe(OK);
    expect(await node.tryCommand(CmdOp.HW2SW_EQ, 0)).toBe(BUSY); // asynchronous events
    node.device.barWrite(0, REGISTERS.control.at, packed(CONTROL_REG, { enable: 1 }));
    expect(await node.tryCommand(CmdOp.HW2SW_EQ, 0)).toBe(OK);
  });

  it('MODIFY_EQ and MODIFY_CQ change vector and event queue', async () => {
    const { node, cqs } = await withQp();
    await node.command(CmdOp.MODIFY_EQ, 0, 0, 0, EQC.pack({ vector: 77 }));
    await node.command(CmdOp.QUERY_EQ, 0);
    expect(EQC.unpack(await node.mailbox(EQC.bytes))).toMatchObject({ vector: 77, logSize: 6 });
    expect(await node.tryCommand(CmdOp.MODIFY_CQ, cqs.send.cqn, 0, 0, CQC.pack({ eqn: 2 }))).toBe(BAD_PARAM);
    expect(await node.tryCommand(CmdOp.MODIFY_CQ, cqs.send.cqn, 0, 0, CQC.pack({ eqn: 0 }))).toBe(OK);
  });

  it.each([
    ['another service', { service: 1 }],
    ['an unknown send CQ', { sendCqn: 7 }],
    ['an unknown receive CQ', { recvCqn: 99 }],
    ['slots of 1 KiB', { sqLogStride: 4 }],
    ['a doorbell page beyond the last', { uar: 16 }],
  ])('CREATE_QP refuses %s', async (_, fields) => {
    const { node } = await withQp();
    node.table('qpcTable', 5, QPC.pack({ sendCqn: 0, recvCqn: 1, ...fields }));
    expect(await node.tryCommand(CmdOp.CREATE_QP, 5)).toBe(BAD_PARAM);
    node.table('qpcTable', 5, QPC.pack({ sendCqn: 0, recvCqn: 1 }));
    expect(await node.tryCommand(CmdOp.CREATE_QP, 5)).toBe(OK);
  });
});

const REACH: Readonly<Record<string, readonly number[]>> = {
  RESET: [],
  INIT: [QpState.INIT],
  RTR: [QpState.INIT, QpState.RTR],
  RTS: [QpState.INIT, QpState.RTR, QpState.RTS],
  SQD: [QpState.INIT, QpState.RTR, QpState.RTS, QpState.SQD],
  ERR: [QpState.ERR],
};
const GOOD: Partial<Qpc> = { port: 1, pathMtu: 3, maxRdAtomic: 2, maxDestRdAtomic: 2 };
const requiredFor = (from: string, to: string): readonly QpAttribute[] =>
  QP_TRANSITIONS.find((t) => t.from === from && t.to === to)?.required ?? [];

async function qpIn(state: string) {
  const all = await withQp();
  let from = 'RESET';
  for (const next of REACH[state]!) {
    const to = qpStateName(next);
    await all.qp.modify(next, GOOD, [...requiredFor(from, to)]);
    from = to;
  }
  return all;
}

describe.each(Object.keys(REACH))('MODIFY_QP from %s', (from) => {
  it.each(Object.entries(QpState))(`to %s`, async (to, value) => {
    const transition = QP_TRANSITIONS.find((t) => t.from === from && t.to === to);
    const { node, qp } = await qpIn(from);
    const required = requiredFor(from, to);
    if (!transition) {
      expect(await qp.tryModify(value, GOOD, [])).toBe(CmdStatus.BAD_QP_STATE);
    } else {
      for (const missing of required)
        expect(
          await qp.tryModify(
            value,
            GOOD,
            required.filter((name) => name !== missing),
          ),
        ).toBe(CmdStatus.MISSING_ATTR);
      for (const stray of ['qkey', 'altPath', 'migState', 'cap'] as const)
        expect(await qp.tryModify(value, GOOD, [...required, stray])).toBe(CmdStatus.BAD_ATTR);
      expect((await qp.query()).state).toBe(QpState[from as keyof typeof QpState]);
      expect(await qp.tryModify(value, GOOD, [...required, ...transition.optional, 'curState'])).toBe(OK);
    }
    const end = transition ? value : QpState[from as keyof typeof QpState];
    expect((await qp.query()).state).toBe(end);
    expect(await node.tryCommand(CmdOp.MODIFY_QP, 2, 9)).toBe(CmdStatus.BAD_QP_STATE);
  });
});

describe('MODIFY_QP', () => {
  it.each([
    ['path MTU 0', 'INIT', QpState.RTR, { pathMtu: 0 }],
    ['path MTU 6', 'INIT', QpState.RTR, { pathMtu: 6 }],
    ['a path MTU above that of the port', 'INIT', QpState.RTR, { pathMtu: 5 }],
    ['a source GID beyond the table', 'INIT', QpState.RTR, { sgidIndex: 8 }],
    ['too many responder resources', 'INIT', QpState.RTR, { maxDestRdAtomic: 17 }],
    ['too much initiator depth', 'RTR', QpState.RTS, { maxRdAtomic: 17 }],
    ['port 2', 'RESET', QpState.INIT, { port: 2 }],
    ['an empty P_Key entry', 'RESET', QpState.INIT, { pkeyIndex: 1 }],
    ['a P_Key beyond the table', 'RESET', QpState.INIT, { pkeyIndex: 16 }],
  ])('refuses %s', async (_, from, to, values) => {
    const { node, qp } = await qpIn(from);
    node.device.barWrite(0, REGISTERS.port.at, packed(PORT_REG, { lid: 1, mtu: 4 }));
    const names = [...requiredFor(from, qpStateName(to))];
    expect(await qp.tryModify(to, { ...GOOD, ...values }, names)).toBe(BAD_PARAM);
    expect(await qp.tryModify(to, GOOD, names)).toBe(OK);
  });

  it('changes named attributes and no others', async () => {
    const { qp } = await qpIn('RTS');
    await qp.modify(QpState.RTS, { minRnrTimer: 9, remoteWrite: 1, destQpn: 55 }, ['minRnrTimer']);
    expect(await qp.query()).toMatchObject({
      minRnrTimer: 9,
      remoteWrite: 0,
      destQpn: 0,
      sqMtt: expect.any(Number),
    });
  });
});

describe('doorbells', () => {
  it.each([
    ['of an SQ in RTR', 'RTR', 'sq', 2, 1],
    ['of an RQ in Reset', 'RESET', 'rq', 2, 1],
    ['of an unknown QP', 'RTS', 'sq', 3, 1],
    ['beyond the ring', 'RTS', 'sq', 2, 65],
    ['with a 17-bit index', 'RTS', 'rq', 2, 0x1_0001],
    ['with a command for a QP', 'RTS', 'sq', 2, 1, 1],
    ['of a CQ entry that was never written', 'RTS', 'cq', 0, 1],
    ['with command 3 for a CQ', 'RTS', 'cq', 0, 0, 3],
    ['of an EQ entry that was never written', 'RTS', 'eq', 0, 1],
  ] as const)('%s are refused and counted', async (_, state, bell, number, index, ...command: number[]) => {
    const { node, qp } = await qpIn(state);
    node.doorbell(bell, number, index, ...command);
    expect(await node.dropped(DropReason.DOORBELL)).toBe(1n);
    expect(await qp.query()).toMatchObject({ sqProducer: 0, rqProducer: 0 });
  });

  it('of another page, or with reserved bits, are refused', async () => {
    const { node } = await qpIn('RTS');
    const { at } = REGIONS.doorbellPages;
    node.device.barWrite(0, at + 0x1000, (2n << 32n) | 1n);
    node.device.barWrite(0, at, (2n << 32n) | (1n << 56n) | 1n);
    expect(await node.dropped(DropReason.DOORBELL)).toBe(2n);
  });

  it('may fill the whole ring', async () => {
    const { node } = await qpIn('RTS');
    node.doorbell('sq', 2, 64);
    expect(await node.dropped(DropReason.DOORBELL)).toBe(0n);
  });
});

describe('SQD', () => {
  it('finishes started messages, keeps others and goes on in RTS', async () => {
    const fabric = createModelFabric();
    const { a, b, settle } = await connectedPair(fabric);
    const write = {
      opcode: WrOpcode.RDMA_WRITE,
      sge: [{ region: a.region, length: 60_000 }],
      remote: b.region,
    };
    a.qp.send(write);
    await fabric.run({ cycles: 200 });
    await a.qp.modify(QpState.SQD, {}, []);
    expect(await a.qp.tryModify(QpState.RTS, {}, [])).toBe(CmdStatus.BAD_QP_STATE);
    a.qp.send(write);
    await settle();
    expect(await a.send.poll()).toHaveLength(1);
    await a.qp.modify(QpState.RTS, {}, []);
    await settle();
    expect(await a.send.poll()).toHaveLength(1);
  });
});

describe('the disabled device', () => {
  it('discards what it receives and serves no queue', async () => {
    const fabric = createModelFabric();
    const { a, b, settle } = await connectedPair(fabric);
    const set = (enable: number) =>
      b.node.device.barWrite(0, REGISTERS.control.at, packed(CONTROL_REG, { enable, asyncValid: 1 }));
    set(0);
    b.qp.send({ opcode: WrOpcode.RDMA_WRITE });
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE });
    await fabric.run({ cycles: 10_000, idle: true });
    expect(await a.send.poll()).toEqual([]);
    expect(await b.send.poll()).toEqual([]);
    set(1);
    await settle();
    expect(await b.send.poll()).toHaveLength(1);
  });
});

describe('modelPeer', () => {
  it('carries packets by hand between two models', async () => {
    const models = [new Model(), new Model()] as const;
    const fabric = { ...createModelFabric(), devices: models } as never;
    const { a, b } = await connectedPair(fabric);
    const vectors: number[] = [];
    models[0].onInterrupt((vector) => vectors.push(vector));
    const [left, right] = [modelPeer(models[0]), modelPeer(models[1])];
    a.send.arm(2);
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE, sge: [{ region: a.region, length: 5000 }], remote: b.region });
    for (const packet of left.transmit(0)) right.receive(packet, 0);
    for (const packet of right.transmit(0)) left.receive(packet, 0);
    expect(vectors).toEqual([]);
    expect(left.transmit(0)).toEqual([]);
    expect(vectors).toEqual([3]);
    expect(await a.node.events()).toEqual([{ event: EventType.COMPLETION, number: 0 }]);
  });

  it('tells when its timer runs out, and sends again then', async () => {
    const models = [new Model(), new Model()] as const;
    const fabric = { ...createModelFabric(), devices: models } as never;
    const { a, b } = await connectedPair(fabric, { ackTimeout: 3, retryCount: 1 });
    const peer = modelPeer(models[0]);
    expect(peer.nextEventCycle()).toBeUndefined();
    peer.transmit(5000);
    a.qp.send({ opcode: WrOpcode.RDMA_WRITE, remote: b.region });
    const sent = peer.transmit(6000);
    expect(sent).toHaveLength(1);
    expect(peer.nextEventCycle()).toBe(6000 + 1024 * 2 ** 3);
    expect(peer.transmit(6000 + 1024 * 2 ** 3 - 1)).toEqual([]);
    expect(peer.transmit(6000 + 1024 * 2 ** 3)).toEqual(sent);
    expect(peer.transmit(6000 + 2048 * 2 ** 3)).toEqual([]);
    expect(await a.send.poll()).toMatchObject([{ status: WcStatus.RETRY_EXC_ERR }]);
    expect(peer.nextEventCycle()).toBeUndefined();
  });
});
