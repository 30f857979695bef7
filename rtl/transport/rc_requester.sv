// rc_requester: turns the WQEs of send queues into request packets, queue pairs by turns: opens messages and describes packets at once.
//
// Contract: the context of a queue pair lies here, and only one of the two stages works on it at a time.
// Timing:   6 cycles a message of one packet for different queue pairs, 11 for one alone.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "requester.svh"

module rc_requester #(
  parameter int QPS       = 64,
  parameter int INFLIGHT  = 32,              // depth of the flight table
  parameter int ACK_EVERY = 16
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   cap_fence,       // offered
  input  wire logic                   cap_inline,
  input  wire logic                   cap_atomics,
  input  wire logic                   cap_credits,

  input  wire logic                   s_qp_valid,      // a queue pair with work
  output      logic                   s_qp_ready,
  input  wire logic [$clog2(QPS)-1:0] s_qp,
  output      logic                   m_again_valid,   // it has more
  input  wire logic                   m_again_ready,
  output      logic [$clog2(QPS)-1:0] m_again_qp,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,

  output      logic [$clog2(QPS)-1:0] look_qp,         // the message that opens: WQE store, orders, flight table
  input  wire logic [15:0]            arrived,
  input  wire logic                   bad,
  output      logic                   m_rd_valid,
  output      logic [$clog2(QPS)-1:0] m_rd_qp,
  output      logic [15:0]            m_rd_index,
  output      logic [1:0]             m_rd_log_stride,
  output      logic [4:0]             m_rd_word,
  input  wire logic [255:0]           s_word,
  output      logic                   m_used_valid,
  output      logic [$clog2(QPS)-1:0] m_used_qp,
  output      logic                   m_back_valid,    // WQEs of look_qp are read again from here on
  input  wire logic                   m_back_ready,
  output      logic [15:0]            m_back_index,

  input  wire order_t                 order,
  input  wire credit_t                credit,
  output      logic [$clog2(QPS)-1:0] m_flight_qp,     // push, sent and issued
  input  wire order_t                 busy_order,      // of m_flight_qp
  input  wire logic                   flight_full,
  input  wire logic [$clog2(INFLIGHT):0] flight_head,
  input  wire logic [$clog2(INFLIGHT):0] flight_tail,
  input  wire logic [23:0]            flight_sent,
  input  wire logic [7:0]             flight_reads,
  input  wire logic                   flight_placed,
  output      logic                   m_entry_valid,
  output      logic [$clog2(INFLIGHT):0] m_entry,
  input  wire flight_t                s_entry,
  output      logic                   m_flight_valid,
  output      flight_t                m_flight,
  output      logic                   m_sent_valid,
  output      logic                   m_sent_set,
  output      logic [23:0]            m_sent_next,
  output      logic                   m_issued_valid,  // a packet of m_flight_qp goes to gather
  output      logic                   m_issued_again,
  output      logic                   m_flight_clear,
  output      logic                   m_kick_valid,    // a message that ends without an answer
  input  wire logic                   m_kick_ready,
  output      logic                   m_lost_valid,    // a WQE that changed since it was sent first
  input  wire logic                   m_lost_ready,
  output      logic [15:0]            m_lost_index,

  input  wire logic                   list_free,       // scatter lists of READs
  input  wire logic [7:0]             list,
  output      logic                   m_listless,      // look_qp wants one and there is none
  output      logic                   m_list_take,
  output      logic                   m_list_valid,
  output      logic [2:0]             m_list_word,
  output      logic [255:0]           m_list_data,

  output      logic                   m_pkt_valid,     // to gather
  input  wire logic                   m_pkt_ready,
  output      tx_desc_t               m_pkt,
  output      logic [6:0]             m_pkt_hdr_bytes,
  output      logic [4:0]             m_pkt_chunks,
  output      logic                   m_chunk_valid,
  input  wire logic                   m_chunk_ready,
  output      chunk_t                 m_chunk,
  output      logic                   m_inl_valid,
  input  wire logic                   m_inl_ready,
  output      logic [255:0]           m_inl_data,
  output      logic                   m_inl_last,
  output      logic                   m_inl_half,

  input  wire logic                   s_ctl_valid,
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl,
  output      logic [63:0]            m_ctl_data       // CTL_QUERY: word 17 of the QPC, with ready
);

  localparam int QW = $clog2(QPS);
  localparam int DW = $clog2(INFLIGHT);

  logic          busy, job_valid, job_ready, ctx_valid, open_save_valid, pkt_save_valid;
  logic [QW-1:0] busy_qp, ctx_qp, open_qp;
  req_job_t      job;
  req_state_t    ctx, open_save, pkt_save;
  logic          open_rd_valid, pkt_rd_valid, pkt_flight_valid, pkt_sent_valid, error_valid, open_back_valid;
  logic [15:0]   open_rd_index, pkt_rd_index;
  logic [1:0]    open_rd_stride, pkt_rd_stride;
  logic [4:0]    open_rd_word, pkt_rd_word;
  logic [7:0]    entry;
  logic [23:0]   pkt_sent_next;
  flight_t       pkt_flight, error;
  credit_t       allowed;
  tx_desc_t      pkt;

  always_comb begin : counted
    allowed      = credit;
    allowed.free = credit.free || !cap_credits;
  end

  // The second stage goes before: it saves, pushes and counts as sent; the first looks meanwhile at its own queue pair only if nothing is.
  wire stays   = !s_qp_valid && !s_ctl_valid && !job_valid && busy_order.turn == pkt.turn && !busy_order.hold;
  wire touches = pkt_flight_valid || pkt_sent_valid;
  assign look_qp     = open_qp;
  assign m_flight_qp = pkt_sent_valid ? busy_qp : open_qp;

  req_open #(.QPS(QPS)) u_open (
    .clk, .rst, .cap_fence, .cap_inline, .cap_atomics, .s_qp_valid, .s_qp_ready, .s_qp, .busy, .busy_qp,
    .m_cfg_valid, .m_cfg_qp, .s_cfg_valid, .s_cfg_data, .m_ctx_valid(ctx_valid), .m_ctx_qp(ctx_qp), .s_ctx(ctx),
    .m_save_valid(open_save_valid), .m_save_ready(!pkt_save_valid && !touches), .m_save(open_save),
    .look_qp(open_qp), .arrived, .bad, .m_rd_valid(open_rd_valid), .m_rd_index(open_rd_index), .m_rd_log_stride(open_rd_stride),
    .m_rd_word(open_rd_word), .s_word, .m_back_valid(open_back_valid), .m_back_ready,
    .order, .credit(allowed), .flight_full, .flight_head(8'(flight_head)), .flight_tail(8'(flight_tail)), .flight_mask(8'(2 * INFLIGHT - 1)),
    .flight_sent, .flight_reads, .flight_placed, .m_entry_valid, .m_entry(entry), .s_entry,
    .m_error_valid(error_valid), .m_error_ready(m_kick_ready && !touches), .m_error(error), .m_lost_valid, .m_lost_ready,
    .list_free, .m_listless, .m_list_valid, .m_list_word, .m_list_data, .m_job_valid(job_valid), .m_job_ready(job_ready), .m_job(job),
    .s_ctl_valid, .s_ctl_ready, .s_ctl);
  assign m_entry      = entry[DW:0];
  assign m_back_valid = open_back_valid;
  assign m_back_index = open_save.index;
  assign m_lost_index = open_save.index;
  assign m_kick_valid = error_valid && !touches;

  req_packet #(.QPS(QPS), .ACK_EVERY(ACK_EVERY)) u_packet (
    .clk, .rst, .s_job_valid(job_valid), .s_job_ready(job_ready), .s_job(job), .s_qp(open_qp), .go_on(stays),
    .busy, .qp(busy_qp), .m_rd_valid(pkt_rd_valid), .m_rd_ready(!open_rd_valid), .m_rd_index(pkt_rd_index), .m_rd_log_stride(pkt_rd_stride),
    .m_rd_word(pkt_rd_word), .s_word, .m_used_valid, .m_flight_valid(pkt_flight_valid), .m_flight(pkt_flight), .list, .m_list_take,
    .m_sent_valid(pkt_sent_valid), .m_sent_next(pkt_sent_next), .m_sent_again(m_issued_again),
    .m_pkt_valid, .m_pkt_ready, .m_pkt(pkt), .m_pkt_hdr_bytes, .m_pkt_chunks, .m_chunk_valid, .m_chunk_ready, .m_chunk,
    .m_inl_valid, .m_inl_ready, .m_inl_data, .m_inl_last, .m_inl_half, .m_save_valid(pkt_save_valid), .m_save(pkt_save), .m_again_valid, .m_again_ready);
  assign m_again_qp = busy_qp;

  // Which life of the queue pair its packets are of.
  (* ram_style = "distributed" *) logic round_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) round_mem[i] = 1'b0;
  always_ff @(posedge clk) if (m_flight_clear) round_mem[open_qp] <= s_ctl.round;
  always_comb begin : packet
    m_pkt       = pkt;
    m_pkt.round = round_mem[busy_qp];
  end

  wire set_psn = s_ctl_ready && s_ctl.op == `CTL_RTS;
  assign m_flight_valid = pkt_flight_valid || (error_valid && m_kick_ready && !touches);
  assign m_flight       = pkt_flight_valid ? pkt_flight : error;
  assign m_sent_valid   = pkt_sent_valid || set_psn;
  assign m_sent_set     = set_psn;
  assign m_sent_next    = set_psn ? s_ctl.psn : pkt_sent_next;
  assign m_issued_valid = pkt_sent_valid;
  assign m_flight_clear = s_ctl_ready && s_ctl.op == `CTL_CLEAR;

  assign m_rd_valid      = open_rd_valid || pkt_rd_valid;
  assign m_rd_qp         = open_rd_valid ? open_qp : busy_qp;
  assign m_rd_index      = open_rd_valid ? open_rd_index : pkt_rd_index;
  assign m_rd_log_stride = open_rd_valid ? open_rd_stride : pkt_rd_stride;
  assign m_rd_word       = open_rd_valid ? open_rd_word : pkt_rd_word;
  assign m_used_qp       = busy_qp;

  prim_ram #(.WIDTH($bits(req_state_t'('0))), .DEPTH(QPS)) u_state (
    .clk, .wr_en(pkt_save_valid || open_save_valid), .wr_addr(pkt_save_valid ? busy_qp : open_qp),
    .wr_data(pkt_save_valid ? pkt_save : open_save), .rd_en(ctx_valid), .rd_addr(ctx_qp), .rd_data(ctx));

  assign m_ctl_data = {ctx.index, ctx.ssn, ctx.psn};
  wire unused = &{1'b0, entry, s_ctl.fresh, busy_order.psn};

endmodule

`default_nettype wire
