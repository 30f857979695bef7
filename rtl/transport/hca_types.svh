`ifndef HCA_TYPES_SVH
`define HCA_TYPES_SVH

`define CFG_WORDS 9                          // words of a QPC that are configuration
`define CFG_W (`CFG_WORDS * 64)

// What the blocks hand each other. Fields of the standard keep its names.

// A packet to be sent; what its opcode does not carry is zero.
typedef struct packed {
  logic        request;                      // of the requester; else a READ or atomic response
  logic        first;                        // response: the first that leaves for its answer
  logic        last;                         // response: the last of its answer
  logic [23:0] qpn;                          // ours: the context to send with
  logic [7:0]  opcode;
  logic [23:0] psn;
  logic        ack_req;
  logic        solicited;
  logic [12:0] payload;                      // bytes
  logic [63:0] va;                           // RETH
  logic [31:0] rkey;
  logic [31:0] dma_len;
  logic [31:0] imm;                          // ImmDt, first byte on the wire in 31:24
  logic [63:0] swap_add;                     // AtomicETH; AtomicAckETH: the original value
  logic [63:0] compare;
  logic [7:0]  syndrome;                     // AETH
  logic [23:0] msn;                          // a request has none: the last PSN that it stands for
  logic [15:0] wqe_index;                    // the work request it belongs to
  logic        round;                        // of which life of the queue pair
  logic [2:0]  turn;                         // request: after which going back it was made
  logic        bare;                         // has no image in the transmit buffer
} tx_desc_t;

// A received packet whose CRCs and link fields were right.
typedef struct packed {
  logic [7:0]   opcode;
  logic         solicited;
  logic         ack_req;
  logic [15:0]  pkey;
  logic [23:0]  qpn;                         // destination
  logic [23:0]  psn;
  logic [15:0]  slid;
  logic [6:0]   path_bits;                   // low bits of the DLID
  logic [3:0]   sl;
  logic         grh;
  logic [127:0] sgid;
  logic [127:0] dgid;
  logic [63:0]  va;
  logic [31:0]  rkey;
  logic [31:0]  dma_len;
  logic [31:0]  imm;                         // first byte on the wire in 31:24
  logic [63:0]  swap_add;
  logic [63:0]  compare;
  logic [7:0]   syndrome;
  logic [23:0]  msn;
  logic         pad_bad;                     // more pad than payload, or pad bytes in a full packet
  logic [12:0]  payload;                     // bytes without pad
  logic [6:0]   first;                       // offset of the payload in its buffer slot
  logic [7:0]   slot;                        // receive buffer slot
} rx_desc_t;

// A message in flight: written by the requester before its packets leave, ended by the completer.
typedef struct packed {
  logic [1:0]  kind;                         // FLIGHT_*
  logic        signaled;
  logic [7:0]  wc_opcode;
  logic [7:0]  status;                       // FLIGHT_ERROR: how it ends
  logic [23:0] first_psn;
  logic [23:0] last_psn;
  logic [31:0] byte_len;
  logic [15:0] wqe_index;
  logic [7:0]  rd_slot;                      // READ, atomic: its scatter list
  logic [4:0]  segments;                     // entries in it
} flight_t;
`define FLIGHT_ACKED 2'd0                    // ends by an acknowledge
`define FLIGHT_READ  2'd1                    // ends by its data
`define FLIGHT_ERROR 2'd2                    // never sent: ends when it is the oldest
`define FLIGHT_ATOMIC 2'd3                   // ends by the value that was there

// What the completer wants of the requester, about one queue pair. A new turn orders to go back to psn.
typedef struct packed {
  logic [2:0]  turn;
  logic        hold;                         // send nothing: the peer's receive queue was empty
  logic [23:0] psn;
} order_t;

// End-to-end credits (9.7.7.2).
typedef struct packed {
  logic        free;                         // the peer does not count
  logic [23:0] lsn;                          // newest message that has a receive WQE
} credit_t;

// The newest request of a queue pair that left and asks for an answer.
typedef struct packed {
  logic [23:0] psn;                          // the last that it stands for
  logic [2:0]  turn;                         // after which going back
  logic        round;                        // in which life
} left_t;

// What the timers have to watch of a queue pair.
typedef struct packed {
  logic        rnr;                          // wait for the delay of `code`; else for an acknowledge
  logic [4:0]  code;
  logic [2:0]  stamp;                        // changes with everything that starts the time anew
  logic [23:0] acked;                        // newest PSN acknowledged
  logic [2:0]  turn;                         // newest order to go back
  logic        round;                        // its life
} watch_t;

// A piece of a packet's payload in memory: one address range of one key.
typedef struct packed {
  logic        inl;                          // gather: from the inline stream instead
  logic [31:0] key;
  logic [23:0] pd;
  logic [3:0]  need;                         // NEED_* rights
  logic [63:0] va;
  logic [31:0] len;                          // bytes, never 0
} chunk_t;
`define NEED_LOCAL_READ  4'b0000
`define NEED_LOCAL_WRITE 4'b0001
`define NEED_REMOTE_WRITE 4'b0010
`define NEED_REMOTE_READ 4'b0100
`define NEED_REMOTE_ATOMIC 4'b1000

// What follows data through the scatter engine: a completion, or a READ that may now read memory.
typedef struct packed {
  logic         read;                        // a READ of this QP (in cqn) may start
  logic         placed;                      // the data of one of our READs is in memory
  logic         silent;                      // there is no completion
  logic [23:0]  cqn;
  logic [255:0] cqe;                         // else: a completion for cqn; the phase is not set yet
} tok_t;

// One order of the command unit to an engine, about one queue pair.
typedef struct packed {
  logic [2:0]  op;                           // CTL_*
  logic        round;                        // CTL_CLEAR: the life of the queue pair that starts
  logic        fresh;                        // CTL_CLEAR: its first; what memories hold of it means nothing
  logic [23:0] qpn;
  logic [23:0] psn;
} ctl_t;
`define CTL_CLEAR 3'd0                       // forget the QP
`define CTL_RTR   3'd1                       // receive from PSN
`define CTL_RTS   3'd2                       // send from PSN
`define CTL_ERROR 3'd3                       // stop, hand the queue to flush
`define CTL_QUERY 3'd4                       // show your fields of the context

`endif
