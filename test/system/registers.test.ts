import { describe, expect, it } from 'vitest';
import type { Device } from '../../src/device.ts';
import {
  createCq,
  createQp,
  destroyQp,
  postRecv,
  postSend,
  queryCounters,
  queryCq,
  queryEq,
  queryQp,
  setGid,
  toInit,
  waitPortActive,
} from '../../src/host/index.ts';
import { CmdOp, CmdStatus, QpState } from '../../src/spec/gen/enums.ts';
import { qpAttributeMask } from '../../src/spec/gen/qp.ts';
import { CQC, DOORBELL_RECORD, EQC, MPT, QPC, type Qpc } from '../../src/spec/gen/records.ts';
import {
  CMD_REG,
  CMD_STATUS_REG,
  CONTROL_REG,
  DOORBELLS,
  REGIONS,
  REGISTERS,
} from '../../src/spec/gen/registers.ts';
import type { Fields, Layout, Values } from '../../src/spec/layout.ts';
import { type Bench, devices, judgeBenches, openBench } from '../support/system-bench.ts';
import { exchange, failed, type Pair, sendDone } from '../support/system-messages.ts';
import { inject, packetOf } from '../support/system-packets.ts';

judgeBenches();

const packed = <F extends Fields>(layout: Layout<F>, values: Partial<Values<F>>): bigint => {
  const bytes = layout.pack(values);
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
};

const BELLS = REGIONS.doorbellPages.at;
const bell = (
  kind: keyof typeof DOORBELLS,
  number: number,
  index: number,
  rest: { command?: number; page?: number } = {},
) =>
  [
    BELLS + (rest.page ?? 0) * 4096 + DOORBELLS[kind],
    packed(DOORBELL_RECORD, { number, index, command: rest.command ?? 0 }),
  ] as const;

/** A command by hand: what the status register says in the end. */
async function command(
  bench: Bench,
  op: number,
  number: number,
  values: { modifier?: number; param?: bigint } = {},
) {
  const { device } = bench.context('b');
  device.barWrite(0, REGISTERS.cmdParam.at, values.param ?? 0n);
  device.barWrite(
    0,
    REGISTERS.cmd.at,
    packed(CMD_REG, { op, number, modifier: values.modifier ?? 0, token: 0xabcd }),
  );
  for (;;) {
    const status = await readRegister(device, 'cmdStatus', CMD_STATUS_REG);
    if (status.busy === 0) return status;
    await bench.fabric.run({ cycles: 100 });
  }
}

async function readRegister<F extends Fields>(
  device: Device,
  name: keyof typeof REGISTERS,
  layout: Layout<F>,
) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, await device.barRead(0, REGISTERS[name].at, 8), true);
  return layout.unpack(bytes);
}

describe.each(devices)('registers of the %s', (_, setup) => {
  it.each(Array.from({ length: 27 }, (_, i) => i - 8))(
    'a doorbell %i ahead of a ring of 8 is taken or refused, and counted [Q17]',
    async (ahead) => {
      const bench = await openBench(setup);
      const context = bench.context('b');
      const cq = await createCq(context, 64);
      const qp = await createQp(await bench.pd('b'), { sendCq: cq, recvCq: cq, cap: { maxRecvWr: 8 } });
      await toInit(qp);
      const start = 12;
      context.device.barWrite(0, ...bell('rq', qp.qpn, 8));
      context.device.barWrite(0, ...bell('rq', qp.qpn, start));
      context.device.barWrite(0, ...bell('rq', qp.qpn, start + ahead));
      const taken = ahead >= 0 && ahead <= 8;
      expect((await queryQp(qp)).context.rqProducer).toBe(taken ? start + ahead : start);
      bench.drops.b = { DOORBELL: taken ? 0 : 1 };
      await destroyQp(qp);
    },
  );

  it('a doorbell counts around the end of its range', async () => {
    const bench = await openBench(setup);
    const context = bench.context('b');
    const cq = await createCq(context, 64);
    const qp = await createQp(await bench.pd('b'), { sendCq: cq, recvCq: cq, cap: { maxRecvWr: 0x8000 } });
    await toInit(qp);
    for (const index of [0x8000, 0xfff0, 5]) context.device.barWrite(0, ...bell('rq', qp.qpn, index));
    expect((await queryQp(qp)).context.rqProducer).toBe(5);
    await destroyQp(qp);
  });

  it('a doorbell of another page, number, command or index is refused and counted', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const { device } = pair.b.context;
    const { qpn } = pair.b.qp;
    const { cqn } = pair.b.recvCq;
    const refused = [
      bell('sq', qpn, 0, { page: 1 }),
      bell('rq', qpn, 0, { page: 15 }),
      bell('sq', 40, 0),
      bell('sq', 0xff_ff00, 0),
      bell('rq', qpn, 0, { command: 1 }),
      bell('sq', qpn, 0x1_0000),
      bell('cq', cqn, 0, { page: 2 }),
      bell('cq', 20, 0),
      bell('cq', cqn, 0, { command: 3 }),
      bell('cq', cqn, 1),
      bell('cq', cqn, 0xff_ffff),
      bell('eq', 0, 0, { page: 1 }),
      bell('eq', 3, 0),
      bell('eq', 0, 1),
      bell('eq', 0, 0, { command: 1 }),
    ] as const;
    for (const [i, [offset, value]] of refused.entries()) {
      device.barWrite(0, offset, value);
      expect((await bench.dropped('b')).DOORBELL, `doorbell ${i}`).toBe(i + 1);
    }
    const [offset, value] = bell('rq', qpn, 0);
    device.barWrite(0, offset, value | (1n << 63n)); // reserved bits
    for (let round = 0; round < 2; round++)
      for (const [offset, value] of refused) device.barWrite(0, offset, value);
    expect(await queryCq(pair.b.recvCq)).toMatchObject({ consumer: 0, armed: 'no' });
    expect(await queryEq(pair.b.context.asyncEq!)).toMatchObject({ consumer: 0 });
    bench.drops.b = { DOORBELL: 3 * refused.length + 1 };
    await bench.settle();
    expect(await bench.dropped('b')).toEqual(bench.drops.b);
    await exchange(bench, pair, [{ op: 'SEND' }, { op: 'SEND', from: 'b' }]);
    device.barWrite(0, ...bell('cq', cqn, 2));
    device.barWrite(0, ...bell('cq', cqn, 0));
    bench.drops.b.DOORBELL = 3 * refused.length + 3;
  });

  it('a table entry that the device owns is not written, and reads as it was', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const region = await bench.region('b', 100);
    const { device } = pair.b.context;
    const { qpcTable, mptTable, cqcTable, eqcTable } = REGIONS;
    const entries = [
      [qpcTable.at + pair.b.qp.qpn * qpcTable.stride, QPC.bytes],
      [mptTable.at + region.mr.index * mptTable.stride, MPT.bytes],
      [cqcTable.at + pair.b.recvCq.cqn * cqcTable.stride, CQC.bytes],
      [eqcTable.at, EQC.bytes],
    ] as const;
    let count = 0;
    for (const [at, length] of entries) {
      for (let word = 0; word < length; word += 8) {
        const before = await device.barRead(2, at + word, 8);
        device.barWrite(2, at + word, 0xffff_ffff_ffff_ffffn);
        expect(await device.barRead(2, at + word, 8)).toBe(before);
        count++;
      }
    }
    bench.drops.b = { TABLE: count };
    expect(await bench.dropped('b')).toEqual({ TABLE: count });
    await exchange(bench, pair, [{ op: 'SEND' }, { op: 'SEND', from: 'b' }]);
  });

  it('a table entry of the software keeps its words, but for what the engines count', async () => {
    const bench = await openBench(setup);
    const { device } = bench.context('b');
    const { qpcTable, mptTable, mttTable, cqcTable, eqcTable } = REGIONS;
    for (const [at, length, kept] of [
      [qpcTable.at + 50 * qpcTable.stride, QPC.bytes, 9],
      [mptTable.at + 50 * mptTable.stride, 40, 5], // the rest is reserved
      [mttTable.at + 8000 * mttTable.stride, 8, 1],
      [cqcTable.at + 20 * cqcTable.stride, CQC.bytes, 2],
      [eqcTable.at + 3 * eqcTable.stride, EQC.bytes, 2],
    ] as const) {
      for (let word = 0; word < length / 8; word++)
        device.barWrite(2, at + word * 8, BigInt(0x1001 + 16 * word));
      for (let word = 0; word < length / 8; word++) {
        const expected = word < kept ? BigInt(0x1001 + 16 * word) : 0n;
        expect(await device.barRead(2, at + word * 8, 8), `word ${word} at ${at}`).toBe(expected);
        if (word < kept) expect(await device.barRead(2, at + word * 8, 4)).toBe(expected);
      }
    }
  });

  it('accesses outside of the tables read as zero and are counted', async () => {
    const bench = await openBench(setup);
    const { device } = bench.context('b');
    const outside = [
      64 * REGIONS.qpcTable.stride,
      0xff_fff8,
      REGIONS.mptTable.at + 64 * REGIONS.mptTable.stride,
      REGIONS.mttTable.at + 8192 * 8,
      REGIONS.cqcTable.at + 32 * REGIONS.cqcTable.stride,
      REGIONS.eqcTable.at + 4 * REGIONS.eqcTable.stride,
      REGIONS.gidTable.at + 8 * 16,
      REGIONS.pkeyTable.at + 16 * 8,
      0x600_0000,
      0xffff_fff8,
    ];
    for (const at of outside) {
      device.barWrite(2, at, 0xffff_ffff_ffff_ffffn);
      expect(await device.barRead(2, at, 8)).toBe(0n);
    }
    bench.drops.b = { TABLE: 2 * outside.length };
    expect(await bench.dropped('b')).toEqual(bench.drops.b);
  });

  it('odd accesses are ignored, read as zero and are counted', async () => {
    const bench = await openBench(setup);
    const { device } = bench.context('b');
    const before = await device.barRead(0, REGISTERS.capMask.at, 8);
    let count = 0;
    const read = async (at: number, bytes: 4 | 8 = 8) => {
      count++;
      expect(await device.barRead(0, at, bytes), `read of ${at}`).toBe(0n);
    };
    const write = (at: number, bytes: 4 | 8 = 8, bar: 0 | 2 = 0) => {
      count++;
      device.barWrite(bar, at, bytes === 4 ? 0xffff_ffffn : 0xffff_ffff_ffff_ffffn, bytes);
    };
    for (const at of [
      0x70,
      0x78,
      0x98,
      0xf8,
      0x168,
      0x1f8,
      0x380,
      0x3f8,
      0x480,
      0x7f8,
      0x900,
      0x1000,
      BELLS - 8,
      BELLS + 0x1_0000,
    ]) {
      await read(at);
      await read(at, 4);
      write(at);
      write(at + 4, 4);
    }
    for (const at of [0, 0x20, 0x1000]) await read(BELLS + at); // doorbells are not read
    for (const at of [0x20, 0x28, 0xff8, 0xf020]) write(BELLS + at);
    write(BELLS + DOORBELLS.rq, 4);
    write(BELLS + DOORBELLS.rq + 4, 4);
    for (const { at, access } of Object.values(REGISTERS)) if (access === 'ro') write(at);
    write(REGIONS.dropCounters.at);
    write(REGIONS.dropCounters.at + 12, 4);
    for (const { at } of [REGIONS.nakCounters, REGIONS.stallCounters]) write(at + 8);
    write(REGISTERS.capMask.at); // enabled
    write(REGISTERS.cmd.at, 4);
    write(REGISTERS.cmd.at + 4, 4);
    for (const at of [REGIONS.qpcTable.at + 50 * 256, REGIONS.gidTable.at, REGIONS.mttTable.at + 4])
      write(at, 4, 2);
    bench.drops.b = { ACCESS: count };
    expect(await bench.dropped('b')).toEqual({ ACCESS: count });
    expect(await device.barRead(0, REGISTERS.capMask.at, 8)).toBe(before);
    expect((await readRegister(device, 'cmdStatus', CMD_STATUS_REG)).busy).toBe(0);
  });

  it('registers and the mailbox are written by halves too', async () => {
    const bench = await openBench(setup);
    const { device } = bench.context('b');
    for (const at of [
      REGISTERS.nodeGuid.at,
      REGISTERS.sl2vl.at,
      REGIONS.mailbox.at,
      REGIONS.mailbox.at + 248,
    ]) {
      device.barWrite(0, at, 0x1122_3344_5566_7788n);
      device.barWrite(0, at + 4, 0xaabb_ccddn, 4);
      expect(await device.barRead(0, at, 8)).toBe(0xaabb_ccdd_5566_7788n);
      device.barWrite(0, at, 0x0102_0304n, 4);
      expect(await device.barRead(0, at, 8)).toBe(0xaabb_ccdd_0102_0304n);
      expect(await device.barRead(0, at + 4, 4)).toBe(0xaabb_ccddn);
      device.barWrite(0, at, 0n);
    }
  });

  it('commands are refused by operation, number and owner, in this order', async () => {
    const bench = await openBench(setup);
    const { qp } = (await bench.connect()).b;
    const status = async (op: number, number: number) => {
      const { status, token } = await command(bench, op, number);
      expect(token).toBe(0xabcd);
      return status;
    };
    expect(await status(CmdOp.NOP, 0)).toBe(CmdStatus.OK);
    for (const op of [0xff, 0x7f]) expect(await status(op, 0xff_ffff)).toBe(CmdStatus.BAD_OP);
    const { NOP: _, ...ops } = CmdOp;
    for (const op of Object.values(ops)) {
      expect(await status(op, 0xff_ffff), `command ${op}`).toBe(CmdStatus.BAD_RESOURCE);
      expect(await status(op, 64), `command ${op}`).toBe(CmdStatus.BAD_RESOURCE);
    }
    for (const op of [CmdOp.QUERY_QP, CmdOp.MODIFY_QP, CmdOp.DESTROY_QP])
      expect(await status(op, 50)).toBe(CmdStatus.BAD_OWNER);
    expect(await status(CmdOp.CREATE_QP, qp.qpn)).toBe(CmdStatus.BAD_OWNER);
    for (const op of [CmdOp.QUERY_CQ, CmdOp.MODIFY_CQ, CmdOp.HW2SW_CQ])
      expect(await status(op, 20)).toBe(CmdStatus.BAD_OWNER);
    for (const op of [CmdOp.QUERY_EQ, CmdOp.MODIFY_EQ, CmdOp.HW2SW_EQ])
      expect(await status(op, 3)).toBe(CmdStatus.BAD_OWNER);
    for (const op of [CmdOp.QUERY_MPT, CmdOp.MODIFY_MPT, CmdOp.HW2SW_MPT])
      expect(await status(op, 50)).toBe(CmdStatus.BAD_OWNER);
    expect(await status(CmdOp.SW2HW_EQ, 0)).toBe(CmdStatus.BAD_OWNER);
    expect(await status(CmdOp.SW2HW_CQ, 0)).toBe(CmdStatus.BAD_OWNER);
  });

  it.each([
    ['of service UC', { service: 1 }],
    ['of service UD', { service: 3 }],
    ['whose send CQ does not exist', { sendCqn: 30 }],
    ['whose receive CQ does not exist', { recvCqn: 30 }],
    ['whose CQ is beyond the table', { recvCqn: 0xff_ff00 }],
    ['of a stride that is too large', { sqLogStride: 4 }],
    ['of a receive stride that is too large', { rqLogStride: 4 }],
    ['of a page that does not exist', { uar: 16 }],
  ] as const satisfies readonly (readonly [string, Partial<Qpc>])[])(
    'a queue pair %s is not made',
    async (_, values) => {
      const bench = await openBench(setup);
      const { recvCq, pd } = (await bench.connect()).b;
      const { device } = bench.context('b');
      const at = REGIONS.qpcTable.at + 40 * REGIONS.qpcTable.stride;
      const fill = (more: Partial<Qpc>) => {
        const entry = QPC.pack({
          service: 0,
          pd: pd.number,
          sendCqn: recvCq.cqn,
          recvCqn: recvCq.cqn,
          ...more,
        });
        const view = new DataView(entry.buffer, entry.byteOffset);
        for (let i = 0; i < 72; i += 8) device.barWrite(2, at + i, view.getBigUint64(i, true));
      };
      fill(values);
      expect((await command(bench, CmdOp.CREATE_QP, 40)).status).toBe(CmdStatus.BAD_PARAM);
      fill({ state: QpState.RTS });
      expect((await command(bench, CmdOp.CREATE_QP, 40)).status).toBe(CmdStatus.OK);
      expect(Number(await device.barRead(2, at, 8)) & 15).toBe(QpState.RESET);
      expect((await command(bench, CmdOp.DESTROY_QP, 40)).status).toBe(CmdStatus.OK);
    },
  );

  it('an attribute that does not exist cannot be named', async () => {
    const bench = await openBench(setup);
    const { qp } = (await bench.connect()).b;
    for (const bit of [21n, 31n, 32n, 63n]) {
      const param = 1n << bit;
      expect((await command(bench, CmdOp.MODIFY_QP, qp.qpn, { modifier: QpState.RTS, param })).status).toBe(
        CmdStatus.BAD_ATTR,
      );
    }
    const param = BigInt(qpAttributeMask(['state', 'curState']));
    expect((await command(bench, CmdOp.MODIFY_QP, qp.qpn, { modifier: QpState.RTS, param })).status).toBe(
      CmdStatus.OK,
    );
    for (const modifier of [QpState.RTS | 0x10, 0x80])
      expect((await command(bench, CmdOp.MODIFY_QP, qp.qpn, { modifier })).status).toBe(
        CmdStatus.BAD_QP_STATE,
      );
  });

  it('a context that the software owns receives nothing, whatever stands in it', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const { device } = bench.context('b');
    const at = REGIONS.qpcTable.at + 40 * REGIONS.qpcTable.stride;
    const entry = QPC.pack({
      ...(await queryQp(pair.b.qp)).context,
      state: QpState.RTS,
      dlid: bench.context('a').port.lid,
      destQpn: pair.a.qp.qpn,
    });
    const view = new DataView(entry.buffer, entry.byteOffset);
    for (let i = 0; i < 72; i += 8) device.barWrite(2, at + i, view.getBigUint64(i, true));
    const packet = packetOf(pair, 'a', { opcode: 4, destQpn: 40, a: true });
    bench.drops.b = { QPN: 1 };
    await inject(bench, 'a', packet);
    expect(await bench.dropped('b')).toEqual({ QPN: 1 });
  });

  it('counts what goes over the wire and into the queues', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect({ mtuBytes: 512, attr: { rnrRetry: 0 } });
    const [source, sink] = [await bench.region('a', 9000), await bench.region('b', 9000)];
    bench.fabric.setTaps({ packets: true });
    await exchange(bench, pair, [
      {
        op: 'SEND',
        local: [{ region: source, at: 0, length: 3000 }],
        receive: [{ region: sink, at: 0, length: 3000 }],
      },
      {
        op: 'RDMA_READ',
        local: [{ region: source, at: 4000, length: 3000 }],
        remote: { region: sink, at: 1 },
      },
    ]);
    postSend(pair.a.qp, { wrId: 9, opcode: 'SEND' });
    await bench.completions(pair.a.sendCq, [failed(pair.a, 'send', 9, 'RNR_RETRY_EXC_ERR')]);
    await bench.settle();
    const sent = { a: [0, 0], b: [0, 0] };
    for (const tap of await bench.fabric.takeTaps()) {
      if (tap.kind !== 'packet') continue;
      const count = sent[tap.device === bench.index('a') ? 'a' : 'b'];
      count[0]!++;
      count[1]! += tap.bytes.length;
    }
    const [a, b] = [await queryCounters(bench.context('a')), await queryCounters(bench.context('b'))];
    expect([a.txPackets, a.txBytes]).toEqual(sent.a);
    expect([b.txPackets, b.txBytes]).toEqual(sent.b);
    expect([a.rxPackets, a.rxBytes]).toEqual(sent.b);
    expect([b.rxPackets, b.rxBytes]).toEqual(sent.a);
    expect([a.naksReceived, b.naksSent, a.naksSent, a.acksSent]).toEqual([1, 1, 0, 0]);
    expect(b.acksSent).toBeGreaterThan(0);
    expect([a.cqesWritten, b.cqesWritten, a.eqesWritten, b.eqesWritten]).toEqual([3, 1, 0, 0]);
  });

  it('a port that is disabled discards what comes, and counts nothing', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const { device } = bench.context('b');
    const control = await device.barRead(0, REGISTERS.control.at, 8);
    const before = await queryCounters(bench.context('b'));
    device.barWrite(0, REGISTERS.control.at, packed(CONTROL_REG, { enable: 0 }));
    await inject(bench, 'a', packetOf(pair, 'a', { opcode: 4, psn: 0x100, a: true, vcrcXor: 1 }));
    await inject(bench, 'a', packetOf(pair, 'a', { opcode: 4, psn: 0x100, a: true, destQpn: 40 }));
    device.barWrite(0, REGISTERS.control.at, control);
    expect(await queryCounters(bench.context('b'))).toEqual(before);
    await exchange(bench, pair, [{ op: 'SEND' }, { op: 'SEND', from: 'b' }]);
  });

  it('a disabled device starts no packet until it is enabled', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    const { device } = bench.context('a');
    const control = await device.barRead(0, REGISTERS.control.at, 8);
    device.barWrite(0, REGISTERS.control.at, packed(CONTROL_REG, { enable: 0 }));
    postRecv(pair.b.qp, { wrId: 3, sgList: [] });
    postSend(pair.a.qp, { wrId: 3, opcode: 'RDMA_WRITE', signaled: true });
    await bench.settle();
    expect((await queryCounters(bench.context('a'))).txPackets).toBe(0);
    device.barWrite(0, REGISTERS.control.at, control);
    await bench.completions(pair.a.sendCq, [sendDone(pair, 'a', 3, 'RDMA_WRITE', 0)]);
  });

  it('an event before its EQ is named is discarded', async () => {
    const bench = await openBench(setup);
    const { device } = bench.context('b');
    const pair = await bench.connect();
    device.barWrite(0, REGISTERS.control.at, packed(CONTROL_REG, { enable: 1, asyncValid: 0 }));
    bench.drops.a = { RESPONSE: 1 };
    await inject(bench, 'a', packetOf(pair, 'a', { opcode: 2, psn: 0x100, a: true }));
    device.barWrite(0, REGISTERS.control.at, packed(CONTROL_REG, { enable: 1, asyncValid: 1 }));
    expect(await bench.events('b')).toEqual([]);
    expect((await queryQp(pair.b.qp)).state).toBe('ERR');
  });

  it('names another GID as soon as its table does', async () => {
    const bench = await openBench(setup);
    const gid = 0x1234_5678n;
    setGid(bench.context('b'), 3, gid);
    const pair: Pair = await bench.connect();
    const grh = { tclass: 0, flowLabel: 0, hopLimit: 1, sgid: 1n, dgid: gid };
    bench.drops.b = { PATH: 1, GRH: 1 };
    await inject(bench, 'a', packetOf(pair, 'a', { opcode: 4, psn: 0x100, grh }));
    setGid(bench.context('b'), 3, 0n);
    await inject(bench, 'a', packetOf(pair, 'a', { opcode: 4, psn: 0x100, grh }));
    expect(await bench.dropped('b')).toEqual(bench.drops.b);
  });
});

/** Between RTL and model one end of the link is no link at all. */
const linked = devices.filter(([, { kind }]) => kind !== 'rtl-model');

describe.each(linked)('the link of the %s', (_, setup) => {
  it('tells when it goes and comes, and sends then what has waited [event: port-active] [event: port-error]', async () => {
    const bench = await openBench(setup);
    const pair = await bench.connect();
    for (const side of ['a', 'b'] as const) bench.context(side).device.setLink(false);
    expect(await bench.events('a')).toEqual(['PORT_ERR 1']);
    expect(await bench.events('b')).toEqual(['PORT_ERR 1']);
    postSend(pair.a.qp, { wrId: 3, opcode: 'RDMA_WRITE', signaled: true });
    await bench.settle();
    expect((await queryCounters(bench.context('a'))).txPackets).toBe(0);
    for (const side of ['b', 'a'] as const) bench.context(side).device.setLink(true);
    await waitPortActive(bench.fabric, bench.context('a'));
    await bench.completions(pair.a.sendCq, [sendDone(pair, 'a', 3, 'RDMA_WRITE', 0)]);
    expect(await bench.events('a')).toEqual(['PORT_ACTIVE 1']);
    expect(await bench.events('b')).toEqual(['PORT_ACTIVE 1']);
  });
});
