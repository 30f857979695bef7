// Records that pass between the blocks of the responder.

`ifndef RESPONDER_SVH
`define RESPONDER_SVH

// A packet that was judged, and what is still to be done about it.
typedef struct packed {
  logic         accept;                      // it is executed if its plan allows
  logic         again;                       // a READ or atomic of the past: answered again if its plan allows
  logic         refuse;                      // NAK, and the queue pair fails
  logic         planned;                     // a plan of its memory was asked for
  logic         wqe;                         // it stands in a receive WQE, which a refusal uses up
  logic         ends;                        // its message uses up a receive WQE
  logic         established;                 // the first of its connection
  logic         ack;                         // answer by an AETH
  logic [23:0]  ack_psn;
  logic [7:0]   syndrome;                    // of what is refused, or not ready
  logic         good;                        // the AETH is an ACK: credits in place of the syndrome
  logic [15:0]  credits;                     // receive WQEs posted and not used
  logic [7:0]   status;                      // refused: of the receive WQE
  logic [7:0]   event_type;                  // refused: told if no receive WQE is in use
  logic         drop;                        // count it
  logic [4:0]   reason;
  logic [15:0]  index;                       // receive WQE in use, or next
  logic [23:0]  epsn;                        // before it
  logic [23:0]  msn;                         // before it
  logic         counts;                      // its message ends: MSN grows
  logic [31:0]  byte_len;                    // of the message so far
  logic [23:0]  recv_cqn;
  logic [23:0]  src_qpn;
  logic [23:0]  pd;
  logic [15:0]  pkey_index;
  logic [3:0]   mtu;                         // code
  logic [7:0]   depth;                       // READs and atomics remembered
  logic [23:0]  qpn;
  logic [7:0]   opcode;
  logic [23:0]  psn;
  logic [63:0]  va;
  logic [31:0]  rkey;
  logic [31:0]  dma_len;
  logic [63:0]  swap_add;
  logic [63:0]  compare;
  logic [31:0]  imm;
  logic         grh;
  logic         solicited;
  logic [15:0]  slid;
  logic [3:0]   sl;
  logic [6:0]   path_bits;
  logic [12:0]  payload;
  logic [6:0]   first;
  logic [7:0]   slot;
} rsp_t;

`endif
