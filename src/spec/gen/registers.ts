// Generated from src/spec by `make gen`: edit the YAML there.

import { layout } from '../layout.ts';

/** Registers of BAR0: byte offset, bits, reset value. */
export const REGISTERS = {
  /** who this is */
  identity: { name: 'identity', at: 0x000, width: 64, access: 'ro', reset: 0x0n },
  /** What the device does; a bit masked by cap_mask is not done. */
  capability: { name: 'capability', at: 0x008, width: 64, access: 'ro', reset: 0x0n },
  /** log2 of the number of objects */
  sizes: { name: 'sizes', at: 0x010, width: 64, access: 'ro', reset: 0x0n },
  /** limits of an object */
  limits: { name: 'limits', at: 0x018, width: 64, access: 'ro', reset: 0x0n },
  /** enable: the port receives and sends, queues are served */
  control: { name: 'control', at: 0x020, width: 64, access: 'rw', reset: 0x0n },
  /** capability bits that stay; writable until enabled */
  capMask: { name: 'cap_mask', at: 0x028, width: 64, access: 'rw', reset: 0xffffffffffffffffn },
  /** port attributes; lmc low bits of lid are path bits */
  port: { name: 'port', at: 0x030, width: 64, access: 'rw', reset: 0x0n },
  /** 1 down, 4 active */
  portState: { name: 'port_state', at: 0x038, width: 64, access: 'ro', reset: 0x0n },
  /** virtual lane of each service level, 4 bits each */
  sl2vl: { name: 'sl2vl', at: 0x040, width: 64, access: 'rw', reset: 0x0n },
  /** kept for the driver */
  nodeGuid: { name: 'node_guid', at: 0x048, width: 64, access: 'rw', reset: 0x0n },
  /** clock cycles of 4.096 us, at least 16: the unit of ACK time-outs; RNR delays count 10 us as 2.5 of it */
  timing: { name: 'timing', at: 0x050, width: 64, access: 'rw', reset: 0x400n },
  /** fatal: the device has stopped after a local catastrophic error, until reset; cause: 1 an event could not be written; number: the event queue */
  health: { name: 'health', at: 0x058, width: 64, access: 'ro', reset: 0x0n },
  /** the newest completion in error that was written, flushed ones apart; 0 before the first */
  lastError: { name: 'last_error', at: 0x060, width: 64, access: 'ro', reset: 0x0n },
  /** the newest asynchronous event, DEVICE_FATAL in place of one that could not be written; 0 before the first */
  lastEvent: { name: 'last_event', at: 0x068, width: 64, access: 'ro', reset: 0x0n },
  /** MODIFY_QP: bit per attribute */
  cmdParam: { name: 'cmd_param', at: 0x080, width: 64, access: 'rw', reset: 0x0n },
  /** writing starts a command; refused while one runs */
  cmd: { name: 'cmd', at: 0x088, width: 64, access: 'rw', reset: 0x0n },
  /** busy until done, then the outcome */
  cmdStatus: { name: 'cmd_status', at: 0x090, width: 64, access: 'ro', reset: 0x0n },
  /** packets sent */
  txPackets: { name: 'tx_packets', at: 0x100, width: 64, access: 'ro', reset: 0x0n },
  /** bytes sent, LRH to VCRC */
  txBytes: { name: 'tx_bytes', at: 0x108, width: 64, access: 'ro', reset: 0x0n },
  /** packets received, good or bad */
  rxPackets: { name: 'rx_packets', at: 0x110, width: 64, access: 'ro', reset: 0x0n },
  /** bytes received, LRH to VCRC */
  rxBytes: { name: 'rx_bytes', at: 0x118, width: 64, access: 'ro', reset: 0x0n },
  /** ACKs sent */
  acksSent: { name: 'acks_sent', at: 0x120, width: 64, access: 'ro', reset: 0x0n },
  /** NAKs sent, RNR included */
  naksSent: { name: 'naks_sent', at: 0x128, width: 64, access: 'ro', reset: 0x0n },
  /** NAKs received, RNR included */
  naksReceived: { name: 'naks_received', at: 0x130, width: 64, access: 'ro', reset: 0x0n },
  /** completions written */
  cqesWritten: { name: 'cqes_written', at: 0x138, width: 64, access: 'ro', reset: 0x0n },
  /** events written */
  eqesWritten: { name: 'eqes_written', at: 0x140, width: 64, access: 'ro', reset: 0x0n },
  /** times that a queue pair went back: NAK of sequence, implied NAK, time-out */
  retries: { name: 'retries', at: 0x148, width: 64, access: 'ro', reset: 0x0n },
  /** ACK time-outs that expired */
  timeouts: { name: 'timeouts', at: 0x150, width: 64, access: 'ro', reset: 0x0n },
  /** RNR NAKs that were waited for */
  rnrWaits: { name: 'rnr_waits', at: 0x158, width: 64, access: 'ro', reset: 0x0n },
  /** atomics executed on this host's memory */
  atomics: { name: 'atomics', at: 0x160, width: 64, access: 'ro', reset: 0x0n },
} as const;

/** Fields of the register identity. */
export const IDENTITY_REG = layout('identity', 'little', { magic: 32, minor: 8, major: 8, revision: 16 });

/** Fields of the register capability. */
export const CAPABILITY_REG = layout('capability', 'little', { rc: 1, uc: 1, ud: 1, rd: 1, xrc: 1, srq: 1, atomics: 1, sendInv: 1, mw: 1, bmme: 1, apm: 1, multicast: 1, retry: 1, credits: 1, wrList: 1, resizeCq: 1, resizeQp: 1, loopback: 1, fence: 1, inline: 1, _rest: 44 });

/** Fields of the register sizes. */
export const SIZES_REG = layout('sizes', 'little', { logQps: 8, logMrs: 8, logMtts: 8, logCqs: 8, logEqs: 8, logInflight: 8, logGids: 8, logPkeys: 8 });

/** Fields of the register limits. */
export const LIMITS_REG = layout('limits', 'little', { maxSge: 8, maxInlineBytes: 16, logMaxMsg: 8, maxMtu: 4, logMaxWqes: 4, maxRdAtomic: 8, maxDestRdAtomic: 8, logMaxCqes: 8 });

/** Fields of the register control. */
export const CONTROL_REG = layout('control', 'little', { enable: 1, _0: 7, asyncEqn: 8, asyncValid: 1, _rest: 47 });

/** Fields of the register port. */
export const PORT_REG = layout('port', 'little', { lid: 16, lmc: 3, _0: 1, mtu: 4, _rest: 40 });

/** Fields of the register port_state. */
export const PORT_STATE_REG = layout('port_state', 'little', { state: 4, _rest: 60 });

/** Fields of the register timing. */
export const TIMING_REG = layout('timing', 'little', { tick: 16, _rest: 48 });

/** Fields of the register health. */
export const HEALTH_REG = layout('health', 'little', { fatal: 1, _0: 7, cause: 8, number: 24, _rest: 24 });

/** Fields of the register last_error. */
export const LAST_ERROR_REG = layout('last_error', 'little', { qpn: 24, queue: 1, _0: 7, status: 8, vendor: 16, _rest: 8 });

/** Fields of the register last_event. */
export const LAST_EVENT_REG = layout('last_event', 'little', { number: 24, type: 8, _rest: 32 });

/** Fields of the register cmd. */
export const CMD_REG = layout('cmd', 'little', { op: 8, modifier: 8, token: 16, number: 24, _rest: 8 });

/** Fields of the register cmd_status. */
export const CMD_STATUS_REG = layout('cmd_status', 'little', { busy: 1, _0: 7, status: 8, token: 16, _rest: 32 });

/** Regions of the BARs: byte offset, bytes (a table has as many entries as the device says), bytes of an entry. */
export const REGIONS = {
  /** input and output of commands, in the layout of the object's context */
  mailbox: { name: 'mailbox', bar: 0, at: 0x800, bytes: 256 },
  /** one 4 KiB page per user context */
  doorbellPages: { name: 'doorbell_pages', bar: 0, at: 0x100000, bytes: 65536 },
  /** queue pairs */
  qpcTable: { name: 'qpc_table', bar: 2, at: 0x0, stride: 256 },
  /** memory regions */
  mptTable: { name: 'mpt_table', bar: 2, at: 0x1000000, stride: 64 },
  /** pages */
  mttTable: { name: 'mtt_table', bar: 2, at: 0x2000000, stride: 8 },
  /** completion queues */
  cqcTable: { name: 'cqc_table', bar: 2, at: 0x3000000, stride: 32 },
  /** event queues */
  eqcTable: { name: 'eqc_table', bar: 2, at: 0x4000000, stride: 32 },
  /** GIDs of the port */
  gidTable: { name: 'gid_table', bar: 2, at: 0x5000000, stride: 16 },
  /** P_Keys of the port */
  pkeyTable: { name: 'pkey_table', bar: 2, at: 0x5010000, stride: 8 },
  /** a 64-bit counter per drop_reason */
  dropCounters: { name: 'drop_counters', bar: 0, at: 0x200, bytes: 256 },
  /** a 64-bit counter per nak_counter */
  nakCounters: { name: 'nak_counters', bar: 0, at: 0x300, bytes: 128 },
  /** a 64-bit counter per stall_counter: cycles */
  stallCounters: { name: 'stall_counters', bar: 0, at: 0x400, bytes: 128 },
} as const;

/** Byte offsets in a doorbell page. */
export const DOORBELLS = {
  sq: 0x00,
  rq: 0x08,
  cq: 0x10,
  eq: 0x18,
} as const;
