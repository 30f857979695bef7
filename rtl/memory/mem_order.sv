// mem_order: lets entries out in order, each after its write was called ordered.
//
// Contract: an entry with wr waits for one s_ord pulse; pulses come in the order of such entries, never
//           before the entry. fail = the entry's own, or its write was refused.
// Timing:   one entry per cycle, latency 1.

`default_nettype none
`include "prim_assert.svh"

module mem_order #(
  parameter int WIDTH = 8,
  parameter int DEPTH = 64
) (
  input  wire logic             clk,
  input  wire logic             rst,
  input  wire logic             s_valid,
  output      logic             s_ready,
  input  wire logic             s_wr,
  input  wire logic             s_fail,
  input  wire logic [WIDTH-1:0] s_data,
  input  wire logic             s_ord_valid,
  input  wire logic             s_ord_error,
  output      logic             m_valid,
  input  wire logic             m_ready,
  output      logic             m_fail,
  output      logic [WIDTH-1:0] m_data
);

  logic                   head_valid, wr, fail, ord_valid, ord_error, ord_room;
  logic [$clog2(DEPTH):0] level, ord_level;

  prim_fifo #(.WIDTH(WIDTH + 2), .DEPTH(DEPTH)) u_entries (
    .clk, .rst, .s_valid, .s_ready, .s_data({s_wr, s_fail, s_data}),
    .m_valid(head_valid), .m_ready(m_valid && m_ready), .m_data({wr, fail, m_data}), .level);

  prim_fifo #(.WIDTH(1), .DEPTH(DEPTH)) u_ordered (
    .clk, .rst, .s_valid(s_ord_valid), .s_ready(ord_room), .s_data(s_ord_error),
    .m_valid(ord_valid), .m_ready(m_valid && m_ready && wr), .m_data(ord_error), .level(ord_level));

  assign m_valid = head_valid && (!wr || ord_valid);
  assign m_fail  = fail || (wr && ord_error);

  `ASSERT(a_room, !s_ord_valid || ord_room)
  `ASSERT(a_entry, ord_level <= level)

  wire unused = &{1'b0, level, ord_level};

endmodule

`default_nettype wire
