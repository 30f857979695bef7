import type { Device } from '../../src/device.ts';
import { INTERFACE_MAJOR, INTERFACE_MINOR, MAGIC } from '../../src/spec/gen/constants.ts';
import { CmdOp, CmdStatus, cmdOpName } from '../../src/spec/gen/enums.ts';
import { CQE, type Cqe, DOORBELL_RECORD, EQE, type Eqe, MTT } from '../../src/spec/gen/records.ts';
import {
  CAPABILITY_REG,
  CMD_REG,
  CMD_STATUS_REG,
  DOORBELLS,
  IDENTITY_REG,
  LIMITS_REG,
  REGIONS,
  REGISTERS,
  SIZES_REG,
} from '../../src/spec/gen/registers.ts';
import type { Fields, Layout, Values } from '../../src/spec/layout.ts';

const PAGE = 4096;

const word = (bytes: Uint8Array): bigint =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0, true);
const bytesOf = (value: bigint): Uint8Array => new Uint8Array(new BigUint64Array([value]).buffer);
const register = <F extends Fields>(layout: Layout<F>, values: Partial<Values<F>>): bigint =>
  word(layout.pack(values));

export interface Doorbell {
  kind: string;
  page: number;
  number: number;
  index: number;
  command: number;
}

/** A device that obeys every command and does nothing else: it shows what a driver writes. */
export class FakeDevice implements Device {
  readonly name = 'fake';
  /** In order: commands as `SW2HW_CQ 0`, doorbells as `sq 2`, interrupts have none. */
  readonly log: string[] = [];
  readonly commands: (Values<typeof CMD_REG.fields> & { param: bigint; mailbox: Uint8Array })[] = [];
  readonly doorbells: Doorbell[] = [];
  /** Status of the next command of an op. */
  readonly refusals = new Map<number, number>();
  /** What the next command of an op leaves in the mailbox. */
  readonly answers = new Map<number, Uint8Array>();
  /** Polls for which a command stays busy. */
  busyPolls = 0;
  barReads = 0;
  memReads = 0;

  readonly #bar0 = new Map<number, bigint>([
    [
      REGISTERS.identity.at,
      register(IDENTITY_REG, { magic: MAGIC, major: INTERFACE_MAJOR, minor: INTERFACE_MINOR }),
    ],
    [
      REGISTERS.capability.at,
      register(CAPABILITY_REG, { rc: 1, atomics: 1, inline: 1, fence: 1, wrList: 1, resizeCq: 1 }),
    ],
    [
      REGISTERS.sizes.at,
      register(SIZES_REG, {
        logQps: 3,
        logMrs: 3,
        logMtts: 10,
        logCqs: 3,
        logEqs: 2,
        logInflight: 4,
        logGids: 3,
        logPkeys: 4,
      }),
    ],
    [
      REGISTERS.limits.at,
      register(LIMITS_REG, {
        maxSge: 16,
        maxInlineBytes: 256,
        logMaxMsg: 31,
        maxMtu: 5,
        logMaxWqes: 15,
        maxRdAtomic: 16,
        maxDestRdAtomic: 16,
        logMaxCqes: 16,
      }),
    ],
    [REGISTERS.portState.at, 4n],
  ]);
  readonly #bar2 = new Map<number, bigint>();
  readonly #memory = new Map<bigint, Uint8Array>();
  readonly #handlers: ((vector: number) => void)[] = [];
  #busyLeft = 0;

  async barRead(bar: 0 | 2, offset: number): Promise<bigint> {
    this.barReads++;
    const value = this.peek(bar, offset);
    if (bar === 0 && offset === REGISTERS.cmdStatus.at && this.#busyLeft > 0) {
      this.#busyLeft--;
      return register(CMD_STATUS_REG, { busy: 1 });
    }
    return value;
  }

  barWrite(bar: 0 | 2, offset: number, value: bigint): void {
    (bar === 0 ? this.#bar0 : this.#bar2).set(offset, value);
    if (bar === 0 && offset === REGISTERS.cmd.at) this.#command(value);
    if (bar === 0 && offset >= REGIONS.doorbellPages.at) this.#doorbell(offset, value);
  }

  async memRead(address: bigint, length: number): Promise<Uint8Array> {
    this.memReads++;
    return this.peekMemory(address, length);
  }

  memWrite(address: bigint, bytes: Uint8Array): void {
    bytes.forEach((byte, i) => {
      const at = address + BigInt(i);
      this.#page(at)[Number(at % BigInt(PAGE))] = byte;
    });
  }

  onInterrupt(handler: (vector: number) => void): void {
    this.#handlers.push(handler);
  }

  setLink(): void {}

  interrupt(vector: number): void {
    for (const handler of this.#handlers) handler(vector);
  }

  setRegister(at: number, value: bigint): void {
    this.#bar0.set(at, value);
  }

  peek(bar: 0 | 2, offset: number): bigint {
    return (bar === 0 ? this.#bar0 : this.#bar2).get(offset) ?? 0n;
  }

  peekMemory(address: bigint, length: number): Uint8Array {
    return Uint8Array.from({ length }, (_, i) => {
      const at = address + BigInt(i);
      return this.#page(at)[Number(at % BigInt(PAGE))]!;
    });
  }

  /** A table entry as the driver wrote it. */
  entry<F extends Fields>(
    region: { at: number; stride: number },
    layout: Layout<F>,
    index: number,
  ): Values<F> {
    const bytes = new Uint8Array(layout.bytes);
    for (let at = 0; at < layout.bytes; at += 8) {
      bytes.set(bytesOf(this.peek(2, region.at + index * region.stride + at)), at);
    }
    return layout.unpack(bytes);
  }

  /** Host address of byte `at` of a ring that starts at an MTT entry. */
  ringAddress(mtt: number, at: number): bigint {
    const { present, page } = this.entry(REGIONS.mttTable, MTT, mtt + Math.floor(at / PAGE));
    if (present !== 1) throw new Error(`MTT entry ${mtt + Math.floor(at / PAGE)} is not present`);
    return page * BigInt(PAGE) + BigInt(at % PAGE);
  }

  /** Writes entry `index` of a CQ's ring, as the device would. */
  writeCqe(ring: { mtt: number; slots: number }, index: number, cqe: Partial<Cqe>): void {
    const phase = Math.floor(index / ring.slots) % 2 === 0 ? 1 : 0;
    this.memWrite(this.ringAddress(ring.mtt, (index % ring.slots) * CQE.bytes), CQE.pack({ ...cqe, phase }));
  }

  writeEqe(ring: { mtt: number; slots: number }, index: number, eqe: Partial<Eqe>): void {
    const phase = Math.floor(index / ring.slots) % 2 === 0 ? 1 : 0;
    this.memWrite(this.ringAddress(ring.mtt, (index % ring.slots) * EQE.bytes), EQE.pack({ ...eqe, phase }));
  }

  #page(address: bigint): Uint8Array {
    const number = address / BigInt(PAGE);
    let page = this.#memory.get(number);
    if (!page) {
      page = new Uint8Array(PAGE);
      this.#memory.set(number, page);
    }
    return page;
  }

  #command(value: bigint): void {
    const command = CMD_REG.unpack(bytesOf(value));
    const mailbox = new Uint8Array(REGIONS.mailbox.bytes);
    for (let at = 0; at < mailbox.length; at += 8) {
      mailbox.set(bytesOf(this.peek(0, REGIONS.mailbox.at + at)), at);
    }
    this.commands.push({ ...command, param: this.peek(0, REGISTERS.cmdParam.at), mailbox });
    this.log.push(`${cmdOpName(command.op)} ${command.number}`);
    const status = this.refusals.get(command.op) ?? CmdStatus.OK;
    this.refusals.delete(command.op);
    this.#busyLeft = this.busyPolls;
    this.#answer(command.op, command.number);
    this.#bar0.set(REGISTERS.cmdStatus.at, register(CMD_STATUS_REG, { status, token: command.token }));
  }

  /** Queries answer with the table entry as the driver wrote it. */
  #answer(op: number, number: number): void {
    const told = this.answers.get(op);
    for (let at = 0; told && at < told.length; at += 8)
      this.#bar0.set(REGIONS.mailbox.at + at, word(told.subarray(at, at + 8)));
    if (this.answers.delete(op)) return;
    const region = {
      [CmdOp.QUERY_MPT]: REGIONS.mptTable,
      [CmdOp.QUERY_CQ]: REGIONS.cqcTable,
      [CmdOp.QUERY_EQ]: REGIONS.eqcTable,
      [CmdOp.QUERY_QP]: REGIONS.qpcTable,
    }[op];
    if (!region) return;
    for (let at = 0; at < region.stride; at += 8) {
      this.#bar0.set(REGIONS.mailbox.at + at, this.peek(2, region.at + number * region.stride + at));
    }
  }

  #doorbell(offset: number, value: bigint): void {
    const { number, index, command } = DOORBELL_RECORD.unpack(bytesOf(value));
    const inPages = offset - REGIONS.doorbellPages.at;
    const [kind = `0x${(inPages % PAGE).toString(16)}`] =
      Object.entries(DOORBELLS).find(([, at]) => at === inPages % PAGE) ?? [];
    this.doorbells.push({ kind, page: Math.floor(inPages / PAGE), number, index, command });
    this.log.push(`${kind} ${number}`);
  }
}
