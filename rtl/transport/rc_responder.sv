// rc_responder: executes request packets: judged one after the other, their memory judged meanwhile, done in order (9.7.4, 9.7.5).
//
// Contract: one outcome a packet: dropped and counted, refused by a NAK with the queue pair in error, or executed.
// Timing:   7 cycles a packet at most (10 and more for a SEND over several segments); about 20 from a packet to its scatter command.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "mem_types.svh"
`include "responder.svh"

module rc_responder #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   cap_atomics,     // offered
  input  wire logic                   cap_credits,

  input  wire logic                   s_desc_valid,    // new packets
  output      logic                   s_desc_ready,
  input  wire rx_desc_t               s_desc,
  input  wire logic                   s_parked_valid,  // packets that waited for a receive WQE
  input  wire rx_desc_t               s_parked,
  output      logic                   m_park,
  output      rx_desc_t               m_park_desc,
  output      logic                   m_parked_drop,
  output      logic                   m_parked_keep,
  output      logic                   m_retry,
  input  wire logic                   parked,          // packets of look_qp wait

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,

  output      logic [$clog2(QPS)-1:0] look_qp,         // receive WQE store, doorbells, answered READs
  input  wire logic [15:0]            arrived,
  input  wire logic                   bad,
  input  wire logic [15:0]            posted,
  input  wire logic [7:0]             reads_closed,
  input  wire logic [7:0]             executed,
  input  wire logic                   execution_failed,
  output      logic                   m_rd_valid,
  output      logic [15:0]            m_rd_index,
  output      logic [1:0]             m_rd_log_stride,
  output      logic [4:0]             m_rd_word,
  input  wire logic [255:0]           s_word,
  output      logic                   m_used_valid,    // of look_qp

  output      logic                   m_chk_valid,     // the gate
  input  wire logic                   m_chk_ready,
  output      gate_req_t              m_chk,
  input  wire logic                   s_chk_valid,
  input  wire gate_rsp_t              s_chk,

  output      rsp_t                   m_rsp,           // the packet that is done; all below are of it
  output      logic                   m_cmd_valid,     // scatter
  input  wire logic                   m_cmd_ready,
  output      logic [4:0]             m_cmd_chunks,
  output      logic                   m_cmd_tok_valid,
  output      tok_t                   m_cmd_tok,
  output      logic                   m_chunk_valid,
  input  wire logic                   m_chunk_ready,
  output      chunk_t                 m_chunk,
  output      logic                   m_free_valid,    // slot of a packet that writes nothing
  input  wire logic                   m_free_ready,
  output      rsp_t                   m_read,          // READ or atomic to be answered, with m_ack_syndrome
  output      logic                   m_read_valid,
  input  wire logic                   m_read_ready,
  output      logic [23:0]            m_read_msn,
  output      logic                   m_ack_valid,
  input  wire logic                   m_ack_ready,
  output      logic [23:0]            m_ack_msn,
  output      logic [7:0]             m_ack_syndrome,
  output      logic                   m_error_valid,   // the queue pair fails
  input  wire logic                   m_error_ready,
  output      logic                   m_event_valid,   // tell the consumer
  input  wire logic                   m_event_ready,
  output      logic [7:0]             m_event,
  output      logic                   m_drop_valid,    // count it
  output      logic [4:0]             m_drop_reason,

  output      logic                   m_flush_valid,   // receive WQEs from this index on are flushed
  input  wire logic                   m_flush_ready,
  output      logic [$clog2(QPS)-1:0] m_flush_qp,
  output      logic [15:0]            m_flush_index,

  input  wire logic                   s_ctl_valid,
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl,
  output      logic [63:0]            m_ctl_data       // CTL_QUERY: word 19 of the QPC
);

  localparam int QW = $clog2(QPS);

  logic        plan_idle, plan_start, plan_direct, plan_word_valid, plan_asked, plan_done, plan_take, plan_ok, plan_short;
  logic [31:0] plan_key, plan_len, plan_at_offset, plan_seg_offset;
  logic [63:0] plan_va, alive, ended;
  logic [3:0]  plan_rights;
  logic [12:0] plan_need;
  logic [23:0] plan_pd;
  logic [4:0]  plan_at, plan_segments, plan_seg, plan_chunks;
  logic [2:0]  plan_word, plan_cause;
  logic        plan_chunk_valid, plan_chunk_ready, judged_valid, judged_ready, rsp_valid, rsp_ready, rsp_done, dead;
  chunk_t      plan_chunk;
  rsp_t        judged, rsp;
  logic [3:0]  level;
  logic        order_flush, order_flush_ready, fail_flush, fail_flush_ready;
  logic [15:0] order_index, fail_index;

  rsp_check #(.QPS(QPS)) u_check (
    .clk, .rst, .cap_atomics, .s_desc_valid, .s_desc_ready, .s_desc, .s_parked_valid, .s_parked, .m_park, .m_parked_drop, .m_parked_keep,
    .m_retry, .parked, .m_desc(m_park_desc), .m_cfg_valid, .m_cfg_qp, .s_cfg_valid, .s_cfg_data,
    .look_qp, .dead, .arrived, .bad, .posted, .reads_closed, .executed, .execution_failed, .m_rd_valid, .m_rd_index, .m_rd_log_stride, .m_rd_word, .s_word, .m_used_valid,
    .plan_idle, .m_plan_start(plan_start), .m_plan_direct(plan_direct), .m_plan_key(plan_key), .m_plan_va(plan_va), .m_plan_len(plan_len),
    .m_plan_rights(plan_rights), .m_plan_need(plan_need), .m_plan_pd(plan_pd), .m_plan_seg(plan_at), .m_plan_seg_offset(plan_at_offset),
    .m_plan_segments(plan_segments), .plan_word_valid, .plan_word, .plan_asked, .plan_seg, .plan_seg_offset,
    .m_rsp_valid(judged_valid), .m_rsp(judged), .rsp_room(level < 4'd6), .rsp_done,
    .m_flush_valid(order_flush), .m_flush_ready(order_flush_ready), .m_flush_index(order_index),
    .s_ctl_valid, .s_ctl_ready, .s_ctl, .m_ctl_data(alive));
  assign m_ctl_data = dead ? ended : alive;

  rsp_plan u_plan (
    .clk, .rst, .m_idle(plan_idle), .s_start(plan_start), .s_direct(plan_direct), .s_pd(plan_pd), .s_key(plan_key), .s_va(plan_va), .s_len(plan_len),
    .s_rights(plan_rights), .s_need(plan_need), .s_seg(plan_at), .s_seg_offset(plan_at_offset), .s_segments(plan_segments),
    .m_word_valid(plan_word_valid), .m_word(plan_word), .s_word, .m_chk_valid, .m_chk_ready, .m_chk, .s_chk_valid, .s_chk,
    .m_asked(plan_asked), .m_seg(plan_seg), .m_seg_offset(plan_seg_offset), .m_done(plan_done), .m_done_ready(plan_take), .m_ok(plan_ok),
    .m_short(plan_short), .m_cause(plan_cause), .m_chunks(plan_chunks), .m_chunk_valid(plan_chunk_valid), .m_chunk_ready(plan_chunk_ready),
    .m_chunk(plan_chunk));

  prim_fifo #(.WIDTH($bits(rsp_t'('0))), .DEPTH(8)) u_judged (
    .clk, .rst, .s_valid(judged_valid), .s_ready(judged_ready), .s_data(judged), .m_valid(rsp_valid), .m_ready(rsp_ready), .m_data(rsp), .level);
  `ASSERT(a_judged, !judged_valid || judged_ready)

  rsp_commit #(.QPS(QPS)) u_commit (
    .clk, .rst, .cap_credits, .s_rsp_valid(rsp_valid), .s_rsp_ready(rsp_ready), .s_rsp(rsp), .m_done(rsp_done), .plan_done, .m_plan_ready(plan_take), .plan_ok,
    .plan_short, .plan_cause, .plan_chunks, .plan_chunk_valid, .m_plan_chunk_ready(plan_chunk_ready), .plan_chunk,
    .m_cmd_valid, .m_cmd_ready, .m_rsp, .m_cmd_chunks, .m_cmd_tok_valid, .m_cmd_tok, .m_chunk_valid, .m_chunk_ready, .m_chunk,
    .m_free_valid, .m_free_ready, .m_read, .m_read_valid, .m_read_ready, .m_read_msn, .m_ack_valid, .m_ack_ready, .m_ack_msn, .m_ack_syndrome,
    .m_error_valid, .m_error_ready, .m_event_valid, .m_event_ready, .m_event, .m_flush_valid(fail_flush), .m_flush_ready(fail_flush_ready), .m_flush_index(fail_index),
    .m_drop_valid, .m_drop_reason, .look_qp, .look_dead(dead), .look_end(ended), .s_clear_valid(s_ctl_valid && s_ctl.op == `CTL_CLEAR),
    .s_clear_ready(s_ctl_ready));

  // An order stays until it is taken; the next comes no sooner than a cycle later.
  logic          ctl_open_q, ctl_taken_q;
  logic [QW-1:0] ctl_qp_q;
  always_ff @(posedge clk) begin : follow_orders
    ctl_open_q  <= !rst && s_ctl_valid && !s_ctl_ready;
    ctl_taken_q <= !rst && s_ctl_valid && s_ctl_ready;
    ctl_qp_q    <= s_ctl.qpn[QW-1:0];
  end
  `ASSUME(a_ctl, ctl_open_q ? s_ctl_valid && s_ctl.qpn[QW-1:0] == ctl_qp_q : !(ctl_taken_q && s_ctl_valid))

  logic unused_last, unused_index;
  prim_arb #(.N(2), .WIDTH(QW + 16)) u_flush (
    .clk, .rst, .s_valid({fail_flush, order_flush}), .s_ready({fail_flush_ready, order_flush_ready}), .s_last(2'b11),
    .s_data({m_rsp.qpn[QW-1:0], fail_index, look_qp, order_index}), .m_valid(m_flush_valid), .m_ready(m_flush_ready),
    .m_data({m_flush_qp, m_flush_index}), .m_last(unused_last), .m_index(unused_index));
  wire unused = &{1'b0, unused_last, unused_index};

endmodule

`default_nettype wire
