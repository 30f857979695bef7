// Records that pass between the blocks of the requester.

`ifndef REQUESTER_SVH
`define REQUESTER_SVH
`include "ib_types.svh"

// What the requester knows of a queue pair; nobody else writes it.
typedef struct packed {
  logic        live;                         // RTS was reached since Reset
  logic        dead;                         // a WQE could not be sent: nothing later is
  logic        open;                         // a message is under way
  logic        again;                        // it was sent before
  logic [2:0]  turn;                         // newest order to go back that was followed
  logic [7:0]  entry;                        // flight table entry under way, or next
  logic [15:0] index;                        // WQE under way, or next
  logic [23:0] psn;                          // of the next packet
  logic [23:0] ssn;                          // messages started
  logic [31:0] total;                        // bytes of the message
  logic [31:0] offset;                       // bytes sent
  logic [4:0]  seg;                          // segment to go on with
  logic [31:0] seg_offset;                   // bytes of it that were sent
  logic [3:0]  burst;                        // packets since the last AckReq
} req_state_t;

// A message that may send its next packet.
typedef struct packed {
  logic        fresh;                        // it enters the flight table with this packet
  logic [23:0] psns;                         // from its next packet to its end, for READs
  logic [3:0]  mtu;                          // code
  logic [23:0] pd;
  logic [1:0]  stride;
  logic        grh;
  logic        sig_all;
  req_state_t  ctx;
  wqe_header_t header;
  logic [3:0]  at;                           // number of `word`
  logic [255:0] word;                        // of the WQE, where the packet's data segments begin
} req_job_t;

`endif
