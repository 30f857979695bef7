// Generated from src/spec by `make gen`: edit the YAML there.

import { eventTypeName, migStateName, mtuCodeName, qpStateName, serviceName, wcOpcodeName, wcStatusName, wrOpcodeName } from './enums.ts';
import { QPC, MPT, MTT, CQC, EQC, GID, PKEY, WQE_HEADER, WQE_DATA, WQE_ATOMIC, CQE, EQE, DOORBELL_RECORD, LRH, GRH, BTH, RETH, ATOMICETH, AETH, ATOMICACKETH, IMMDT } from './records.ts';
import type { Fields, Layout } from '../layout.ts';

export interface FieldNote {
  readonly doc?: string;
  /** Of a field that holds an enumeration. */
  readonly valueName?: (value: number) => string;
}

export interface RecordNotes {
  readonly layout: Layout<Fields>;
  readonly doc: string;
  readonly notes: Readonly<Record<string, FieldNote>>;
}

/** All records, with what their fields mean. */
export const RECORD_NOTES: readonly RecordNotes[] = [
  {
    layout: QPC as unknown as Layout<Fields>,
    doc: 'Queue pair context. `attr` names the modify_qp attribute of a field; fields without one are given at create. Words 16 up are answers of QUERY_QP.',
    notes: {
      state: { valueName: qpStateName },
      service: { valueName: serviceName },
      pathMtu: { valueName: mtuCodeName },
      sigAll: { doc: 'every send WR writes a CQE' },
      grh: { doc: 'packets carry a GRH' },
      migState: { valueName: migStateName },
      sqMtt: { doc: 'first MTT index of the send ring' },
      sqLogSize: { doc: 'log2 of its WQEs, 0..15' },
      sqLogStride: { doc: 'log2 of a slot in 64-byte blocks, 0..3' },
      uar: { doc: 'doorbell page that may ring for this QP' },
      pathBits: { doc: 'low bits of the source LID' },
      port: { doc: '1' },
      staticRate: { doc: 'kept and returned; the port has one rate' },
      maxRdAtomic: { doc: 'initiator depth' },
      maxDestRdAtomic: { doc: 'responder resources' },
      dgid: { doc: 'the GID as one big-endian number' },
      sqNextPsn: { doc: 'PSN of the next new request' },
      ssn: { doc: 'requests started' },
      sqNext: { doc: 'index of the WQE to be started next' },
      sqAckedPsn: { doc: 'newest PSN acknowledged' },
      sqOldest: { doc: 'index of the oldest WQE not complete' },
      epsn: { doc: 'PSN expected next' },
      msn: { doc: 'requests executed' },
      rqConsumer: { doc: 'index of the receive WQE to be used next' },
    },
  },
  {
    layout: MPT as unknown as Layout<Fields>,
    doc: 'Memory protection table entry, one a region; index is key bits 31:8.',
    notes: {
      remoteWrite: { doc: 'needs local_write' },
      remoteAtomic: { doc: 'needs local_write' },
      pageShift: { doc: 'log2 of the page size: 12..30' },
      key: { doc: 'L_Key and R_Key of the region, all 32 bits' },
      mtt: { doc: 'MTT index of the first page' },
      start: { doc: 'virtual address of the first byte' },
      length: { doc: 'bytes' },
      offset: { doc: 'of the first byte in its first page' },
    },
  },
  {
    layout: MTT as unknown as Layout<Fields>,
    doc: 'Memory translation table entry, one a page.',
    notes: {
      page: { doc: 'host address bits 63:12' },
    },
  },
  {
    layout: CQC as unknown as Layout<Fields>,
    doc: 'Completion queue context; words 2 up are answers of QUERY_CQ.',
    notes: {
      mtt: { doc: 'first MTT index of the ring' },
      logSize: { doc: 'log2 of its entries, 0..20' },
      eqn: { doc: 'event queue of its completion events' },
      uar: { doc: 'doorbell page that may ring for this CQ' },
      producer: { doc: 'entries ever written' },
      consumer: { doc: 'entries ever freed by a doorbell' },
      armed: { doc: '0 no, 1 solicited, 2 next' },
      error: { doc: 'overflowed: writes nothing any more' },
    },
  },
  {
    layout: EQC as unknown as Layout<Fields>,
    doc: 'Event queue context; words 2 up are answers of QUERY_EQ.',
    notes: {
      vector: { doc: 'MSI-X vector' },
      uar: { doc: 'doorbell page that may ring for this EQ' },
      error: { doc: 'overflowed: an event was lost' },
    },
  },
  {
    layout: GID as unknown as Layout<Fields>,
    doc: 'GID table entry; all zero is unused. Entry 0 is subnet prefix and port GUID.',
    notes: {
      gid: { doc: 'the GID as one big-endian number' },
    },
  },
  {
    layout: PKEY as unknown as Layout<Fields>,
    doc: 'P_Key table entry; low 15 bits zero is unused.',
    notes: {
    },
  },
  {
    layout: WQE_HEADER as unknown as Layout<Fields>,
    doc: 'Opens every send and receive WQE; data segments or inline bytes follow at byte 32.',
    notes: {
      mark: { doc: 'wqe_mark' },
      opcode: { valueName: wrOpcodeName },
      segments: { doc: 'data segments, 0..16; 0 with inline' },
      fence: { doc: 'start only when all earlier READs and atomics of the queue are complete' },
      signaled: { doc: 'write a CQE on success too' },
      solicited: { doc: 'set the solicited event bit of the message' },
      inline: { doc: 'payload stands in the WQE' },
      immediate: { doc: 'four bytes in wire order; the R_Key of SEND_WITH_INV' },
      index: { doc: 'the WQE\'s own index, compared by the device' },
      inlineBytes: { doc: '0..256, with inline' },
      remoteAddr: { doc: 'virtual address at the peer (WRITE, READ, atomics)' },
      rkey: { doc: 'R_Key of the peer\'s region' },
    },
  },
  {
    layout: WQE_DATA as unknown as Layout<Fields>,
    doc: 'A data segment.',
    notes: {
      addr: { doc: 'virtual address' },
      length: { doc: 'bytes; 0: the segment is skipped unchecked (C10-54.1.1)' },
    },
  },
  {
    layout: WQE_ATOMIC as unknown as Layout<Fields>,
    doc: 'Operands of an atomic, at byte 48 of its WQE, behind its one data segment.',
    notes: {
      swapAdd: { doc: 'value to store (compare and swap) or to add' },
      compare: { doc: 'value to compare with; 0 for fetch and add' },
    },
  },
  {
    layout: CQE as unknown as Layout<Fields>,
    doc: 'Completion queue entry, written by one aligned write; the phase bit is in its last byte.',
    notes: {
      qpn: { doc: 'queue pair' },
      queue: { doc: '0 send queue, 1 receive queue' },
      opcode: { valueName: wcOpcodeName },
      status: { valueName: wcStatusName },
      withImm: { doc: 'immediate is valid' },
      grh: { doc: 'the message came with a GRH' },
      solicited: { doc: 'the message asked for a solicited event' },
      wqeIndex: { doc: 'index of the WQE that ends' },
      vendor: { doc: 'syndrome of the NAK or cause of a local error, for people' },
      byteLen: { doc: 'bytes received, written with immediate, or read' },
      immediate: { doc: 'four bytes in wire order' },
      slid: { doc: 'source LID of the message\'s last packet' },
      pathBits: { doc: 'low bits of the destination LID' },
      srcQpn: { doc: 'the peer\'s QPN' },
      phase: { doc: '1 in the first round through the ring, then alternating' },
    },
  },
  {
    layout: EQE as unknown as Layout<Fields>,
    doc: 'Event queue entry, written by one aligned write.',
    notes: {
      event: { valueName: eventTypeName },
      number: { doc: 'CQN, QPN or port' },
      vendor: { doc: 'more about the cause, for people' },
      phase: { doc: '1 in the first round through the ring, then alternating' },
    },
  },
  {
    layout: DOORBELL_RECORD as unknown as Layout<Fields>,
    doc: 'What is written to a doorbell; 64 bits at once.',
    notes: {
      index: { doc: 'producer index (SQ, RQ: 16 bits) or consumer index (CQ, EQ: 24 bits) after the update, counting without wrap at the ring\'s end' },
      command: { doc: 'CQ: 0 consumer index only, 1 and arm for solicited, 2 and arm for next; else 0' },
      number: { doc: 'QPN, CQN or EQN' },
    },
  },
  {
    layout: LRH as unknown as Layout<Fields>,
    doc: 'Local Route Header (7.7).',
    notes: {
    },
  },
  {
    layout: GRH as unknown as Layout<Fields>,
    doc: 'Global Route Header (8.3).',
    notes: {
    },
  },
  {
    layout: BTH as unknown as Layout<Fields>,
    doc: 'Base Transport Header (9.2).',
    notes: {
    },
  },
  {
    layout: RETH as unknown as Layout<Fields>,
    doc: 'RDMA Extended Transport Header (9.3.3).',
    notes: {
    },
  },
  {
    layout: ATOMICETH as unknown as Layout<Fields>,
    doc: 'Atomic Extended Transport Header (9.3.4).',
    notes: {
    },
  },
  {
    layout: AETH as unknown as Layout<Fields>,
    doc: 'ACK Extended Transport Header (9.3.5).',
    notes: {
    },
  },
  {
    layout: ATOMICACKETH as unknown as Layout<Fields>,
    doc: 'Atomic ACK Extended Transport Header (9.5.3).',
    notes: {
    },
  },
  {
    layout: IMMDT as unknown as Layout<Fields>,
    doc: 'Immediate data (9.3.6).',
    notes: {
    },
  },
];
