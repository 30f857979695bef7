// Generated from src/spec by `make gen`: edit the YAML there.

/** State of a queue pair (IBA vol. 1, 10.3.1). */
export const QpState = {
  RESET: 0,
  INIT: 1,
  RTR: 2,
  RTS: 3,
  SQE: 4,
  SQD: 5,
  ERR: 6,
} as const;
export type QpState = (typeof QpState)[keyof typeof QpState];

const qpStateNames = new Map<number, keyof typeof QpState>([
  [QpState.RESET, 'RESET'],
  [QpState.INIT, 'INIT'],
  [QpState.RTR, 'RTR'],
  [QpState.RTS, 'RTS'],
  [QpState.SQE, 'SQE'],
  [QpState.SQD, 'SQD'],
  [QpState.ERR, 'ERR'],
]);

/** The name of a value, or `qp_state(n)` of one that has none. */
export const qpStateName = (value: number): string => qpStateNames.get(value) ?? `qp_state(${value})`;

/** Transport service of a queue pair. */
export const Service = {
  RC: 0,
  UC: 1,
  RD: 2,
  UD: 3,
  XRC: 6,
} as const;
export type Service = (typeof Service)[keyof typeof Service];

const serviceNames = new Map<number, keyof typeof Service>([
  [Service.RC, 'RC'],
  [Service.UC, 'UC'],
  [Service.RD, 'RD'],
  [Service.UD, 'UD'],
  [Service.XRC, 'XRC'],
]);

/** The name of a value, or `service(n)` of one that has none. */
export const serviceName = (value: number): string => serviceNames.get(value) ?? `service(${value})`;

/** Path MTU. */
export const MtuCode = {
  MTU_256: 1,
  MTU_512: 2,
  MTU_1024: 3,
  MTU_2048: 4,
  MTU_4096: 5,
} as const;
export type MtuCode = (typeof MtuCode)[keyof typeof MtuCode];

const mtuCodeNames = new Map<number, keyof typeof MtuCode>([
  [MtuCode.MTU_256, 'MTU_256'],
  [MtuCode.MTU_512, 'MTU_512'],
  [MtuCode.MTU_1024, 'MTU_1024'],
  [MtuCode.MTU_2048, 'MTU_2048'],
  [MtuCode.MTU_4096, 'MTU_4096'],
]);

/** The name of a value, or `mtu_code(n)` of one that has none. */
export const mtuCodeName = (value: number): string => mtuCodeNames.get(value) ?? `mtu_code(${value})`;

/** Path migration state (10.4). */
export const MigState = {
  MIGRATED: 0,
  REARM: 1,
  ARMED: 2,
} as const;
export type MigState = (typeof MigState)[keyof typeof MigState];

const migStateNames = new Map<number, keyof typeof MigState>([
  [MigState.MIGRATED, 'MIGRATED'],
  [MigState.REARM, 'REARM'],
  [MigState.ARMED, 'ARMED'],
]);

/** The name of a value, or `mig_state(n)` of one that has none. */
export const migStateName = (value: number): string => migStateNames.get(value) ?? `mig_state(${value})`;

/** Operation of a work request. */
export const WrOpcode = {
  RDMA_WRITE: 0x00,
  RDMA_WRITE_WITH_IMM: 0x01,
  SEND: 0x02,
  SEND_WITH_IMM: 0x03,
  RDMA_READ: 0x04,
  ATOMIC_CMP_AND_SWP: 0x05,
  ATOMIC_FETCH_AND_ADD: 0x06,
  LOCAL_INV: 0x07,
  BIND_MW: 0x08,
  SEND_WITH_INV: 0x09,
  RECV: 0x80,
} as const;
export type WrOpcode = (typeof WrOpcode)[keyof typeof WrOpcode];

const wrOpcodeNames = new Map<number, keyof typeof WrOpcode>([
  [WrOpcode.RDMA_WRITE, 'RDMA_WRITE'],
  [WrOpcode.RDMA_WRITE_WITH_IMM, 'RDMA_WRITE_WITH_IMM'],
  [WrOpcode.SEND, 'SEND'],
  [WrOpcode.SEND_WITH_IMM, 'SEND_WITH_IMM'],
  [WrOpcode.RDMA_READ, 'RDMA_READ'],
  [WrOpcode.ATOMIC_CMP_AND_SWP, 'ATOMIC_CMP_AND_SWP'],
  [WrOpcode.ATOMIC_FETCH_AND_ADD, 'ATOMIC_FETCH_AND_ADD'],
  [WrOpcode.LOCAL_INV, 'LOCAL_INV'],
  [WrOpcode.BIND_MW, 'BIND_MW'],
  [WrOpcode.SEND_WITH_INV, 'SEND_WITH_INV'],
  [WrOpcode.RECV, 'RECV'],
]);

/** The name of a value, or `wr_opcode(n)` of one that has none. */
export const wrOpcodeName = (value: number): string => wrOpcodeNames.get(value) ?? `wr_opcode(${value})`;

/** Operation that a completion reports. */
export const WcOpcode = {
  SEND: 0x00,
  RDMA_WRITE: 0x01,
  RDMA_READ: 0x02,
  COMP_SWAP: 0x03,
  FETCH_ADD: 0x04,
  BIND_MW: 0x05,
  LOCAL_INV: 0x06,
  RECV: 0x80,
  RECV_RDMA_WITH_IMM: 0x81,
} as const;
export type WcOpcode = (typeof WcOpcode)[keyof typeof WcOpcode];

const wcOpcodeNames = new Map<number, keyof typeof WcOpcode>([
  [WcOpcode.SEND, 'SEND'],
  [WcOpcode.RDMA_WRITE, 'RDMA_WRITE'],
  [WcOpcode.RDMA_READ, 'RDMA_READ'],
  [WcOpcode.COMP_SWAP, 'COMP_SWAP'],
  [WcOpcode.FETCH_ADD, 'FETCH_ADD'],
  [WcOpcode.BIND_MW, 'BIND_MW'],
  [WcOpcode.LOCAL_INV, 'LOCAL_INV'],
  [WcOpcode.RECV, 'RECV'],
  [WcOpcode.RECV_RDMA_WITH_IMM, 'RECV_RDMA_WITH_IMM'],
]);

/** The name of a value, or `wc_opcode(n)` of one that has none. */
export const wcOpcodeName = (value: number): string => wcOpcodeNames.get(value) ?? `wc_opcode(${value})`;

/** Completion status (11.6.2). */
export const WcStatus = {
  SUCCESS: 0x00,
  LOC_LEN_ERR: 0x01,
  LOC_QP_OP_ERR: 0x02,
  LOC_EEC_OP_ERR: 0x03,
  LOC_PROT_ERR: 0x04,
  WR_FLUSH_ERR: 0x05,
  MW_BIND_ERR: 0x06,
  BAD_RESP_ERR: 0x07,
  LOC_ACCESS_ERR: 0x08,
  REM_INV_REQ_ERR: 0x09,
  REM_ACCESS_ERR: 0x0a,
  REM_OP_ERR: 0x0b,
  RETRY_EXC_ERR: 0x0c,
  RNR_RETRY_EXC_ERR: 0x0d,
} as const;
export type WcStatus = (typeof WcStatus)[keyof typeof WcStatus];

const wcStatusNames = new Map<number, keyof typeof WcStatus>([
  [WcStatus.SUCCESS, 'SUCCESS'],
  [WcStatus.LOC_LEN_ERR, 'LOC_LEN_ERR'],
  [WcStatus.LOC_QP_OP_ERR, 'LOC_QP_OP_ERR'],
  [WcStatus.LOC_EEC_OP_ERR, 'LOC_EEC_OP_ERR'],
  [WcStatus.LOC_PROT_ERR, 'LOC_PROT_ERR'],
  [WcStatus.WR_FLUSH_ERR, 'WR_FLUSH_ERR'],
  [WcStatus.MW_BIND_ERR, 'MW_BIND_ERR'],
  [WcStatus.BAD_RESP_ERR, 'BAD_RESP_ERR'],
  [WcStatus.LOC_ACCESS_ERR, 'LOC_ACCESS_ERR'],
  [WcStatus.REM_INV_REQ_ERR, 'REM_INV_REQ_ERR'],
  [WcStatus.REM_ACCESS_ERR, 'REM_ACCESS_ERR'],
  [WcStatus.REM_OP_ERR, 'REM_OP_ERR'],
  [WcStatus.RETRY_EXC_ERR, 'RETRY_EXC_ERR'],
  [WcStatus.RNR_RETRY_EXC_ERR, 'RNR_RETRY_EXC_ERR'],
]);

/** The name of a value, or `wc_status(n)` of one that has none. */
export const wcStatusName = (value: number): string => wcStatusNames.get(value) ?? `wc_status(${value})`;

/** What an event queue entry reports (11.6.3). */
export const EventType = {
  /** a completion on an armed CQ; number is the CQN */
  COMPLETION: 0x00,
  /** first packet on a QP in RTR; number is the QPN */
  COMM_EST: 0x02,
  /** the send queue has drained in SQD; number is the QPN */
  SQ_DRAINED: 0x03,
  /** a CQ overflowed or cannot be written; number is the CQN */
  CQ_ERROR: 0x04,
  /** local work queue catastrophic error; number is the QPN */
  QP_FATAL: 0x05,
  /** the link came up; number is the port */
  PORT_ACTIVE: 0x09,
  /** the link went down; number is the port */
  PORT_ERR: 0x0a,
  /** local catastrophic error */
  DEVICE_FATAL: 0x08,
  /** invalid request local work queue error; number is the QPN */
  QP_REQ_ERR: 0x10,
  /** local access violation work queue error; number is the QPN */
  QP_ACCESS_ERR: 0x11,
} as const;
export type EventType = (typeof EventType)[keyof typeof EventType];

const eventTypeNames = new Map<number, keyof typeof EventType>([
  [EventType.COMPLETION, 'COMPLETION'],
  [EventType.COMM_EST, 'COMM_EST'],
  [EventType.SQ_DRAINED, 'SQ_DRAINED'],
  [EventType.CQ_ERROR, 'CQ_ERROR'],
  [EventType.QP_FATAL, 'QP_FATAL'],
  [EventType.PORT_ACTIVE, 'PORT_ACTIVE'],
  [EventType.PORT_ERR, 'PORT_ERR'],
  [EventType.DEVICE_FATAL, 'DEVICE_FATAL'],
  [EventType.QP_REQ_ERR, 'QP_REQ_ERR'],
  [EventType.QP_ACCESS_ERR, 'QP_ACCESS_ERR'],
]);

/** The name of a value, or `event_type(n)` of one that has none. */
export const eventTypeName = (value: number): string => eventTypeNames.get(value) ?? `event_type(${value})`;

/** Command of the command unit. */
export const CmdOp = {
  /** does nothing, answers OK */
  NOP: 0x00,
  /** hand a memory region's MPT entry to the device: its keys work from now on */
  SW2HW_MPT: 0x01,
  /** take it back: done when no access through it is under way */
  HW2SW_MPT: 0x02,
  /** copy the entry into the mailbox */
  QUERY_MPT: 0x03,
  /** replace the entry by the mailbox, as HW2SW and SW2HW in one */
  MODIFY_MPT: 0x04,
  /** create a completion queue from its CQC entry */
  SW2HW_CQ: 0x11,
  /** destroy it: BUSY while a QP uses it */
  HW2SW_CQ: 0x12,
  /** copy the CQC with its counters into the mailbox */
  QUERY_CQ: 0x13,
  /** change the event queue of the CQ to that of the mailbox */
  MODIFY_CQ: 0x14,
  /** move the CQ to the ring of the mailbox, between two completions */
  RESIZE_CQ: 0x15,
  /** create an event queue from its EQC entry */
  SW2HW_EQ: 0x21,
  /** destroy it: BUSY while a CQ uses it or it is the asynchronous one */
  HW2SW_EQ: 0x22,
  /** copy the EQC with its counters into the mailbox */
  QUERY_EQ: 0x23,
  /** change the interrupt vector to that of the mailbox */
  MODIFY_EQ: 0x24,
  /** create a queue pair from its QPC entry; it is in Reset */
  CREATE_QP: 0x31,
  /** change state (modifier: new state) and the attributes named by the parameter to those of the mailbox */
  MODIFY_QP: 0x32,
  /** copy the QPC with PSNs and indices as they stand into the mailbox */
  QUERY_QP: 0x33,
  /** end a queue pair in any state */
  DESTROY_QP: 0x34,
} as const;
export type CmdOp = (typeof CmdOp)[keyof typeof CmdOp];

const cmdOpNames = new Map<number, keyof typeof CmdOp>([
  [CmdOp.NOP, 'NOP'],
  [CmdOp.SW2HW_MPT, 'SW2HW_MPT'],
  [CmdOp.HW2SW_MPT, 'HW2SW_MPT'],
  [CmdOp.QUERY_MPT, 'QUERY_MPT'],
  [CmdOp.MODIFY_MPT, 'MODIFY_MPT'],
  [CmdOp.SW2HW_CQ, 'SW2HW_CQ'],
  [CmdOp.HW2SW_CQ, 'HW2SW_CQ'],
  [CmdOp.QUERY_CQ, 'QUERY_CQ'],
  [CmdOp.MODIFY_CQ, 'MODIFY_CQ'],
  [CmdOp.RESIZE_CQ, 'RESIZE_CQ'],
  [CmdOp.SW2HW_EQ, 'SW2HW_EQ'],
  [CmdOp.HW2SW_EQ, 'HW2SW_EQ'],
  [CmdOp.QUERY_EQ, 'QUERY_EQ'],
  [CmdOp.MODIFY_EQ, 'MODIFY_EQ'],
  [CmdOp.CREATE_QP, 'CREATE_QP'],
  [CmdOp.MODIFY_QP, 'MODIFY_QP'],
  [CmdOp.QUERY_QP, 'QUERY_QP'],
  [CmdOp.DESTROY_QP, 'DESTROY_QP'],
]);

/** The name of a value, or `cmd_op(n)` of one that has none. */
export const cmdOpName = (value: number): string => cmdOpNames.get(value) ?? `cmd_op(${value})`;

/** Outcome of a command; on any but OK nothing has changed. */
export const CmdStatus = {
  OK: 0x00,
  INTERNAL: 0x01,
  /** no such command */
  BAD_OP: 0x02,
  /** a value in the entry or the mailbox is out of range */
  BAD_PARAM: 0x03,
  /** the number is beyond the table */
  BAD_RESOURCE: 0x05,
  /** the object is in use by another */
  BUSY: 0x06,
  /** the entry is not owned by the side that the command wants */
  BAD_OWNER: 0x09,
  /** no such transition from the present state */
  BAD_QP_STATE: 0x10,
  /** an attribute that the transition requires is not named */
  MISSING_ATTR: 0x11,
  /** an attribute is named that the transition does not allow */
  BAD_ATTR: 0x12,
  /** the completion queue is in error */
  BAD_CQ_STATE: 0x13,
  /** more entries are outstanding than would have room */
  BAD_SIZE: 0x14,
} as const;
export type CmdStatus = (typeof CmdStatus)[keyof typeof CmdStatus];

const cmdStatusNames = new Map<number, keyof typeof CmdStatus>([
  [CmdStatus.OK, 'OK'],
  [CmdStatus.INTERNAL, 'INTERNAL'],
  [CmdStatus.BAD_OP, 'BAD_OP'],
  [CmdStatus.BAD_PARAM, 'BAD_PARAM'],
  [CmdStatus.BAD_RESOURCE, 'BAD_RESOURCE'],
  [CmdStatus.BUSY, 'BUSY'],
  [CmdStatus.BAD_OWNER, 'BAD_OWNER'],
  [CmdStatus.BAD_QP_STATE, 'BAD_QP_STATE'],
  [CmdStatus.MISSING_ATTR, 'MISSING_ATTR'],
  [CmdStatus.BAD_ATTR, 'BAD_ATTR'],
  [CmdStatus.BAD_CQ_STATE, 'BAD_CQ_STATE'],
  [CmdStatus.BAD_SIZE, 'BAD_SIZE'],
]);

/** The name of a value, or `cmd_status(n)` of one that has none. */
export const cmdStatusName = (value: number): string => cmdStatusNames.get(value) ?? `cmd_status(${value})`;

/** Why a received packet was discarded, or an access refused; each has its counter. */
export const DropReason = {
  /** variant CRC wrong (7.8.2) */
  VCRC: 0x00,
  /** invariant CRC wrong (7.8.1) */
  ICRC: 0x01,
  /** PktLen does not match the packet, or is outside the limits of its opcode and the port's MTU */
  LENGTH: 0x02,
  /** link version not 0 */
  LVER: 0x03,
  /** virtual lane not operated, or VL15 for a data QP */
  VL: 0x04,
  /** LID not of this port */
  DLID: 0x05,
  /** raw packet */
  LNH: 0x06,
  /** GRH version, next header or DGID wrong */
  GRH: 0x07,
  /** transport version not 0 */
  TVER: 0x08,
  /** service or opcode that the header parser does not know */
  OPCODE: 0x09,
  /** no such queue pair */
  QPN: 0x0a,
  /** queue pair not in a state that receives (10.3.1) */
  STATE: 0x0b,
  /** opcode is not of the queue pair's service */
  SERVICE: 0x0c,
  /** SLID, GRH presence or SGID does not agree with the connection */
  PATH: 0x0d,
  /** P_Key does not match (10.9.3) */
  PKEY: 0x0e,
  /** request of the duplicate region: a SEND or WRITE is acknowledged again, a READ or atomic answered again, or nothing */
  DUPLICATE: 0x0f,
  /** request beyond the expected PSN */
  SEQUENCE: 0x10,
  /** stale, unsolicited or reserved response */
  RESPONSE: 0x11,
  /** doorbell with a wrong page, number or index */
  DOORBELL: 0x12,
  /** table write to an entry that is not the software's, or outside a table */
  TABLE: 0x13,
  /** access to an unknown or read-only register, or with wrong byte enables */
  ACCESS: 0x14,
  /** packet of ours that died because its payload could not be read */
  POISONED: 0x15,
} as const;
export type DropReason = (typeof DropReason)[keyof typeof DropReason];

const dropReasonNames = new Map<number, keyof typeof DropReason>([
  [DropReason.VCRC, 'VCRC'],
  [DropReason.ICRC, 'ICRC'],
  [DropReason.LENGTH, 'LENGTH'],
  [DropReason.LVER, 'LVER'],
  [DropReason.VL, 'VL'],
  [DropReason.DLID, 'DLID'],
  [DropReason.LNH, 'LNH'],
  [DropReason.GRH, 'GRH'],
  [DropReason.TVER, 'TVER'],
  [DropReason.OPCODE, 'OPCODE'],
  [DropReason.QPN, 'QPN'],
  [DropReason.STATE, 'STATE'],
  [DropReason.SERVICE, 'SERVICE'],
  [DropReason.PATH, 'PATH'],
  [DropReason.PKEY, 'PKEY'],
  [DropReason.DUPLICATE, 'DUPLICATE'],
  [DropReason.SEQUENCE, 'SEQUENCE'],
  [DropReason.RESPONSE, 'RESPONSE'],
  [DropReason.DOORBELL, 'DOORBELL'],
  [DropReason.TABLE, 'TABLE'],
  [DropReason.ACCESS, 'ACCESS'],
  [DropReason.POISONED, 'POISONED'],
]);

/** The name of a value, or `drop_reason(n)` of one that has none. */
export const dropReasonName = (value: number): string => dropReasonNames.get(value) ?? `drop_reason(${value})`;

/** NAKs by syndrome (9.7.5.2), sent and received. */
export const NakCounter = {
  /** receiver not ready */
  SENT_RNR: 0,
  /** PSN sequence error */
  SENT_SEQUENCE: 1,
  /** invalid request */
  SENT_INV_REQ: 2,
  /** remote access error */
  SENT_ACCESS: 3,
  /** remote operational error */
  SENT_OP: 4,
  /** receiver not ready, those dropped during a wait included */
  RECEIVED_RNR: 8,
  /** PSN sequence error */
  RECEIVED_SEQUENCE: 9,
  /** invalid request */
  RECEIVED_INV_REQ: 10,
  /** remote access error */
  RECEIVED_ACCESS: 11,
  /** remote operational error */
  RECEIVED_OP: 12,
} as const;
export type NakCounter = (typeof NakCounter)[keyof typeof NakCounter];

const nakCounterNames = new Map<number, keyof typeof NakCounter>([
  [NakCounter.SENT_RNR, 'SENT_RNR'],
  [NakCounter.SENT_SEQUENCE, 'SENT_SEQUENCE'],
  [NakCounter.SENT_INV_REQ, 'SENT_INV_REQ'],
  [NakCounter.SENT_ACCESS, 'SENT_ACCESS'],
  [NakCounter.SENT_OP, 'SENT_OP'],
  [NakCounter.RECEIVED_RNR, 'RECEIVED_RNR'],
  [NakCounter.RECEIVED_SEQUENCE, 'RECEIVED_SEQUENCE'],
  [NakCounter.RECEIVED_INV_REQ, 'RECEIVED_INV_REQ'],
  [NakCounter.RECEIVED_ACCESS, 'RECEIVED_ACCESS'],
  [NakCounter.RECEIVED_OP, 'RECEIVED_OP'],
]);

/** The name of a value, or `nak_counter(n)` of one that has none. */
export const nakCounterName = (value: number): string => nakCounterNames.get(value) ?? `nak_counter(${value})`;

/** Cycles in which a block offered something and what follows did not take it. A device without cycles counts none. */
export const StallCounter = {
  /** doorbells, to the queues */
  DOORBELL: 0,
  /** packets, to gather and the transmit buffer */
  REQUESTER: 1,
  /** READ and atomic responses, to the same */
  RESPONSES: 2,
  /** questions to the gate of memory, of any client */
  GATE: 3,
  /** read requests, to the host */
  DMA_READ: 4,
  /** write beats, to the host */
  DMA_WRITE: 5,
  /** beats, to the link */
  LINK_OUT: 6,
  /** beats of the link, to a receive slot */
  LINK_IN: 7,
  /** packets, from the slots to the dispatcher */
  DISPATCH: 8,
  /** requests, to the responder */
  RESPONDER: 9,
  /** responses, to the completer */
  COMPLETER: 10,
  /** chunks, to scatter */
  SCATTER: 11,
  /** completions, to the CQE writer */
  CQE: 12,
  /** interrupts, to the host */
  EVENT: 13,
} as const;
export type StallCounter = (typeof StallCounter)[keyof typeof StallCounter];

const stallCounterNames = new Map<number, keyof typeof StallCounter>([
  [StallCounter.DOORBELL, 'DOORBELL'],
  [StallCounter.REQUESTER, 'REQUESTER'],
  [StallCounter.RESPONSES, 'RESPONSES'],
  [StallCounter.GATE, 'GATE'],
  [StallCounter.DMA_READ, 'DMA_READ'],
  [StallCounter.DMA_WRITE, 'DMA_WRITE'],
  [StallCounter.LINK_OUT, 'LINK_OUT'],
  [StallCounter.LINK_IN, 'LINK_IN'],
  [StallCounter.DISPATCH, 'DISPATCH'],
  [StallCounter.RESPONDER, 'RESPONDER'],
  [StallCounter.COMPLETER, 'COMPLETER'],
  [StallCounter.SCATTER, 'SCATTER'],
  [StallCounter.CQE, 'CQE'],
  [StallCounter.EVENT, 'EVENT'],
]);

/** The name of a value, or `stall_counter(n)` of one that has none. */
export const stallCounterName = (value: number): string => stallCounterNames.get(value) ?? `stall_counter(${value})`;

/** Link next header (7.7.5). */
export const Lnh = {
  RAW: 0,
  IPV6: 1,
  IBA_LOCAL: 2,
  IBA_GLOBAL: 3,
} as const;
export type Lnh = (typeof Lnh)[keyof typeof Lnh];

const lnhNames = new Map<number, keyof typeof Lnh>([
  [Lnh.RAW, 'RAW'],
  [Lnh.IPV6, 'IPV6'],
  [Lnh.IBA_LOCAL, 'IBA_LOCAL'],
  [Lnh.IBA_GLOBAL, 'IBA_GLOBAL'],
]);

/** The name of a value, or `lnh(n)` of one that has none. */
export const lnhName = (value: number): string => lnhNames.get(value) ?? `lnh(${value})`;

/** Bits 7:5 of an AETH syndrome (9.7.5.1). */
export const AethClass = {
  ACK: 0,
  RNR: 1,
  NAK: 3,
} as const;
export type AethClass = (typeof AethClass)[keyof typeof AethClass];

const aethClassNames = new Map<number, keyof typeof AethClass>([
  [AethClass.ACK, 'ACK'],
  [AethClass.RNR, 'RNR'],
  [AethClass.NAK, 'NAK'],
]);

/** The name of a value, or `aeth_class(n)` of one that has none. */
export const aethClassName = (value: number): string => aethClassNames.get(value) ?? `aeth_class(${value})`;

/** AETH syndromes of NAKs, and the ACK without credits. */
export const NakSyndrome = {
  ACK_NO_CREDITS: 0x1f,
  NAK_SEQUENCE: 0x60,
  NAK_INVALID_REQUEST: 0x61,
  NAK_REMOTE_ACCESS: 0x62,
  NAK_REMOTE_OPERATIONAL: 0x63,
} as const;
export type NakSyndrome = (typeof NakSyndrome)[keyof typeof NakSyndrome];

const nakSyndromeNames = new Map<number, keyof typeof NakSyndrome>([
  [NakSyndrome.ACK_NO_CREDITS, 'ACK_NO_CREDITS'],
  [NakSyndrome.NAK_SEQUENCE, 'NAK_SEQUENCE'],
  [NakSyndrome.NAK_INVALID_REQUEST, 'NAK_INVALID_REQUEST'],
  [NakSyndrome.NAK_REMOTE_ACCESS, 'NAK_REMOTE_ACCESS'],
  [NakSyndrome.NAK_REMOTE_OPERATIONAL, 'NAK_REMOTE_OPERATIONAL'],
]);

/** The name of a value, or `nak_syndrome(n)` of one that has none. */
export const nakSyndromeName = (value: number): string => nakSyndromeNames.get(value) ?? `nak_syndrome(${value})`;
