// Records that pass between the blocks that answer READs and atomics.

`ifndef ANSWERS_SVH
`define ANSWERS_SVH

// A READ or atomic request of the peer, new or a duplicate.
typedef struct packed {
  logic        again;                        // a duplicate
  logic [7:0]  opcode;
  logic [23:0] psn;
  logic [23:0] msn;                          // to answer with
  logic [7:0]  syndrome;
  logic [63:0] va;
  logic [31:0] rkey;
  logic [31:0] len;                          // READ
  logic [63:0] swap_add;                     // atomic
  logic [63:0] compare;
  logic [23:0] pd;                           // of its queue pair
  logic [3:0]  path_mtu;                     // of its queue pair
  logic [7:0]  depth;                        // so many of the past are answered again: max_dest_rd_atomic
} read_req_t;

// A request as it came first; kept until its place is needed.
typedef struct packed {
  logic [7:0]  opcode;
  logic [23:0] psn;
  logic [63:0] va;
  logic [31:0] rkey;
  logic [63:0] swap_add;                     // READ: its length
  logic [63:0] compare;
  logic [23:0] pd;
} kept_t;

// What an answer tells of its queue pair.
typedef struct packed {
  logic [23:0] msn;
  logic [7:0]  syndrome;
} told_t;

// What of it is to be answered, as it was asked last.
typedef struct packed {
  logic [23:0] psn;                          // from here on
  told_t       told;
} asked_t;

// An atomic to be executed.
typedef struct packed {
  logic [31:0] key;
  logic [23:0] pd;
  logic [63:0] va;                           // a multiple of 8
  logic        swap;                         // compare and swap; else fetch and add
  logic [63:0] swap_add;
  logic [63:0] compare;
} atomic_t;

`endif
