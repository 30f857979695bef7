// mem_unit: the gate, the readers and the writers of host memory: wiring only.
//
// Contract: see mem_gate (s_chk, s_tbl, s_live, s_fence), gather (s_g, m_g), scatter (s_s, m_s), ring_reader
//           (s_sqf, s_rqf), ring_writer (s_cqe, s_eqe) and mem_atomic (s_a). Writes never wait for reads; every
//           reader has its own tags: gather RD_TAGS - 16, the send ring 8, the receive ring 7, atomics 1.

`default_nettype none
`include "mem_types.svh"

module mem_unit #(
  parameter int DATA_W            = 256,
  parameter int MRS               = 64,
  parameter int MTTS              = 8192,
  parameter int RD_TAGS           = 64,
  parameter int MAX_PAYLOAD_BYTES = 256,
  parameter int MAX_READ_BYTES    = 512,
  parameter int DESC_W            = 32,      // what travels with a packet through gather
  parameter int SLOT_W            = 5,       // the receive buffer: slots
  parameter int BEAT_W            = 8,       // beats of a slot
  parameter int TOK_W             = 32,      // what comes back when a command's writes are ordered
  parameter int ATOMIC_W          = 10       // what travels with an atomic
) (
  input  wire logic                       clk,
  input  wire logic                       rst,

  // The host.
  output      logic                       m_rdreq_valid,
  input  wire logic                       m_rdreq_ready,
  output      logic [63:0]                m_rdreq_addr,
  output      logic [12:0]                m_rdreq_len,
  output      logic [$clog2(RD_TAGS)-1:0] m_rdreq_tag,
  input  wire logic                       s_rdcpl_valid,
  output      logic                       s_rdcpl_ready,
  input  wire logic [$clog2(RD_TAGS)-1:0] s_rdcpl_tag,
  input  wire logic [DATA_W-1:0]          s_rdcpl_data,
  input  wire logic                       s_rdcpl_last,
  input  wire logic                       s_rdcpl_error,
  output      logic                       m_wr_valid,
  input  wire logic                       m_wr_ready,
  output      logic [63:0]                m_wr_addr,
  output      logic [12:0]                m_wr_len,
  output      logic [DATA_W-1:0]          m_wr_data,
  output      logic [DATA_W/8-1:0]        m_wr_keep,
  output      logic                       m_wr_last,
  input  wire logic                       s_wrack_valid,
  input  wire logic                       s_wrack_error,

  // The control unit: tables, ownership, fence.
  input  wire logic                       s_tbl_valid,
  input  wire logic                       s_tbl_write,
  input  wire logic                       s_tbl_mtt,
  input  wire logic [23:0]                s_tbl_index,
  input  wire logic [2:0]                 s_tbl_word,
  input  wire logic [63:0]                s_tbl_wdata,
  output      logic                       m_tbl_valid,
  output      logic [63:0]                m_tbl_rdata,
  input  wire logic                       s_live_valid,
  input  wire logic                       s_live_set,
  input  wire logic [23:0]                s_live_index,
  output      logic [MRS-1:0]             m_live,
  input  wire logic                       s_fence_valid,
  output      logic                       s_fence_ready,
  output      logic                       m_fence_done,

  // The responder's checks (hold = 0).
  input  wire logic                       s_chk_valid,
  output      logic                       s_chk_ready,
  input  wire logic [`GATE_REQ_W-1:0]     s_chk_data,
  output      logic                       m_chk_valid,
  output      logic [`GATE_RSP_W-1:0]     m_chk_data,

  // Gather.
  input  wire logic                       s_gpkt_valid,
  output      logic                       s_gpkt_ready,
  input  wire logic [DESC_W-1:0]          s_gpkt_desc,
  input  wire logic [6:0]                 s_gpkt_hdr_bytes,
  input  wire logic [12:0]                s_gpkt_payload,
  input  wire logic [4:0]                 s_gpkt_chunks,
  input  wire logic                       s_gchunk_valid,
  output      logic                       s_gchunk_ready,
  input  wire logic                       s_gchunk_inl,
  input  wire logic [31:0]                s_gchunk_key,
  input  wire logic [23:0]                s_gchunk_pd,
  input  wire logic [3:0]                 s_gchunk_need,
  input  wire logic [63:0]                s_gchunk_va,
  input  wire logic [31:0]                s_gchunk_len,
  input  wire logic                       s_ginl_valid,
  output      logic                       s_ginl_ready,
  input  wire logic [DATA_W-1:0]          s_ginl_data,
  output      logic                       m_gbeat_valid,
  input  wire logic                       m_gbeat_ready,
  output      logic [DATA_W-1:0]          m_gbeat_data,
  output      logic                       m_gbeat_last,
  output      logic                       m_gpkt_valid,
  input  wire logic                       m_gpkt_ready,
  output      logic [DESC_W-1:0]          m_gpkt_desc,
  output      logic                       m_gpkt_error,
  output      logic [2:0]                 m_gpkt_cause,

  // Scatter.
  input  wire logic                       s_scmd_valid,
  output      logic                       s_scmd_ready,
  input  wire logic [SLOT_W-1:0]          s_scmd_slot,
  input  wire logic [6:0]                 s_scmd_first,
  input  wire logic [12:0]                s_scmd_len,
  input  wire logic [4:0]                 s_scmd_chunks,
  input  wire logic                       s_scmd_free,
  input  wire logic                       s_scmd_tok_valid,
  input  wire logic [TOK_W-1:0]           s_scmd_tok,
  input  wire logic                       s_schunk_valid,
  output      logic                       s_schunk_ready,
  input  wire logic [31:0]                s_schunk_key,
  input  wire logic [23:0]                s_schunk_pd,
  input  wire logic [3:0]                 s_schunk_need,
  input  wire logic [63:0]                s_schunk_va,
  input  wire logic [31:0]                s_schunk_len,
  output      logic                       m_srd_en,
  output      logic [SLOT_W+BEAT_W-1:0]   m_srd_addr,
  input  wire logic [DATA_W-1:0]          s_srd_data,
  output      logic                       m_sfree_valid,
  output      logic [SLOT_W-1:0]          m_sfree_slot,
  output      logic                       m_tok_valid,
  input  wire logic                       m_tok_ready,
  output      logic [TOK_W-1:0]           m_tok,
  output      logic                       m_tok_fail,
  output      logic                       m_tok_host,
  output      logic                       m_tok_bare,
  output      logic [15:0]                m_sdone,

  // Rings: work requests in, completions and events out.
  input  wire logic                       s_sqf_valid,
  output      logic                       s_sqf_ready,
  input  wire logic [23:0]                s_sqf_mtt,
  input  wire logic [31:0]                s_sqf_offset,
  input  wire logic [9:0]                 s_sqf_len,
  output      logic                       m_sqf_valid,
  input  wire logic                       m_sqf_ready,
  output      logic [DATA_W-1:0]          m_sqf_data,
  output      logic                       m_sqf_last,
  output      logic                       m_sqf_error,
  input  wire logic                       s_rqf_valid,
  output      logic                       s_rqf_ready,
  input  wire logic [23:0]                s_rqf_mtt,
  input  wire logic [31:0]                s_rqf_offset,
  input  wire logic [9:0]                 s_rqf_len,
  output      logic                       m_rqf_valid,
  input  wire logic                       m_rqf_ready,
  output      logic [DATA_W-1:0]          m_rqf_data,
  output      logic                       m_rqf_last,
  output      logic                       m_rqf_error,
  input  wire logic                       s_cqe_valid,
  output      logic                       s_cqe_ready,
  input  wire logic [23:0]                s_cqe_mtt,
  input  wire logic [31:0]                s_cqe_offset,
  input  wire logic [255:0]               s_cqe_data,
  output      logic                       m_cqe_valid,   // done
  output      logic                       m_cqe_error,
  input  wire logic                       s_eqe_valid,
  output      logic                       s_eqe_ready,
  input  wire logic [23:0]                s_eqe_mtt,
  input  wire logic [31:0]                s_eqe_offset,
  input  wire logic [255:0]               s_eqe_data,
  output      logic                       m_eqe_valid,
  output      logic                       m_eqe_error,

  // Atomics.
  input  wire logic                       s_a_valid,
  output      logic                       s_a_ready,
  input  wire logic [31:0]                s_a_key,
  input  wire logic [23:0]                s_a_pd,
  input  wire logic [63:0]                s_a_va,
  input  wire logic                       s_a_swap,
  input  wire logic [63:0]                s_a_swap_add,
  input  wire logic [63:0]                s_a_compare,
  input  wire logic [ATOMIC_W-1:0]        s_a_user,
  output      logic                       m_a_valid,
  input  wire logic                       m_a_ready,
  output      logic [2:0]                 m_a_cause,
  output      logic [63:0]                m_a_value,
  output      logic [ATOMIC_W-1:0]        m_a_user,

  output      logic                       m_gate_waits   // a client of the gate
);

  localparam int TAG_W = $clog2(RD_TAGS);
  localparam int GTAGS = RD_TAGS - 16;       // gather's; then the send ring's, the receive ring's, the atomics'

  // The gate and its clients.
  localparam int G_CHK = 0, G_GATHER = 1, G_GATHER_REST = 2, G_SCATTER = 3, G_SCATTER_REST = 4,
                 G_SQF = 5, G_RQF = 6, G_CQE = 7, G_REST = 8, GATES = 9;          // G_REST: events, atomics

  logic [GATES-1:0]             req_valid, req_ready, rsp_valid;
  logic [GATES*`GATE_REQ_W-1:0] req_data;
  logic [`GATE_RSP_W-1:0]       rsp;
  logic [4:0]                   rel_valid, rel_epoch;

  assign m_gate_waits = |(req_valid & ~req_ready);

  assign req_valid[G_CHK] = s_chk_valid;
  assign req_data[G_CHK*`GATE_REQ_W +: `GATE_REQ_W] = s_chk_data;
  assign s_chk_ready = req_ready[G_CHK];
  assign m_chk_valid = rsp_valid[G_CHK];
  assign m_chk_data  = rsp;

  mem_gate #(.MRS(MRS), .MTTS(MTTS), .CLIENTS(GATES), .RELEASES(5)) u_gate (
    .clk, .rst, .s_req_valid(req_valid), .s_req_ready(req_ready), .s_req_data(req_data),
    .m_rsp_valid(rsp_valid), .m_rsp_data(rsp),
    .s_tbl_valid, .s_tbl_write, .s_tbl_mtt, .s_tbl_index, .s_tbl_word, .s_tbl_wdata, .m_tbl_valid, .m_tbl_rdata,
    .s_live_valid, .s_live_set, .s_live_index, .m_live,
    .s_release_valid(rel_valid), .s_release_epoch(rel_epoch), .s_fence_valid, .s_fence_ready, .m_fence_done);

  logic [1:0]               rest_valid, rest_ready, rest_rsp;
  logic [2*`GATE_REQ_W-1:0] rest_data;
  check_mux u_rest (
    .clk, .rst, .s_chk_valid(rest_valid), .s_chk_ready(rest_ready), .s_chk(rest_data), .m_chk_valid(req_valid[G_REST]),
    .m_chk_ready(req_ready[G_REST]), .m_chk(req_data[G_REST*`GATE_REQ_W +: `GATE_REQ_W]), .s_rsp_valid(rsp_valid[G_REST]),
    .m_rsp_valid(rest_rsp));

  // Reads: 0 gather, 1 send ring, 2 receive ring, 3 atomics.
  logic [3:0]         rd_valid, rd_ready;
  logic [4*64-1:0]    rd_addr;
  logic [4*13-1:0]    rd_len;
  logic [4*TAG_W-1:0] rd_tag;
  logic               cpl_valid, cpl_last, cpl_error;
  logic [TAG_W-1:0]   cpl_tag;
  logic [DATA_W-1:0]  cpl_data;

  dma_rd_mux #(.N(4), .DATA_W(DATA_W), .TAG_W(TAG_W)) u_rd_mux (
    .clk, .rst, .s_req_valid(rd_valid), .s_req_ready(rd_ready), .s_req_addr(rd_addr), .s_req_len(rd_len),
    .s_req_tag(rd_tag), .m_rdreq_valid, .m_rdreq_ready, .m_rdreq_addr, .m_rdreq_len, .m_rdreq_tag,
    .s_rdcpl_valid, .s_rdcpl_ready, .s_rdcpl_tag, .s_rdcpl_data, .s_rdcpl_last, .s_rdcpl_error,
    .m_cpl_valid(cpl_valid), .m_cpl_tag(cpl_tag), .m_cpl_data(cpl_data), .m_cpl_last(cpl_last),
    .m_cpl_error(cpl_error));

  gather #(.DATA_W(DATA_W), .DESC_W(DESC_W), .TAGS(GTAGS), .TAG_BASE(0), .TAG_W(TAG_W),
           .MAX_READ_BYTES(MAX_READ_BYTES)) u_gather (
    .clk, .rst, .s_gpkt_valid, .s_gpkt_ready, .s_gpkt_desc, .s_gpkt_hdr_bytes, .s_gpkt_payload, .s_gpkt_chunks,
    .s_gchunk_valid, .s_gchunk_ready, .s_gchunk_inl, .s_gchunk_key, .s_gchunk_pd, .s_gchunk_need, .s_gchunk_va,
    .s_gchunk_len, .s_ginl_valid, .s_ginl_ready, .s_ginl_data,
    .m_first_valid(req_valid[G_GATHER]), .m_first_ready(req_ready[G_GATHER]),
    .m_first_data(req_data[G_GATHER*`GATE_REQ_W +: `GATE_REQ_W]), .s_first_valid(rsp_valid[G_GATHER]),
    .m_rest_valid(req_valid[G_GATHER_REST]), .m_rest_ready(req_ready[G_GATHER_REST]),
    .m_rest_data(req_data[G_GATHER_REST*`GATE_REQ_W +: `GATE_REQ_W]), .s_rest_valid(rsp_valid[G_GATHER_REST]),
    .s_rsp_data(rsp), .m_release_valid(rel_valid[0]), .m_release_epoch(rel_epoch[0]),
    .m_req_valid(rd_valid[0]), .m_req_ready(rd_ready[0]), .m_req_addr(rd_addr[63:0]), .m_req_len(rd_len[12:0]),
    .m_req_tag(rd_tag[TAG_W-1:0]), .s_cpl_valid(cpl_valid), .s_cpl_tag(cpl_tag), .s_cpl_data(cpl_data),
    .s_cpl_last(cpl_last), .s_cpl_error(cpl_error),
    .m_gbeat_valid, .m_gbeat_ready, .m_gbeat_data, .m_gbeat_last,
    .m_gpkt_valid, .m_gpkt_ready, .m_gpkt_desc, .m_gpkt_error, .m_gpkt_cause);

  ring_reader #(.DATA_W(DATA_W), .TAGS(8), .TAG_BASE(GTAGS), .TAG_W(TAG_W),
                .MAX_READ_BYTES(MAX_READ_BYTES)) u_sq_reader (
    .clk, .rst, .s_f_valid(s_sqf_valid), .s_f_ready(s_sqf_ready), .s_f_mtt(s_sqf_mtt),
    .s_f_offset(s_sqf_offset), .s_f_len(s_sqf_len), .m_b_valid(m_sqf_valid), .m_b_ready(m_sqf_ready),
    .m_b_data(m_sqf_data), .m_b_last(m_sqf_last), .m_b_error(m_sqf_error),
    .m_gate_valid(req_valid[G_SQF]), .m_gate_ready(req_ready[G_SQF]),
    .m_gate_data(req_data[G_SQF*`GATE_REQ_W +: `GATE_REQ_W]), .s_gate_valid(rsp_valid[G_SQF]), .s_rsp_data(rsp),
    .m_release_valid(rel_valid[1]), .m_release_epoch(rel_epoch[1]),
    .m_req_valid(rd_valid[1]), .m_req_ready(rd_ready[1]), .m_req_addr(rd_addr[64 +: 64]),
    .m_req_len(rd_len[13 +: 13]), .m_req_tag(rd_tag[TAG_W +: TAG_W]), .s_cpl_valid(cpl_valid),
    .s_cpl_tag(cpl_tag), .s_cpl_data(cpl_data), .s_cpl_last(cpl_last), .s_cpl_error(cpl_error));

  ring_reader #(.DATA_W(DATA_W), .TAGS(7), .TAG_BASE(GTAGS + 8), .TAG_W(TAG_W),
                .MAX_READ_BYTES(MAX_READ_BYTES)) u_rq_reader (
    .clk, .rst, .s_f_valid(s_rqf_valid), .s_f_ready(s_rqf_ready), .s_f_mtt(s_rqf_mtt),
    .s_f_offset(s_rqf_offset), .s_f_len(s_rqf_len), .m_b_valid(m_rqf_valid), .m_b_ready(m_rqf_ready),
    .m_b_data(m_rqf_data), .m_b_last(m_rqf_last), .m_b_error(m_rqf_error),
    .m_gate_valid(req_valid[G_RQF]), .m_gate_ready(req_ready[G_RQF]),
    .m_gate_data(req_data[G_RQF*`GATE_REQ_W +: `GATE_REQ_W]), .s_gate_valid(rsp_valid[G_RQF]), .s_rsp_data(rsp),
    .m_release_valid(rel_valid[2]), .m_release_epoch(rel_epoch[2]),
    .m_req_valid(rd_valid[2]), .m_req_ready(rd_ready[2]), .m_req_addr(rd_addr[128 +: 64]),
    .m_req_len(rd_len[26 +: 13]), .m_req_tag(rd_tag[2*TAG_W +: TAG_W]), .s_cpl_valid(cpl_valid),
    .s_cpl_tag(cpl_tag), .s_cpl_data(cpl_data), .s_cpl_last(cpl_last), .s_cpl_error(cpl_error));

  // Writes: 0 received data, 1 completions, 2 events, 3 atomics.
  logic [3:0]            wr_valid, wr_ready, beat_valid, beat_ready, ord_valid;
  logic [4*`SPAN_W-1:0]  wr_data;
  logic [4*DATA_W-1:0]   beat_data;
  logic                  ord_error;

  dma_wr #(.N(4), .DATA_W(DATA_W), .MAX_PAYLOAD_BYTES(MAX_PAYLOAD_BYTES)) u_write (
    .clk, .rst, .s_req_valid(wr_valid), .s_req_ready(wr_ready), .s_req_data(wr_data), .s_beat_valid(beat_valid),
    .s_beat_ready(beat_ready), .s_beat_data(beat_data), .m_ord_valid(ord_valid), .m_ord_error(ord_error),
    .m_wr_valid, .m_wr_ready, .m_wr_addr, .m_wr_len, .m_wr_data, .m_wr_keep, .m_wr_last, .s_wrack_valid,
    .s_wrack_error, .m_release_valid(rel_valid[3]), .m_release_epoch(rel_epoch[3]));

  scatter #(.DATA_W(DATA_W), .SLOT_W(SLOT_W), .BEAT_W(BEAT_W), .TOK_W(TOK_W)) u_scatter (
    .clk, .rst, .s_scmd_valid, .s_scmd_ready, .s_scmd_slot, .s_scmd_first, .s_scmd_len, .s_scmd_chunks,
    .s_scmd_free, .s_scmd_tok_valid, .s_scmd_tok, .s_schunk_valid, .s_schunk_ready, .s_schunk_key, .s_schunk_pd,
    .s_schunk_need, .s_schunk_va, .s_schunk_len, .m_srd_en, .m_srd_addr, .s_srd_data, .m_sfree_valid,
    .m_sfree_slot,
    .m_first_valid(req_valid[G_SCATTER]), .m_first_ready(req_ready[G_SCATTER]),
    .m_first_data(req_data[G_SCATTER*`GATE_REQ_W +: `GATE_REQ_W]), .s_first_valid(rsp_valid[G_SCATTER]),
    .m_rest_valid(req_valid[G_SCATTER_REST]), .m_rest_ready(req_ready[G_SCATTER_REST]),
    .m_rest_data(req_data[G_SCATTER_REST*`GATE_REQ_W +: `GATE_REQ_W]), .s_rest_valid(rsp_valid[G_SCATTER_REST]),
    .s_rsp_data(rsp), .m_req_valid(wr_valid[0]), .m_req_ready(wr_ready[0]), .m_req_data(wr_data[`SPAN_W-1:0]),
    .m_beat_valid(beat_valid[0]), .m_beat_ready(beat_ready[0]), .m_beat_data(beat_data[DATA_W-1:0]),
    .s_ord_valid(ord_valid[0]), .s_ord_error(ord_error), .m_tok_valid, .m_tok_ready, .m_tok, .m_tok_fail, .m_tok_host, .m_tok_bare, .m_sdone);

  ring_writer #(.DATA_W(DATA_W)) u_cqe_writer (
    .clk, .rst, .s_c_valid(s_cqe_valid), .s_c_ready(s_cqe_ready), .s_c_mtt(s_cqe_mtt), .s_c_offset(s_cqe_offset),
    .s_c_data(s_cqe_data), .m_done_valid(m_cqe_valid), .m_done_error(m_cqe_error),
    .m_gate_valid(req_valid[G_CQE]), .m_gate_ready(req_ready[G_CQE]),
    .m_gate_data(req_data[G_CQE*`GATE_REQ_W +: `GATE_REQ_W]), .s_gate_valid(rsp_valid[G_CQE]), .s_rsp_data(rsp),
    .m_req_valid(wr_valid[1]), .m_req_ready(wr_ready[1]), .m_req_data(wr_data[`SPAN_W +: `SPAN_W]),
    .m_beat_valid(beat_valid[1]), .m_beat_ready(beat_ready[1]), .m_beat_data(beat_data[DATA_W +: DATA_W]),
    .s_ord_valid(ord_valid[1]), .s_ord_error(ord_error));

  ring_writer #(.DATA_W(DATA_W)) u_eqe_writer (
    .clk, .rst, .s_c_valid(s_eqe_valid), .s_c_ready(s_eqe_ready), .s_c_mtt(s_eqe_mtt), .s_c_offset(s_eqe_offset),
    .s_c_data(s_eqe_data), .m_done_valid(m_eqe_valid), .m_done_error(m_eqe_error),
    .m_gate_valid(rest_valid[0]), .m_gate_ready(rest_ready[0]),
    .m_gate_data(rest_data[0*`GATE_REQ_W +: `GATE_REQ_W]), .s_gate_valid(rest_rsp[0]), .s_rsp_data(rsp),
    .m_req_valid(wr_valid[2]), .m_req_ready(wr_ready[2]), .m_req_data(wr_data[2*`SPAN_W +: `SPAN_W]),
    .m_beat_valid(beat_valid[2]), .m_beat_ready(beat_ready[2]), .m_beat_data(beat_data[2*DATA_W +: DATA_W]),
    .s_ord_valid(ord_valid[2]), .s_ord_error(ord_error));

  mem_atomic #(.DATA_W(DATA_W), .TAG(GTAGS + 15), .TAG_W(TAG_W), .USER_W(ATOMIC_W)) u_atomic (
    .clk, .rst, .s_a_valid, .s_a_ready, .s_a_key, .s_a_pd, .s_a_va, .s_a_swap, .s_a_swap_add, .s_a_compare, .s_a_user,
    .m_a_valid, .m_a_ready, .m_a_cause, .m_a_value, .m_a_user,
    .m_gate_valid(rest_valid[1]), .m_gate_ready(rest_ready[1]),
    .m_gate_data(rest_data[1*`GATE_REQ_W +: `GATE_REQ_W]), .s_gate_valid(rest_rsp[1]), .s_rsp_data(rsp),
    .m_release_valid(rel_valid[4]), .m_release_epoch(rel_epoch[4]),
    .m_req_valid(rd_valid[3]), .m_req_ready(rd_ready[3]), .m_req_addr(rd_addr[192 +: 64]),
    .m_req_len(rd_len[39 +: 13]), .m_req_tag(rd_tag[3*TAG_W +: TAG_W]), .s_cpl_valid(cpl_valid),
    .s_cpl_tag(cpl_tag), .s_cpl_data(cpl_data), .s_cpl_last(cpl_last), .s_cpl_error(cpl_error),
    .m_wr_valid(wr_valid[3]), .m_wr_ready(wr_ready[3]), .m_wr_data(wr_data[3*`SPAN_W +: `SPAN_W]),
    .m_beat_valid(beat_valid[3]), .m_beat_ready(beat_ready[3]), .m_beat_data(beat_data[3*DATA_W +: DATA_W]),
    .s_ord_valid(ord_valid[3]), .s_ord_error(ord_error));

endmodule

`default_nettype wire
