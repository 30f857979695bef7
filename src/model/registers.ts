import { INTERFACE_MAJOR, INTERFACE_MINOR, LOG_MAX_MSG, MAGIC } from '../spec/gen/constants.ts';
import { DropReason } from '../spec/gen/enums.ts';
import {
  CAPABILITY_REG,
  CMD_REG,
  CMD_STATUS_REG,
  CONTROL_REG,
  HEALTH_REG,
  IDENTITY_REG,
  LAST_ERROR_REG,
  LAST_EVENT_REG,
  LIMITS_REG,
  PORT_REG,
  PORT_STATE_REG,
  REGIONS,
  REGISTERS,
  SIZES_REG,
  TIMING_REG,
} from '../spec/gen/registers.ts';
import type { ValuesOf } from '../spec/layout.ts';
import type { CounterName, Counters } from './counters.ts';
import type { Health } from './health.ts';
import type { Limits } from './options.ts';
import { packWord, readWord, unpackWord, writeWord } from './words.ts';

type RegisterName = keyof typeof REGISTERS;
type Width = 4 | 8;

/** Bits of a register that keep what is written; the others read as zero. */
const KEPT: Partial<Record<RegisterName, bigint>> = {
  control: packWord(CONTROL_REG, { enable: 1, asyncEqn: 0xff, asyncValid: 1 }),
  port: packWord(PORT_REG, { lid: 0xffff, lmc: 7, mtu: 15 }),
  timing: packWord(TIMING_REG, { tick: 0xffff }),
  cmd: packWord(CMD_REG, { op: 0xff, modifier: 0xff, token: 0xffff, number: 0xff_ffff }),
};

const ALL = 0xffff_ffff_ffff_ffffn;
const byOffset = new Map<number, RegisterName>(
  Object.entries(REGISTERS).map(([name, { at }]) => [at, name as RegisterName]),
);
const { mailbox, dropCounters, nakCounters, stallCounters } = REGIONS;

/** The registers of BAR0 and the mailbox. Whatever is no proper access is counted, reads as zero. */
export class Registers {
  readonly mailbox = new Uint8Array(mailbox.bytes);
  /** Runs a command; set by the command unit. */
  onCommand: (cmd: ValuesOf<typeof CMD_REG>, param: bigint) => number = () => 0;

  readonly #counters: Counters;
  readonly #values = new Map<RegisterName, bigint>();
  readonly #readOnly: Partial<Record<RegisterName, () => bigint>>;

  constructor(limits: Limits, counters: Counters, health: Health, linkUp: () => boolean) {
    this.#counters = counters;
    const log = (count: number) => Math.round(Math.log2(count));
    const constants: Partial<Record<RegisterName, bigint>> = {
      identity: packWord(IDENTITY_REG, { magic: MAGIC, major: INTERFACE_MAJOR, minor: INTERFACE_MINOR }),
      sizes: packWord(SIZES_REG, {
        logQps: log(limits.qps),
        logMrs: log(limits.mrs),
        logMtts: log(limits.mtts),
        logCqs: log(limits.cqs),
        logEqs: log(limits.eqs),
        logInflight: log(limits.inflight),
        logGids: log(limits.gids),
        logPkeys: log(limits.pkeys),
      }),
      limits: packWord(LIMITS_REG, {
        maxSge: limits.maxSge,
        maxInlineBytes: limits.maxInlineBytes,
        logMaxMsg: LOG_MAX_MSG,
        maxMtu: limits.maxMtu,
        logMaxWqes: limits.logMaxWqes,
        maxRdAtomic: limits.maxRdAtomic,
        maxDestRdAtomic: limits.maxDestRdAtomic,
        logMaxCqes: limits.logMaxCqes,
      }),
    };
    const capabilities = packWord(CAPABILITY_REG, limits.capabilities);
    this.#readOnly = {
      capability: () => capabilities & this.#value('capMask'),
      portState: () => packWord(PORT_STATE_REG, { state: linkUp() ? PORT_ACTIVE : PORT_DOWN }),
      cmdStatus: () => this.#value('cmdStatus'),
      health: () => packWord(HEALTH_REG, health.fault ? { fatal: 1, ...health.fault } : {}),
      lastError: () => packWord(LAST_ERROR_REG, health.lastError ?? {}),
      lastEvent: () => packWord(LAST_EVENT_REG, health.lastEvent ?? {}),
    };
    for (const [name, value] of Object.entries(constants)) {
      this.#readOnly[name as RegisterName] = () => value;
    }
    for (const name of COUNTERS) this.#readOnly[name] = () => BigInt(counters[name]);
  }

  /** Fields of two registers that each packet needs. */
  control = CONTROL_REG.unpack(new Uint8Array(CONTROL_REG.bytes));
  port = PORT_REG.unpack(new Uint8Array(PORT_REG.bytes));

  get capability() {
    return unpackWord(CAPABILITY_REG, this.#readOnly.capability!());
  }

  /** Cycles of 4.096 us, in which the transport's timers count. */
  get tick(): number {
    return Math.max(MIN_TICK, unpackWord(TIMING_REG, this.#value('timing')).tick);
  }

  /** Virtual lane of a service level. */
  vlOf(sl: number): number {
    return Number((this.#value('sl2vl') >> BigInt(4 * sl)) & 0xfn);
  }

  read(offset: number, width: Width): bigint {
    const half = BigInt(8 * (offset % 8));
    const cut = (value: bigint) => BigInt.asUintN(8 * width, value >> half);
    if (offset % width === 0) {
      if (inside(mailbox, offset)) return readWord(this.mailbox, offset - mailbox.at, width);
      const inRegion = ({ at }: { at: number }) => Math.floor((offset - at) / 8);
      if (inside(dropCounters, offset))
        return cut(BigInt(this.#counters.dropped(inRegion(dropCounters) as DropReason)));
      if (inside(nakCounters, offset)) return cut(BigInt(this.#counters.naks(inRegion(nakCounters))));
      if (inside(stallCounters, offset)) return 0n; // without cycles nothing stalls
      const name = byOffset.get(offset - (offset % 8));
      if (name) return cut(this.#readOnly[name]?.() ?? this.#value(name));
    }
    this.#counters.drop(DropReason.ACCESS);
    return 0n;
  }

  write(offset: number, width: Width, value: bigint): void {
    if (offset % width !== 0) {
      this.#refuse();
      return;
    }
    if (inside(mailbox, offset)) {
      writeWord(this.mailbox, offset - mailbox.at, width, value);
      return;
    }
    const name = byOffset.get(offset - (offset % 8));
    if (!name || REGISTERS[name].access === 'ro') {
      this.#refuse();
      return;
    }
    if ((name === 'capMask' && this.control.enable === 1) || (name === 'cmd' && width !== 8)) {
      this.#refuse();
      return;
    }

    const bytes = new Uint8Array(8);
    writeWord(bytes, 0, 8, this.#value(name));
    writeWord(bytes, offset % 8, width, value);
    this.#values.set(name, readWord(bytes, 0, 8) & (KEPT[name] ?? ALL));
    this.control = unpackWord(CONTROL_REG, this.#value('control'));
    this.port = unpackWord(PORT_REG, this.#value('port'));
    if (name === 'cmd') this.#command();
  }

  /** The model needs no time for a command: `busy` is never seen. */
  #command(): void {
    const cmd = unpackWord(CMD_REG, this.#value('cmd'));
    const status = this.onCommand(cmd, this.#value('cmdParam'));
    this.#values.set('cmdStatus', packWord(CMD_STATUS_REG, { busy: 0, status, token: cmd.token }));
  }

  #value(name: RegisterName): bigint {
    return this.#values.get(name) ?? REGISTERS[name].reset;
  }

  #refuse(): void {
    this.#counters.drop(DropReason.ACCESS);
  }
}

const COUNTERS: readonly (CounterName & RegisterName)[] = [
  'txPackets',
  'txBytes',
  'rxPackets',
  'rxBytes',
  'acksSent',
  'naksSent',
  'naksReceived',
  'cqesWritten',
  'eqesWritten',
  'retries',
  'timeouts',
  'rnrWaits',
  'atomics',
];

const MIN_TICK = 16;
const PORT_DOWN = 1;
const PORT_ACTIVE = 4;

const inside = (region: { at: number; bytes: number }, offset: number): boolean =>
  offset >= region.at && offset < region.at + region.bytes;
