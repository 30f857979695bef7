// Records that pass between the blocks of rtl/memory and their users.

`ifndef MEM_TYPES_SVH
`define MEM_TYPES_SVH

// Why the gate refused an access; 0 is none.
`define MEM_CAUSE_KEY    3'd1   // no such key, or its region is not live
`define MEM_CAUSE_PD     3'd2   // the region belongs to another protection domain
`define MEM_CAUSE_BOUNDS 3'd3   // not wholly inside the region
`define MEM_CAUSE_RIGHTS 3'd4   // a right is missing
`define MEM_CAUSE_PAGE   3'd5   // no page behind the address
`define MEM_CAUSE_HOST   3'd6   // the host failed the read (set by gather, not by the gate)

// An access to be judged and translated.
typedef struct packed {
  logic        ring;   // va is a byte offset behind page mtt: no key, no bounds
  logic        hold;   // keep the epoch until released
  logic [31:0] key;
  logic [23:0] pd;
  logic [3:0]  need;   // {remote_atomic, remote_read, remote_write, local_write}; 0 is a local read
  logic [63:0] va;
  logic [31:0] len;    // bytes, at least 1
  logic [23:0] mtt;    // first page of a ring
} gate_req_t;

typedef struct packed {
  logic        ok;
  logic [2:0]  cause;
  logic        epoch;
  logic [63:0] pa;
  logic [12:0] span;   // bytes from pa to the end of its 4 KiB: 1..4096
} gate_rsp_t;

// A part of a chunk that lies in one 4 KiB page, or a chunk that was refused or skips the gate.
typedef struct packed {
  logic        skip;   // never saw the gate
  logic        ok;
  logic [2:0]  cause;
  logic        epoch;
  logic        first;  // of its chunk
  logic        last;   // of its chunk
  logic [63:0] pa;
  logic [12:0] len;    // a refused piece covers the rest of its chunk
} piece_t;

// A host access that stays within 4 KiB.
typedef struct packed {
  logic        epoch;
  logic [63:0] pa;
  logic [12:0] len;    // 1..4096
} span_t;

`define GATE_REQ_W 182
`define GATE_RSP_W 82
`define PIECE_W    85
`define SPAN_W     78
`endif
