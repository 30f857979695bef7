// ib_pkg: numbers of the standard and of the device interface.
//
// Generated from src/spec by `make gen`: edit the YAML there.

/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off DECLFILENAME */

package ib_pkg;

  // Constants.
  localparam int INTERFACE_MAJOR  = 1;            // major version of this interface: raised by an incompatible change
  localparam int INTERFACE_MINOR  = 2;            // minor version of this interface: raised by an addition
  localparam int MAX_SGE          = 16;           // scatter/gather entries of a WQE
  localparam int MAX_INLINE_BYTES = 256;          // payload bytes that a send WQE can carry itself
  localparam int LOG_MAX_MSG      = 31;           // log2 of the largest message, bytes
  localparam int WQE_BLOCK_BYTES  = 64;           // WQEs are made of blocks of this size
  localparam int WQE_MARK         = 90;           // first byte of every WQE; anything else is a stale slot
  localparam int MAGIC            = 32'h4143484f; // 'OHCA' in memory order
  localparam int UARS             = 16;           // doorbell pages
  localparam int GIDS             = 8;            // entries of the GID table
  localparam int PKEYS            = 16;           // entries of the P_Key table
  localparam int AXI_WINDOW_BITS  = 28;           // address bits of the AXI4-Lite window of rtl/fpga/hca_axi.sv; BAR0 is at 0
  localparam int AXI_WINDOW_OWN   = 32'h04000000; // where the wrapper's own registers are in that window
  localparam int AXI_WINDOW_BAR2  = 32'h08000000; // where BAR2 is in that window
  localparam int AXI_IRQ_PENDING  = 0;            // own register: vectors that came; writing a one clears its bit
  localparam int AXI_IRQ_MASK     = 8;            // own register: vectors that raise the interrupt; 0 after reset
  localparam int AXI_INFO         = 16;           // own register: bits 31:0 axi_magic, 39:32 bytes of the datapath, 47:40 interrupt lines, 55:48 bytes of the window's data
  localparam int AXI_RESET        = 24;           // own register: writing a one resets the core; reads as one until that is done
  localparam int AXI_MAGIC        = 32'h4958414f; // 'OAXI' in memory order
  localparam int PAGE_BYTES       = 4096;         // page of a ring and smallest page of a region, bytes
  localparam int GRH_NXT_HDR      = 27;           // next header of IBA transport
  localparam int ICRC_BYTES       = 4;            // invariant CRC
  localparam int VCRC_BYTES       = 2;            // variant CRC

  // qp_state: State of a queue pair (IBA vol. 1, 10.3.1).
  localparam int         QP_STATE_W     = 4;    // bits
  localparam logic [3:0] QP_STATE_RESET = 4'h0;
  localparam logic [3:0] QP_STATE_INIT  = 4'h1;
  localparam logic [3:0] QP_STATE_RTR   = 4'h2;
  localparam logic [3:0] QP_STATE_RTS   = 4'h3;
  localparam logic [3:0] QP_STATE_SQE   = 4'h4;
  localparam logic [3:0] QP_STATE_SQD   = 4'h5;
  localparam logic [3:0] QP_STATE_ERR   = 4'h6;

  // service: Transport service of a queue pair.
  localparam int         SERVICE_W   = 4;    // bits
  localparam logic [3:0] SERVICE_RC  = 4'h0;
  localparam logic [3:0] SERVICE_UC  = 4'h1;
  localparam logic [3:0] SERVICE_RD  = 4'h2;
  localparam logic [3:0] SERVICE_UD  = 4'h3;
  localparam logic [3:0] SERVICE_XRC = 4'h6;

  // mtu_code: Path MTU.
  localparam int         MTU_CODE_W        = 4;    // bits
  localparam logic [3:0] MTU_CODE_MTU_256  = 4'h1;
  localparam logic [3:0] MTU_CODE_MTU_512  = 4'h2;
  localparam logic [3:0] MTU_CODE_MTU_1024 = 4'h3;
  localparam logic [3:0] MTU_CODE_MTU_2048 = 4'h4;
  localparam logic [3:0] MTU_CODE_MTU_4096 = 4'h5;

  // mig_state: Path migration state (10.4).
  localparam int         MIG_STATE_W        = 2;    // bits
  localparam logic [1:0] MIG_STATE_MIGRATED = 2'h0;
  localparam logic [1:0] MIG_STATE_REARM    = 2'h1;
  localparam logic [1:0] MIG_STATE_ARMED    = 2'h2;

  // wr_opcode: Operation of a work request.
  localparam int         WR_OPCODE_W                    = 8;     // bits
  localparam logic [7:0] WR_OPCODE_RDMA_WRITE           = 8'h00;
  localparam logic [7:0] WR_OPCODE_RDMA_WRITE_WITH_IMM  = 8'h01;
  localparam logic [7:0] WR_OPCODE_SEND                 = 8'h02;
  localparam logic [7:0] WR_OPCODE_SEND_WITH_IMM        = 8'h03;
  localparam logic [7:0] WR_OPCODE_RDMA_READ            = 8'h04;
  localparam logic [7:0] WR_OPCODE_ATOMIC_CMP_AND_SWP   = 8'h05;
  localparam logic [7:0] WR_OPCODE_ATOMIC_FETCH_AND_ADD = 8'h06;
  localparam logic [7:0] WR_OPCODE_LOCAL_INV            = 8'h07;
  localparam logic [7:0] WR_OPCODE_BIND_MW              = 8'h08;
  localparam logic [7:0] WR_OPCODE_SEND_WITH_INV        = 8'h09;
  localparam logic [7:0] WR_OPCODE_RECV                 = 8'h80;

  // wc_opcode: Operation that a completion reports.
  localparam int         WC_OPCODE_W                  = 8;     // bits
  localparam logic [7:0] WC_OPCODE_SEND               = 8'h00;
  localparam logic [7:0] WC_OPCODE_RDMA_WRITE         = 8'h01;
  localparam logic [7:0] WC_OPCODE_RDMA_READ          = 8'h02;
  localparam logic [7:0] WC_OPCODE_COMP_SWAP          = 8'h03;
  localparam logic [7:0] WC_OPCODE_FETCH_ADD          = 8'h04;
  localparam logic [7:0] WC_OPCODE_BIND_MW            = 8'h05;
  localparam logic [7:0] WC_OPCODE_LOCAL_INV          = 8'h06;
  localparam logic [7:0] WC_OPCODE_RECV               = 8'h80;
  localparam logic [7:0] WC_OPCODE_RECV_RDMA_WITH_IMM = 8'h81;

  // wc_status: Completion status (11.6.2).
  localparam int         WC_STATUS_W                 = 8;     // bits
  localparam logic [7:0] WC_STATUS_SUCCESS           = 8'h00;
  localparam logic [7:0] WC_STATUS_LOC_LEN_ERR       = 8'h01;
  localparam logic [7:0] WC_STATUS_LOC_QP_OP_ERR     = 8'h02;
  localparam logic [7:0] WC_STATUS_LOC_EEC_OP_ERR    = 8'h03;
  localparam logic [7:0] WC_STATUS_LOC_PROT_ERR      = 8'h04;
  localparam logic [7:0] WC_STATUS_WR_FLUSH_ERR      = 8'h05;
  localparam logic [7:0] WC_STATUS_MW_BIND_ERR       = 8'h06;
  localparam logic [7:0] WC_STATUS_BAD_RESP_ERR      = 8'h07;
  localparam logic [7:0] WC_STATUS_LOC_ACCESS_ERR    = 8'h08;
  localparam logic [7:0] WC_STATUS_REM_INV_REQ_ERR   = 8'h09;
  localparam logic [7:0] WC_STATUS_REM_ACCESS_ERR    = 8'h0a;
  localparam logic [7:0] WC_STATUS_REM_OP_ERR        = 8'h0b;
  localparam logic [7:0] WC_STATUS_RETRY_EXC_ERR     = 8'h0c;
  localparam logic [7:0] WC_STATUS_RNR_RETRY_EXC_ERR = 8'h0d;

  // event_type: What an event queue entry reports (11.6.3).
  localparam int         EVENT_TYPE_W             = 8;     // bits
  localparam logic [7:0] EVENT_TYPE_COMPLETION    = 8'h00; // a completion on an armed CQ; number is the CQN
  localparam logic [7:0] EVENT_TYPE_COMM_EST      = 8'h02; // first packet on a QP in RTR; number is the QPN
  localparam logic [7:0] EVENT_TYPE_SQ_DRAINED    = 8'h03; // the send queue has drained in SQD; number is the QPN
  localparam logic [7:0] EVENT_TYPE_CQ_ERROR      = 8'h04; // a CQ overflowed or cannot be written; number is the CQN
  localparam logic [7:0] EVENT_TYPE_QP_FATAL      = 8'h05; // local work queue catastrophic error; number is the QPN
  localparam logic [7:0] EVENT_TYPE_PORT_ACTIVE   = 8'h09; // the link came up; number is the port
  localparam logic [7:0] EVENT_TYPE_PORT_ERR      = 8'h0a; // the link went down; number is the port
  localparam logic [7:0] EVENT_TYPE_DEVICE_FATAL  = 8'h08; // local catastrophic error
  localparam logic [7:0] EVENT_TYPE_QP_REQ_ERR    = 8'h10; // invalid request local work queue error; number is the QPN
  localparam logic [7:0] EVENT_TYPE_QP_ACCESS_ERR = 8'h11; // local access violation work queue error; number is the QPN

  // cmd_op: Command of the command unit.
  localparam int         CMD_OP_W          = 8;     // bits
  localparam logic [7:0] CMD_OP_NOP        = 8'h00; // does nothing, answers OK
  localparam logic [7:0] CMD_OP_SW2HW_MPT  = 8'h01; // hand a memory region's MPT entry to the device: its keys work from now on
  localparam logic [7:0] CMD_OP_HW2SW_MPT  = 8'h02; // take it back: done when no access through it is under way
  localparam logic [7:0] CMD_OP_QUERY_MPT  = 8'h03; // copy the entry into the mailbox
  localparam logic [7:0] CMD_OP_MODIFY_MPT = 8'h04; // replace the entry by the mailbox, as HW2SW and SW2HW in one
  localparam logic [7:0] CMD_OP_SW2HW_CQ   = 8'h11; // create a completion queue from its CQC entry
  localparam logic [7:0] CMD_OP_HW2SW_CQ   = 8'h12; // destroy it: BUSY while a QP uses it
  localparam logic [7:0] CMD_OP_QUERY_CQ   = 8'h13; // copy the CQC with its counters into the mailbox
  localparam logic [7:0] CMD_OP_MODIFY_CQ  = 8'h14; // change the event queue of the CQ to that of the mailbox
  localparam logic [7:0] CMD_OP_RESIZE_CQ  = 8'h15; // move the CQ to the ring of the mailbox, between two completions
  localparam logic [7:0] CMD_OP_SW2HW_EQ   = 8'h21; // create an event queue from its EQC entry
  localparam logic [7:0] CMD_OP_HW2SW_EQ   = 8'h22; // destroy it: BUSY while a CQ uses it or it is the asynchronous one
  localparam logic [7:0] CMD_OP_QUERY_EQ   = 8'h23; // copy the EQC with its counters into the mailbox
  localparam logic [7:0] CMD_OP_MODIFY_EQ  = 8'h24; // change the interrupt vector to that of the mailbox
  localparam logic [7:0] CMD_OP_CREATE_QP  = 8'h31; // create a queue pair from its QPC entry; it is in Reset
  localparam logic [7:0] CMD_OP_MODIFY_QP  = 8'h32; // change state (modifier: new state) and the attributes named by the parameter to those of the mailbox
  localparam logic [7:0] CMD_OP_QUERY_QP   = 8'h33; // copy the QPC with PSNs and indices as they stand into the mailbox
  localparam logic [7:0] CMD_OP_DESTROY_QP = 8'h34; // end a queue pair in any state

  // cmd_status: Outcome of a command; on any but OK nothing has changed.
  localparam int         CMD_STATUS_W            = 8;     // bits
  localparam logic [7:0] CMD_STATUS_OK           = 8'h00;
  localparam logic [7:0] CMD_STATUS_INTERNAL     = 8'h01;
  localparam logic [7:0] CMD_STATUS_BAD_OP       = 8'h02; // no such command
  localparam logic [7:0] CMD_STATUS_BAD_PARAM    = 8'h03; // a value in the entry or the mailbox is out of range
  localparam logic [7:0] CMD_STATUS_BAD_RESOURCE = 8'h05; // the number is beyond the table
  localparam logic [7:0] CMD_STATUS_BUSY         = 8'h06; // the object is in use by another
  localparam logic [7:0] CMD_STATUS_BAD_OWNER    = 8'h09; // the entry is not owned by the side that the command wants
  localparam logic [7:0] CMD_STATUS_BAD_QP_STATE = 8'h10; // no such transition from the present state
  localparam logic [7:0] CMD_STATUS_MISSING_ATTR = 8'h11; // an attribute that the transition requires is not named
  localparam logic [7:0] CMD_STATUS_BAD_ATTR     = 8'h12; // an attribute is named that the transition does not allow
  localparam logic [7:0] CMD_STATUS_BAD_CQ_STATE = 8'h13; // the completion queue is in error
  localparam logic [7:0] CMD_STATUS_BAD_SIZE     = 8'h14; // more entries are outstanding than would have room

  // drop_reason: Why a received packet was discarded, or an access refused; each has its counter.
  localparam int         DROP_REASON_W         = 5;     // bits
  localparam logic [4:0] DROP_REASON_VCRC      = 5'h00; // variant CRC wrong (7.8.2)
  localparam logic [4:0] DROP_REASON_ICRC      = 5'h01; // invariant CRC wrong (7.8.1)
  localparam logic [4:0] DROP_REASON_LENGTH    = 5'h02; // PktLen does not match the packet, or is outside the limits of its opcode and the port's MTU
  localparam logic [4:0] DROP_REASON_LVER      = 5'h03; // link version not 0
  localparam logic [4:0] DROP_REASON_VL        = 5'h04; // virtual lane not operated, or VL15 for a data QP
  localparam logic [4:0] DROP_REASON_DLID      = 5'h05; // LID not of this port
  localparam logic [4:0] DROP_REASON_LNH       = 5'h06; // raw packet
  localparam logic [4:0] DROP_REASON_GRH       = 5'h07; // GRH version, next header or DGID wrong
  localparam logic [4:0] DROP_REASON_TVER      = 5'h08; // transport version not 0
  localparam logic [4:0] DROP_REASON_OPCODE    = 5'h09; // service or opcode that the header parser does not know
  localparam logic [4:0] DROP_REASON_QPN       = 5'h0a; // no such queue pair
  localparam logic [4:0] DROP_REASON_STATE     = 5'h0b; // queue pair not in a state that receives (10.3.1)
  localparam logic [4:0] DROP_REASON_SERVICE   = 5'h0c; // opcode is not of the queue pair's service
  localparam logic [4:0] DROP_REASON_PATH      = 5'h0d; // SLID, GRH presence or SGID does not agree with the connection
  localparam logic [4:0] DROP_REASON_PKEY      = 5'h0e; // P_Key does not match (10.9.3)
  localparam logic [4:0] DROP_REASON_DUPLICATE = 5'h0f; // request of the duplicate region: a SEND or WRITE is acknowledged again, a READ or atomic answered again, or nothing
  localparam logic [4:0] DROP_REASON_SEQUENCE  = 5'h10; // request beyond the expected PSN
  localparam logic [4:0] DROP_REASON_RESPONSE  = 5'h11; // stale, unsolicited or reserved response
  localparam logic [4:0] DROP_REASON_DOORBELL  = 5'h12; // doorbell with a wrong page, number or index
  localparam logic [4:0] DROP_REASON_TABLE     = 5'h13; // table write to an entry that is not the software's, or outside a table
  localparam logic [4:0] DROP_REASON_ACCESS    = 5'h14; // access to an unknown or read-only register, or with wrong byte enables
  localparam logic [4:0] DROP_REASON_POISONED  = 5'h15; // packet of ours that died because its payload could not be read

  // nak_counter: NAKs by syndrome (9.7.5.2), sent and received.
  localparam int         NAK_COUNTER_W                 = 4;    // bits
  localparam logic [3:0] NAK_COUNTER_SENT_RNR          = 4'h0; // receiver not ready
  localparam logic [3:0] NAK_COUNTER_SENT_SEQUENCE     = 4'h1; // PSN sequence error
  localparam logic [3:0] NAK_COUNTER_SENT_INV_REQ      = 4'h2; // invalid request
  localparam logic [3:0] NAK_COUNTER_SENT_ACCESS       = 4'h3; // remote access error
  localparam logic [3:0] NAK_COUNTER_SENT_OP           = 4'h4; // remote operational error
  localparam logic [3:0] NAK_COUNTER_RECEIVED_RNR      = 4'h8; // receiver not ready, those dropped during a wait included
  localparam logic [3:0] NAK_COUNTER_RECEIVED_SEQUENCE = 4'h9; // PSN sequence error
  localparam logic [3:0] NAK_COUNTER_RECEIVED_INV_REQ  = 4'ha; // invalid request
  localparam logic [3:0] NAK_COUNTER_RECEIVED_ACCESS   = 4'hb; // remote access error
  localparam logic [3:0] NAK_COUNTER_RECEIVED_OP       = 4'hc; // remote operational error

  // stall_counter: Cycles in which a block offered something and what follows did not take it. A device without cycles counts none.
  localparam int         STALL_COUNTER_W         = 4;    // bits
  localparam logic [3:0] STALL_COUNTER_DOORBELL  = 4'h0; // doorbells, to the queues
  localparam logic [3:0] STALL_COUNTER_REQUESTER = 4'h1; // packets, to gather and the transmit buffer
  localparam logic [3:0] STALL_COUNTER_RESPONSES = 4'h2; // READ and atomic responses, to the same
  localparam logic [3:0] STALL_COUNTER_GATE      = 4'h3; // questions to the gate of memory, of any client
  localparam logic [3:0] STALL_COUNTER_DMA_READ  = 4'h4; // read requests, to the host
  localparam logic [3:0] STALL_COUNTER_DMA_WRITE = 4'h5; // write beats, to the host
  localparam logic [3:0] STALL_COUNTER_LINK_OUT  = 4'h6; // beats, to the link
  localparam logic [3:0] STALL_COUNTER_LINK_IN   = 4'h7; // beats of the link, to a receive slot
  localparam logic [3:0] STALL_COUNTER_DISPATCH  = 4'h8; // packets, from the slots to the dispatcher
  localparam logic [3:0] STALL_COUNTER_RESPONDER = 4'h9; // requests, to the responder
  localparam logic [3:0] STALL_COUNTER_COMPLETER = 4'ha; // responses, to the completer
  localparam logic [3:0] STALL_COUNTER_SCATTER   = 4'hb; // chunks, to scatter
  localparam logic [3:0] STALL_COUNTER_CQE       = 4'hc; // completions, to the CQE writer
  localparam logic [3:0] STALL_COUNTER_EVENT     = 4'hd; // interrupts, to the host

  // lnh: Link next header (7.7.5).
  localparam int         LNH_W          = 2;    // bits
  localparam logic [1:0] LNH_RAW        = 2'h0;
  localparam logic [1:0] LNH_IPV6       = 2'h1;
  localparam logic [1:0] LNH_IBA_LOCAL  = 2'h2;
  localparam logic [1:0] LNH_IBA_GLOBAL = 2'h3;

  // aeth_class: Bits 7:5 of an AETH syndrome (9.7.5.1).
  localparam int         AETH_CLASS_W   = 3;    // bits
  localparam logic [2:0] AETH_CLASS_ACK = 3'h0;
  localparam logic [2:0] AETH_CLASS_RNR = 3'h1;
  localparam logic [2:0] AETH_CLASS_NAK = 3'h3;

  // nak_syndrome: AETH syndromes of NAKs, and the ACK without credits.
  localparam int         NAK_SYNDROME_W                      = 8;     // bits
  localparam logic [7:0] NAK_SYNDROME_ACK_NO_CREDITS         = 8'h1f;
  localparam logic [7:0] NAK_SYNDROME_NAK_SEQUENCE           = 8'h60;
  localparam logic [7:0] NAK_SYNDROME_NAK_INVALID_REQUEST    = 8'h61;
  localparam logic [7:0] NAK_SYNDROME_NAK_REMOTE_ACCESS      = 8'h62;
  localparam logic [7:0] NAK_SYNDROME_NAK_REMOTE_OPERATIONAL = 8'h63;

  // Opcodes of the BTH.
  localparam logic [7:0] OP_RC_SEND_FIRST           = 8'h00;
  localparam logic [7:0] OP_RC_SEND_MIDDLE          = 8'h01;
  localparam logic [7:0] OP_RC_SEND_LAST            = 8'h02;
  localparam logic [7:0] OP_RC_SEND_LAST_IMM        = 8'h03;
  localparam logic [7:0] OP_RC_SEND_ONLY            = 8'h04;
  localparam logic [7:0] OP_RC_SEND_ONLY_IMM        = 8'h05;
  localparam logic [7:0] OP_RC_WRITE_FIRST          = 8'h06;
  localparam logic [7:0] OP_RC_WRITE_MIDDLE         = 8'h07;
  localparam logic [7:0] OP_RC_WRITE_LAST           = 8'h08;
  localparam logic [7:0] OP_RC_WRITE_LAST_IMM       = 8'h09;
  localparam logic [7:0] OP_RC_WRITE_ONLY           = 8'h0a;
  localparam logic [7:0] OP_RC_WRITE_ONLY_IMM       = 8'h0b;
  localparam logic [7:0] OP_RC_READ_REQUEST         = 8'h0c;
  localparam logic [7:0] OP_RC_READ_RESPONSE_FIRST  = 8'h0d;
  localparam logic [7:0] OP_RC_READ_RESPONSE_MIDDLE = 8'h0e;
  localparam logic [7:0] OP_RC_READ_RESPONSE_LAST   = 8'h0f;
  localparam logic [7:0] OP_RC_READ_RESPONSE_ONLY   = 8'h10;
  localparam logic [7:0] OP_RC_ACKNOWLEDGE          = 8'h11;
  localparam logic [7:0] OP_RC_ATOMIC_ACKNOWLEDGE   = 8'h12;
  localparam logic [7:0] OP_RC_COMPARE_SWAP         = 8'h13;
  localparam logic [7:0] OP_RC_FETCH_ADD            = 8'h14;

  // Sizes of the records.
  localparam int QPC_BYTES             = 256;  // Queue pair context. `attr` names the modify_qp attribute of a field; fields without one are given at create. Words 16 up are answers of QUERY_QP.
  localparam int QPC_W                 = 2048; // bits
  localparam int MPT_BYTES             = 64;   // Memory protection table entry, one a region; index is key bits 31:8.
  localparam int MPT_W                 = 512;  // bits
  localparam int MTT_BYTES             = 8;    // Memory translation table entry, one a page.
  localparam int MTT_W                 = 64;   // bits
  localparam int CQC_BYTES             = 32;   // Completion queue context; words 2 up are answers of QUERY_CQ.
  localparam int CQC_W                 = 256;  // bits
  localparam int EQC_BYTES             = 32;   // Event queue context; words 2 up are answers of QUERY_EQ.
  localparam int EQC_W                 = 256;  // bits
  localparam int GID_BYTES             = 16;   // GID table entry; all zero is unused. Entry 0 is subnet prefix and port GUID.
  localparam int GID_W                 = 128;  // bits
  localparam int PKEY_BYTES            = 8;    // P_Key table entry; low 15 bits zero is unused.
  localparam int PKEY_W                = 64;   // bits
  localparam int WQE_HEADER_BYTES      = 32;   // Opens every send and receive WQE; data segments or inline bytes follow at byte 32.
  localparam int WQE_HEADER_W          = 256;  // bits
  localparam int WQE_DATA_BYTES        = 16;   // A data segment.
  localparam int WQE_DATA_W            = 128;  // bits
  localparam int WQE_ATOMIC_BYTES      = 16;   // Operands of an atomic, at byte 48 of its WQE, behind its one data segment.
  localparam int WQE_ATOMIC_W          = 128;  // bits
  localparam int CQE_BYTES             = 32;   // Completion queue entry, written by one aligned write; the phase bit is in its last byte.
  localparam int CQE_W                 = 256;  // bits
  localparam int EQE_BYTES             = 32;   // Event queue entry, written by one aligned write.
  localparam int EQE_W                 = 256;  // bits
  localparam int DOORBELL_RECORD_BYTES = 8;    // What is written to a doorbell; 64 bits at once.
  localparam int DOORBELL_RECORD_W     = 64;   // bits
  localparam int LRH_BYTES             = 8;    // Local Route Header (7.7).
  localparam int LRH_W                 = 64;   // bits
  localparam int GRH_BYTES             = 40;   // Global Route Header (8.3).
  localparam int GRH_W                 = 320;  // bits
  localparam int BTH_BYTES             = 12;   // Base Transport Header (9.2).
  localparam int BTH_W                 = 96;   // bits
  localparam int RETH_BYTES            = 16;   // RDMA Extended Transport Header (9.3.3).
  localparam int RETH_W                = 128;  // bits
  localparam int ATOMICETH_BYTES       = 28;   // Atomic Extended Transport Header (9.3.4).
  localparam int ATOMICETH_W           = 224;  // bits
  localparam int AETH_BYTES            = 4;    // ACK Extended Transport Header (9.3.5).
  localparam int AETH_W                = 32;   // bits
  localparam int ATOMICACKETH_BYTES    = 8;    // Atomic ACK Extended Transport Header (9.5.3).
  localparam int ATOMICACKETH_W        = 64;   // bits
  localparam int IMMDT_BYTES           = 4;    // Immediate data (9.3.6).
  localparam int IMMDT_W               = 32;   // bits

  // Registers: byte offsets in BAR0, reset values, positions of fields.
  localparam logic [31:0] REG_IDENTITY                      = 32'h00000000;         // who this is
  localparam logic [63:0] REG_IDENTITY_RESET                = 64'h0000000000000000;
  localparam int          REG_IDENTITY_MAGIC_LSB            = 0;
  localparam int          REG_IDENTITY_MAGIC_W              = 32;
  localparam int          REG_IDENTITY_MINOR_LSB            = 32;
  localparam int          REG_IDENTITY_MINOR_W              = 8;
  localparam int          REG_IDENTITY_MAJOR_LSB            = 40;
  localparam int          REG_IDENTITY_MAJOR_W              = 8;
  localparam int          REG_IDENTITY_REVISION_LSB         = 48;
  localparam int          REG_IDENTITY_REVISION_W           = 16;
  localparam logic [31:0] REG_CAPABILITY                    = 32'h00000008;         // What the device does; a bit masked by cap_mask is not done.
  localparam logic [63:0] REG_CAPABILITY_RESET              = 64'h0000000000000000;
  localparam int          REG_CAPABILITY_RC_LSB             = 0;
  localparam int          REG_CAPABILITY_RC_W               = 1;
  localparam int          REG_CAPABILITY_UC_LSB             = 1;
  localparam int          REG_CAPABILITY_UC_W               = 1;
  localparam int          REG_CAPABILITY_UD_LSB             = 2;
  localparam int          REG_CAPABILITY_UD_W               = 1;
  localparam int          REG_CAPABILITY_RD_LSB             = 3;
  localparam int          REG_CAPABILITY_RD_W               = 1;
  localparam int          REG_CAPABILITY_XRC_LSB            = 4;
  localparam int          REG_CAPABILITY_XRC_W              = 1;
  localparam int          REG_CAPABILITY_SRQ_LSB            = 5;
  localparam int          REG_CAPABILITY_SRQ_W              = 1;
  localparam int          REG_CAPABILITY_ATOMICS_LSB        = 6;
  localparam int          REG_CAPABILITY_ATOMICS_W          = 1;
  localparam int          REG_CAPABILITY_SEND_INV_LSB       = 7;
  localparam int          REG_CAPABILITY_SEND_INV_W         = 1;
  localparam int          REG_CAPABILITY_MW_LSB             = 8;
  localparam int          REG_CAPABILITY_MW_W               = 1;
  localparam int          REG_CAPABILITY_BMME_LSB           = 9;
  localparam int          REG_CAPABILITY_BMME_W             = 1;
  localparam int          REG_CAPABILITY_APM_LSB            = 10;
  localparam int          REG_CAPABILITY_APM_W              = 1;
  localparam int          REG_CAPABILITY_MULTICAST_LSB      = 11;
  localparam int          REG_CAPABILITY_MULTICAST_W        = 1;
  localparam int          REG_CAPABILITY_RETRY_LSB          = 12;
  localparam int          REG_CAPABILITY_RETRY_W            = 1;
  localparam int          REG_CAPABILITY_CREDITS_LSB        = 13;
  localparam int          REG_CAPABILITY_CREDITS_W          = 1;
  localparam int          REG_CAPABILITY_WR_LIST_LSB        = 14;
  localparam int          REG_CAPABILITY_WR_LIST_W          = 1;
  localparam int          REG_CAPABILITY_RESIZE_CQ_LSB      = 15;
  localparam int          REG_CAPABILITY_RESIZE_CQ_W        = 1;
  localparam int          REG_CAPABILITY_RESIZE_QP_LSB      = 16;
  localparam int          REG_CAPABILITY_RESIZE_QP_W        = 1;
  localparam int          REG_CAPABILITY_LOOPBACK_LSB       = 17;
  localparam int          REG_CAPABILITY_LOOPBACK_W         = 1;
  localparam int          REG_CAPABILITY_FENCE_LSB          = 18;
  localparam int          REG_CAPABILITY_FENCE_W            = 1;
  localparam int          REG_CAPABILITY_INLINE_LSB         = 19;
  localparam int          REG_CAPABILITY_INLINE_W           = 1;
  localparam logic [31:0] REG_SIZES                         = 32'h00000010;         // log2 of the number of objects
  localparam logic [63:0] REG_SIZES_RESET                   = 64'h0000000000000000;
  localparam int          REG_SIZES_LOG_QPS_LSB             = 0;
  localparam int          REG_SIZES_LOG_QPS_W               = 8;
  localparam int          REG_SIZES_LOG_MRS_LSB             = 8;
  localparam int          REG_SIZES_LOG_MRS_W               = 8;
  localparam int          REG_SIZES_LOG_MTTS_LSB            = 16;
  localparam int          REG_SIZES_LOG_MTTS_W              = 8;
  localparam int          REG_SIZES_LOG_CQS_LSB             = 24;
  localparam int          REG_SIZES_LOG_CQS_W               = 8;
  localparam int          REG_SIZES_LOG_EQS_LSB             = 32;
  localparam int          REG_SIZES_LOG_EQS_W               = 8;
  localparam int          REG_SIZES_LOG_INFLIGHT_LSB        = 40;
  localparam int          REG_SIZES_LOG_INFLIGHT_W          = 8;
  localparam int          REG_SIZES_LOG_GIDS_LSB            = 48;
  localparam int          REG_SIZES_LOG_GIDS_W              = 8;
  localparam int          REG_SIZES_LOG_PKEYS_LSB           = 56;
  localparam int          REG_SIZES_LOG_PKEYS_W             = 8;
  localparam logic [31:0] REG_LIMITS                        = 32'h00000018;         // limits of an object
  localparam logic [63:0] REG_LIMITS_RESET                  = 64'h0000000000000000;
  localparam int          REG_LIMITS_MAX_SGE_LSB            = 0;
  localparam int          REG_LIMITS_MAX_SGE_W              = 8;
  localparam int          REG_LIMITS_MAX_INLINE_BYTES_LSB   = 8;
  localparam int          REG_LIMITS_MAX_INLINE_BYTES_W     = 16;
  localparam int          REG_LIMITS_LOG_MAX_MSG_LSB        = 24;
  localparam int          REG_LIMITS_LOG_MAX_MSG_W          = 8;
  localparam int          REG_LIMITS_MAX_MTU_LSB            = 32;
  localparam int          REG_LIMITS_MAX_MTU_W              = 4;
  localparam int          REG_LIMITS_LOG_MAX_WQES_LSB       = 36;
  localparam int          REG_LIMITS_LOG_MAX_WQES_W         = 4;
  localparam int          REG_LIMITS_MAX_RD_ATOMIC_LSB      = 40;
  localparam int          REG_LIMITS_MAX_RD_ATOMIC_W        = 8;
  localparam int          REG_LIMITS_MAX_DEST_RD_ATOMIC_LSB = 48;
  localparam int          REG_LIMITS_MAX_DEST_RD_ATOMIC_W   = 8;
  localparam int          REG_LIMITS_LOG_MAX_CQES_LSB       = 56;
  localparam int          REG_LIMITS_LOG_MAX_CQES_W         = 8;
  localparam logic [31:0] REG_CONTROL                       = 32'h00000020;         // enable: the port receives and sends, queues are served
  localparam logic [63:0] REG_CONTROL_RESET                 = 64'h0000000000000000;
  localparam int          REG_CONTROL_ENABLE_LSB            = 0;
  localparam int          REG_CONTROL_ENABLE_W              = 1;
  localparam int          REG_CONTROL_ASYNC_EQN_LSB         = 8;
  localparam int          REG_CONTROL_ASYNC_EQN_W           = 8;
  localparam int          REG_CONTROL_ASYNC_VALID_LSB       = 16;
  localparam int          REG_CONTROL_ASYNC_VALID_W         = 1;
  localparam logic [31:0] REG_CAP_MASK                      = 32'h00000028;         // capability bits that stay; writable until enabled
  localparam logic [63:0] REG_CAP_MASK_RESET                = 64'hffffffffffffffff;
  localparam logic [31:0] REG_PORT                          = 32'h00000030;         // port attributes; lmc low bits of lid are path bits
  localparam logic [63:0] REG_PORT_RESET                    = 64'h0000000000000000;
  localparam int          REG_PORT_LID_LSB                  = 0;
  localparam int          REG_PORT_LID_W                    = 16;
  localparam int          REG_PORT_LMC_LSB                  = 16;
  localparam int          REG_PORT_LMC_W                    = 3;
  localparam int          REG_PORT_MTU_LSB                  = 20;
  localparam int          REG_PORT_MTU_W                    = 4;
  localparam logic [31:0] REG_PORT_STATE                    = 32'h00000038;         // 1 down, 4 active
  localparam logic [63:0] REG_PORT_STATE_RESET              = 64'h0000000000000000;
  localparam int          REG_PORT_STATE_STATE_LSB          = 0;
  localparam int          REG_PORT_STATE_STATE_W            = 4;
  localparam logic [31:0] REG_SL2VL                         = 32'h00000040;         // virtual lane of each service level, 4 bits each
  localparam logic [63:0] REG_SL2VL_RESET                   = 64'h0000000000000000;
  localparam logic [31:0] REG_NODE_GUID                     = 32'h00000048;         // kept for the driver
  localparam logic [63:0] REG_NODE_GUID_RESET               = 64'h0000000000000000;
  localparam logic [31:0] REG_TIMING                        = 32'h00000050;         // clock cycles of 4.096 us, at least 16: the unit of ACK time-outs; RNR delays count 10 us as 2.5 of it
  localparam logic [63:0] REG_TIMING_RESET                  = 64'h0000000000000400;
  localparam int          REG_TIMING_TICK_LSB               = 0;
  localparam int          REG_TIMING_TICK_W                 = 16;
  localparam logic [31:0] REG_HEALTH                        = 32'h00000058;         // fatal: the device has stopped after a local catastrophic error, until reset; cause: 1 an event could not be written; number: the event queue
  localparam logic [63:0] REG_HEALTH_RESET                  = 64'h0000000000000000;
  localparam int          REG_HEALTH_FATAL_LSB              = 0;
  localparam int          REG_HEALTH_FATAL_W                = 1;
  localparam int          REG_HEALTH_CAUSE_LSB              = 8;
  localparam int          REG_HEALTH_CAUSE_W                = 8;
  localparam int          REG_HEALTH_NUMBER_LSB             = 16;
  localparam int          REG_HEALTH_NUMBER_W               = 24;
  localparam logic [31:0] REG_LAST_ERROR                    = 32'h00000060;         // the newest completion in error that was written, flushed ones apart; 0 before the first
  localparam logic [63:0] REG_LAST_ERROR_RESET              = 64'h0000000000000000;
  localparam int          REG_LAST_ERROR_QPN_LSB            = 0;
  localparam int          REG_LAST_ERROR_QPN_W              = 24;
  localparam int          REG_LAST_ERROR_QUEUE_LSB          = 24;
  localparam int          REG_LAST_ERROR_QUEUE_W            = 1;
  localparam int          REG_LAST_ERROR_STATUS_LSB         = 32;
  localparam int          REG_LAST_ERROR_STATUS_W           = 8;
  localparam int          REG_LAST_ERROR_VENDOR_LSB         = 40;
  localparam int          REG_LAST_ERROR_VENDOR_W           = 16;
  localparam logic [31:0] REG_LAST_EVENT                    = 32'h00000068;         // the newest asynchronous event, DEVICE_FATAL in place of one that could not be written; 0 before the first
  localparam logic [63:0] REG_LAST_EVENT_RESET              = 64'h0000000000000000;
  localparam int          REG_LAST_EVENT_NUMBER_LSB         = 0;
  localparam int          REG_LAST_EVENT_NUMBER_W           = 24;
  localparam int          REG_LAST_EVENT_TYPE_LSB           = 24;
  localparam int          REG_LAST_EVENT_TYPE_W             = 8;
  localparam logic [31:0] REG_CMD_PARAM                     = 32'h00000080;         // MODIFY_QP: bit per attribute
  localparam logic [63:0] REG_CMD_PARAM_RESET               = 64'h0000000000000000;
  localparam logic [31:0] REG_CMD                           = 32'h00000088;         // writing starts a command; refused while one runs
  localparam logic [63:0] REG_CMD_RESET                     = 64'h0000000000000000;
  localparam int          REG_CMD_OP_LSB                    = 0;
  localparam int          REG_CMD_OP_W                      = 8;
  localparam int          REG_CMD_MODIFIER_LSB              = 8;
  localparam int          REG_CMD_MODIFIER_W                = 8;
  localparam int          REG_CMD_TOKEN_LSB                 = 16;
  localparam int          REG_CMD_TOKEN_W                   = 16;
  localparam int          REG_CMD_NUMBER_LSB                = 32;
  localparam int          REG_CMD_NUMBER_W                  = 24;
  localparam logic [31:0] REG_CMD_STATUS                    = 32'h00000090;         // busy until done, then the outcome
  localparam logic [63:0] REG_CMD_STATUS_RESET              = 64'h0000000000000000;
  localparam int          REG_CMD_STATUS_BUSY_LSB           = 0;
  localparam int          REG_CMD_STATUS_BUSY_W             = 1;
  localparam int          REG_CMD_STATUS_STATUS_LSB         = 8;
  localparam int          REG_CMD_STATUS_STATUS_W           = 8;
  localparam int          REG_CMD_STATUS_TOKEN_LSB          = 16;
  localparam int          REG_CMD_STATUS_TOKEN_W            = 16;
  localparam logic [31:0] REG_TX_PACKETS                    = 32'h00000100;         // packets sent
  localparam logic [63:0] REG_TX_PACKETS_RESET              = 64'h0000000000000000;
  localparam logic [31:0] REG_TX_BYTES                      = 32'h00000108;         // bytes sent, LRH to VCRC
  localparam logic [63:0] REG_TX_BYTES_RESET                = 64'h0000000000000000;
  localparam logic [31:0] REG_RX_PACKETS                    = 32'h00000110;         // packets received, good or bad
  localparam logic [63:0] REG_RX_PACKETS_RESET              = 64'h0000000000000000;
  localparam logic [31:0] REG_RX_BYTES                      = 32'h00000118;         // bytes received, LRH to VCRC
  localparam logic [63:0] REG_RX_BYTES_RESET                = 64'h0000000000000000;
  localparam logic [31:0] REG_ACKS_SENT                     = 32'h00000120;         // ACKs sent
  localparam logic [63:0] REG_ACKS_SENT_RESET               = 64'h0000000000000000;
  localparam logic [31:0] REG_NAKS_SENT                     = 32'h00000128;         // NAKs sent, RNR included
  localparam logic [63:0] REG_NAKS_SENT_RESET               = 64'h0000000000000000;
  localparam logic [31:0] REG_NAKS_RECEIVED                 = 32'h00000130;         // NAKs received, RNR included
  localparam logic [63:0] REG_NAKS_RECEIVED_RESET           = 64'h0000000000000000;
  localparam logic [31:0] REG_CQES_WRITTEN                  = 32'h00000138;         // completions written
  localparam logic [63:0] REG_CQES_WRITTEN_RESET            = 64'h0000000000000000;
  localparam logic [31:0] REG_EQES_WRITTEN                  = 32'h00000140;         // events written
  localparam logic [63:0] REG_EQES_WRITTEN_RESET            = 64'h0000000000000000;
  localparam logic [31:0] REG_RETRIES                       = 32'h00000148;         // times that a queue pair went back: NAK of sequence, implied NAK, time-out
  localparam logic [63:0] REG_RETRIES_RESET                 = 64'h0000000000000000;
  localparam logic [31:0] REG_TIMEOUTS                      = 32'h00000150;         // ACK time-outs that expired
  localparam logic [63:0] REG_TIMEOUTS_RESET                = 64'h0000000000000000;
  localparam logic [31:0] REG_RNR_WAITS                     = 32'h00000158;         // RNR NAKs that were waited for
  localparam logic [63:0] REG_RNR_WAITS_RESET               = 64'h0000000000000000;
  localparam logic [31:0] REG_ATOMICS                       = 32'h00000160;         // atomics executed on this host's memory
  localparam logic [63:0] REG_ATOMICS_RESET                 = 64'h0000000000000000;

  // Regions: byte offsets in their BAR, sizes, strides of their entries.
  localparam logic [31:0] BAR0_MAILBOX              = 32'h00000800; // input and output of commands, in the layout of the object's context
  localparam int          BAR0_MAILBOX_BYTES        = 256;
  localparam logic [31:0] BAR0_DOORBELL_PAGES       = 32'h00100000; // one 4 KiB page per user context
  localparam int          BAR0_DOORBELL_PAGES_BYTES = 65536;
  localparam logic [31:0] BAR2_QPC_TABLE            = 32'h00000000; // queue pairs
  localparam int          BAR2_QPC_TABLE_STRIDE     = 256;          // bytes of a qpc
  localparam logic [31:0] BAR2_MPT_TABLE            = 32'h01000000; // memory regions
  localparam int          BAR2_MPT_TABLE_STRIDE     = 64;           // bytes of a mpt
  localparam logic [31:0] BAR2_MTT_TABLE            = 32'h02000000; // pages
  localparam int          BAR2_MTT_TABLE_STRIDE     = 8;            // bytes of a mtt
  localparam logic [31:0] BAR2_CQC_TABLE            = 32'h03000000; // completion queues
  localparam int          BAR2_CQC_TABLE_STRIDE     = 32;           // bytes of a cqc
  localparam logic [31:0] BAR2_EQC_TABLE            = 32'h04000000; // event queues
  localparam int          BAR2_EQC_TABLE_STRIDE     = 32;           // bytes of a eqc
  localparam logic [31:0] BAR2_GID_TABLE            = 32'h05000000; // GIDs of the port
  localparam int          BAR2_GID_TABLE_STRIDE     = 16;           // bytes of a gid
  localparam logic [31:0] BAR2_PKEY_TABLE           = 32'h05010000; // P_Keys of the port
  localparam int          BAR2_PKEY_TABLE_STRIDE    = 8;            // bytes of a pkey
  localparam logic [31:0] BAR0_DROP_COUNTERS        = 32'h00000200; // a 64-bit counter per drop_reason
  localparam int          BAR0_DROP_COUNTERS_BYTES  = 256;
  localparam logic [31:0] BAR0_NAK_COUNTERS         = 32'h00000300; // a 64-bit counter per nak_counter
  localparam int          BAR0_NAK_COUNTERS_BYTES   = 128;
  localparam logic [31:0] BAR0_STALL_COUNTERS       = 32'h00000400; // a 64-bit counter per stall_counter: cycles
  localparam int          BAR0_STALL_COUNTERS_BYTES = 128;

  // Doorbells: byte offsets in a page.
  localparam logic [11:0] DB_SQ = 12'h000;
  localparam logic [11:0] DB_RQ = 12'h008;
  localparam logic [11:0] DB_CQ = 12'h010;
  localparam logic [11:0] DB_EQ = 12'h018;

  // Attributes of modify_qp: positions in its bit vector.
  localparam int QP_ATTR_W                  = 21; // bits of the vector
  localparam int QP_ATTR_STATE              = 0;  // new state (the command's modifier)
  localparam int QP_ATTR_CUR_STATE          = 1;  // state assumed by the caller; no field of the context
  localparam int QP_ATTR_SQD_NOTIFY         = 2;  // event when drained
  localparam int QP_ATTR_ACCESS             = 3;  // remote write, read, atomic enabled
  localparam int QP_ATTR_PKEY_INDEX         = 4;
  localparam int QP_ATTR_PORT               = 5;
  localparam int QP_ATTR_QKEY               = 6;  // datagram services only
  localparam int QP_ATTR_AV                 = 7;  // primary address vector
  localparam int QP_ATTR_PATH_MTU           = 8;
  localparam int QP_ATTR_TIMEOUT            = 9;  // local ACK timeout
  localparam int QP_ATTR_RETRY_CNT          = 10;
  localparam int QP_ATTR_RNR_RETRY          = 11;
  localparam int QP_ATTR_RQ_PSN             = 12;
  localparam int QP_ATTR_MAX_RD_ATOMIC      = 13; // initiator depth
  localparam int QP_ATTR_ALT_PATH           = 14; // path migration, not offered
  localparam int QP_ATTR_MIN_RNR_TIMER      = 15;
  localparam int QP_ATTR_SQ_PSN             = 16;
  localparam int QP_ATTR_MAX_DEST_RD_ATOMIC = 17; // responder resources
  localparam int QP_ATTR_MIG_STATE          = 18; // path migration, not offered
  localparam int QP_ATTR_CAP                = 19; // queue resize, not offered
  localparam int QP_ATTR_DEST_QPN           = 20;

  // Bytes of LRH, BTH and extension headers, without a GRH; 0 of an unknown opcode.
  function automatic logic [6:0] op_header_bytes(input logic [7:0] opcode);
    case (opcode)
      OP_RC_SEND_FIRST,
      OP_RC_SEND_MIDDLE,
      OP_RC_SEND_LAST,
      OP_RC_SEND_ONLY,
      OP_RC_WRITE_MIDDLE,
      OP_RC_WRITE_LAST,
      OP_RC_READ_RESPONSE_MIDDLE: op_header_bytes = 7'd20;
      OP_RC_SEND_LAST_IMM,
      OP_RC_SEND_ONLY_IMM,
      OP_RC_WRITE_LAST_IMM,
      OP_RC_READ_RESPONSE_FIRST,
      OP_RC_READ_RESPONSE_LAST,
      OP_RC_READ_RESPONSE_ONLY,
      OP_RC_ACKNOWLEDGE: op_header_bytes = 7'd24;
      OP_RC_WRITE_FIRST,
      OP_RC_WRITE_ONLY,
      OP_RC_READ_REQUEST: op_header_bytes = 7'd36;
      OP_RC_WRITE_ONLY_IMM: op_header_bytes = 7'd40;
      OP_RC_ATOMIC_ACKNOWLEDGE: op_header_bytes = 7'd32;
      OP_RC_COMPARE_SWAP,
      OP_RC_FETCH_ADD: op_header_bytes = 7'd48;
      default: op_header_bytes = 7'd0;
    endcase
  endfunction

  // The opcode is one of ours.
  function automatic logic op_known(input logic [7:0] opcode);
    case (opcode)
      OP_RC_SEND_FIRST,
      OP_RC_SEND_MIDDLE,
      OP_RC_SEND_LAST,
      OP_RC_SEND_LAST_IMM,
      OP_RC_SEND_ONLY,
      OP_RC_SEND_ONLY_IMM,
      OP_RC_WRITE_FIRST,
      OP_RC_WRITE_MIDDLE,
      OP_RC_WRITE_LAST,
      OP_RC_WRITE_LAST_IMM,
      OP_RC_WRITE_ONLY,
      OP_RC_WRITE_ONLY_IMM,
      OP_RC_READ_REQUEST,
      OP_RC_READ_RESPONSE_FIRST,
      OP_RC_READ_RESPONSE_MIDDLE,
      OP_RC_READ_RESPONSE_LAST,
      OP_RC_READ_RESPONSE_ONLY,
      OP_RC_ACKNOWLEDGE,
      OP_RC_ATOMIC_ACKNOWLEDGE,
      OP_RC_COMPARE_SWAP,
      OP_RC_FETCH_ADD: op_known = 1'b1;
      default: op_known = 1'b0;
    endcase
  endfunction

  // The IMMDT stands behind the BTH.
  function automatic logic op_has_immdt(input logic [7:0] opcode);
    case (opcode)
      OP_RC_SEND_LAST_IMM,
      OP_RC_SEND_ONLY_IMM,
      OP_RC_WRITE_LAST_IMM,
      OP_RC_WRITE_ONLY_IMM: op_has_immdt = 1'b1;
      default: op_has_immdt = 1'b0;
    endcase
  endfunction

  // The RETH stands behind the BTH.
  function automatic logic op_has_reth(input logic [7:0] opcode);
    case (opcode)
      OP_RC_WRITE_FIRST,
      OP_RC_WRITE_ONLY,
      OP_RC_WRITE_ONLY_IMM,
      OP_RC_READ_REQUEST: op_has_reth = 1'b1;
      default: op_has_reth = 1'b0;
    endcase
  endfunction

  // The AETH stands behind the BTH.
  function automatic logic op_has_aeth(input logic [7:0] opcode);
    case (opcode)
      OP_RC_READ_RESPONSE_FIRST,
      OP_RC_READ_RESPONSE_LAST,
      OP_RC_READ_RESPONSE_ONLY,
      OP_RC_ACKNOWLEDGE,
      OP_RC_ATOMIC_ACKNOWLEDGE: op_has_aeth = 1'b1;
      default: op_has_aeth = 1'b0;
    endcase
  endfunction

  // The ATOMICACKETH stands behind the BTH.
  function automatic logic op_has_atomicacketh(input logic [7:0] opcode);
    case (opcode)
      OP_RC_ATOMIC_ACKNOWLEDGE: op_has_atomicacketh = 1'b1;
      default: op_has_atomicacketh = 1'b0;
    endcase
  endfunction

  // The ATOMICETH stands behind the BTH.
  function automatic logic op_has_atomiceth(input logic [7:0] opcode);
    case (opcode)
      OP_RC_COMPARE_SWAP,
      OP_RC_FETCH_ADD: op_has_atomiceth = 1'b1;
      default: op_has_atomiceth = 1'b0;
    endcase
  endfunction

  // Data may follow the headers.
  function automatic logic op_has_payload(input logic [7:0] opcode);
    case (opcode)
      OP_RC_SEND_FIRST,
      OP_RC_SEND_MIDDLE,
      OP_RC_SEND_LAST,
      OP_RC_SEND_LAST_IMM,
      OP_RC_SEND_ONLY,
      OP_RC_SEND_ONLY_IMM,
      OP_RC_WRITE_FIRST,
      OP_RC_WRITE_MIDDLE,
      OP_RC_WRITE_LAST,
      OP_RC_WRITE_LAST_IMM,
      OP_RC_WRITE_ONLY,
      OP_RC_WRITE_ONLY_IMM,
      OP_RC_READ_RESPONSE_FIRST,
      OP_RC_READ_RESPONSE_MIDDLE,
      OP_RC_READ_RESPONSE_LAST,
      OP_RC_READ_RESPONSE_ONLY: op_has_payload = 1'b1;
      default: op_has_payload = 1'b0;
    endcase
  endfunction

  // From requester to responder.
  function automatic logic op_is_request(input logic [7:0] opcode);
    case (opcode)
      OP_RC_SEND_FIRST,
      OP_RC_SEND_MIDDLE,
      OP_RC_SEND_LAST,
      OP_RC_SEND_LAST_IMM,
      OP_RC_SEND_ONLY,
      OP_RC_SEND_ONLY_IMM,
      OP_RC_WRITE_FIRST,
      OP_RC_WRITE_MIDDLE,
      OP_RC_WRITE_LAST,
      OP_RC_WRITE_LAST_IMM,
      OP_RC_WRITE_ONLY,
      OP_RC_WRITE_ONLY_IMM,
      OP_RC_READ_REQUEST,
      OP_RC_COMPARE_SWAP,
      OP_RC_FETCH_ADD: op_is_request = 1'b1;
      default: op_is_request = 1'b0;
    endcase
  endfunction

  // From responder to requester.
  function automatic logic op_is_response(input logic [7:0] opcode);
    case (opcode)
      OP_RC_READ_RESPONSE_FIRST,
      OP_RC_READ_RESPONSE_MIDDLE,
      OP_RC_READ_RESPONSE_LAST,
      OP_RC_READ_RESPONSE_ONLY,
      OP_RC_ACKNOWLEDGE,
      OP_RC_ATOMIC_ACKNOWLEDGE: op_is_response = 1'b1;
      default: op_is_response = 1'b0;
    endcase
  endfunction

  // Opens its message: first or only.
  function automatic logic op_is_first(input logic [7:0] opcode);
    case (opcode)
      OP_RC_SEND_FIRST,
      OP_RC_SEND_ONLY,
      OP_RC_SEND_ONLY_IMM,
      OP_RC_WRITE_FIRST,
      OP_RC_WRITE_ONLY,
      OP_RC_WRITE_ONLY_IMM,
      OP_RC_READ_REQUEST,
      OP_RC_READ_RESPONSE_FIRST,
      OP_RC_READ_RESPONSE_ONLY,
      OP_RC_ACKNOWLEDGE,
      OP_RC_ATOMIC_ACKNOWLEDGE,
      OP_RC_COMPARE_SWAP,
      OP_RC_FETCH_ADD: op_is_first = 1'b1;
      default: op_is_first = 1'b0;
    endcase
  endfunction

  // Ends its message: last or only.
  function automatic logic op_is_last(input logic [7:0] opcode);
    case (opcode)
      OP_RC_SEND_LAST,
      OP_RC_SEND_LAST_IMM,
      OP_RC_SEND_ONLY,
      OP_RC_SEND_ONLY_IMM,
      OP_RC_WRITE_LAST,
      OP_RC_WRITE_LAST_IMM,
      OP_RC_WRITE_ONLY,
      OP_RC_WRITE_ONLY_IMM,
      OP_RC_READ_REQUEST,
      OP_RC_READ_RESPONSE_LAST,
      OP_RC_READ_RESPONSE_ONLY,
      OP_RC_ACKNOWLEDGE,
      OP_RC_ATOMIC_ACKNOWLEDGE,
      OP_RC_COMPARE_SWAP,
      OP_RC_FETCH_ADD: op_is_last = 1'b1;
      default: op_is_last = 1'b0;
    endcase
  endfunction

  // Belongs to the operation send.
  function automatic logic op_is_send(input logic [7:0] opcode);
    case (opcode)
      OP_RC_SEND_FIRST,
      OP_RC_SEND_MIDDLE,
      OP_RC_SEND_LAST,
      OP_RC_SEND_LAST_IMM,
      OP_RC_SEND_ONLY,
      OP_RC_SEND_ONLY_IMM: op_is_send = 1'b1;
      default: op_is_send = 1'b0;
    endcase
  endfunction

  // Belongs to the operation write.
  function automatic logic op_is_write(input logic [7:0] opcode);
    case (opcode)
      OP_RC_WRITE_FIRST,
      OP_RC_WRITE_MIDDLE,
      OP_RC_WRITE_LAST,
      OP_RC_WRITE_LAST_IMM,
      OP_RC_WRITE_ONLY,
      OP_RC_WRITE_ONLY_IMM: op_is_write = 1'b1;
      default: op_is_write = 1'b0;
    endcase
  endfunction

  // Belongs to the operation read.
  function automatic logic op_is_read(input logic [7:0] opcode);
    case (opcode)
      OP_RC_READ_REQUEST,
      OP_RC_READ_RESPONSE_FIRST,
      OP_RC_READ_RESPONSE_MIDDLE,
      OP_RC_READ_RESPONSE_LAST,
      OP_RC_READ_RESPONSE_ONLY: op_is_read = 1'b1;
      default: op_is_read = 1'b0;
    endcase
  endfunction

  // Belongs to the operation ack.
  function automatic logic op_is_ack(input logic [7:0] opcode);
    case (opcode)
      OP_RC_ACKNOWLEDGE: op_is_ack = 1'b1;
      default: op_is_ack = 1'b0;
    endcase
  endfunction

  // Belongs to the operation atomic.
  function automatic logic op_is_atomic(input logic [7:0] opcode);
    case (opcode)
      OP_RC_ATOMIC_ACKNOWLEDGE,
      OP_RC_COMPARE_SWAP,
      OP_RC_FETCH_ADD: op_is_atomic = 1'b1;
      default: op_is_atomic = 1'b0;
    endcase
  endfunction

  // The command may lead from one state to the other.
  function automatic logic qp_transition_legal(
      input logic [3:0] from_state, input logic [3:0] to_state);
    case ({from_state, to_state})
      {QP_STATE_RESET, QP_STATE_INIT}: qp_transition_legal = 1'b1;
      {QP_STATE_INIT, QP_STATE_INIT}: qp_transition_legal = 1'b1;
      {QP_STATE_INIT, QP_STATE_RTR}: qp_transition_legal = 1'b1;
      {QP_STATE_RTR, QP_STATE_RTS}: qp_transition_legal = 1'b1;
      {QP_STATE_RTS, QP_STATE_RTS}: qp_transition_legal = 1'b1;
      {QP_STATE_RTS, QP_STATE_SQD}: qp_transition_legal = 1'b1;
      {QP_STATE_SQD, QP_STATE_SQD}: qp_transition_legal = 1'b1;
      {QP_STATE_SQD, QP_STATE_RTS}: qp_transition_legal = 1'b1;
      {QP_STATE_RESET, QP_STATE_RESET}: qp_transition_legal = 1'b1;
      {QP_STATE_INIT, QP_STATE_RESET}: qp_transition_legal = 1'b1;
      {QP_STATE_RTR, QP_STATE_RESET}: qp_transition_legal = 1'b1;
      {QP_STATE_RTS, QP_STATE_RESET}: qp_transition_legal = 1'b1;
      {QP_STATE_SQD, QP_STATE_RESET}: qp_transition_legal = 1'b1;
      {QP_STATE_ERR, QP_STATE_RESET}: qp_transition_legal = 1'b1;
      {QP_STATE_RESET, QP_STATE_ERR}: qp_transition_legal = 1'b1;
      {QP_STATE_INIT, QP_STATE_ERR}: qp_transition_legal = 1'b1;
      {QP_STATE_RTR, QP_STATE_ERR}: qp_transition_legal = 1'b1;
      {QP_STATE_RTS, QP_STATE_ERR}: qp_transition_legal = 1'b1;
      {QP_STATE_SQD, QP_STATE_ERR}: qp_transition_legal = 1'b1;
      {QP_STATE_ERR, QP_STATE_ERR}: qp_transition_legal = 1'b1;
      default: qp_transition_legal = 1'b0;
    endcase
  endfunction

  // Attributes that the transition must name.
  function automatic logic [20:0] qp_attr_required(
      input logic [3:0] from_state, input logic [3:0] to_state);
    case ({from_state, to_state})
      {QP_STATE_RESET, QP_STATE_INIT}: qp_attr_required = 21'h000038;
      {QP_STATE_INIT, QP_STATE_RTR}: qp_attr_required = 21'h129180;
      {QP_STATE_RTR, QP_STATE_RTS}: qp_attr_required = 21'h012e00;
      default: qp_attr_required = 21'h000000;
    endcase
  endfunction

  // Attributes that it may name besides.
  function automatic logic [20:0] qp_attr_optional(
      input logic [3:0] from_state, input logic [3:0] to_state);
    case ({from_state, to_state})
      {QP_STATE_INIT, QP_STATE_INIT}: qp_attr_optional = 21'h000038;
      {QP_STATE_INIT, QP_STATE_RTR}: qp_attr_optional = 21'h000018;
      {QP_STATE_RTR, QP_STATE_RTS}: qp_attr_optional = 21'h008008;
      {QP_STATE_RTS, QP_STATE_RTS}: qp_attr_optional = 21'h008008;
      {QP_STATE_RTS, QP_STATE_SQD}: qp_attr_optional = 21'h000004;
      {QP_STATE_SQD, QP_STATE_SQD}: qp_attr_optional = 21'h02aeb8;
      {QP_STATE_SQD, QP_STATE_RTS}: qp_attr_optional = 21'h008008;
      default: qp_attr_optional = 21'h000000;
    endcase
  endfunction

  // Bits of 64-bit word number `word` of a QPC that belong to the attributes in `attrs`.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [63:0] qp_attr_word_mask(
      input logic [4:0] word, input logic [20:0] attrs);
    case (word)
      5'd0: qp_attr_word_mask =
        ({64{attrs[QP_ATTR_STATE]}} & 64'h000000000000000f) |
        ({64{attrs[QP_ATTR_PATH_MTU]}} & 64'h0000000000000f00) |
        ({64{attrs[QP_ATTR_AV]}} & 64'h0000000000002000) |
        ({64{attrs[QP_ATTR_ACCESS]}} & 64'h000000000001c000) |
        ({64{attrs[QP_ATTR_MIG_STATE]}} & 64'h0000000000060000) |
        ({64{attrs[QP_ATTR_SQD_NOTIFY]}} & 64'h0000000000080000);
      5'd3: qp_attr_word_mask =
        ({64{attrs[QP_ATTR_PKEY_INDEX]}} & 64'h00000000ffff0000) |
        ({64{attrs[QP_ATTR_DEST_QPN]}} & 64'h00ffffff00000000);
      5'd4: qp_attr_word_mask =
        ({64{attrs[QP_ATTR_AV]}} & 64'h000ffffff7ffffff) |
        ({64{attrs[QP_ATTR_PORT]}} & 64'h0ff0000000000000);
      5'd5: qp_attr_word_mask =
        ({64{attrs[QP_ATTR_AV]}} & 64'h000000000fffffff) |
        ({64{attrs[QP_ATTR_TIMEOUT]}} & 64'h0000001f00000000) |
        ({64{attrs[QP_ATTR_RETRY_CNT]}} & 64'h000000e000000000) |
        ({64{attrs[QP_ATTR_RNR_RETRY]}} & 64'h0000070000000000) |
        ({64{attrs[QP_ATTR_MIN_RNR_TIMER]}} & 64'h0000f80000000000) |
        ({64{attrs[QP_ATTR_MAX_RD_ATOMIC]}} & 64'h00ff000000000000) |
        ({64{attrs[QP_ATTR_MAX_DEST_RD_ATOMIC]}} & 64'hff00000000000000);
      5'd6: qp_attr_word_mask =
        ({64{attrs[QP_ATTR_AV]}} & 64'hffffffffffffffff);
      5'd7: qp_attr_word_mask =
        ({64{attrs[QP_ATTR_AV]}} & 64'hffffffffffffffff);
      5'd8: qp_attr_word_mask =
        ({64{attrs[QP_ATTR_SQ_PSN]}} & 64'h0000000000ffffff) |
        ({64{attrs[QP_ATTR_RQ_PSN]}} & 64'h00ffffff00000000);
      default: qp_attr_word_mask = 64'h0;
    endcase
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

endpackage

/* verilator lint_on DECLFILENAME */
/* verilator lint_on UNUSEDPARAM */
