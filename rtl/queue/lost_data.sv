// lost_data: remembers what was refused of a message's data until its completion, so that it is no success.
//
// Contract: a bare token tells of data that was refused under a command without a completion. The next completion of that work queue
//           fails by it. Data of a WRITE may have none: what the host refused fails its queue pair now; what the gate did
//           was taken away from the peer meanwhile, and its next packet earns the error. s_clear starts another life.
// Timing:   none of its own; a queue pair fails a cycle later.

`default_nettype none
`include "ib_types.svh"
`include "hca_types.svh"

module lost_data #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   s_tok_valid,
  output      logic                   s_tok_ready,
  input  wire tok_t                   s_tok,
  input  wire logic                   s_tok_fail,
  input  wire logic                   s_tok_host,      // refused by the host
  input  wire logic                   s_tok_bare,
  output      logic                   m_tok_valid,
  input  wire logic                   m_tok_ready,
  output      logic                   m_tok_fail,
  output      logic                   m_fatal_valid,   // this queue pair fails
  input  wire logic                   m_fatal_ready,
  output      logic [$clog2(QPS)-1:0] m_fatal_qp,
  input  wire logic                   s_clear,
  input  wire logic [$clog2(QPS)-1:0] s_clear_qp
);

  localparam int QW = $clog2(QPS);

  cqe_t cqe;
  assign cqe = s_tok.cqe;
  wire [QW-1:0] qp = cqe.qpn[QW-1:0];

  // A WRITE is known by the opcode that its completion would have.
  wire is_write = cqe.opcode == ib_pkg::WC_OPCODE_RECV_RDMA_WITH_IMM;
  wire counts   = s_tok_bare && (!is_write || s_tok_host);

  // A flag per work queue: of sends (our READs), of receives.
  logic [1:0] lost, unused_was;
  wire        take    = s_tok_valid && s_tok_ready;
  wire        already = lost[cqe.queue];
  for (genvar i = 0; i < 2; i++) begin : g_queue
    wire mine = take && !s_tok.read && cqe.queue == 1'(i);
    prim_flags #(.N(QPS)) u_lost (
      .clk, .set_en(mine && counts), .set_index(qp), .clear_en(s_clear || (mine && !s_tok_bare)), .clear_index(s_clear ? s_clear_qp : qp),
      .set_was(unused_was[i]), .index(qp), .flag(lost[i]));
  end

  wire  fatal = counts && is_write && !already;                         // once
  logic fatal_room;
  assign m_tok_valid   = s_tok_valid && !s_tok_bare && !s_clear;
  assign s_tok_ready   = !s_clear && (!s_tok_bare ? m_tok_ready : !fatal || fatal_room);
  assign m_tok_fail    = s_tok_fail || (already && !s_tok.read);

  prim_skid #(.DATA_W(QW)) u_fatal (
    .clk, .rst, .s_valid(s_tok_valid && fatal && !s_clear), .s_ready(fatal_room), .s_data(qp),
    .m_valid(m_fatal_valid), .m_ready(m_fatal_ready), .m_data(m_fatal_qp));

  wire unused = &{1'b0, unused_was, s_tok, cqe};

endmodule

`default_nettype wire
