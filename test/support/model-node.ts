import type { Device, Fabric } from '../../src/device.ts';
import { PAGE_BYTES, WQE_BLOCK_BYTES, WQE_MARK } from '../../src/spec/gen/constants.ts';
import { CmdOp, CmdStatus, MtuCode, QpState, WrOpcode } from '../../src/spec/gen/enums.ts';
import { type QpAttribute, qpAttributeMask } from '../../src/spec/gen/qp.ts';
import {
  CQC,
  CQE,
  type Cqe,
  DOORBELL_RECORD,
  EQC,
  EQE,
  type Eqe,
  MPT,
  MTT,
  PKEY,
  QPC,
  type Qpc,
  WQE_ATOMIC,
  WQE_DATA,
  WQE_HEADER,
  type WqeAtomic,
  type WqeHeader,
} from '../../src/spec/gen/records.ts';
import {
  CMD_REG,
  CMD_STATUS_REG,
  CONTROL_REG,
  DOORBELLS,
  PORT_REG,
  REGIONS,
  REGISTERS,
} from '../../src/spec/gen/registers.ts';
import type { Fields, Layout, Values } from '../../src/spec/layout.ts';

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
export const wordOf = (bytes: Uint8Array, at = 0): bigint => viewOf(bytes).getBigUint64(at, true);
export const packed = <F extends Fields>(layout: Layout<F>, values: Partial<Values<F>>): bigint =>
  wordOf(layout.pack(values));

export interface Region {
  key: number;
  start: bigint;
  length: number;
  /** Host addresses of its pages. */
  pages: bigint[];
  read(offset?: number, length?: number): Promise<Uint8Array>;
  write(bytes: Uint8Array, offset?: number): void;
}

export interface Segment {
  region?: { key: number; start: bigint };
  offset?: number;
  length: number;
}

export type Wr = Partial<WqeHeader> & {
  sge?: Segment[];
  inlineData?: Uint8Array;
  remote?: { key: number; start: bigint };
  remoteOffset?: number;
  operands?: WqeAtomic;
};

const LOG_STRIDE = 3; // slots of 512 bytes
const ALL_RIGHTS = { localWrite: 1, remoteWrite: 1, remoteRead: 1, remoteAtomic: 1 };

/** Drives a device by its registers and rings alone, with as little convenience as a test can bear. */
export class Node {
  readonly device: Device;
  readonly lid: number;
  readonly pd = 7;
  #nextPage = 0x1_0000_0000n;
  #nextMtt = 0;
  #nextMpt = 0;
  #token = 0;
  readonly eq: Ring;

  readonly #advance: () => Promise<unknown>;

  private constructor(device: Device, lid: number, advance: () => Promise<unknown>) {
    this.device = device;
    this.lid = lid;
    this.#advance = advance;
    this.eq = new Ring(this, EQE.bytes, 6);
  }

  /** Event queue 0 for everything, port and tables set, enabled. `advance` lets time pass. */
  static async start(
    device: Device,
    lid: number,
    advance: () => Promise<unknown> = async () => {},
  ): Promise<Node> {
    const node = new Node(device, lid, advance);
    device.barWrite(0, REGISTERS.port.at, packed(PORT_REG, { lid, mtu: MtuCode.MTU_4096 }));
    node.table('pkeyTable', 0, PKEY.pack({ pkey: 0xffff }));
    node.table('eqcTable', 0, EQC.pack({ mtt: node.eq.mtt, logSize: node.eq.logSize, vector: 3 }));
    await node.command(CmdOp.SW2HW_EQ, 0);
    device.barWrite(0, REGISTERS.control.at, packed(CONTROL_REG, { enable: 1, asyncEqn: 0, asyncValid: 1 }));
    return node;
  }

  table(region: keyof typeof REGIONS, index: number, entry: Uint8Array): void {
    const { at, bar, stride } = REGIONS[region] as { at: number; bar: 0 | 2; stride: number };
    for (let i = 0; i < entry.length; i += 8)
      this.device.barWrite(bar, at + index * stride + i, wordOf(entry, i));
  }

  /** The status that a command ends with. */
  async tryCommand(
    op: number,
    number: number,
    modifier = 0,
    param = 0,
    mailbox?: Uint8Array,
  ): Promise<CmdStatus> {
    this.#token = (this.#token + 1) & 0xffff;
    for (let i = 0; mailbox && i < mailbox.length; i += 8)
      this.device.barWrite(0, REGIONS.mailbox.at + i, wordOf(mailbox, i));
    this.device.barWrite(0, REGISTERS.cmdParam.at, BigInt(param));
    this.device.barWrite(0, REGISTERS.cmd.at, packed(CMD_REG, { op, modifier, number, token: this.#token }));
    let answer = await this.#cmdStatus();
    for (let poll = 0; answer.busy && poll < 100; poll++) {
      await this.#advance();
      answer = await this.#cmdStatus();
    }
    const { busy, status, token } = answer;
    if (busy || token !== this.#token)
      throw new Error(`command ${op}: expected token ${this.#token}, got ${token}, busy ${busy}`);
    return status as CmdStatus;
  }

  async #cmdStatus() {
    const bytes = new Uint8Array(8);
    viewOf(bytes).setBigUint64(0, await this.device.barRead(0, REGISTERS.cmdStatus.at), true);
    return CMD_STATUS_REG.unpack(bytes);
  }

  async command(op: number, number: number, modifier = 0, param = 0, mailbox?: Uint8Array): Promise<void> {
    const status = await this.tryCommand(op, number, modifier, param, mailbox);
    if (status !== CmdStatus.OK) throw new Error(`command ${op} of ${number}: status ${status}`);
  }

  async mailbox(bytes: number): Promise<Uint8Array> {
    const out = new Uint8Array(bytes);
    for (let i = 0; i < bytes; i += 8)
      viewOf(out).setBigUint64(i, await this.device.barRead(0, REGIONS.mailbox.at + i), true);
    return out;
  }

  register(name: keyof typeof REGISTERS): Promise<bigint> {
    return this.device.barRead(0, REGISTERS[name].at);
  }

  dropped(reason: number): Promise<bigint> {
    return this.device.barRead(0, REGIONS.dropCounters.at + 8 * reason);
  }

  /** Pages of memory and the first of their MTT entries; they are not neighbours. */
  pages(count: number): { mtt: number; pages: bigint[] } {
    const mtt = this.#nextMtt;
    const pages = Array.from({ length: count }, () => {
      const page = this.#nextPage;
      this.#nextPage += 2n * BigInt(PAGE_BYTES);
      this.table('mttTable', this.#nextMtt++, MTT.pack({ present: 1, page: page >> 12n }));
      return page;
    });
    return { mtt, pages };
  }

  async region(length: number, fields: Partial<Values<(typeof MPT)['fields']>> = {}): Promise<Region> {
    const index = this.#nextMpt++;
    const offset = 0x123;
    const { mtt, pages } = this.pages(Math.ceil((length + offset) / PAGE_BYTES));
    const start = 0x7f00_0000_0123n + (BigInt(index) << 32n);
    const key = ((index << 8) | 0x5a) >>> 0;
    const base = {
      pageShift: 12,
      pd: this.pd,
      key,
      mtt,
      start,
      length: BigInt(length),
      offset: BigInt(offset),
    };
    this.table('mptTable', index, MPT.pack({ ...ALL_RIGHTS, ...base, ...fields }));
    await this.command(CmdOp.SW2HW_MPT, index);
    const walk = function* (from: number, count: number) {
      for (let at = 0; at < count; ) {
        const position = offset + from + at;
        const inPage = position % PAGE_BYTES;
        const size = Math.min(PAGE_BYTES - inPage, count - at);
        yield { address: pages[Math.floor(position / PAGE_BYTES)]! + BigInt(inPage), at, size };
        at += size;
      }
    };
    const { device } = this;
    return {
      key,
      start,
      length,
      pages,
      async read(from = 0, count = length) {
        const bytes = new Uint8Array(count);
        for (const { address, at, size } of walk(from, count))
          bytes.set(await device.memRead(address, size), at);
        return bytes;
      },
      write(bytes, from = 0) {
        for (const { address, at, size } of walk(from, bytes.length))
          device.memWrite(address, bytes.subarray(at, at + size));
      },
    };
  }

  async cq(cqn: number, logSize = 8): Promise<Cq> {
    const ring = new Ring(this, CQE.bytes, logSize);
    this.table('cqcTable', cqn, CQC.pack({ mtt: ring.mtt, logSize, eqn: 0 }));
    await this.command(CmdOp.SW2HW_CQ, cqn);
    return new Cq(this, cqn, ring);
  }

  async qp(qpn: number, cqs: { send: Cq; receive: Cq }, fields: Partial<Qpc> = {}): Promise<QueuePair> {
    const logSize = fields.sqLogSize ?? 6;
    const send = new Ring(this, WQE_BLOCK_BYTES << LOG_STRIDE, logSize);
    const receive = new Ring(this, WQE_BLOCK_BYTES << LOG_STRIDE, logSize);
    const context = {
      pd: this.pd,
      sendCqn: cqs.send.cqn,
      recvCqn: cqs.receive.cqn,
      sqMtt: send.mtt,
      sqLogSize: logSize,
      sqLogStride: LOG_STRIDE,
      rqMtt: receive.mtt,
      rqLogSize: logSize,
      rqLogStride: LOG_STRIDE,
      sigAll: 1,
      ...fields,
    };
    this.table('qpcTable', qpn, QPC.pack(context));
    await this.command(CmdOp.CREATE_QP, qpn);
    return new QueuePair(this, qpn, send, receive);
  }

  async events(): Promise<{ event: number; number: number }[]> {
    const entries = await this.eq.take(EQE);
    this.doorbell('eq', 0, this.eq.consumer & 0xff_ffff);
    return (entries as Eqe[]).map(({ event, number }) => ({ event, number }));
  }

  doorbell(bell: keyof typeof DOORBELLS, number: number, index: number, command = 0): void {
    this.device.barWrite(
      0,
      REGIONS.doorbellPages.at + DOORBELLS[bell],
      packed(DOORBELL_RECORD, { index, number, command }),
    );
  }
}

class Ring {
  consumer = 0;
  readonly mtt: number;
  readonly #pages: bigint[];

  constructor(
    readonly node: Node,
    readonly slotBytes: number,
    readonly logSize: number,
  ) {
    const { mtt, pages } = node.pages(Math.ceil((slotBytes << logSize) / PAGE_BYTES));
    this.mtt = mtt;
    this.#pages = pages;
  }

  address(index: number): bigint {
    const position = (index % 2 ** this.logSize) * this.slotBytes;
    return this.#pages[Math.floor(position / PAGE_BYTES)]! + BigInt(position % PAGE_BYTES);
  }

  async take<F extends Fields>(layout: Layout<F>): Promise<Values<F>[]> {
    const entries: Values<F>[] = [];
    for (;;) {
      const bytes = await this.node.device.memRead(this.address(this.consumer), this.slotBytes);
      const round = Math.floor(this.consumer / 2 ** this.logSize);
      if (bytes[this.slotBytes - 1]! >> 7 !== 1 - (round % 2)) return entries;
      entries.push(layout.unpack(bytes));
      this.consumer++;
    }
  }
}

export class Cq {
  constructor(
    readonly node: Node,
    readonly cqn: number,
    readonly ring: Ring,
  ) {}

  async poll(): Promise<Cqe[]> {
    const entries = await this.ring.take(CQE);
    this.node.doorbell('cq', this.cqn, this.ring.consumer & 0xff_ffff);
    return entries;
  }

  arm(command: 1 | 2): void {
    this.node.doorbell('cq', this.cqn, this.ring.consumer & 0xff_ffff, command);
  }
}

export class QueuePair {
  sqProducer = 0;
  rqProducer = 0;

  constructor(
    readonly node: Node,
    readonly qpn: number,
    readonly sq: Ring,
    readonly rq: Ring,
  ) {}

  tryModify(state: number, values: Partial<Qpc>, names: QpAttribute[]): Promise<CmdStatus> {
    const mask = qpAttributeMask(names);
    return this.node.tryCommand(CmdOp.MODIFY_QP, this.qpn, state, mask, QPC.pack(values));
  }

  async modify(state: number, values: Partial<Qpc>, names: QpAttribute[]): Promise<void> {
    const status = await this.tryModify(state, values, names);
    if (status !== CmdStatus.OK) throw new Error(`modify of QP ${this.qpn} to ${state}: status ${status}`);
  }

  async init(values: Partial<Qpc> = {}): Promise<void> {
    const init = { port: 1, remoteWrite: 1, remoteRead: 1, ...values };
    await this.modify(QpState.INIT, init, ['pkeyIndex', 'port', 'access']);
  }

  async connect(peer: { qpn: number; lid: number }, values: Partial<Qpc> = {}): Promise<void> {
    const path = {
      dlid: peer.lid,
      destQpn: peer.qpn,
      pathMtu: MtuCode.MTU_1024,
      rqPsn: 0xff_fffe,
      sqPsn: 0xff_fffe,
      maxDestRdAtomic: 4,
      maxRdAtomic: 4,
      minRnrTimer: 12,
      ackTimeout: 14,
      ...values,
    };
    const rtr: QpAttribute[] = ['av', 'pathMtu', 'destQpn', 'rqPsn', 'maxDestRdAtomic', 'minRnrTimer'];
    const rts: QpAttribute[] = ['timeout', 'retryCnt', 'rnrRetry', 'sqPsn', 'maxRdAtomic'];
    await this.modify(QpState.RTR, path, rtr);
    await this.modify(QpState.RTS, path, rts);
  }

  async query(): Promise<Qpc> {
    await this.node.command(CmdOp.QUERY_QP, this.qpn);
    return QPC.unpack(await this.node.mailbox(QPC.bytes));
  }

  /** Writes a WQE and rings. */
  send(wr: Wr): void {
    this.write(this.sq, this.sqProducer, wr);
    this.sqProducer = (this.sqProducer + 1) & 0xffff;
    this.node.doorbell('sq', this.qpn, this.sqProducer);
  }

  receive(wr: Wr): void {
    this.write(this.rq, this.rqProducer, { opcode: WrOpcode.RECV, ...wr });
    this.rqProducer = (this.rqProducer + 1) & 0xffff;
    this.node.doorbell('rq', this.qpn, this.rqProducer);
  }

  write(ring: Ring, index: number, wr: Wr): void {
    const { sge = [], inlineData, remote, remoteOffset = 0, operands, ...header } = wr;
    const bytes = new Uint8Array(ring.slotBytes);
    WQE_HEADER.packInto(bytes, 0, {
      mark: WQE_MARK,
      index,
      segments: sge.length,
      remoteAddr: (remote?.start ?? 0n) + BigInt(remoteOffset),
      rkey: remote?.key ?? 0,
      ...(inlineData ? { inline: 1, inlineBytes: inlineData.length } : {}),
      ...header,
    });
    if (operands) WQE_ATOMIC.packInto(bytes, WQE_HEADER.bytes + WQE_DATA.bytes, operands);
    if (inlineData) bytes.set(inlineData, WQE_HEADER.bytes);
    sge.forEach(({ region, offset = 0, length }, i) => {
      WQE_DATA.packInto(bytes, WQE_HEADER.bytes + i * WQE_DATA.bytes, {
        addr: (region?.start ?? 0n) + BigInt(offset),
        lkey: region?.key ?? 0,
        length,
      });
    });
    this.node.device.memWrite(ring.address(index), bytes);
  }
}

export interface Side {
  node: Node;
  send: Cq;
  receive: Cq;
  qp: QueuePair;
  region: Region;
}

export interface Pair {
  fabric: Fabric;
  a: Side;
  b: Side;
  /** Runs until nothing moves. */
  settle(): Promise<void>;
}

/** Two devices with a connected QP each (QPN 2 at LID 1, QPN 3 at LID 2) and a region of `bytes`. */
export async function connectedPair(
  fabric: Fabric,
  values: Partial<Qpc> = {},
  bytes = 0x10000,
): Promise<Pair> {
  const side = async (index: 0 | 1): Promise<Side> => {
    const node = await Node.start(fabric.devices[index], index + 1, () => fabric.run({ cycles: 100 }));
    const send = await node.cq(0);
    const receive = await node.cq(1);
    const qp = await node.qp(2 + index, { send, receive });
    await qp.init(values);
    return { node, send, receive, qp, region: await node.region(bytes) };
  };
  const a = await side(0);
  const b = await side(1);
  await a.qp.connect({ qpn: 3, lid: 2 }, values);
  await b.qp.connect({ qpn: 2, lid: 1 }, values);
  const settle = async () => {
    await fabric.run({ cycles: 1e8, idle: true });
  };
  return { fabric, a, b, settle };
}

export const pattern = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 131 + (i >> 8) * 17 + seed * 29) & 0xff);
