// Generated from src/spec by `make gen`: edit the YAML there.
//
// A big-endian record has the first byte on the wire in its top bits, a little-endian one the byte at
// the lowest address in its bottom bits.

`ifndef IB_TYPES_SVH
`define IB_TYPES_SVH

/* verilator lint_off SYMRSVDWORD */

// qpc: 256 bytes, little-endian. Queue pair context. `attr` names the modify_qp attribute of a field; fields without one are given at create. Words 16 up are answers of QUERY_QP.
typedef struct packed {
  logic [767:0] resv13;
  logic [15:0]  rq_consumer;        // index of the receive WQE to be used next
  logic [23:0]  msn;                // requests executed
  logic [23:0]  epsn;               // PSN expected next
  logic [23:0]  resv12;
  logic [15:0]  sq_oldest;          // index of the oldest WQE not complete
  logic [23:0]  sq_acked_psn;       // newest PSN acknowledged
  logic [15:0]  sq_next;            // index of the WQE to be started next
  logic [23:0]  ssn;                // requests started
  logic [23:0]  sq_next_psn;        // PSN of the next new request
  logic [31:0]  resv11;
  logic [15:0]  rq_producer;
  logic [15:0]  sq_producer;
  logic [447:0] resv10;
  logic [7:0]   resv9;
  logic [23:0]  rq_psn;
  logic [7:0]   resv8;
  logic [23:0]  sq_psn;
  logic [127:0] dgid;               // the GID as one big-endian number
  logic [7:0]   max_dest_rd_atomic; // responder resources
  logic [7:0]   max_rd_atomic;      // initiator depth
  logic [4:0]   min_rnr_timer;
  logic [2:0]   rnr_retry;
  logic [2:0]   retry_count;
  logic [4:0]   ack_timeout;
  logic [3:0]   resv7;
  logic [7:0]   static_rate;        // kept and returned; the port has one rate
  logic [19:0]  flow_label;
  logic [3:0]   resv6;
  logic [7:0]   port;               // 1
  logic [7:0]   tclass;
  logic [7:0]   hop_limit;
  logic [7:0]   sgid_index;
  logic         resv5;
  logic [6:0]   path_bits;          // low bits of the source LID
  logic [3:0]   sl;
  logic [15:0]  dlid;
  logic [7:0]   resv4;
  logic [23:0]  dest_qpn;
  logic [15:0]  pkey_index;
  logic [15:0]  uar;                // doorbell page that may ring for this QP
  logic [3:0]   rq_log_stride;
  logic [3:0]   rq_log_size;
  logic [23:0]  rq_mtt;
  logic [3:0]   sq_log_stride;      // log2 of a slot in 64-byte blocks, 0..3
  logic [3:0]   sq_log_size;        // log2 of its WQEs, 0..15
  logic [23:0]  sq_mtt;             // first MTT index of the send ring
  logic [7:0]   resv3;
  logic [23:0]  recv_cqn;
  logic [7:0]   resv2;
  logic [23:0]  send_cqn;
  logic [7:0]   resv1;
  logic [23:0]  pd;
  logic [11:0]  resv0;
  logic         sqd_notify;
  logic [1:0]   mig_state;
  logic         remote_atomic;
  logic         remote_read;
  logic         remote_write;
  logic         grh;                // packets carry a GRH
  logic         sig_all;            // every send WR writes a CQE
  logic [3:0]   path_mtu;
  logic [3:0]   service;
  logic [3:0]   state;
} qpc_t;

// mpt: 64 bytes, little-endian. Memory protection table entry, one a region; index is key bits 31:8.
typedef struct packed {
  logic [191:0] resv4;
  logic [63:0]  offset;        // of the first byte in its first page
  logic [63:0]  length;        // bytes
  logic [63:0]  start;         // virtual address of the first byte
  logic [7:0]   resv3;
  logic [23:0]  mtt;           // MTT index of the first page
  logic [31:0]  key;           // L_Key and R_Key of the region, all 32 bits
  logic [7:0]   resv2;
  logic [23:0]  pd;
  logic [17:0]  resv1;
  logic [5:0]   page_shift;    // log2 of the page size: 12..30
  logic [3:0]   resv0;
  logic         remote_atomic; // needs local_write
  logic         remote_read;
  logic         remote_write;  // needs local_write
  logic         local_write;
} mpt_t;

// mtt: 8 bytes, little-endian. Memory translation table entry, one a page.
typedef struct packed {
  logic [51:0] page;    // host address bits 63:12
  logic [10:0] resv0;
  logic        present;
} mtt_t;

// cqc: 32 bytes, little-endian. Completion queue context; words 2 up are answers of QUERY_CQ.
typedef struct packed {
  logic [63:0] resv4;
  logic [12:0] resv3;
  logic        error;    // overflowed: writes nothing any more
  logic [1:0]  armed;    // 0 no, 1 solicited, 2 next
  logic [23:0] consumer; // entries ever freed by a doorbell
  logic [23:0] producer; // entries ever written
  logic [63:0] resv2;
  logic [15:0] uar;      // doorbell page that may ring for this CQ
  logic [7:0]  resv1;
  logic [7:0]  eqn;      // event queue of its completion events
  logic [2:0]  resv0;
  logic [4:0]  log_size; // log2 of its entries, 0..20
  logic [23:0] mtt;      // first MTT index of the ring
} cqc_t;

// eqc: 32 bytes, little-endian. Event queue context; words 2 up are answers of QUERY_EQ.
typedef struct packed {
  logic [63:0] resv5;
  logic [12:0] resv4;
  logic        error;    // overflowed: an event was lost
  logic [1:0]  resv3;
  logic [23:0] consumer;
  logic [23:0] producer;
  logic [63:0] resv2;
  logic [15:0] uar;      // doorbell page that may ring for this EQ
  logic [7:0]  resv1;
  logic [7:0]  vector;   // MSI-X vector
  logic [2:0]  resv0;
  logic [4:0]  log_size;
  logic [23:0] mtt;
} eqc_t;

// gid: 16 bytes, little-endian. GID table entry; all zero is unused. Entry 0 is subnet prefix and port GUID.
typedef struct packed {
  logic [127:0] gid; // the GID as one big-endian number
} gid_t;

// pkey: 8 bytes, little-endian. P_Key table entry; low 15 bits zero is unused.
typedef struct packed {
  logic [47:0] resv0;
  logic [15:0] pkey;
} pkey_t;

// wqe_header: 32 bytes, little-endian. Opens every send and receive WQE; data segments or inline bytes follow at byte 32.
typedef struct packed {
  logic [31:0] resv2;
  logic [31:0] rkey;         // R_Key of the peer's region
  logic [63:0] remote_addr;  // virtual address at the peer (WRITE, READ, atomics)
  logic [31:0] resv1;
  logic [15:0] inline_bytes; // 0..256, with inline
  logic [15:0] index;        // the WQE's own index, compared by the device
  logic [31:0] immediate;    // four bytes in wire order; the R_Key of SEND_WITH_INV
  logic [3:0]  resv0;
  logic        inline;       // payload stands in the WQE
  logic        solicited;    // set the solicited event bit of the message
  logic        signaled;     // write a CQE on success too
  logic        fence;        // start only when all earlier READs and atomics of the queue are complete
  logic [7:0]  segments;     // data segments, 0..16; 0 with inline
  logic [7:0]  opcode;
  logic [7:0]  mark;         // wqe_mark
} wqe_header_t;

// wqe_data: 16 bytes, little-endian. A data segment.
typedef struct packed {
  logic [31:0] lkey;
  logic [31:0] length; // bytes; 0: the segment is skipped unchecked (C10-54.1.1)
  logic [63:0] addr;   // virtual address
} wqe_data_t;

// wqe_atomic: 16 bytes, little-endian. Operands of an atomic, at byte 48 of its WQE, behind its one data segment.
typedef struct packed {
  logic [63:0] compare;  // value to compare with; 0 for fetch and add
  logic [63:0] swap_add; // value to store (compare and swap) or to add
} wqe_atomic_t;

// cqe: 32 bytes, little-endian. Completion queue entry, written by one aligned write; the phase bit is in its last byte.
typedef struct packed {
  logic        phase;      // 1 in the first round through the ring, then alternating
  logic [14:0] resv4;
  logic [15:0] pkey_index;
  logic [7:0]  resv3;
  logic [23:0] src_qpn;    // the peer's QPN
  logic [4:0]  resv2;
  logic [6:0]  path_bits;  // low bits of the destination LID
  logic [3:0]  sl;
  logic [15:0] slid;       // source LID of the message's last packet
  logic [31:0] immediate;  // four bytes in wire order
  logic [31:0] byte_len;   // bytes received, written with immediate, or read
  logic [15:0] vendor;     // syndrome of the NAK or cause of a local error, for people
  logic [15:0] wqe_index;  // index of the WQE that ends
  logic [12:0] resv1;
  logic        solicited;  // the message asked for a solicited event
  logic        grh;        // the message came with a GRH
  logic        with_imm;   // immediate is valid
  logic [7:0]  status;
  logic [7:0]  opcode;
  logic [6:0]  resv0;
  logic        queue;      // 0 send queue, 1 receive queue
  logic [23:0] qpn;        // queue pair
} cqe_t;

// eqe: 32 bytes, little-endian. Event queue entry, written by one aligned write.
typedef struct packed {
  logic        phase;  // 1 in the first round through the ring, then alternating
  logic [62:0] resv4;
  logic [63:0] resv3;
  logic [31:0] resv2;
  logic [31:0] vendor; // more about the cause, for people
  logic [7:0]  resv1;
  logic [23:0] number; // CQN, QPN or port
  logic [23:0] resv0;
  logic [7:0]  event_;
} eqe_t;

// doorbell_record: 8 bytes, little-endian. What is written to a doorbell; 64 bits at once.
typedef struct packed {
  logic [7:0]  resv0;
  logic [23:0] number;  // QPN, CQN or EQN
  logic [7:0]  command; // CQ: 0 consumer index only, 1 and arm for solicited, 2 and arm for next; else 0
  logic [23:0] index;   // producer index (SQ, RQ: 16 bits) or consumer index (CQ, EQ: 24 bits) after the update, counting without wrap at the ring's end
} doorbell_record_t;

// lrh: 8 bytes, big-endian. Local Route Header (7.7).
typedef struct packed {
  logic [3:0]  vl;
  logic [3:0]  lver;
  logic [3:0]  sl;
  logic [1:0]  resv0;
  logic [1:0]  lnh;
  logic [15:0] dlid;
  logic [4:0]  resv1;
  logic [10:0] pkt_len;
  logic [15:0] slid;
} lrh_t;

// grh: 40 bytes, big-endian. Global Route Header (8.3).
typedef struct packed {
  logic [3:0]   ip_ver;
  logic [7:0]   tclass;
  logic [19:0]  flow_label;
  logic [15:0]  pay_len;
  logic [7:0]   nxt_hdr;
  logic [7:0]   hop_limit;
  logic [127:0] sgid;
  logic [127:0] dgid;
} grh_t;

// bth: 12 bytes, big-endian. Base Transport Header (9.2).
typedef struct packed {
  logic [7:0]  opcode;
  logic        solicited;
  logic        mig_req;
  logic [1:0]  pad_count;
  logic [3:0]  tver;
  logic [15:0] pkey;
  logic [7:0]  resv0;
  logic [23:0] dest_qpn;
  logic        ack_req;
  logic [6:0]  resv1;
  logic [23:0] psn;
} bth_t;

// reth: 16 bytes, big-endian. RDMA Extended Transport Header (9.3.3).
typedef struct packed {
  logic [63:0] va;
  logic [31:0] rkey;
  logic [31:0] dma_len;
} reth_t;

// atomiceth: 28 bytes, big-endian. Atomic Extended Transport Header (9.3.4).
typedef struct packed {
  logic [63:0] va;
  logic [31:0] rkey;
  logic [63:0] swap_add;
  logic [63:0] compare;
} atomiceth_t;

// aeth: 4 bytes, big-endian. ACK Extended Transport Header (9.3.5).
typedef struct packed {
  logic [7:0]  syndrome;
  logic [23:0] msn;
} aeth_t;

// atomicacketh: 8 bytes, big-endian. Atomic ACK Extended Transport Header (9.5.3).
typedef struct packed {
  logic [63:0] original;
} atomicacketh_t;

// immdt: 4 bytes, big-endian. Immediate data (9.3.6).
typedef struct packed {
  logic [31:0] immediate;
} immdt_t;

/* verilator lint_on SYMRSVDWORD */

`endif
