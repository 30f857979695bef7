/* OpenHCA: numbers of the device interface and of the wire.
 *
 * Generated from src/spec by `make gen`: edit the YAML there.
 *
 * A field of a record has its _BIT, its _WIDTH and, up to 64 bits, its _MASK at bit 0. In a
 * little-endian record _BIT is the field's lowest bit in the record read as one little-endian number;
 * in a big-endian one it is the field's first bit on the wire, bit 0 opening byte 0. */

#ifndef OPENHCA_H
#define OPENHCA_H

/* Constants. */
#define OPENHCA_INTERFACE_MAJOR  0x1u        /* major version of this interface: raised by an incompatible change */
#define OPENHCA_INTERFACE_MINOR  0x2u        /* minor version of this interface: raised by an addition */
#define OPENHCA_MAX_SGE          0x10u       /* scatter/gather entries of a WQE */
#define OPENHCA_MAX_INLINE_BYTES 0x100u      /* payload bytes that a send WQE can carry itself */
#define OPENHCA_LOG_MAX_MSG      0x1fu       /* log2 of the largest message, bytes */
#define OPENHCA_WQE_BLOCK_BYTES  0x40u       /* WQEs are made of blocks of this size */
#define OPENHCA_WQE_MARK         0x5au       /* first byte of every WQE; anything else is a stale slot */
#define OPENHCA_MAGIC            0x4143484fu /* 'OHCA' in memory order */
#define OPENHCA_UARS             0x10u       /* doorbell pages */
#define OPENHCA_GIDS             0x8u        /* entries of the GID table */
#define OPENHCA_PKEYS            0x10u       /* entries of the P_Key table */
#define OPENHCA_AXI_WINDOW_BITS  0x1cu       /* address bits of the AXI4-Lite window of rtl/fpga/hca_axi.sv; BAR0 is at 0 */
#define OPENHCA_AXI_WINDOW_OWN   0x4000000u  /* where the wrapper's own registers are in that window */
#define OPENHCA_AXI_WINDOW_BAR2  0x8000000u  /* where BAR2 is in that window */
#define OPENHCA_AXI_IRQ_PENDING  0x0u        /* own register: vectors that came; writing a one clears its bit */
#define OPENHCA_AXI_IRQ_MASK     0x8u        /* own register: vectors that raise the interrupt; 0 after reset */
#define OPENHCA_AXI_INFO         0x10u       /* own register: bits 31:0 axi_magic, 39:32 bytes of the datapath, 47:40 interrupt lines, 55:48 bytes of the window's data */
#define OPENHCA_AXI_RESET        0x18u       /* own register: writing a one resets the core; reads as one until that is done */
#define OPENHCA_AXI_MAGIC        0x4958414fu /* 'OAXI' in memory order */
#define OPENHCA_PAGE_BYTES       0x1000u     /* page of a ring and smallest page of a region, bytes */
#define OPENHCA_GRH_NXT_HDR      0x1bu       /* next header of IBA transport */
#define OPENHCA_ICRC_BYTES       0x4u        /* invariant CRC */
#define OPENHCA_VCRC_BYTES       0x2u        /* variant CRC */

/* qp_state: State of a queue pair (IBA vol. 1, 10.3.1). */
#define OPENHCA_QP_STATE_RESET 0x0u
#define OPENHCA_QP_STATE_INIT  0x1u
#define OPENHCA_QP_STATE_RTR   0x2u
#define OPENHCA_QP_STATE_RTS   0x3u
#define OPENHCA_QP_STATE_SQE   0x4u
#define OPENHCA_QP_STATE_SQD   0x5u
#define OPENHCA_QP_STATE_ERR   0x6u

/* service: Transport service of a queue pair. */
#define OPENHCA_SERVICE_RC  0x0u
#define OPENHCA_SERVICE_UC  0x1u
#define OPENHCA_SERVICE_RD  0x2u
#define OPENHCA_SERVICE_UD  0x3u
#define OPENHCA_SERVICE_XRC 0x6u

/* mtu_code: Path MTU. */
#define OPENHCA_MTU_CODE_MTU_256  0x1u
#define OPENHCA_MTU_CODE_MTU_512  0x2u
#define OPENHCA_MTU_CODE_MTU_1024 0x3u
#define OPENHCA_MTU_CODE_MTU_2048 0x4u
#define OPENHCA_MTU_CODE_MTU_4096 0x5u

/* mig_state: Path migration state (10.4). */
#define OPENHCA_MIG_STATE_MIGRATED 0x0u
#define OPENHCA_MIG_STATE_REARM    0x1u
#define OPENHCA_MIG_STATE_ARMED    0x2u

/* wr_opcode: Operation of a work request. */
#define OPENHCA_WR_OPCODE_RDMA_WRITE           0x0u
#define OPENHCA_WR_OPCODE_RDMA_WRITE_WITH_IMM  0x1u
#define OPENHCA_WR_OPCODE_SEND                 0x2u
#define OPENHCA_WR_OPCODE_SEND_WITH_IMM        0x3u
#define OPENHCA_WR_OPCODE_RDMA_READ            0x4u
#define OPENHCA_WR_OPCODE_ATOMIC_CMP_AND_SWP   0x5u
#define OPENHCA_WR_OPCODE_ATOMIC_FETCH_AND_ADD 0x6u
#define OPENHCA_WR_OPCODE_LOCAL_INV            0x7u
#define OPENHCA_WR_OPCODE_BIND_MW              0x8u
#define OPENHCA_WR_OPCODE_SEND_WITH_INV        0x9u
#define OPENHCA_WR_OPCODE_RECV                 0x80u

/* wc_opcode: Operation that a completion reports. */
#define OPENHCA_WC_OPCODE_SEND               0x0u
#define OPENHCA_WC_OPCODE_RDMA_WRITE         0x1u
#define OPENHCA_WC_OPCODE_RDMA_READ          0x2u
#define OPENHCA_WC_OPCODE_COMP_SWAP          0x3u
#define OPENHCA_WC_OPCODE_FETCH_ADD          0x4u
#define OPENHCA_WC_OPCODE_BIND_MW            0x5u
#define OPENHCA_WC_OPCODE_LOCAL_INV          0x6u
#define OPENHCA_WC_OPCODE_RECV               0x80u
#define OPENHCA_WC_OPCODE_RECV_RDMA_WITH_IMM 0x81u

/* wc_status: Completion status (11.6.2). */
#define OPENHCA_WC_STATUS_SUCCESS           0x0u
#define OPENHCA_WC_STATUS_LOC_LEN_ERR       0x1u
#define OPENHCA_WC_STATUS_LOC_QP_OP_ERR     0x2u
#define OPENHCA_WC_STATUS_LOC_EEC_OP_ERR    0x3u
#define OPENHCA_WC_STATUS_LOC_PROT_ERR      0x4u
#define OPENHCA_WC_STATUS_WR_FLUSH_ERR      0x5u
#define OPENHCA_WC_STATUS_MW_BIND_ERR       0x6u
#define OPENHCA_WC_STATUS_BAD_RESP_ERR      0x7u
#define OPENHCA_WC_STATUS_LOC_ACCESS_ERR    0x8u
#define OPENHCA_WC_STATUS_REM_INV_REQ_ERR   0x9u
#define OPENHCA_WC_STATUS_REM_ACCESS_ERR    0xau
#define OPENHCA_WC_STATUS_REM_OP_ERR        0xbu
#define OPENHCA_WC_STATUS_RETRY_EXC_ERR     0xcu
#define OPENHCA_WC_STATUS_RNR_RETRY_EXC_ERR 0xdu

/* event_type: What an event queue entry reports (11.6.3). */
#define OPENHCA_EVENT_TYPE_COMPLETION    0x0u  /* a completion on an armed CQ; number is the CQN */
#define OPENHCA_EVENT_TYPE_COMM_EST      0x2u  /* first packet on a QP in RTR; number is the QPN */
#define OPENHCA_EVENT_TYPE_SQ_DRAINED    0x3u  /* the send queue has drained in SQD; number is the QPN */
#define OPENHCA_EVENT_TYPE_CQ_ERROR      0x4u  /* a CQ overflowed or cannot be written; number is the CQN */
#define OPENHCA_EVENT_TYPE_QP_FATAL      0x5u  /* local work queue catastrophic error; number is the QPN */
#define OPENHCA_EVENT_TYPE_PORT_ACTIVE   0x9u  /* the link came up; number is the port */
#define OPENHCA_EVENT_TYPE_PORT_ERR      0xau  /* the link went down; number is the port */
#define OPENHCA_EVENT_TYPE_DEVICE_FATAL  0x8u  /* local catastrophic error */
#define OPENHCA_EVENT_TYPE_QP_REQ_ERR    0x10u /* invalid request local work queue error; number is the QPN */
#define OPENHCA_EVENT_TYPE_QP_ACCESS_ERR 0x11u /* local access violation work queue error; number is the QPN */

/* cmd_op: Command of the command unit. */
#define OPENHCA_CMD_OP_NOP        0x0u  /* does nothing, answers OK */
#define OPENHCA_CMD_OP_SW2HW_MPT  0x1u  /* hand a memory region's MPT entry to the device: its keys work from now on */
#define OPENHCA_CMD_OP_HW2SW_MPT  0x2u  /* take it back: done when no access through it is under way */
#define OPENHCA_CMD_OP_QUERY_MPT  0x3u  /* copy the entry into the mailbox */
#define OPENHCA_CMD_OP_MODIFY_MPT 0x4u  /* replace the entry by the mailbox, as HW2SW and SW2HW in one */
#define OPENHCA_CMD_OP_SW2HW_CQ   0x11u /* create a completion queue from its CQC entry */
#define OPENHCA_CMD_OP_HW2SW_CQ   0x12u /* destroy it: BUSY while a QP uses it */
#define OPENHCA_CMD_OP_QUERY_CQ   0x13u /* copy the CQC with its counters into the mailbox */
#define OPENHCA_CMD_OP_MODIFY_CQ  0x14u /* change the event queue of the CQ to that of the mailbox */
#define OPENHCA_CMD_OP_RESIZE_CQ  0x15u /* move the CQ to the ring of the mailbox, between two completions */
#define OPENHCA_CMD_OP_SW2HW_EQ   0x21u /* create an event queue from its EQC entry */
#define OPENHCA_CMD_OP_HW2SW_EQ   0x22u /* destroy it: BUSY while a CQ uses it or it is the asynchronous one */
#define OPENHCA_CMD_OP_QUERY_EQ   0x23u /* copy the EQC with its counters into the mailbox */
#define OPENHCA_CMD_OP_MODIFY_EQ  0x24u /* change the interrupt vector to that of the mailbox */
#define OPENHCA_CMD_OP_CREATE_QP  0x31u /* create a queue pair from its QPC entry; it is in Reset */
#define OPENHCA_CMD_OP_MODIFY_QP  0x32u /* change state (modifier: new state) and the attributes named by the parameter to those of the mailbox */
#define OPENHCA_CMD_OP_QUERY_QP   0x33u /* copy the QPC with PSNs and indices as they stand into the mailbox */
#define OPENHCA_CMD_OP_DESTROY_QP 0x34u /* end a queue pair in any state */

/* cmd_status: Outcome of a command; on any but OK nothing has changed. */
#define OPENHCA_CMD_STATUS_OK           0x0u
#define OPENHCA_CMD_STATUS_INTERNAL     0x1u
#define OPENHCA_CMD_STATUS_BAD_OP       0x2u  /* no such command */
#define OPENHCA_CMD_STATUS_BAD_PARAM    0x3u  /* a value in the entry or the mailbox is out of range */
#define OPENHCA_CMD_STATUS_BAD_RESOURCE 0x5u  /* the number is beyond the table */
#define OPENHCA_CMD_STATUS_BUSY         0x6u  /* the object is in use by another */
#define OPENHCA_CMD_STATUS_BAD_OWNER    0x9u  /* the entry is not owned by the side that the command wants */
#define OPENHCA_CMD_STATUS_BAD_QP_STATE 0x10u /* no such transition from the present state */
#define OPENHCA_CMD_STATUS_MISSING_ATTR 0x11u /* an attribute that the transition requires is not named */
#define OPENHCA_CMD_STATUS_BAD_ATTR     0x12u /* an attribute is named that the transition does not allow */
#define OPENHCA_CMD_STATUS_BAD_CQ_STATE 0x13u /* the completion queue is in error */
#define OPENHCA_CMD_STATUS_BAD_SIZE     0x14u /* more entries are outstanding than would have room */

/* drop_reason: Why a received packet was discarded, or an access refused; each has its counter. */
#define OPENHCA_DROP_REASON_VCRC      0x0u  /* variant CRC wrong (7.8.2) */
#define OPENHCA_DROP_REASON_ICRC      0x1u  /* invariant CRC wrong (7.8.1) */
#define OPENHCA_DROP_REASON_LENGTH    0x2u  /* PktLen does not match the packet, or is outside the limits of its opcode and the port's MTU */
#define OPENHCA_DROP_REASON_LVER      0x3u  /* link version not 0 */
#define OPENHCA_DROP_REASON_VL        0x4u  /* virtual lane not operated, or VL15 for a data QP */
#define OPENHCA_DROP_REASON_DLID      0x5u  /* LID not of this port */
#define OPENHCA_DROP_REASON_LNH       0x6u  /* raw packet */
#define OPENHCA_DROP_REASON_GRH       0x7u  /* GRH version, next header or DGID wrong */
#define OPENHCA_DROP_REASON_TVER      0x8u  /* transport version not 0 */
#define OPENHCA_DROP_REASON_OPCODE    0x9u  /* service or opcode that the header parser does not know */
#define OPENHCA_DROP_REASON_QPN       0xau  /* no such queue pair */
#define OPENHCA_DROP_REASON_STATE     0xbu  /* queue pair not in a state that receives (10.3.1) */
#define OPENHCA_DROP_REASON_SERVICE   0xcu  /* opcode is not of the queue pair's service */
#define OPENHCA_DROP_REASON_PATH      0xdu  /* SLID, GRH presence or SGID does not agree with the connection */
#define OPENHCA_DROP_REASON_PKEY      0xeu  /* P_Key does not match (10.9.3) */
#define OPENHCA_DROP_REASON_DUPLICATE 0xfu  /* request of the duplicate region: a SEND or WRITE is acknowledged again, a READ or atomic answered again, or nothing */
#define OPENHCA_DROP_REASON_SEQUENCE  0x10u /* request beyond the expected PSN */
#define OPENHCA_DROP_REASON_RESPONSE  0x11u /* stale, unsolicited or reserved response */
#define OPENHCA_DROP_REASON_DOORBELL  0x12u /* doorbell with a wrong page, number or index */
#define OPENHCA_DROP_REASON_TABLE     0x13u /* table write to an entry that is not the software's, or outside a table */
#define OPENHCA_DROP_REASON_ACCESS    0x14u /* access to an unknown or read-only register, or with wrong byte enables */
#define OPENHCA_DROP_REASON_POISONED  0x15u /* packet of ours that died because its payload could not be read */

/* nak_counter: NAKs by syndrome (9.7.5.2), sent and received. */
#define OPENHCA_NAK_COUNTER_SENT_RNR          0x0u /* receiver not ready */
#define OPENHCA_NAK_COUNTER_SENT_SEQUENCE     0x1u /* PSN sequence error */
#define OPENHCA_NAK_COUNTER_SENT_INV_REQ      0x2u /* invalid request */
#define OPENHCA_NAK_COUNTER_SENT_ACCESS       0x3u /* remote access error */
#define OPENHCA_NAK_COUNTER_SENT_OP           0x4u /* remote operational error */
#define OPENHCA_NAK_COUNTER_RECEIVED_RNR      0x8u /* receiver not ready, those dropped during a wait included */
#define OPENHCA_NAK_COUNTER_RECEIVED_SEQUENCE 0x9u /* PSN sequence error */
#define OPENHCA_NAK_COUNTER_RECEIVED_INV_REQ  0xau /* invalid request */
#define OPENHCA_NAK_COUNTER_RECEIVED_ACCESS   0xbu /* remote access error */
#define OPENHCA_NAK_COUNTER_RECEIVED_OP       0xcu /* remote operational error */

/* stall_counter: Cycles in which a block offered something and what follows did not take it. A device without cycles counts none. */
#define OPENHCA_STALL_COUNTER_DOORBELL  0x0u /* doorbells, to the queues */
#define OPENHCA_STALL_COUNTER_REQUESTER 0x1u /* packets, to gather and the transmit buffer */
#define OPENHCA_STALL_COUNTER_RESPONSES 0x2u /* READ and atomic responses, to the same */
#define OPENHCA_STALL_COUNTER_GATE      0x3u /* questions to the gate of memory, of any client */
#define OPENHCA_STALL_COUNTER_DMA_READ  0x4u /* read requests, to the host */
#define OPENHCA_STALL_COUNTER_DMA_WRITE 0x5u /* write beats, to the host */
#define OPENHCA_STALL_COUNTER_LINK_OUT  0x6u /* beats, to the link */
#define OPENHCA_STALL_COUNTER_LINK_IN   0x7u /* beats of the link, to a receive slot */
#define OPENHCA_STALL_COUNTER_DISPATCH  0x8u /* packets, from the slots to the dispatcher */
#define OPENHCA_STALL_COUNTER_RESPONDER 0x9u /* requests, to the responder */
#define OPENHCA_STALL_COUNTER_COMPLETER 0xau /* responses, to the completer */
#define OPENHCA_STALL_COUNTER_SCATTER   0xbu /* chunks, to scatter */
#define OPENHCA_STALL_COUNTER_CQE       0xcu /* completions, to the CQE writer */
#define OPENHCA_STALL_COUNTER_EVENT     0xdu /* interrupts, to the host */

/* lnh: Link next header (7.7.5). */
#define OPENHCA_LNH_RAW        0x0u
#define OPENHCA_LNH_IPV6       0x1u
#define OPENHCA_LNH_IBA_LOCAL  0x2u
#define OPENHCA_LNH_IBA_GLOBAL 0x3u

/* aeth_class: Bits 7:5 of an AETH syndrome (9.7.5.1). */
#define OPENHCA_AETH_CLASS_ACK 0x0u
#define OPENHCA_AETH_CLASS_RNR 0x1u
#define OPENHCA_AETH_CLASS_NAK 0x3u

/* nak_syndrome: AETH syndromes of NAKs, and the ACK without credits. */
#define OPENHCA_NAK_SYNDROME_ACK_NO_CREDITS         0x1fu
#define OPENHCA_NAK_SYNDROME_NAK_SEQUENCE           0x60u
#define OPENHCA_NAK_SYNDROME_NAK_INVALID_REQUEST    0x61u
#define OPENHCA_NAK_SYNDROME_NAK_REMOTE_ACCESS      0x62u
#define OPENHCA_NAK_SYNDROME_NAK_REMOTE_OPERATIONAL 0x63u

/* Opcodes of the BTH. */
#define OPENHCA_OP_RC_SEND_FIRST           0x0u
#define OPENHCA_OP_RC_SEND_MIDDLE          0x1u
#define OPENHCA_OP_RC_SEND_LAST            0x2u
#define OPENHCA_OP_RC_SEND_LAST_IMM        0x3u
#define OPENHCA_OP_RC_SEND_ONLY            0x4u
#define OPENHCA_OP_RC_SEND_ONLY_IMM        0x5u
#define OPENHCA_OP_RC_WRITE_FIRST          0x6u
#define OPENHCA_OP_RC_WRITE_MIDDLE         0x7u
#define OPENHCA_OP_RC_WRITE_LAST           0x8u
#define OPENHCA_OP_RC_WRITE_LAST_IMM       0x9u
#define OPENHCA_OP_RC_WRITE_ONLY           0xau
#define OPENHCA_OP_RC_WRITE_ONLY_IMM       0xbu
#define OPENHCA_OP_RC_READ_REQUEST         0xcu
#define OPENHCA_OP_RC_READ_RESPONSE_FIRST  0xdu
#define OPENHCA_OP_RC_READ_RESPONSE_MIDDLE 0xeu
#define OPENHCA_OP_RC_READ_RESPONSE_LAST   0xfu
#define OPENHCA_OP_RC_READ_RESPONSE_ONLY   0x10u
#define OPENHCA_OP_RC_ACKNOWLEDGE          0x11u
#define OPENHCA_OP_RC_ATOMIC_ACKNOWLEDGE   0x12u
#define OPENHCA_OP_RC_COMPARE_SWAP         0x13u
#define OPENHCA_OP_RC_FETCH_ADD            0x14u

/* Registers: byte offsets in BAR0. */
#define OPENHCA_REG_IDENTITY                        0x0u                  /* who this is */
#define OPENHCA_REG_IDENTITY_RESET                  0x0u
#define OPENHCA_REG_IDENTITY_MAGIC_BIT              0
#define OPENHCA_REG_IDENTITY_MAGIC_WIDTH            32
#define OPENHCA_REG_IDENTITY_MAGIC_MASK             0xffffffffu
#define OPENHCA_REG_IDENTITY_MINOR_BIT              32
#define OPENHCA_REG_IDENTITY_MINOR_WIDTH            8
#define OPENHCA_REG_IDENTITY_MINOR_MASK             0xffu
#define OPENHCA_REG_IDENTITY_MAJOR_BIT              40
#define OPENHCA_REG_IDENTITY_MAJOR_WIDTH            8
#define OPENHCA_REG_IDENTITY_MAJOR_MASK             0xffu
#define OPENHCA_REG_IDENTITY_REVISION_BIT           48
#define OPENHCA_REG_IDENTITY_REVISION_WIDTH         16
#define OPENHCA_REG_IDENTITY_REVISION_MASK          0xffffu
#define OPENHCA_REG_CAPABILITY                      0x8u                  /* What the device does; a bit masked by cap_mask is not done. */
#define OPENHCA_REG_CAPABILITY_RESET                0x0u
#define OPENHCA_REG_CAPABILITY_RC_BIT               0
#define OPENHCA_REG_CAPABILITY_RC_WIDTH             1
#define OPENHCA_REG_CAPABILITY_RC_MASK              0x1u
#define OPENHCA_REG_CAPABILITY_UC_BIT               1
#define OPENHCA_REG_CAPABILITY_UC_WIDTH             1
#define OPENHCA_REG_CAPABILITY_UC_MASK              0x1u
#define OPENHCA_REG_CAPABILITY_UD_BIT               2
#define OPENHCA_REG_CAPABILITY_UD_WIDTH             1
#define OPENHCA_REG_CAPABILITY_UD_MASK              0x1u
#define OPENHCA_REG_CAPABILITY_RD_BIT               3
#define OPENHCA_REG_CAPABILITY_RD_WIDTH             1
#define OPENHCA_REG_CAPABILITY_RD_MASK              0x1u
#define OPENHCA_REG_CAPABILITY_XRC_BIT              4
#define OPENHCA_REG_CAPABILITY_XRC_WIDTH            1
#define OPENHCA_REG_CAPABILITY_XRC_MASK             0x1u
#define OPENHCA_REG_CAPABILITY_SRQ_BIT              5
#define OPENHCA_REG_CAPABILITY_SRQ_WIDTH            1
#define OPENHCA_REG_CAPABILITY_SRQ_MASK             0x1u
#define OPENHCA_REG_CAPABILITY_ATOMICS_BIT          6
#define OPENHCA_REG_CAPABILITY_ATOMICS_WIDTH        1
#define OPENHCA_REG_CAPABILITY_ATOMICS_MASK         0x1u
#define OPENHCA_REG_CAPABILITY_SEND_INV_BIT         7
#define OPENHCA_REG_CAPABILITY_SEND_INV_WIDTH       1
#define OPENHCA_REG_CAPABILITY_SEND_INV_MASK        0x1u
#define OPENHCA_REG_CAPABILITY_MW_BIT               8
#define OPENHCA_REG_CAPABILITY_MW_WIDTH             1
#define OPENHCA_REG_CAPABILITY_MW_MASK              0x1u
#define OPENHCA_REG_CAPABILITY_BMME_BIT             9
#define OPENHCA_REG_CAPABILITY_BMME_WIDTH           1
#define OPENHCA_REG_CAPABILITY_BMME_MASK            0x1u
#define OPENHCA_REG_CAPABILITY_APM_BIT              10
#define OPENHCA_REG_CAPABILITY_APM_WIDTH            1
#define OPENHCA_REG_CAPABILITY_APM_MASK             0x1u
#define OPENHCA_REG_CAPABILITY_MULTICAST_BIT        11
#define OPENHCA_REG_CAPABILITY_MULTICAST_WIDTH      1
#define OPENHCA_REG_CAPABILITY_MULTICAST_MASK       0x1u
#define OPENHCA_REG_CAPABILITY_RETRY_BIT            12
#define OPENHCA_REG_CAPABILITY_RETRY_WIDTH          1
#define OPENHCA_REG_CAPABILITY_RETRY_MASK           0x1u
#define OPENHCA_REG_CAPABILITY_CREDITS_BIT          13
#define OPENHCA_REG_CAPABILITY_CREDITS_WIDTH        1
#define OPENHCA_REG_CAPABILITY_CREDITS_MASK         0x1u
#define OPENHCA_REG_CAPABILITY_WR_LIST_BIT          14
#define OPENHCA_REG_CAPABILITY_WR_LIST_WIDTH        1
#define OPENHCA_REG_CAPABILITY_WR_LIST_MASK         0x1u
#define OPENHCA_REG_CAPABILITY_RESIZE_CQ_BIT        15
#define OPENHCA_REG_CAPABILITY_RESIZE_CQ_WIDTH      1
#define OPENHCA_REG_CAPABILITY_RESIZE_CQ_MASK       0x1u
#define OPENHCA_REG_CAPABILITY_RESIZE_QP_BIT        16
#define OPENHCA_REG_CAPABILITY_RESIZE_QP_WIDTH      1
#define OPENHCA_REG_CAPABILITY_RESIZE_QP_MASK       0x1u
#define OPENHCA_REG_CAPABILITY_LOOPBACK_BIT         17
#define OPENHCA_REG_CAPABILITY_LOOPBACK_WIDTH       1
#define OPENHCA_REG_CAPABILITY_LOOPBACK_MASK        0x1u
#define OPENHCA_REG_CAPABILITY_FENCE_BIT            18
#define OPENHCA_REG_CAPABILITY_FENCE_WIDTH          1
#define OPENHCA_REG_CAPABILITY_FENCE_MASK           0x1u
#define OPENHCA_REG_CAPABILITY_INLINE_BIT           19
#define OPENHCA_REG_CAPABILITY_INLINE_WIDTH         1
#define OPENHCA_REG_CAPABILITY_INLINE_MASK          0x1u
#define OPENHCA_REG_SIZES                           0x10u                 /* log2 of the number of objects */
#define OPENHCA_REG_SIZES_RESET                     0x0u
#define OPENHCA_REG_SIZES_LOG_QPS_BIT               0
#define OPENHCA_REG_SIZES_LOG_QPS_WIDTH             8
#define OPENHCA_REG_SIZES_LOG_QPS_MASK              0xffu
#define OPENHCA_REG_SIZES_LOG_MRS_BIT               8
#define OPENHCA_REG_SIZES_LOG_MRS_WIDTH             8
#define OPENHCA_REG_SIZES_LOG_MRS_MASK              0xffu
#define OPENHCA_REG_SIZES_LOG_MTTS_BIT              16
#define OPENHCA_REG_SIZES_LOG_MTTS_WIDTH            8
#define OPENHCA_REG_SIZES_LOG_MTTS_MASK             0xffu
#define OPENHCA_REG_SIZES_LOG_CQS_BIT               24
#define OPENHCA_REG_SIZES_LOG_CQS_WIDTH             8
#define OPENHCA_REG_SIZES_LOG_CQS_MASK              0xffu
#define OPENHCA_REG_SIZES_LOG_EQS_BIT               32
#define OPENHCA_REG_SIZES_LOG_EQS_WIDTH             8
#define OPENHCA_REG_SIZES_LOG_EQS_MASK              0xffu
#define OPENHCA_REG_SIZES_LOG_INFLIGHT_BIT          40
#define OPENHCA_REG_SIZES_LOG_INFLIGHT_WIDTH        8
#define OPENHCA_REG_SIZES_LOG_INFLIGHT_MASK         0xffu
#define OPENHCA_REG_SIZES_LOG_GIDS_BIT              48
#define OPENHCA_REG_SIZES_LOG_GIDS_WIDTH            8
#define OPENHCA_REG_SIZES_LOG_GIDS_MASK             0xffu
#define OPENHCA_REG_SIZES_LOG_PKEYS_BIT             56
#define OPENHCA_REG_SIZES_LOG_PKEYS_WIDTH           8
#define OPENHCA_REG_SIZES_LOG_PKEYS_MASK            0xffu
#define OPENHCA_REG_LIMITS                          0x18u                 /* limits of an object */
#define OPENHCA_REG_LIMITS_RESET                    0x0u
#define OPENHCA_REG_LIMITS_MAX_SGE_BIT              0
#define OPENHCA_REG_LIMITS_MAX_SGE_WIDTH            8
#define OPENHCA_REG_LIMITS_MAX_SGE_MASK             0xffu
#define OPENHCA_REG_LIMITS_MAX_INLINE_BYTES_BIT     8
#define OPENHCA_REG_LIMITS_MAX_INLINE_BYTES_WIDTH   16
#define OPENHCA_REG_LIMITS_MAX_INLINE_BYTES_MASK    0xffffu
#define OPENHCA_REG_LIMITS_LOG_MAX_MSG_BIT          24
#define OPENHCA_REG_LIMITS_LOG_MAX_MSG_WIDTH        8
#define OPENHCA_REG_LIMITS_LOG_MAX_MSG_MASK         0xffu
#define OPENHCA_REG_LIMITS_MAX_MTU_BIT              32
#define OPENHCA_REG_LIMITS_MAX_MTU_WIDTH            4
#define OPENHCA_REG_LIMITS_MAX_MTU_MASK             0xfu
#define OPENHCA_REG_LIMITS_LOG_MAX_WQES_BIT         36
#define OPENHCA_REG_LIMITS_LOG_MAX_WQES_WIDTH       4
#define OPENHCA_REG_LIMITS_LOG_MAX_WQES_MASK        0xfu
#define OPENHCA_REG_LIMITS_MAX_RD_ATOMIC_BIT        40
#define OPENHCA_REG_LIMITS_MAX_RD_ATOMIC_WIDTH      8
#define OPENHCA_REG_LIMITS_MAX_RD_ATOMIC_MASK       0xffu
#define OPENHCA_REG_LIMITS_MAX_DEST_RD_ATOMIC_BIT   48
#define OPENHCA_REG_LIMITS_MAX_DEST_RD_ATOMIC_WIDTH 8
#define OPENHCA_REG_LIMITS_MAX_DEST_RD_ATOMIC_MASK  0xffu
#define OPENHCA_REG_LIMITS_LOG_MAX_CQES_BIT         56
#define OPENHCA_REG_LIMITS_LOG_MAX_CQES_WIDTH       8
#define OPENHCA_REG_LIMITS_LOG_MAX_CQES_MASK        0xffu
#define OPENHCA_REG_CONTROL                         0x20u                 /* enable: the port receives and sends, queues are served */
#define OPENHCA_REG_CONTROL_RESET                   0x0u
#define OPENHCA_REG_CONTROL_ENABLE_BIT              0
#define OPENHCA_REG_CONTROL_ENABLE_WIDTH            1
#define OPENHCA_REG_CONTROL_ENABLE_MASK             0x1u
#define OPENHCA_REG_CONTROL_ASYNC_EQN_BIT           8
#define OPENHCA_REG_CONTROL_ASYNC_EQN_WIDTH         8
#define OPENHCA_REG_CONTROL_ASYNC_EQN_MASK          0xffu
#define OPENHCA_REG_CONTROL_ASYNC_VALID_BIT         16
#define OPENHCA_REG_CONTROL_ASYNC_VALID_WIDTH       1
#define OPENHCA_REG_CONTROL_ASYNC_VALID_MASK        0x1u
#define OPENHCA_REG_CAP_MASK                        0x28u                 /* capability bits that stay; writable until enabled */
#define OPENHCA_REG_CAP_MASK_RESET                  0xffffffffffffffffull
#define OPENHCA_REG_PORT                            0x30u                 /* port attributes; lmc low bits of lid are path bits */
#define OPENHCA_REG_PORT_RESET                      0x0u
#define OPENHCA_REG_PORT_LID_BIT                    0
#define OPENHCA_REG_PORT_LID_WIDTH                  16
#define OPENHCA_REG_PORT_LID_MASK                   0xffffu
#define OPENHCA_REG_PORT_LMC_BIT                    16
#define OPENHCA_REG_PORT_LMC_WIDTH                  3
#define OPENHCA_REG_PORT_LMC_MASK                   0x7u
#define OPENHCA_REG_PORT_MTU_BIT                    20
#define OPENHCA_REG_PORT_MTU_WIDTH                  4
#define OPENHCA_REG_PORT_MTU_MASK                   0xfu
#define OPENHCA_REG_PORT_STATE                      0x38u                 /* 1 down, 4 active */
#define OPENHCA_REG_PORT_STATE_RESET                0x0u
#define OPENHCA_REG_PORT_STATE_STATE_BIT            0
#define OPENHCA_REG_PORT_STATE_STATE_WIDTH          4
#define OPENHCA_REG_PORT_STATE_STATE_MASK           0xfu
#define OPENHCA_REG_SL2VL                           0x40u                 /* virtual lane of each service level, 4 bits each */
#define OPENHCA_REG_SL2VL_RESET                     0x0u
#define OPENHCA_REG_NODE_GUID                       0x48u                 /* kept for the driver */
#define OPENHCA_REG_NODE_GUID_RESET                 0x0u
#define OPENHCA_REG_TIMING                          0x50u                 /* clock cycles of 4.096 us, at least 16: the unit of ACK time-outs; RNR delays count 10 us as 2.5 of it */
#define OPENHCA_REG_TIMING_RESET                    0x400u
#define OPENHCA_REG_TIMING_TICK_BIT                 0
#define OPENHCA_REG_TIMING_TICK_WIDTH               16
#define OPENHCA_REG_TIMING_TICK_MASK                0xffffu
#define OPENHCA_REG_HEALTH                          0x58u                 /* fatal: the device has stopped after a local catastrophic error, until reset; cause: 1 an event could not be written; number: the event queue */
#define OPENHCA_REG_HEALTH_RESET                    0x0u
#define OPENHCA_REG_HEALTH_FATAL_BIT                0
#define OPENHCA_REG_HEALTH_FATAL_WIDTH              1
#define OPENHCA_REG_HEALTH_FATAL_MASK               0x1u
#define OPENHCA_REG_HEALTH_CAUSE_BIT                8
#define OPENHCA_REG_HEALTH_CAUSE_WIDTH              8
#define OPENHCA_REG_HEALTH_CAUSE_MASK               0xffu
#define OPENHCA_REG_HEALTH_NUMBER_BIT               16
#define OPENHCA_REG_HEALTH_NUMBER_WIDTH             24
#define OPENHCA_REG_HEALTH_NUMBER_MASK              0xffffffu
#define OPENHCA_REG_LAST_ERROR                      0x60u                 /* the newest completion in error that was written, flushed ones apart; 0 before the first */
#define OPENHCA_REG_LAST_ERROR_RESET                0x0u
#define OPENHCA_REG_LAST_ERROR_QPN_BIT              0
#define OPENHCA_REG_LAST_ERROR_QPN_WIDTH            24
#define OPENHCA_REG_LAST_ERROR_QPN_MASK             0xffffffu
#define OPENHCA_REG_LAST_ERROR_QUEUE_BIT            24
#define OPENHCA_REG_LAST_ERROR_QUEUE_WIDTH          1
#define OPENHCA_REG_LAST_ERROR_QUEUE_MASK           0x1u
#define OPENHCA_REG_LAST_ERROR_STATUS_BIT           32
#define OPENHCA_REG_LAST_ERROR_STATUS_WIDTH         8
#define OPENHCA_REG_LAST_ERROR_STATUS_MASK          0xffu
#define OPENHCA_REG_LAST_ERROR_VENDOR_BIT           40
#define OPENHCA_REG_LAST_ERROR_VENDOR_WIDTH         16
#define OPENHCA_REG_LAST_ERROR_VENDOR_MASK          0xffffu
#define OPENHCA_REG_LAST_EVENT                      0x68u                 /* the newest asynchronous event, DEVICE_FATAL in place of one that could not be written; 0 before the first */
#define OPENHCA_REG_LAST_EVENT_RESET                0x0u
#define OPENHCA_REG_LAST_EVENT_NUMBER_BIT           0
#define OPENHCA_REG_LAST_EVENT_NUMBER_WIDTH         24
#define OPENHCA_REG_LAST_EVENT_NUMBER_MASK          0xffffffu
#define OPENHCA_REG_LAST_EVENT_TYPE_BIT             24
#define OPENHCA_REG_LAST_EVENT_TYPE_WIDTH           8
#define OPENHCA_REG_LAST_EVENT_TYPE_MASK            0xffu
#define OPENHCA_REG_CMD_PARAM                       0x80u                 /* MODIFY_QP: bit per attribute */
#define OPENHCA_REG_CMD_PARAM_RESET                 0x0u
#define OPENHCA_REG_CMD                             0x88u                 /* writing starts a command; refused while one runs */
#define OPENHCA_REG_CMD_RESET                       0x0u
#define OPENHCA_REG_CMD_OP_BIT                      0
#define OPENHCA_REG_CMD_OP_WIDTH                    8
#define OPENHCA_REG_CMD_OP_MASK                     0xffu
#define OPENHCA_REG_CMD_MODIFIER_BIT                8
#define OPENHCA_REG_CMD_MODIFIER_WIDTH              8
#define OPENHCA_REG_CMD_MODIFIER_MASK               0xffu
#define OPENHCA_REG_CMD_TOKEN_BIT                   16
#define OPENHCA_REG_CMD_TOKEN_WIDTH                 16
#define OPENHCA_REG_CMD_TOKEN_MASK                  0xffffu
#define OPENHCA_REG_CMD_NUMBER_BIT                  32
#define OPENHCA_REG_CMD_NUMBER_WIDTH                24
#define OPENHCA_REG_CMD_NUMBER_MASK                 0xffffffu
#define OPENHCA_REG_CMD_STATUS                      0x90u                 /* busy until done, then the outcome */
#define OPENHCA_REG_CMD_STATUS_RESET                0x0u
#define OPENHCA_REG_CMD_STATUS_BUSY_BIT             0
#define OPENHCA_REG_CMD_STATUS_BUSY_WIDTH           1
#define OPENHCA_REG_CMD_STATUS_BUSY_MASK            0x1u
#define OPENHCA_REG_CMD_STATUS_STATUS_BIT           8
#define OPENHCA_REG_CMD_STATUS_STATUS_WIDTH         8
#define OPENHCA_REG_CMD_STATUS_STATUS_MASK          0xffu
#define OPENHCA_REG_CMD_STATUS_TOKEN_BIT            16
#define OPENHCA_REG_CMD_STATUS_TOKEN_WIDTH          16
#define OPENHCA_REG_CMD_STATUS_TOKEN_MASK           0xffffu
#define OPENHCA_REG_TX_PACKETS                      0x100u                /* packets sent */
#define OPENHCA_REG_TX_PACKETS_RESET                0x0u
#define OPENHCA_REG_TX_BYTES                        0x108u                /* bytes sent, LRH to VCRC */
#define OPENHCA_REG_TX_BYTES_RESET                  0x0u
#define OPENHCA_REG_RX_PACKETS                      0x110u                /* packets received, good or bad */
#define OPENHCA_REG_RX_PACKETS_RESET                0x0u
#define OPENHCA_REG_RX_BYTES                        0x118u                /* bytes received, LRH to VCRC */
#define OPENHCA_REG_RX_BYTES_RESET                  0x0u
#define OPENHCA_REG_ACKS_SENT                       0x120u                /* ACKs sent */
#define OPENHCA_REG_ACKS_SENT_RESET                 0x0u
#define OPENHCA_REG_NAKS_SENT                       0x128u                /* NAKs sent, RNR included */
#define OPENHCA_REG_NAKS_SENT_RESET                 0x0u
#define OPENHCA_REG_NAKS_RECEIVED                   0x130u                /* NAKs received, RNR included */
#define OPENHCA_REG_NAKS_RECEIVED_RESET             0x0u
#define OPENHCA_REG_CQES_WRITTEN                    0x138u                /* completions written */
#define OPENHCA_REG_CQES_WRITTEN_RESET              0x0u
#define OPENHCA_REG_EQES_WRITTEN                    0x140u                /* events written */
#define OPENHCA_REG_EQES_WRITTEN_RESET              0x0u
#define OPENHCA_REG_RETRIES                         0x148u                /* times that a queue pair went back: NAK of sequence, implied NAK, time-out */
#define OPENHCA_REG_RETRIES_RESET                   0x0u
#define OPENHCA_REG_TIMEOUTS                        0x150u                /* ACK time-outs that expired */
#define OPENHCA_REG_TIMEOUTS_RESET                  0x0u
#define OPENHCA_REG_RNR_WAITS                       0x158u                /* RNR NAKs that were waited for */
#define OPENHCA_REG_RNR_WAITS_RESET                 0x0u
#define OPENHCA_REG_ATOMICS                         0x160u                /* atomics executed on this host's memory */
#define OPENHCA_REG_ATOMICS_RESET                   0x0u

/* Regions: byte offsets in their BAR. */
#define OPENHCA_BAR0_MAILBOX              0x800u     /* input and output of commands, in the layout of the object's context */
#define OPENHCA_BAR0_MAILBOX_BYTES        0x100u
#define OPENHCA_BAR0_DOORBELL_PAGES       0x100000u  /* one 4 KiB page per user context */
#define OPENHCA_BAR0_DOORBELL_PAGES_BYTES 0x10000u
#define OPENHCA_BAR2_QPC_TABLE            0x0u       /* queue pairs */
#define OPENHCA_BAR2_QPC_TABLE_STRIDE     256
#define OPENHCA_BAR2_MPT_TABLE            0x1000000u /* memory regions */
#define OPENHCA_BAR2_MPT_TABLE_STRIDE     64
#define OPENHCA_BAR2_MTT_TABLE            0x2000000u /* pages */
#define OPENHCA_BAR2_MTT_TABLE_STRIDE     8
#define OPENHCA_BAR2_CQC_TABLE            0x3000000u /* completion queues */
#define OPENHCA_BAR2_CQC_TABLE_STRIDE     32
#define OPENHCA_BAR2_EQC_TABLE            0x4000000u /* event queues */
#define OPENHCA_BAR2_EQC_TABLE_STRIDE     32
#define OPENHCA_BAR2_GID_TABLE            0x5000000u /* GIDs of the port */
#define OPENHCA_BAR2_GID_TABLE_STRIDE     16
#define OPENHCA_BAR2_PKEY_TABLE           0x5010000u /* P_Keys of the port */
#define OPENHCA_BAR2_PKEY_TABLE_STRIDE    8
#define OPENHCA_BAR0_DROP_COUNTERS        0x200u     /* a 64-bit counter per drop_reason */
#define OPENHCA_BAR0_DROP_COUNTERS_BYTES  0x100u
#define OPENHCA_BAR0_NAK_COUNTERS         0x300u     /* a 64-bit counter per nak_counter */
#define OPENHCA_BAR0_NAK_COUNTERS_BYTES   0x80u
#define OPENHCA_BAR0_STALL_COUNTERS       0x400u     /* a 64-bit counter per stall_counter: cycles */
#define OPENHCA_BAR0_STALL_COUNTERS_BYTES 0x80u

/* Doorbells: byte offsets in a page. */
#define OPENHCA_DB_SQ 0x0u
#define OPENHCA_DB_RQ 0x8u
#define OPENHCA_DB_CQ 0x10u
#define OPENHCA_DB_EQ 0x18u

/* Attributes of modify_qp. */
#define OPENHCA_QP_ATTR_STATE              0x0u  /* new state (the command's modifier) */
#define OPENHCA_QP_ATTR_CUR_STATE          0x1u  /* state assumed by the caller; no field of the context */
#define OPENHCA_QP_ATTR_SQD_NOTIFY         0x2u  /* event when drained */
#define OPENHCA_QP_ATTR_ACCESS             0x3u  /* remote write, read, atomic enabled */
#define OPENHCA_QP_ATTR_PKEY_INDEX         0x4u
#define OPENHCA_QP_ATTR_PORT               0x5u
#define OPENHCA_QP_ATTR_QKEY               0x6u  /* datagram services only */
#define OPENHCA_QP_ATTR_AV                 0x7u  /* primary address vector */
#define OPENHCA_QP_ATTR_PATH_MTU           0x8u
#define OPENHCA_QP_ATTR_TIMEOUT            0x9u  /* local ACK timeout */
#define OPENHCA_QP_ATTR_RETRY_CNT          0xau
#define OPENHCA_QP_ATTR_RNR_RETRY          0xbu
#define OPENHCA_QP_ATTR_RQ_PSN             0xcu
#define OPENHCA_QP_ATTR_MAX_RD_ATOMIC      0xdu  /* initiator depth */
#define OPENHCA_QP_ATTR_ALT_PATH           0xeu  /* path migration, not offered */
#define OPENHCA_QP_ATTR_MIN_RNR_TIMER      0xfu
#define OPENHCA_QP_ATTR_SQ_PSN             0x10u
#define OPENHCA_QP_ATTR_MAX_DEST_RD_ATOMIC 0x11u /* responder resources */
#define OPENHCA_QP_ATTR_MIG_STATE          0x12u /* path migration, not offered */
#define OPENHCA_QP_ATTR_CAP                0x13u /* queue resize, not offered */
#define OPENHCA_QP_ATTR_DEST_QPN           0x14u

/* qpc, little-endian: Queue pair context. `attr` names the modify_qp attribute of a field; fields without one are given at create. Words 16 up are answers of QUERY_QP. */
#define OPENHCA_QPC_BYTES                    256
#define OPENHCA_QPC_STATE_BIT                0
#define OPENHCA_QPC_STATE_WIDTH              4
#define OPENHCA_QPC_STATE_MASK               0xfu
#define OPENHCA_QPC_SERVICE_BIT              4
#define OPENHCA_QPC_SERVICE_WIDTH            4
#define OPENHCA_QPC_SERVICE_MASK             0xfu
#define OPENHCA_QPC_PATH_MTU_BIT             8
#define OPENHCA_QPC_PATH_MTU_WIDTH           4
#define OPENHCA_QPC_PATH_MTU_MASK            0xfu
#define OPENHCA_QPC_SIG_ALL_BIT              12        /* every send WR writes a CQE */
#define OPENHCA_QPC_SIG_ALL_WIDTH            1
#define OPENHCA_QPC_SIG_ALL_MASK             0x1u
#define OPENHCA_QPC_GRH_BIT                  13        /* packets carry a GRH */
#define OPENHCA_QPC_GRH_WIDTH                1
#define OPENHCA_QPC_GRH_MASK                 0x1u
#define OPENHCA_QPC_REMOTE_WRITE_BIT         14
#define OPENHCA_QPC_REMOTE_WRITE_WIDTH       1
#define OPENHCA_QPC_REMOTE_WRITE_MASK        0x1u
#define OPENHCA_QPC_REMOTE_READ_BIT          15
#define OPENHCA_QPC_REMOTE_READ_WIDTH        1
#define OPENHCA_QPC_REMOTE_READ_MASK         0x1u
#define OPENHCA_QPC_REMOTE_ATOMIC_BIT        16
#define OPENHCA_QPC_REMOTE_ATOMIC_WIDTH      1
#define OPENHCA_QPC_REMOTE_ATOMIC_MASK       0x1u
#define OPENHCA_QPC_MIG_STATE_BIT            17
#define OPENHCA_QPC_MIG_STATE_WIDTH          2
#define OPENHCA_QPC_MIG_STATE_MASK           0x3u
#define OPENHCA_QPC_SQD_NOTIFY_BIT           19
#define OPENHCA_QPC_SQD_NOTIFY_WIDTH         1
#define OPENHCA_QPC_SQD_NOTIFY_MASK          0x1u
#define OPENHCA_QPC_PD_BIT                   32
#define OPENHCA_QPC_PD_WIDTH                 24
#define OPENHCA_QPC_PD_MASK                  0xffffffu
#define OPENHCA_QPC_SEND_CQN_BIT             64
#define OPENHCA_QPC_SEND_CQN_WIDTH           24
#define OPENHCA_QPC_SEND_CQN_MASK            0xffffffu
#define OPENHCA_QPC_RECV_CQN_BIT             96
#define OPENHCA_QPC_RECV_CQN_WIDTH           24
#define OPENHCA_QPC_RECV_CQN_MASK            0xffffffu
#define OPENHCA_QPC_SQ_MTT_BIT               128       /* first MTT index of the send ring */
#define OPENHCA_QPC_SQ_MTT_WIDTH             24
#define OPENHCA_QPC_SQ_MTT_MASK              0xffffffu
#define OPENHCA_QPC_SQ_LOG_SIZE_BIT          152       /* log2 of its WQEs, 0..15 */
#define OPENHCA_QPC_SQ_LOG_SIZE_WIDTH        4
#define OPENHCA_QPC_SQ_LOG_SIZE_MASK         0xfu
#define OPENHCA_QPC_SQ_LOG_STRIDE_BIT        156       /* log2 of a slot in 64-byte blocks, 0..3 */
#define OPENHCA_QPC_SQ_LOG_STRIDE_WIDTH      4
#define OPENHCA_QPC_SQ_LOG_STRIDE_MASK       0xfu
#define OPENHCA_QPC_RQ_MTT_BIT               160
#define OPENHCA_QPC_RQ_MTT_WIDTH             24
#define OPENHCA_QPC_RQ_MTT_MASK              0xffffffu
#define OPENHCA_QPC_RQ_LOG_SIZE_BIT          184
#define OPENHCA_QPC_RQ_LOG_SIZE_WIDTH        4
#define OPENHCA_QPC_RQ_LOG_SIZE_MASK         0xfu
#define OPENHCA_QPC_RQ_LOG_STRIDE_BIT        188
#define OPENHCA_QPC_RQ_LOG_STRIDE_WIDTH      4
#define OPENHCA_QPC_RQ_LOG_STRIDE_MASK       0xfu
#define OPENHCA_QPC_UAR_BIT                  192       /* doorbell page that may ring for this QP */
#define OPENHCA_QPC_UAR_WIDTH                16
#define OPENHCA_QPC_UAR_MASK                 0xffffu
#define OPENHCA_QPC_PKEY_INDEX_BIT           208
#define OPENHCA_QPC_PKEY_INDEX_WIDTH         16
#define OPENHCA_QPC_PKEY_INDEX_MASK          0xffffu
#define OPENHCA_QPC_DEST_QPN_BIT             224
#define OPENHCA_QPC_DEST_QPN_WIDTH           24
#define OPENHCA_QPC_DEST_QPN_MASK            0xffffffu
#define OPENHCA_QPC_DLID_BIT                 256
#define OPENHCA_QPC_DLID_WIDTH               16
#define OPENHCA_QPC_DLID_MASK                0xffffu
#define OPENHCA_QPC_SL_BIT                   272
#define OPENHCA_QPC_SL_WIDTH                 4
#define OPENHCA_QPC_SL_MASK                  0xfu
#define OPENHCA_QPC_PATH_BITS_BIT            276       /* low bits of the source LID */
#define OPENHCA_QPC_PATH_BITS_WIDTH          7
#define OPENHCA_QPC_PATH_BITS_MASK           0x7fu
#define OPENHCA_QPC_SGID_INDEX_BIT           284
#define OPENHCA_QPC_SGID_INDEX_WIDTH         8
#define OPENHCA_QPC_SGID_INDEX_MASK          0xffu
#define OPENHCA_QPC_HOP_LIMIT_BIT            292
#define OPENHCA_QPC_HOP_LIMIT_WIDTH          8
#define OPENHCA_QPC_HOP_LIMIT_MASK           0xffu
#define OPENHCA_QPC_TCLASS_BIT               300
#define OPENHCA_QPC_TCLASS_WIDTH             8
#define OPENHCA_QPC_TCLASS_MASK              0xffu
#define OPENHCA_QPC_PORT_BIT                 308       /* 1 */
#define OPENHCA_QPC_PORT_WIDTH               8
#define OPENHCA_QPC_PORT_MASK                0xffu
#define OPENHCA_QPC_FLOW_LABEL_BIT           320
#define OPENHCA_QPC_FLOW_LABEL_WIDTH         20
#define OPENHCA_QPC_FLOW_LABEL_MASK          0xfffffu
#define OPENHCA_QPC_STATIC_RATE_BIT          340       /* kept and returned; the port has one rate */
#define OPENHCA_QPC_STATIC_RATE_WIDTH        8
#define OPENHCA_QPC_STATIC_RATE_MASK         0xffu
#define OPENHCA_QPC_ACK_TIMEOUT_BIT          352
#define OPENHCA_QPC_ACK_TIMEOUT_WIDTH        5
#define OPENHCA_QPC_ACK_TIMEOUT_MASK         0x1fu
#define OPENHCA_QPC_RETRY_COUNT_BIT          357
#define OPENHCA_QPC_RETRY_COUNT_WIDTH        3
#define OPENHCA_QPC_RETRY_COUNT_MASK         0x7u
#define OPENHCA_QPC_RNR_RETRY_BIT            360
#define OPENHCA_QPC_RNR_RETRY_WIDTH          3
#define OPENHCA_QPC_RNR_RETRY_MASK           0x7u
#define OPENHCA_QPC_MIN_RNR_TIMER_BIT        363
#define OPENHCA_QPC_MIN_RNR_TIMER_WIDTH      5
#define OPENHCA_QPC_MIN_RNR_TIMER_MASK       0x1fu
#define OPENHCA_QPC_MAX_RD_ATOMIC_BIT        368       /* initiator depth */
#define OPENHCA_QPC_MAX_RD_ATOMIC_WIDTH      8
#define OPENHCA_QPC_MAX_RD_ATOMIC_MASK       0xffu
#define OPENHCA_QPC_MAX_DEST_RD_ATOMIC_BIT   376       /* responder resources */
#define OPENHCA_QPC_MAX_DEST_RD_ATOMIC_WIDTH 8
#define OPENHCA_QPC_MAX_DEST_RD_ATOMIC_MASK  0xffu
#define OPENHCA_QPC_DGID_BIT                 384       /* the GID as one big-endian number */
#define OPENHCA_QPC_DGID_WIDTH               128
#define OPENHCA_QPC_SQ_PSN_BIT               512
#define OPENHCA_QPC_SQ_PSN_WIDTH             24
#define OPENHCA_QPC_SQ_PSN_MASK              0xffffffu
#define OPENHCA_QPC_RQ_PSN_BIT               544
#define OPENHCA_QPC_RQ_PSN_WIDTH             24
#define OPENHCA_QPC_RQ_PSN_MASK              0xffffffu
#define OPENHCA_QPC_SQ_PRODUCER_BIT          1024
#define OPENHCA_QPC_SQ_PRODUCER_WIDTH        16
#define OPENHCA_QPC_SQ_PRODUCER_MASK         0xffffu
#define OPENHCA_QPC_RQ_PRODUCER_BIT          1040
#define OPENHCA_QPC_RQ_PRODUCER_WIDTH        16
#define OPENHCA_QPC_RQ_PRODUCER_MASK         0xffffu
#define OPENHCA_QPC_SQ_NEXT_PSN_BIT          1088      /* PSN of the next new request */
#define OPENHCA_QPC_SQ_NEXT_PSN_WIDTH        24
#define OPENHCA_QPC_SQ_NEXT_PSN_MASK         0xffffffu
#define OPENHCA_QPC_SSN_BIT                  1112      /* requests started */
#define OPENHCA_QPC_SSN_WIDTH                24
#define OPENHCA_QPC_SSN_MASK                 0xffffffu
#define OPENHCA_QPC_SQ_NEXT_BIT              1136      /* index of the WQE to be started next */
#define OPENHCA_QPC_SQ_NEXT_WIDTH            16
#define OPENHCA_QPC_SQ_NEXT_MASK             0xffffu
#define OPENHCA_QPC_SQ_ACKED_PSN_BIT         1152      /* newest PSN acknowledged */
#define OPENHCA_QPC_SQ_ACKED_PSN_WIDTH       24
#define OPENHCA_QPC_SQ_ACKED_PSN_MASK        0xffffffu
#define OPENHCA_QPC_SQ_OLDEST_BIT            1176      /* index of the oldest WQE not complete */
#define OPENHCA_QPC_SQ_OLDEST_WIDTH          16
#define OPENHCA_QPC_SQ_OLDEST_MASK           0xffffu
#define OPENHCA_QPC_EPSN_BIT                 1216      /* PSN expected next */
#define OPENHCA_QPC_EPSN_WIDTH               24
#define OPENHCA_QPC_EPSN_MASK                0xffffffu
#define OPENHCA_QPC_MSN_BIT                  1240      /* requests executed */
#define OPENHCA_QPC_MSN_WIDTH                24
#define OPENHCA_QPC_MSN_MASK                 0xffffffu
#define OPENHCA_QPC_RQ_CONSUMER_BIT          1264      /* index of the receive WQE to be used next */
#define OPENHCA_QPC_RQ_CONSUMER_WIDTH        16
#define OPENHCA_QPC_RQ_CONSUMER_MASK         0xffffu

/* mpt, little-endian: Memory protection table entry, one a region; index is key bits 31:8. */
#define OPENHCA_MPT_BYTES               64
#define OPENHCA_MPT_LOCAL_WRITE_BIT     0
#define OPENHCA_MPT_LOCAL_WRITE_WIDTH   1
#define OPENHCA_MPT_LOCAL_WRITE_MASK    0x1u
#define OPENHCA_MPT_REMOTE_WRITE_BIT    1                     /* needs local_write */
#define OPENHCA_MPT_REMOTE_WRITE_WIDTH  1
#define OPENHCA_MPT_REMOTE_WRITE_MASK   0x1u
#define OPENHCA_MPT_REMOTE_READ_BIT     2
#define OPENHCA_MPT_REMOTE_READ_WIDTH   1
#define OPENHCA_MPT_REMOTE_READ_MASK    0x1u
#define OPENHCA_MPT_REMOTE_ATOMIC_BIT   3                     /* needs local_write */
#define OPENHCA_MPT_REMOTE_ATOMIC_WIDTH 1
#define OPENHCA_MPT_REMOTE_ATOMIC_MASK  0x1u
#define OPENHCA_MPT_PAGE_SHIFT_BIT      8                     /* log2 of the page size: 12..30 */
#define OPENHCA_MPT_PAGE_SHIFT_WIDTH    6
#define OPENHCA_MPT_PAGE_SHIFT_MASK     0x3fu
#define OPENHCA_MPT_PD_BIT              32
#define OPENHCA_MPT_PD_WIDTH            24
#define OPENHCA_MPT_PD_MASK             0xffffffu
#define OPENHCA_MPT_KEY_BIT             64                    /* L_Key and R_Key of the region, all 32 bits */
#define OPENHCA_MPT_KEY_WIDTH           32
#define OPENHCA_MPT_KEY_MASK            0xffffffffu
#define OPENHCA_MPT_MTT_BIT             96                    /* MTT index of the first page */
#define OPENHCA_MPT_MTT_WIDTH           24
#define OPENHCA_MPT_MTT_MASK            0xffffffu
#define OPENHCA_MPT_START_BIT           128                   /* virtual address of the first byte */
#define OPENHCA_MPT_START_WIDTH         64
#define OPENHCA_MPT_START_MASK          0xffffffffffffffffull
#define OPENHCA_MPT_LENGTH_BIT          192                   /* bytes */
#define OPENHCA_MPT_LENGTH_WIDTH        64
#define OPENHCA_MPT_LENGTH_MASK         0xffffffffffffffffull
#define OPENHCA_MPT_OFFSET_BIT          256                   /* of the first byte in its first page */
#define OPENHCA_MPT_OFFSET_WIDTH        64
#define OPENHCA_MPT_OFFSET_MASK         0xffffffffffffffffull

/* mtt, little-endian: Memory translation table entry, one a page. */
#define OPENHCA_MTT_BYTES         8
#define OPENHCA_MTT_PRESENT_BIT   0
#define OPENHCA_MTT_PRESENT_WIDTH 1
#define OPENHCA_MTT_PRESENT_MASK  0x1u
#define OPENHCA_MTT_PAGE_BIT      12                 /* host address bits 63:12 */
#define OPENHCA_MTT_PAGE_WIDTH    52
#define OPENHCA_MTT_PAGE_MASK     0xfffffffffffffull

/* cqc, little-endian: Completion queue context; words 2 up are answers of QUERY_CQ. */
#define OPENHCA_CQC_BYTES          32
#define OPENHCA_CQC_MTT_BIT        0         /* first MTT index of the ring */
#define OPENHCA_CQC_MTT_WIDTH      24
#define OPENHCA_CQC_MTT_MASK       0xffffffu
#define OPENHCA_CQC_LOG_SIZE_BIT   24        /* log2 of its entries, 0..20 */
#define OPENHCA_CQC_LOG_SIZE_WIDTH 5
#define OPENHCA_CQC_LOG_SIZE_MASK  0x1fu
#define OPENHCA_CQC_EQN_BIT        32        /* event queue of its completion events */
#define OPENHCA_CQC_EQN_WIDTH      8
#define OPENHCA_CQC_EQN_MASK       0xffu
#define OPENHCA_CQC_UAR_BIT        48        /* doorbell page that may ring for this CQ */
#define OPENHCA_CQC_UAR_WIDTH      16
#define OPENHCA_CQC_UAR_MASK       0xffffu
#define OPENHCA_CQC_PRODUCER_BIT   128       /* entries ever written */
#define OPENHCA_CQC_PRODUCER_WIDTH 24
#define OPENHCA_CQC_PRODUCER_MASK  0xffffffu
#define OPENHCA_CQC_CONSUMER_BIT   152       /* entries ever freed by a doorbell */
#define OPENHCA_CQC_CONSUMER_WIDTH 24
#define OPENHCA_CQC_CONSUMER_MASK  0xffffffu
#define OPENHCA_CQC_ARMED_BIT      176       /* 0 no, 1 solicited, 2 next */
#define OPENHCA_CQC_ARMED_WIDTH    2
#define OPENHCA_CQC_ARMED_MASK     0x3u
#define OPENHCA_CQC_ERROR_BIT      178       /* overflowed: writes nothing any more */
#define OPENHCA_CQC_ERROR_WIDTH    1
#define OPENHCA_CQC_ERROR_MASK     0x1u

/* eqc, little-endian: Event queue context; words 2 up are answers of QUERY_EQ. */
#define OPENHCA_EQC_BYTES          32
#define OPENHCA_EQC_MTT_BIT        0
#define OPENHCA_EQC_MTT_WIDTH      24
#define OPENHCA_EQC_MTT_MASK       0xffffffu
#define OPENHCA_EQC_LOG_SIZE_BIT   24
#define OPENHCA_EQC_LOG_SIZE_WIDTH 5
#define OPENHCA_EQC_LOG_SIZE_MASK  0x1fu
#define OPENHCA_EQC_VECTOR_BIT     32        /* MSI-X vector */
#define OPENHCA_EQC_VECTOR_WIDTH   8
#define OPENHCA_EQC_VECTOR_MASK    0xffu
#define OPENHCA_EQC_UAR_BIT        48        /* doorbell page that may ring for this EQ */
#define OPENHCA_EQC_UAR_WIDTH      16
#define OPENHCA_EQC_UAR_MASK       0xffffu
#define OPENHCA_EQC_PRODUCER_BIT   128
#define OPENHCA_EQC_PRODUCER_WIDTH 24
#define OPENHCA_EQC_PRODUCER_MASK  0xffffffu
#define OPENHCA_EQC_CONSUMER_BIT   152
#define OPENHCA_EQC_CONSUMER_WIDTH 24
#define OPENHCA_EQC_CONSUMER_MASK  0xffffffu
#define OPENHCA_EQC_ERROR_BIT      178       /* overflowed: an event was lost */
#define OPENHCA_EQC_ERROR_WIDTH    1
#define OPENHCA_EQC_ERROR_MASK     0x1u

/* gid, little-endian: GID table entry; all zero is unused. Entry 0 is subnet prefix and port GUID. */
#define OPENHCA_GID_BYTES     16
#define OPENHCA_GID_GID_BIT   0   /* the GID as one big-endian number */
#define OPENHCA_GID_GID_WIDTH 128

/* pkey, little-endian: P_Key table entry; low 15 bits zero is unused. */
#define OPENHCA_PKEY_BYTES      8
#define OPENHCA_PKEY_PKEY_BIT   0
#define OPENHCA_PKEY_PKEY_WIDTH 16
#define OPENHCA_PKEY_PKEY_MASK  0xffffu

/* wqe_header, little-endian: Opens every send and receive WQE; data segments or inline bytes follow at byte 32. */
#define OPENHCA_WQE_HEADER_BYTES              32
#define OPENHCA_WQE_HEADER_MARK_BIT           0                     /* wqe_mark */
#define OPENHCA_WQE_HEADER_MARK_WIDTH         8
#define OPENHCA_WQE_HEADER_MARK_MASK          0xffu
#define OPENHCA_WQE_HEADER_OPCODE_BIT         8
#define OPENHCA_WQE_HEADER_OPCODE_WIDTH       8
#define OPENHCA_WQE_HEADER_OPCODE_MASK        0xffu
#define OPENHCA_WQE_HEADER_SEGMENTS_BIT       16                    /* data segments, 0..16; 0 with inline */
#define OPENHCA_WQE_HEADER_SEGMENTS_WIDTH     8
#define OPENHCA_WQE_HEADER_SEGMENTS_MASK      0xffu
#define OPENHCA_WQE_HEADER_FENCE_BIT          24                    /* start only when all earlier READs and atomics of the queue are complete */
#define OPENHCA_WQE_HEADER_FENCE_WIDTH        1
#define OPENHCA_WQE_HEADER_FENCE_MASK         0x1u
#define OPENHCA_WQE_HEADER_SIGNALED_BIT       25                    /* write a CQE on success too */
#define OPENHCA_WQE_HEADER_SIGNALED_WIDTH     1
#define OPENHCA_WQE_HEADER_SIGNALED_MASK      0x1u
#define OPENHCA_WQE_HEADER_SOLICITED_BIT      26                    /* set the solicited event bit of the message */
#define OPENHCA_WQE_HEADER_SOLICITED_WIDTH    1
#define OPENHCA_WQE_HEADER_SOLICITED_MASK     0x1u
#define OPENHCA_WQE_HEADER_INLINE_BIT         27                    /* payload stands in the WQE */
#define OPENHCA_WQE_HEADER_INLINE_WIDTH       1
#define OPENHCA_WQE_HEADER_INLINE_MASK        0x1u
#define OPENHCA_WQE_HEADER_IMMEDIATE_BIT      32                    /* four bytes in wire order; the R_Key of SEND_WITH_INV */
#define OPENHCA_WQE_HEADER_IMMEDIATE_WIDTH    32
#define OPENHCA_WQE_HEADER_IMMEDIATE_MASK     0xffffffffu
#define OPENHCA_WQE_HEADER_INDEX_BIT          64                    /* the WQE's own index, compared by the device */
#define OPENHCA_WQE_HEADER_INDEX_WIDTH        16
#define OPENHCA_WQE_HEADER_INDEX_MASK         0xffffu
#define OPENHCA_WQE_HEADER_INLINE_BYTES_BIT   80                    /* 0..256, with inline */
#define OPENHCA_WQE_HEADER_INLINE_BYTES_WIDTH 16
#define OPENHCA_WQE_HEADER_INLINE_BYTES_MASK  0xffffu
#define OPENHCA_WQE_HEADER_REMOTE_ADDR_BIT    128                   /* virtual address at the peer (WRITE, READ, atomics) */
#define OPENHCA_WQE_HEADER_REMOTE_ADDR_WIDTH  64
#define OPENHCA_WQE_HEADER_REMOTE_ADDR_MASK   0xffffffffffffffffull
#define OPENHCA_WQE_HEADER_RKEY_BIT           192                   /* R_Key of the peer's region */
#define OPENHCA_WQE_HEADER_RKEY_WIDTH         32
#define OPENHCA_WQE_HEADER_RKEY_MASK          0xffffffffu

/* wqe_data, little-endian: A data segment. */
#define OPENHCA_WQE_DATA_BYTES        16
#define OPENHCA_WQE_DATA_ADDR_BIT     0                     /* virtual address */
#define OPENHCA_WQE_DATA_ADDR_WIDTH   64
#define OPENHCA_WQE_DATA_ADDR_MASK    0xffffffffffffffffull
#define OPENHCA_WQE_DATA_LENGTH_BIT   64                    /* bytes; 0: the segment is skipped unchecked (C10-54.1.1) */
#define OPENHCA_WQE_DATA_LENGTH_WIDTH 32
#define OPENHCA_WQE_DATA_LENGTH_MASK  0xffffffffu
#define OPENHCA_WQE_DATA_LKEY_BIT     96
#define OPENHCA_WQE_DATA_LKEY_WIDTH   32
#define OPENHCA_WQE_DATA_LKEY_MASK    0xffffffffu

/* wqe_atomic, little-endian: Operands of an atomic, at byte 48 of its WQE, behind its one data segment. */
#define OPENHCA_WQE_ATOMIC_BYTES          16
#define OPENHCA_WQE_ATOMIC_SWAP_ADD_BIT   0                     /* value to store (compare and swap) or to add */
#define OPENHCA_WQE_ATOMIC_SWAP_ADD_WIDTH 64
#define OPENHCA_WQE_ATOMIC_SWAP_ADD_MASK  0xffffffffffffffffull
#define OPENHCA_WQE_ATOMIC_COMPARE_BIT    64                    /* value to compare with; 0 for fetch and add */
#define OPENHCA_WQE_ATOMIC_COMPARE_WIDTH  64
#define OPENHCA_WQE_ATOMIC_COMPARE_MASK   0xffffffffffffffffull

/* cqe, little-endian: Completion queue entry, written by one aligned write; the phase bit is in its last byte. */
#define OPENHCA_CQE_BYTES            32
#define OPENHCA_CQE_QPN_BIT          0           /* queue pair */
#define OPENHCA_CQE_QPN_WIDTH        24
#define OPENHCA_CQE_QPN_MASK         0xffffffu
#define OPENHCA_CQE_QUEUE_BIT        24          /* 0 send queue, 1 receive queue */
#define OPENHCA_CQE_QUEUE_WIDTH      1
#define OPENHCA_CQE_QUEUE_MASK       0x1u
#define OPENHCA_CQE_OPCODE_BIT       32
#define OPENHCA_CQE_OPCODE_WIDTH     8
#define OPENHCA_CQE_OPCODE_MASK      0xffu
#define OPENHCA_CQE_STATUS_BIT       40
#define OPENHCA_CQE_STATUS_WIDTH     8
#define OPENHCA_CQE_STATUS_MASK      0xffu
#define OPENHCA_CQE_WITH_IMM_BIT     48          /* immediate is valid */
#define OPENHCA_CQE_WITH_IMM_WIDTH   1
#define OPENHCA_CQE_WITH_IMM_MASK    0x1u
#define OPENHCA_CQE_GRH_BIT          49          /* the message came with a GRH */
#define OPENHCA_CQE_GRH_WIDTH        1
#define OPENHCA_CQE_GRH_MASK         0x1u
#define OPENHCA_CQE_SOLICITED_BIT    50          /* the message asked for a solicited event */
#define OPENHCA_CQE_SOLICITED_WIDTH  1
#define OPENHCA_CQE_SOLICITED_MASK   0x1u
#define OPENHCA_CQE_WQE_INDEX_BIT    64          /* index of the WQE that ends */
#define OPENHCA_CQE_WQE_INDEX_WIDTH  16
#define OPENHCA_CQE_WQE_INDEX_MASK   0xffffu
#define OPENHCA_CQE_VENDOR_BIT       80          /* syndrome of the NAK or cause of a local error, for people */
#define OPENHCA_CQE_VENDOR_WIDTH     16
#define OPENHCA_CQE_VENDOR_MASK      0xffffu
#define OPENHCA_CQE_BYTE_LEN_BIT     96          /* bytes received, written with immediate, or read */
#define OPENHCA_CQE_BYTE_LEN_WIDTH   32
#define OPENHCA_CQE_BYTE_LEN_MASK    0xffffffffu
#define OPENHCA_CQE_IMMEDIATE_BIT    128         /* four bytes in wire order */
#define OPENHCA_CQE_IMMEDIATE_WIDTH  32
#define OPENHCA_CQE_IMMEDIATE_MASK   0xffffffffu
#define OPENHCA_CQE_SLID_BIT         160         /* source LID of the message's last packet */
#define OPENHCA_CQE_SLID_WIDTH       16
#define OPENHCA_CQE_SLID_MASK        0xffffu
#define OPENHCA_CQE_SL_BIT           176
#define OPENHCA_CQE_SL_WIDTH         4
#define OPENHCA_CQE_SL_MASK          0xfu
#define OPENHCA_CQE_PATH_BITS_BIT    180         /* low bits of the destination LID */
#define OPENHCA_CQE_PATH_BITS_WIDTH  7
#define OPENHCA_CQE_PATH_BITS_MASK   0x7fu
#define OPENHCA_CQE_SRC_QPN_BIT      192         /* the peer's QPN */
#define OPENHCA_CQE_SRC_QPN_WIDTH    24
#define OPENHCA_CQE_SRC_QPN_MASK     0xffffffu
#define OPENHCA_CQE_PKEY_INDEX_BIT   224
#define OPENHCA_CQE_PKEY_INDEX_WIDTH 16
#define OPENHCA_CQE_PKEY_INDEX_MASK  0xffffu
#define OPENHCA_CQE_PHASE_BIT        255         /* 1 in the first round through the ring, then alternating */
#define OPENHCA_CQE_PHASE_WIDTH      1
#define OPENHCA_CQE_PHASE_MASK       0x1u

/* eqe, little-endian: Event queue entry, written by one aligned write. */
#define OPENHCA_EQE_BYTES        32
#define OPENHCA_EQE_EVENT_BIT    0
#define OPENHCA_EQE_EVENT_WIDTH  8
#define OPENHCA_EQE_EVENT_MASK   0xffu
#define OPENHCA_EQE_NUMBER_BIT   32          /* CQN, QPN or port */
#define OPENHCA_EQE_NUMBER_WIDTH 24
#define OPENHCA_EQE_NUMBER_MASK  0xffffffu
#define OPENHCA_EQE_VENDOR_BIT   64          /* more about the cause, for people */
#define OPENHCA_EQE_VENDOR_WIDTH 32
#define OPENHCA_EQE_VENDOR_MASK  0xffffffffu
#define OPENHCA_EQE_PHASE_BIT    255         /* 1 in the first round through the ring, then alternating */
#define OPENHCA_EQE_PHASE_WIDTH  1
#define OPENHCA_EQE_PHASE_MASK   0x1u

/* doorbell_record, little-endian: What is written to a doorbell; 64 bits at once. */
#define OPENHCA_DOORBELL_RECORD_BYTES         8
#define OPENHCA_DOORBELL_RECORD_INDEX_BIT     0         /* producer index (SQ, RQ: 16 bits) or consumer index (CQ, EQ: 24 bits) after the update, counting without wrap at the ring's end */
#define OPENHCA_DOORBELL_RECORD_INDEX_WIDTH   24
#define OPENHCA_DOORBELL_RECORD_INDEX_MASK    0xffffffu
#define OPENHCA_DOORBELL_RECORD_COMMAND_BIT   24        /* CQ: 0 consumer index only, 1 and arm for solicited, 2 and arm for next; else 0 */
#define OPENHCA_DOORBELL_RECORD_COMMAND_WIDTH 8
#define OPENHCA_DOORBELL_RECORD_COMMAND_MASK  0xffu
#define OPENHCA_DOORBELL_RECORD_NUMBER_BIT    32        /* QPN, CQN or EQN */
#define OPENHCA_DOORBELL_RECORD_NUMBER_WIDTH  24
#define OPENHCA_DOORBELL_RECORD_NUMBER_MASK   0xffffffu

/* lrh, big-endian: Local Route Header (7.7). */
#define OPENHCA_LRH_BYTES         8
#define OPENHCA_LRH_VL_BIT        0
#define OPENHCA_LRH_VL_WIDTH      4
#define OPENHCA_LRH_VL_MASK       0xfu
#define OPENHCA_LRH_LVER_BIT      4
#define OPENHCA_LRH_LVER_WIDTH    4
#define OPENHCA_LRH_LVER_MASK     0xfu
#define OPENHCA_LRH_SL_BIT        8
#define OPENHCA_LRH_SL_WIDTH      4
#define OPENHCA_LRH_SL_MASK       0xfu
#define OPENHCA_LRH_LNH_BIT       14
#define OPENHCA_LRH_LNH_WIDTH     2
#define OPENHCA_LRH_LNH_MASK      0x3u
#define OPENHCA_LRH_DLID_BIT      16
#define OPENHCA_LRH_DLID_WIDTH    16
#define OPENHCA_LRH_DLID_MASK     0xffffu
#define OPENHCA_LRH_PKT_LEN_BIT   37
#define OPENHCA_LRH_PKT_LEN_WIDTH 11
#define OPENHCA_LRH_PKT_LEN_MASK  0x7ffu
#define OPENHCA_LRH_SLID_BIT      48
#define OPENHCA_LRH_SLID_WIDTH    16
#define OPENHCA_LRH_SLID_MASK     0xffffu

/* grh, big-endian: Global Route Header (8.3). */
#define OPENHCA_GRH_BYTES            40
#define OPENHCA_GRH_IP_VER_BIT       0
#define OPENHCA_GRH_IP_VER_WIDTH     4
#define OPENHCA_GRH_IP_VER_MASK      0xfu
#define OPENHCA_GRH_TCLASS_BIT       4
#define OPENHCA_GRH_TCLASS_WIDTH     8
#define OPENHCA_GRH_TCLASS_MASK      0xffu
#define OPENHCA_GRH_FLOW_LABEL_BIT   12
#define OPENHCA_GRH_FLOW_LABEL_WIDTH 20
#define OPENHCA_GRH_FLOW_LABEL_MASK  0xfffffu
#define OPENHCA_GRH_PAY_LEN_BIT      32
#define OPENHCA_GRH_PAY_LEN_WIDTH    16
#define OPENHCA_GRH_PAY_LEN_MASK     0xffffu
#define OPENHCA_GRH_NXT_HDR_BIT      48
#define OPENHCA_GRH_NXT_HDR_WIDTH    8
#define OPENHCA_GRH_NXT_HDR_MASK     0xffu
#define OPENHCA_GRH_HOP_LIMIT_BIT    56
#define OPENHCA_GRH_HOP_LIMIT_WIDTH  8
#define OPENHCA_GRH_HOP_LIMIT_MASK   0xffu
#define OPENHCA_GRH_SGID_BIT         64
#define OPENHCA_GRH_SGID_WIDTH       128
#define OPENHCA_GRH_DGID_BIT         192
#define OPENHCA_GRH_DGID_WIDTH       128

/* bth, big-endian: Base Transport Header (9.2). */
#define OPENHCA_BTH_BYTES           12
#define OPENHCA_BTH_OPCODE_BIT      0
#define OPENHCA_BTH_OPCODE_WIDTH    8
#define OPENHCA_BTH_OPCODE_MASK     0xffu
#define OPENHCA_BTH_SOLICITED_BIT   8
#define OPENHCA_BTH_SOLICITED_WIDTH 1
#define OPENHCA_BTH_SOLICITED_MASK  0x1u
#define OPENHCA_BTH_MIG_REQ_BIT     9
#define OPENHCA_BTH_MIG_REQ_WIDTH   1
#define OPENHCA_BTH_MIG_REQ_MASK    0x1u
#define OPENHCA_BTH_PAD_COUNT_BIT   10
#define OPENHCA_BTH_PAD_COUNT_WIDTH 2
#define OPENHCA_BTH_PAD_COUNT_MASK  0x3u
#define OPENHCA_BTH_TVER_BIT        12
#define OPENHCA_BTH_TVER_WIDTH      4
#define OPENHCA_BTH_TVER_MASK       0xfu
#define OPENHCA_BTH_PKEY_BIT        16
#define OPENHCA_BTH_PKEY_WIDTH      16
#define OPENHCA_BTH_PKEY_MASK       0xffffu
#define OPENHCA_BTH_DEST_QPN_BIT    40
#define OPENHCA_BTH_DEST_QPN_WIDTH  24
#define OPENHCA_BTH_DEST_QPN_MASK   0xffffffu
#define OPENHCA_BTH_ACK_REQ_BIT     64
#define OPENHCA_BTH_ACK_REQ_WIDTH   1
#define OPENHCA_BTH_ACK_REQ_MASK    0x1u
#define OPENHCA_BTH_PSN_BIT         72
#define OPENHCA_BTH_PSN_WIDTH       24
#define OPENHCA_BTH_PSN_MASK        0xffffffu

/* reth, big-endian: RDMA Extended Transport Header (9.3.3). */
#define OPENHCA_RETH_BYTES         16
#define OPENHCA_RETH_VA_BIT        0
#define OPENHCA_RETH_VA_WIDTH      64
#define OPENHCA_RETH_VA_MASK       0xffffffffffffffffull
#define OPENHCA_RETH_RKEY_BIT      64
#define OPENHCA_RETH_RKEY_WIDTH    32
#define OPENHCA_RETH_RKEY_MASK     0xffffffffu
#define OPENHCA_RETH_DMA_LEN_BIT   96
#define OPENHCA_RETH_DMA_LEN_WIDTH 32
#define OPENHCA_RETH_DMA_LEN_MASK  0xffffffffu

/* atomiceth, big-endian: Atomic Extended Transport Header (9.3.4). */
#define OPENHCA_ATOMICETH_BYTES          28
#define OPENHCA_ATOMICETH_VA_BIT         0
#define OPENHCA_ATOMICETH_VA_WIDTH       64
#define OPENHCA_ATOMICETH_VA_MASK        0xffffffffffffffffull
#define OPENHCA_ATOMICETH_RKEY_BIT       64
#define OPENHCA_ATOMICETH_RKEY_WIDTH     32
#define OPENHCA_ATOMICETH_RKEY_MASK      0xffffffffu
#define OPENHCA_ATOMICETH_SWAP_ADD_BIT   96
#define OPENHCA_ATOMICETH_SWAP_ADD_WIDTH 64
#define OPENHCA_ATOMICETH_SWAP_ADD_MASK  0xffffffffffffffffull
#define OPENHCA_ATOMICETH_COMPARE_BIT    160
#define OPENHCA_ATOMICETH_COMPARE_WIDTH  64
#define OPENHCA_ATOMICETH_COMPARE_MASK   0xffffffffffffffffull

/* aeth, big-endian: ACK Extended Transport Header (9.3.5). */
#define OPENHCA_AETH_BYTES          4
#define OPENHCA_AETH_SYNDROME_BIT   0
#define OPENHCA_AETH_SYNDROME_WIDTH 8
#define OPENHCA_AETH_SYNDROME_MASK  0xffu
#define OPENHCA_AETH_MSN_BIT        8
#define OPENHCA_AETH_MSN_WIDTH      24
#define OPENHCA_AETH_MSN_MASK       0xffffffu

/* atomicacketh, big-endian: Atomic ACK Extended Transport Header (9.5.3). */
#define OPENHCA_ATOMICACKETH_BYTES          8
#define OPENHCA_ATOMICACKETH_ORIGINAL_BIT   0
#define OPENHCA_ATOMICACKETH_ORIGINAL_WIDTH 64
#define OPENHCA_ATOMICACKETH_ORIGINAL_MASK  0xffffffffffffffffull

/* immdt, big-endian: Immediate data (9.3.6). */
#define OPENHCA_IMMDT_BYTES           4
#define OPENHCA_IMMDT_IMMEDIATE_BIT   0
#define OPENHCA_IMMDT_IMMEDIATE_WIDTH 32
#define OPENHCA_IMMDT_IMMEDIATE_MASK  0xffffffffu

#endif
