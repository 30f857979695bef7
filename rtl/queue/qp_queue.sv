// qp_queue: the queue pairs that have something to do, each at most once, served in turn.
//
// Contract: a QP pushed after it was popped shows again; pushing one that waits already changes nothing.
//           PUSHERS push in turn; room for every QP is reserved, so a push always ends. After reset it is
//           busy for QPS cycles, forgetting who waited.

`default_nettype none
`include "prim_assert.svh"

module qp_queue #(
  parameter int QPS     = 64,
  parameter int PUSHERS = 2
) (
  input  wire logic                           clk,
  input  wire logic                           rst,
  input  wire logic [PUSHERS-1:0]             s_valid,
  output      logic [PUSHERS-1:0]             s_ready,
  input  wire logic [PUSHERS*$clog2(QPS)-1:0] s_qp,
  output      logic                           m_valid,
  input  wire logic                           m_ready,
  output      logic [$clog2(QPS)-1:0]         m_qp
);

  localparam int QW = $clog2(QPS);

  logic          push_valid, waits, unused_last, unused_ready, unused_flag;
  logic [QW:0]   sweep_q;                    // QPs whose flag has been cleared since reset
  wire           swept = sweep_q[QW];
  logic [QW-1:0] push_qp;
  logic [(PUSHERS > 1 ? $clog2(PUSHERS) : 1)-1:0] unused_index;
  logic [QW:0]   level;

  prim_arb #(.N(PUSHERS), .WIDTH(QW)) u_arb (
    .clk, .rst, .s_valid, .s_ready, .s_data(s_qp), .s_last('1),
    .m_valid(push_valid), .m_ready(swept), .m_data(push_qp), .m_last(unused_last), .m_index(unused_index));

  wire push = push_valid && !waits && swept;

  always_ff @(posedge clk) sweep_q <= rst ? '0 : sweep_q + (QW+1)'(!swept);

  prim_flags #(.N(QPS)) u_waits (
    .clk, .set_en(push), .set_index(push_qp), .clear_en(!swept || (m_valid && m_ready)),
    .clear_index(swept ? m_qp : sweep_q[QW-1:0]),
    .set_was(waits), .index(push_qp), .flag(unused_flag));

  prim_fifo #(.WIDTH(QW), .DEPTH(QPS)) u_fifo (
    .clk, .rst, .s_valid(push), .s_ready(unused_ready), .s_data(push_qp), .m_valid, .m_ready, .m_data(m_qp), .level);

  `ASSERT(a_room, !push || level != (QW+1)'(QPS))
  wire unused = &{1'b0, unused_last, unused_ready, unused_index, unused_flag};

endmodule

`default_nettype wire
