// Generated from src/spec by `make gen`: edit the YAML there.

import { layout, type ValuesOf } from '../layout.ts';

/** Queue pair context. `attr` names the modify_qp attribute of a field; fields without one are given at create. Words 16 up are answers of QUERY_QP. 256 bytes, little-endian. */
export const QPC = layout('qpc', 'little', {
  state: 4, // QpState
  service: 4, // Service
  pathMtu: 4, // MtuCode
  sigAll: 1, // every send WR writes a CQE
  grh: 1, // packets carry a GRH
  remoteWrite: 1,
  remoteRead: 1,
  remoteAtomic: 1,
  migState: 2, // MigState
  sqdNotify: 1,
  _0: 12,
  pd: 24,
  _1: 8,
  sendCqn: 24,
  _2: 8,
  recvCqn: 24,
  _3: 8,
  sqMtt: 24, // first MTT index of the send ring
  sqLogSize: 4, // log2 of its WQEs, 0..15
  sqLogStride: 4, // log2 of a slot in 64-byte blocks, 0..3
  rqMtt: 24,
  rqLogSize: 4,
  rqLogStride: 4,
  uar: 16, // doorbell page that may ring for this QP
  pkeyIndex: 16,
  destQpn: 24,
  _4: 8,
  dlid: 16,
  sl: 4,
  pathBits: 7, // low bits of the source LID
  _5: 1,
  sgidIndex: 8,
  hopLimit: 8,
  tclass: 8,
  port: 8, // 1
  _6: 4,
  flowLabel: 20,
  staticRate: 8, // kept and returned; the port has one rate
  _7: 4,
  ackTimeout: 5,
  retryCount: 3,
  rnrRetry: 3,
  minRnrTimer: 5,
  maxRdAtomic: 8, // initiator depth
  maxDestRdAtomic: 8, // responder resources
  dgid: 128, // the GID as one big-endian number
  sqPsn: 24,
  _8: 8,
  rqPsn: 24,
  _9: 8,
  _10: 448,
  sqProducer: 16,
  rqProducer: 16,
  _11: 32,
  sqNextPsn: 24, // PSN of the next new request
  ssn: 24, // requests started
  sqNext: 16, // index of the WQE to be started next
  sqAckedPsn: 24, // newest PSN acknowledged
  sqOldest: 16, // index of the oldest WQE not complete
  _12: 24,
  epsn: 24, // PSN expected next
  msn: 24, // requests executed
  rqConsumer: 16, // index of the receive WQE to be used next
  _13: 768,
});
export type Qpc = ValuesOf<typeof QPC>;

/** Memory protection table entry, one a region; index is key bits 31:8. 64 bytes, little-endian. */
export const MPT = layout('mpt', 'little', {
  localWrite: 1,
  remoteWrite: 1, // needs local_write
  remoteRead: 1,
  remoteAtomic: 1, // needs local_write
  _0: 4,
  pageShift: 6, // log2 of the page size: 12..30
  _1: 18,
  pd: 24,
  _2: 8,
  key: 32, // L_Key and R_Key of the region, all 32 bits
  mtt: 24, // MTT index of the first page
  _3: 8,
  start: 64, // virtual address of the first byte
  length: 64, // bytes
  offset: 64, // of the first byte in its first page
  _4: 192,
});
export type Mpt = ValuesOf<typeof MPT>;

/** Memory translation table entry, one a page. 8 bytes, little-endian. */
export const MTT = layout('mtt', 'little', {
  present: 1,
  _0: 11,
  page: 52, // host address bits 63:12
});
export type Mtt = ValuesOf<typeof MTT>;

/** Completion queue context; words 2 up are answers of QUERY_CQ. 32 bytes, little-endian. */
export const CQC = layout('cqc', 'little', {
  mtt: 24, // first MTT index of the ring
  logSize: 5, // log2 of its entries, 0..20
  _0: 3,
  eqn: 8, // event queue of its completion events
  _1: 8,
  uar: 16, // doorbell page that may ring for this CQ
  _2: 64,
  producer: 24, // entries ever written
  consumer: 24, // entries ever freed by a doorbell
  armed: 2, // 0 no, 1 solicited, 2 next
  error: 1, // overflowed: writes nothing any more
  _3: 13,
  _4: 64,
});
export type Cqc = ValuesOf<typeof CQC>;

/** Event queue context; words 2 up are answers of QUERY_EQ. 32 bytes, little-endian. */
export const EQC = layout('eqc', 'little', {
  mtt: 24,
  logSize: 5,
  _0: 3,
  vector: 8, // MSI-X vector
  _1: 8,
  uar: 16, // doorbell page that may ring for this EQ
  _2: 64,
  producer: 24,
  consumer: 24,
  _3: 2,
  error: 1, // overflowed: an event was lost
  _4: 13,
  _5: 64,
});
export type Eqc = ValuesOf<typeof EQC>;

/** GID table entry; all zero is unused. Entry 0 is subnet prefix and port GUID. 16 bytes, little-endian. */
export const GID = layout('gid', 'little', {
  gid: 128, // the GID as one big-endian number
});
export type Gid = ValuesOf<typeof GID>;

/** P_Key table entry; low 15 bits zero is unused. 8 bytes, little-endian. */
export const PKEY = layout('pkey', 'little', {
  pkey: 16,
  _0: 48,
});
export type Pkey = ValuesOf<typeof PKEY>;

/** Opens every send and receive WQE; data segments or inline bytes follow at byte 32. 32 bytes, little-endian. */
export const WQE_HEADER = layout('wqe_header', 'little', {
  mark: 8, // wqe_mark
  opcode: 8, // WrOpcode
  segments: 8, // data segments, 0..16; 0 with inline
  fence: 1, // start only when all earlier READs and atomics of the queue are complete
  signaled: 1, // write a CQE on success too
  solicited: 1, // set the solicited event bit of the message
  inline: 1, // payload stands in the WQE
  _0: 4,
  immediate: 32, // four bytes in wire order; the R_Key of SEND_WITH_INV
  index: 16, // the WQE's own index, compared by the device
  inlineBytes: 16, // 0..256, with inline
  _1: 32,
  remoteAddr: 64, // virtual address at the peer (WRITE, READ, atomics)
  rkey: 32, // R_Key of the peer's region
  _2: 32,
});
export type WqeHeader = ValuesOf<typeof WQE_HEADER>;

/** A data segment. 16 bytes, little-endian. */
export const WQE_DATA = layout('wqe_data', 'little', {
  addr: 64, // virtual address
  length: 32, // bytes; 0: the segment is skipped unchecked (C10-54.1.1)
  lkey: 32,
});
export type WqeData = ValuesOf<typeof WQE_DATA>;

/** Operands of an atomic, at byte 48 of its WQE, behind its one data segment. 16 bytes, little-endian. */
export const WQE_ATOMIC = layout('wqe_atomic', 'little', {
  swapAdd: 64, // value to store (compare and swap) or to add
  compare: 64, // value to compare with; 0 for fetch and add
});
export type WqeAtomic = ValuesOf<typeof WQE_ATOMIC>;

/** Completion queue entry, written by one aligned write; the phase bit is in its last byte. 32 bytes, little-endian. */
export const CQE = layout('cqe', 'little', {
  qpn: 24, // queue pair
  queue: 1, // 0 send queue, 1 receive queue
  _0: 7,
  opcode: 8, // WcOpcode
  status: 8, // WcStatus
  withImm: 1, // immediate is valid
  grh: 1, // the message came with a GRH
  solicited: 1, // the message asked for a solicited event
  _1: 13,
  wqeIndex: 16, // index of the WQE that ends
  vendor: 16, // syndrome of the NAK or cause of a local error, for people
  byteLen: 32, // bytes received, written with immediate, or read
  immediate: 32, // four bytes in wire order
  slid: 16, // source LID of the message's last packet
  sl: 4,
  pathBits: 7, // low bits of the destination LID
  _2: 5,
  srcQpn: 24, // the peer's QPN
  _3: 8,
  pkeyIndex: 16,
  _4: 15,
  phase: 1, // 1 in the first round through the ring, then alternating
});
export type Cqe = ValuesOf<typeof CQE>;

/** Event queue entry, written by one aligned write. 32 bytes, little-endian. */
export const EQE = layout('eqe', 'little', {
  event: 8, // EventType
  _0: 24,
  number: 24, // CQN, QPN or port
  _1: 8,
  vendor: 32, // more about the cause, for people
  _2: 32,
  _3: 64,
  _4: 63,
  phase: 1, // 1 in the first round through the ring, then alternating
});
export type Eqe = ValuesOf<typeof EQE>;

/** What is written to a doorbell; 64 bits at once. 8 bytes, little-endian. */
export const DOORBELL_RECORD = layout('doorbell_record', 'little', {
  index: 24, // producer index (SQ, RQ: 16 bits) or consumer index (CQ, EQ: 24 bits) after the update, counting without wrap at the ring's end
  command: 8, // CQ: 0 consumer index only, 1 and arm for solicited, 2 and arm for next; else 0
  number: 24, // QPN, CQN or EQN
  _0: 8,
});
export type DoorbellRecord = ValuesOf<typeof DOORBELL_RECORD>;

/** Local Route Header (7.7). 8 bytes, big-endian. */
export const LRH = layout('lrh', 'big', {
  vl: 4,
  lver: 4,
  sl: 4,
  _0: 2,
  lnh: 2,
  dlid: 16,
  _1: 5,
  pktLen: 11,
  slid: 16,
});
export type Lrh = ValuesOf<typeof LRH>;

/** Global Route Header (8.3). 40 bytes, big-endian. */
export const GRH = layout('grh', 'big', {
  ipVer: 4,
  tclass: 8,
  flowLabel: 20,
  payLen: 16,
  nxtHdr: 8,
  hopLimit: 8,
  sgid: 128,
  dgid: 128,
});
export type Grh = ValuesOf<typeof GRH>;

/** Base Transport Header (9.2). 12 bytes, big-endian. */
export const BTH = layout('bth', 'big', {
  opcode: 8,
  solicited: 1,
  migReq: 1,
  padCount: 2,
  tver: 4,
  pkey: 16,
  _0: 8,
  destQpn: 24,
  ackReq: 1,
  _1: 7,
  psn: 24,
});
export type Bth = ValuesOf<typeof BTH>;

/** RDMA Extended Transport Header (9.3.3). 16 bytes, big-endian. */
export const RETH = layout('reth', 'big', {
  va: 64,
  rkey: 32,
  dmaLen: 32,
});
export type Reth = ValuesOf<typeof RETH>;

/** Atomic Extended Transport Header (9.3.4). 28 bytes, big-endian. */
export const ATOMICETH = layout('atomiceth', 'big', {
  va: 64,
  rkey: 32,
  swapAdd: 64,
  compare: 64,
});
export type Atomiceth = ValuesOf<typeof ATOMICETH>;

/** ACK Extended Transport Header (9.3.5). 4 bytes, big-endian. */
export const AETH = layout('aeth', 'big', {
  syndrome: 8,
  msn: 24,
});
export type Aeth = ValuesOf<typeof AETH>;

/** Atomic ACK Extended Transport Header (9.5.3). 8 bytes, big-endian. */
export const ATOMICACKETH = layout('atomicacketh', 'big', {
  original: 64,
});
export type Atomicacketh = ValuesOf<typeof ATOMICACKETH>;

/** Immediate data (9.3.6). 4 bytes, big-endian. */
export const IMMDT = layout('immdt', 'big', {
  immediate: 32,
});
export type Immdt = ValuesOf<typeof IMMDT>;
