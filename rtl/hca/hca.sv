// hca: the InfiniBand host channel adapter, one port, one clock: wiring only.
//
// Ports:
//   s_bar, m_bar   register accesses: reads answered in order by m_bar, writes posted
//   m_rdreq        tagged host reads, 1..MAX_READ_BYTES bytes, never across a MAX_READ_BYTES boundary
//                  (so never across 4 KiB); a tag is reused only after its last beat came back
//   s_rdcpl        their data: address-aligned lanes (byte at address A in lane A mod DATA_W/8); beats of one
//                  tag in address order, tags in any order, interleaved at any completion boundary (64 bytes)
//   m_wr           host writes: one burst per write, 1..MAX_PAYLOAD_BYTES bytes, never across 4 KiB,
//                  address-aligned lanes with byte enables; address and length hold for the whole burst
//   s_wrack        one pulse per burst, in order: the write can no longer be passed by a later one
//   m_irq          MSI-X vectors to raise
//   m_link, s_link packets LRH to VCRC, each starting a beat at lane 0, _keep contiguous
//   s_link_up      the port's link is up
//
// Lane 0 of every stream is the first byte on the wire or the lowest address.

`default_nettype none
`include "ib_types.svh"
`include "hca_types.svh"
`include "mem_types.svh"
`include "responder.svh"
`include "answers.svh"

module hca #(
  parameter int DATA_W            = 256,   // datapath width, bits: 128, 256 or 512
  parameter int QPS               = 64,    // queue pairs, a power of two
  parameter int MRS               = 64,    // memory regions, a power of two
  parameter int MTTS              = 8192,  // pages over all regions and rings, a power of two
  parameter int CQS               = 32,
  parameter int EQS               = 4,
  parameter int INFLIGHT          = 32,    // messages in flight per queue pair
  parameter int RD_DEPTH          = 16,    // READs in flight per queue pair, and answered for its peer
  parameter int RD_LISTS          = 32,    // READs in flight of all queue pairs
  parameter int WQE_BLOCKS        = 16,    // 64-byte blocks of WQEs kept per queue and direction
  parameter int RX_SLOTS          = 16,    // received packets being worked on
  parameter int RD_TAGS           = 64,    // outstanding host reads
  parameter int MAX_PAYLOAD_BYTES = 256,   // PCIe maximum payload size
  parameter int MAX_READ_BYTES    = 512    // PCIe maximum read request size
) (
  input  wire logic                       clk,
  input  wire logic                       rst,            // synchronous, active high

  input  wire logic                       s_bar_valid,
  output      logic                       s_bar_ready,
  input  wire logic                       s_bar_write,
  input  wire logic [2:0]                 s_bar_bar,      // 0: registers and doorbells, 2: context tables
  input  wire logic [31:0]                s_bar_addr,     // multiple of 8; s_bar_wstrb picks the bytes
  input  wire logic [63:0]                s_bar_wdata,
  input  wire logic [7:0]                 s_bar_wstrb,
  output      logic                       m_bar_valid,
  input  wire logic                       m_bar_ready,
  output      logic [63:0]                m_bar_rdata,

  output      logic                       m_rdreq_valid,
  input  wire logic                       m_rdreq_ready,
  output      logic [63:0]                m_rdreq_addr,
  output      logic [12:0]                m_rdreq_len,    // bytes
  output      logic [$clog2(RD_TAGS)-1:0] m_rdreq_tag,

  input  wire logic                       s_rdcpl_valid,
  output      logic                       s_rdcpl_ready,
  input  wire logic [$clog2(RD_TAGS)-1:0] s_rdcpl_tag,
  input  wire logic [DATA_W-1:0]          s_rdcpl_data,
  input  wire logic                       s_rdcpl_last,   // last beat of the request
  input  wire logic                       s_rdcpl_error,  // with last: the request failed

  output      logic                       m_wr_valid,
  input  wire logic                       m_wr_ready,
  output      logic [63:0]                m_wr_addr,      // of the burst's first byte, all beats
  output      logic [12:0]                m_wr_len,       // bytes of the burst, all beats
  output      logic [DATA_W-1:0]          m_wr_data,
  output      logic [DATA_W/8-1:0]        m_wr_keep,
  output      logic                       m_wr_last,
  input  wire logic                       s_wrack_valid,
  input  wire logic                       s_wrack_error,  // the write was refused by the host

  output      logic                       m_irq_valid,
  input  wire logic                       m_irq_ready,
  output      logic [7:0]                 m_irq_vector,

  output      logic                       m_link_valid,
  input  wire logic                       m_link_ready,
  output      logic [DATA_W-1:0]          m_link_data,
  output      logic [DATA_W/8-1:0]        m_link_keep,
  output      logic                       m_link_last,
  output      logic [3:0]                 m_link_vl,

  input  wire logic                       s_link_valid,
  output      logic                       s_link_ready,
  input  wire logic [DATA_W-1:0]          s_link_data,
  input  wire logic [DATA_W/8-1:0]        s_link_keep,
  input  wire logic                       s_link_last,
  input  wire logic [3:0]                 s_link_vl,
  input  wire logic                       s_link_up
);

  localparam int QW     = $clog2(QPS);
  localparam int SLOT_W = $clog2(RX_SLOTS);
  localparam int BEAT_W = $clog2(4352 / (DATA_W / 8));                  // the largest packet, in beats
  localparam int DESC_W = $bits(tx_desc_t'('0));
  localparam int TOK_W  = $bits(tok_t'('0));

  initial begin
    if (DATA_W != 128 && DATA_W != 256 && DATA_W != 512) $fatal(1, "%m: DATA_W is 128, 256 or 512");
    if (RD_TAGS < 32) $fatal(1, "%m: RD_TAGS under 32");
  end

  // ---------------------------------------------------------------------------------------------
  // Control: registers, tables, commands.

  logic        enable, async_valid, cap_fence, cap_inline, cap_retry, cap_credits, cap_atomics, cap_resize;
  logic [15:0] tick;
  logic [7:0]  async_eqn;
  logic [15:0] lid;
  logic [2:0]  lmc;
  logic [3:0]  mtu;
  logic [63:0] sl2vl;
  logic [QPS-1:0] qp_owned;
  logic [MRS-1:0] mr_owned, mr_live;
  logic [CQS-1:0] cq_owned;
  logic [EQS-1:0] eq_owned;

  logic        db_valid, db_ready;
  logic [3:0]  db_page;
  logic [11:0] db_offset;
  logic [63:0] db_data;

  localparam int TBL_W = 1 + 3 + 24 + 5 + 64;
  logic [1:0]         tbl_valid, tbl_ready;
  logic [2*TBL_W-1:0] tbl_data;              // 0 registers, 1 command unit
  logic               bus_valid, bus_whose, bus_write, bus_rvalid, bus_unused_last;
  logic [TBL_W-1:0]   bus_data;
  logic [2:0]         bus_table;
  logic [23:0]        bus_index;
  logic [4:0]         bus_word;
  logic [63:0]        bus_wdata, bus_rdata;

  logic        cmd_valid, cmd_busy, mb_write;
  logic [55:0] cmd;
  logic [63:0] cmd_param, mb_wdata, mb_rdata;
  logic [7:0]  cmd_status;
  logic [4:0]  mb_word;

  localparam int COUNTS = 13;
  logic [COUNTS-1:0]    count_valid;
  logic [COUNTS*14-1:0] count_add;
  logic [31:0]          drop_valid;
  logic                 fatal;               // the device has stopped
  logic [63:0]          health, last_error, last_event, naks, stalls;
  logic [3:0]           counter_index;
  wire                  running = enable && !fatal;

  registers #(
    .QPS(QPS), .MRS(MRS), .MTTS(MTTS), .CQS(CQS), .EQS(EQS), .INFLIGHT(INFLIGHT), .RD_DEPTH(RD_DEPTH), .COUNTS(COUNTS)
  ) u_registers (
    .clk, .rst, .s_bar_valid, .s_bar_ready, .s_bar_write, .s_bar_bar, .s_bar_addr, .s_bar_wdata, .s_bar_wstrb,
    .m_bar_valid, .m_bar_ready, .m_bar_rdata, .enable, .async_valid, .async_eqn, .lid, .lmc, .mtu, .sl2vl, .link_up(s_link_up), .cap_fence, .cap_inline, .cap_retry, .cap_credits, .cap_atomics, .cap_resize, .tick,
    .m_db_valid(db_valid), .m_db_ready(db_ready), .m_db_page(db_page), .m_db_offset(db_offset), .m_db_data(db_data),
    .m_tbl_valid(tbl_valid[0]), .m_tbl_ready(tbl_ready[0]), .m_tbl_write(tbl_data[TBL_W-1]),
    .m_tbl_table(tbl_data[TBL_W-2 -: 3]), .m_tbl_index(tbl_data[TBL_W-5 -: 24]), .m_tbl_word(tbl_data[68:64]),
    .m_tbl_wdata(tbl_data[63:0]), .s_tbl_rvalid(bus_rvalid && !bus_whose_q), .s_tbl_rdata(bus_rdata),
    .qp_owned, .mr_owned, .cq_owned, .eq_owned,
    .m_cmd_valid(cmd_valid), .m_cmd(cmd), .m_cmd_param(cmd_param), .cmd_busy(cmd_busy), .cmd_status(cmd_status),
    .m_mb_write(mb_write), .m_mb_word(mb_word), .m_mb_wdata(mb_wdata), .s_mb_rdata(mb_rdata),
    .s_count_valid(count_valid), .s_count_add(count_add), .s_drop_valid(drop_valid),
    .s_health(health), .s_last_error(last_error), .s_last_event(last_event), .m_count_index(counter_index), .s_naks(naks), .s_stalls(stalls));

  // One table access at a time: a read keeps the bus until it is answered.
  logic bus_whose_q, bus_reading_q;
  prim_arb #(.N(2), .WIDTH(TBL_W)) u_bus (
    .clk, .rst, .s_valid(tbl_valid), .s_ready(tbl_ready), .s_data(tbl_data), .s_last('1),
    .m_valid(bus_valid), .m_ready(!bus_reading_q), .m_data(bus_data), .m_last(bus_unused_last), .m_index(bus_whose));
  assign {bus_write, bus_table, bus_index, bus_word, bus_wdata} = bus_data;
  always_ff @(posedge clk) begin : bus_read
    if (rst) bus_reading_q <= 1'b0;
    else if (bus_valid && !bus_reading_q) bus_reading_q <= !bus_write;
    else if (bus_rvalid) bus_reading_q <= 1'b0;
    if (bus_valid && !bus_reading_q) bus_whose_q <= bus_whose;
  end

  localparam int READERS = 11;
  localparam int R_SQ = 0, R_RQ = 1, R_REQ = 2, R_CPL = 3, R_RSP = 4, R_READ = 5, R_DISP = 6, R_TX = 7, R_DB = 8, R_FLUSH = 9, R_TIME = 10;
  logic [READERS-1:0]         cfg_ask, cfg_valid;
  logic [READERS*QW-1:0]      cfg_qp;
  logic [READERS*`CFG_W-1:0]  cfg_data;
  logic         mem_tbl_valid, mem_tbl_mtt, mem_tbl_rvalid, cqc_ask, cqc_valid, eqc_ask, eqc_valid, dgid_known;
  logic [63:0]  mem_tbl_rdata;
  logic [$clog2(CQS)-1:0] cqc_cq;
  logic [$clog2(EQS)-1:0] eqc_eq;
  logic [127:0] cqc_data, eqc_data, dgid;
  logic [23:0]  gid_index;                   // look-ups: 0 dispatch, 1 transmit, 2 command unit
  logic [383:0] gid;
  logic [47:0]  pkey_index, pkey;

  tables #(.QPS(QPS), .CQS(CQS), .EQS(EQS), .READERS(READERS)) u_tables (
    .clk, .rst, .s_valid(bus_valid && !bus_reading_q), .s_write(bus_write), .s_table(bus_table), .s_index(bus_index),
    .s_word(bus_word), .s_wdata(bus_wdata), .m_rvalid(bus_rvalid), .m_rdata(bus_rdata),
    .m_mem_valid(mem_tbl_valid), .m_mem_mtt(mem_tbl_mtt), .s_mem_valid(mem_tbl_rvalid), .s_mem_rdata(mem_tbl_rdata),
    .s_cfg_valid(cfg_ask), .s_cfg_qp(cfg_qp), .m_cfg_valid(cfg_valid), .m_cfg_data(cfg_data),
    .s_cqc_valid(cqc_ask), .s_cqc(cqc_cq), .m_cqc_valid(cqc_valid), .m_cqc(cqc_data),
    .s_eqc_valid(eqc_ask), .s_eqc(eqc_eq), .m_eqc_valid(eqc_valid), .m_eqc(eqc_data),
    .gid_index, .gid, .pkey_index, .pkey, .dgid, .dgid_known);
  assign gid_index[23:16] = '0;

  // Engines that take orders, in the order in which the command unit tells them.
  localparam int ENGINES = 10;
  localparam int E_REQ = 0, E_CPL = 1, E_RSP = 2, E_SQ = 3, E_RQ = 4, E_DB = 5, E_READ = 6, E_ACK = 7, E_FLUSH = 8, E_TX = 9;
  logic [ENGINES-1:0] ctl_valid, ctl_ready;
  ctl_t               ctl;
  logic [3*64-1:0]    ctl_data;
  logic [31:0]        ctl_producers;
  logic        live_valid, live_set, fence_valid, fence_ready, fence_done, drain, drained, drained_cmds, drained_toks;
  logic [23:0] live_index, cmd_number;
  logic        wake_valid, wake_ready, cq_clear, cq_query, cq_hold, cq_move, cq_ctl_ready, eq_clear, eq_query, eq_ctl_ready;
  logic [63:0] cq_ctl_data, eq_ctl_data;
  logic        sqd_set, sqd_clear;
  logic        failed_valid, failed_ready;
  logic [QW-1:0] failed_qp;

  cmd_unit #(.QPS(QPS), .MRS(MRS), .CQS(CQS), .EQS(EQS), .RD_DEPTH(RD_DEPTH), .ENGINES(ENGINES)) u_cmd (
    .clk, .rst, .s_cmd_valid(cmd_valid), .s_cmd(cmd), .s_param(cmd_param), .busy(cmd_busy), .status(cmd_status),
    .s_mb_write(mb_write), .s_mb_word(mb_word), .s_mb_wdata(mb_wdata), .m_mb_rdata(mb_rdata), .cap_resize, .port_mtu(mtu),
    .async_valid, .async_eqn, .qp_owned, .mr_owned, .cq_owned, .eq_owned,
    .m_tbl_valid(tbl_valid[1]), .m_tbl_ready(tbl_ready[1]), .m_tbl_write(tbl_data[2*TBL_W-1]),
    .m_tbl_table(tbl_data[2*TBL_W-2 -: 3]), .m_tbl_index(tbl_data[2*TBL_W-5 -: 24]), .m_tbl_word(tbl_data[TBL_W+64 +: 5]),
    .m_tbl_wdata(tbl_data[TBL_W +: 64]), .s_tbl_rvalid(bus_rvalid && bus_whose_q), .s_tbl_rdata(bus_rdata),
    .pkey_index(pkey_index[47:32]), .pkey(pkey[47:32]),
    .m_live_valid(live_valid), .m_live_set(live_set), .m_live_index(live_index), .m_fence_valid(fence_valid),
    .m_fence_ready(fence_ready), .s_fence_done(fence_done), .s_drained(drained), .m_drain(drain),
    .m_ctl_valid(ctl_valid), .m_ctl_ready(ctl_ready), .m_ctl(ctl), .s_ctl_data(ctl_data), .s_producers(ctl_producers), .s_sq_empty(sq_empty), .s_flush_sq(flush_sq), .s_flush_rq(flush_rq),
    .m_wake_valid(wake_valid), .m_wake_ready(wake_ready),
    .m_sqd_set(sqd_set), .m_sqd_clear(sqd_clear), .m_cq_clear(cq_clear), .m_cq_query(cq_query), .m_cq_hold(cq_hold), .m_cq_move(cq_move), .m_cq_ready(cq_ctl_ready), .s_cq_data(cq_ctl_data),
    .m_eq_clear(eq_clear), .m_eq_query(eq_query), .m_eq_ready(eq_ctl_ready), .s_eq_data(eq_ctl_data), .number(cmd_number),
    .s_error_valid(failed_valid), .s_error_ready(failed_ready), .s_error_qp(failed_qp));

  // Queue pairs that failed; each waits once.
  logic [5:0]      fail_valid, fail_ready;   // responder, completer, completions, READ responses, atomics, data that was refused
  logic [6*QW-1:0] fail_qp;
  qp_queue #(.QPS(QPS), .PUSHERS(6)) u_failed (
    .clk, .rst, .s_valid(fail_valid), .s_ready(fail_ready), .s_qp(fail_qp),
    .m_valid(failed_valid), .m_ready(failed_ready), .m_qp(failed_qp));

  // ---------------------------------------------------------------------------------------------
  // Queues: doorbells, WQEs, completions, events, flush.

  logic [1:0]    ring_valid, ring_ready;
  logic [QW-1:0] ring_qp;
  logic          flush_ring_valid, flush_ring_ready, flush_ring_queue, cq_db_valid, cq_db_ready, eq_db_valid, eq_db_ready;
  logic [23:0]   db_number, db_index;
  logic [3:0]    db_from;
  logic [1:0]    db_arm;
  logic [2:0]    db_refused;                 // work queues, CQs, EQs
  localparam int LOOKS = 5;                  // sq store, rq store, flush, responder, command unit
  logic [LOOKS*QW-1:0] look_qp;
  logic [LOOKS*16-1:0] look_sq, look_rq;
  logic [QW-1:0] sq_look, rq_look, flush_look, rsp_look, rsp_qp, rsp_flush_qp, req_qp, cpl_qp;
  rsp_t          rsp, rsp_read;              // the request packet that is being done; the READ to be answered
  assign rsp_qp = rsp.qpn[QW-1:0];
  assign look_qp       = {cmd_number[QW-1:0], rsp_look, flush_look, rq_look, sq_look};
  assign ctl_producers = {look_rq[4*16 +: 16], look_sq[4*16 +: 16]};

  doorbell #(.QPS(QPS), .CQS(CQS), .EQS(EQS), .LOOKUPS(LOOKS)) u_doorbell (
    .clk, .rst, .qp_owned, .cq_owned, .eq_owned,
    .s_db_valid(db_valid), .s_db_ready(db_ready), .s_db_page(db_page), .s_db_offset(db_offset), .s_db_data(db_data),
    .m_cfg_valid(cfg_ask[R_DB]), .m_cfg_qp(cfg_qp[R_DB*QW +: QW]), .s_cfg_valid(cfg_valid[R_DB]), .s_cfg_data(cfg_data[R_DB*`CFG_W +: `CFG_W]),
    .m_ring_valid(ring_valid), .m_ring_ready(ring_ready), .m_ring_qp(ring_qp),
    .m_flush_valid(flush_ring_valid), .m_flush_ready(flush_ring_ready), .m_flush_queue(flush_ring_queue),
    .m_cq_valid(cq_db_valid), .m_cq_ready(cq_db_ready), .m_eq_valid(eq_db_valid), .m_eq_ready(eq_db_ready),
    .m_number(db_number), .m_page(db_from), .m_index(db_index), .m_arm(db_arm), .m_refused(db_refused[0]),
    .look_qp, .look_sq, .look_rq, .s_ctl_valid(ctl_valid[E_DB]), .s_ctl_ready(ctl_ready[E_DB]), .s_ctl(ctl));

  logic              sqf_valid, sqf_ready, sqd_valid, sqd_ready, sqd_last, sqd_error;
  logic [23:0]       sqf_mtt;
  logic [31:0]       sqf_offset;
  logic [9:0]        sqf_len;
  logic [DATA_W-1:0] sqd_data;
  logic              sq_arrived_valid, sq_arrived_ready, sq_bad, sq_rd_valid, sq_used;
  logic [QW-1:0]     sq_arrived_qp;
  logic [15:0]       sq_arrived, sq_rd_index, sq_back_index;
  logic [QW-1:0]     sq_rd_qp, sq_used_qp;
  logic              sq_back_valid, sq_back_ready;
  logic [1:0]        sq_rd_stride;
  logic [4:0]        sq_rd_word;
  logic [255:0]      sq_word;
  wqe_store #(.DATA_W(DATA_W), .QPS(QPS), .BLOCKS(WQE_BLOCKS), .RECEIVE(1'b0)) u_sq (
    .clk, .rst, .s_ring_valid(ring_valid[0]), .s_ring_ready(ring_ready[0]), .s_ring_qp(ring_qp),
    .producer_qp(sq_look), .producer(look_sq[0*16 +: 16]),
    .m_cfg_valid(cfg_ask[R_SQ]), .m_cfg_qp(cfg_qp[R_SQ*QW +: QW]), .s_cfg_valid(cfg_valid[R_SQ]), .s_cfg_data(cfg_data[R_SQ*`CFG_W +: `CFG_W]),
    .m_f_valid(sqf_valid), .m_f_ready(sqf_ready), .m_f_mtt(sqf_mtt), .m_f_offset(sqf_offset), .m_f_len(sqf_len),
    .s_f_valid(sqd_valid), .s_f_ready(sqd_ready), .s_f_data(sqd_data), .s_f_last(sqd_last), .s_f_error(sqd_error),
    .m_arrived_valid(sq_arrived_valid), .m_arrived_ready(sq_arrived_ready), .m_arrived_qp(sq_arrived_qp),
    .look_qp(req_qp), .arrived(sq_arrived), .bad(sq_bad),
    .s_rd_valid(sq_rd_valid), .s_rd_qp(sq_rd_qp), .s_rd_index(sq_rd_index), .s_rd_log_stride(sq_rd_stride), .s_rd_word(sq_rd_word),
    .m_word(sq_word), .s_used_valid(sq_used), .s_used_qp(sq_used_qp), .s_back_valid(sq_back_valid), .s_back_ready(sq_back_ready),
    .s_back_qp(req_qp), .s_back_index(sq_back_index),
    .s_ctl_valid(ctl_valid[E_SQ]), .s_ctl_ready(ctl_ready[E_SQ]), .s_ctl(ctl));

  logic              rqf_valid, rqf_ready, rqd_valid, rqd_ready, rqd_last, rqd_error;
  logic [23:0]       rqf_mtt;
  logic [31:0]       rqf_offset;
  logic [9:0]        rqf_len;
  logic [DATA_W-1:0] rqd_data;
  logic              rq_arrived_valid, rq_arrived_ready, rq_bad, rq_rd_valid, rq_used, rq_back_ready;
  logic [QW-1:0]     rq_arrived_qp;
  logic [15:0]       rq_arrived, rq_rd_index;
  logic [1:0]        rq_rd_stride;
  logic [4:0]        rq_rd_word;
  logic [255:0]      rq_word;
  wqe_store #(.DATA_W(DATA_W), .QPS(QPS), .BLOCKS(WQE_BLOCKS), .RECEIVE(1'b1)) u_rq (
    .clk, .rst, .s_ring_valid(ring_valid[1]), .s_ring_ready(ring_ready[1]), .s_ring_qp(ring_qp),
    .producer_qp(rq_look), .producer(look_rq[1*16 +: 16]),
    .m_cfg_valid(cfg_ask[R_RQ]), .m_cfg_qp(cfg_qp[R_RQ*QW +: QW]), .s_cfg_valid(cfg_valid[R_RQ]), .s_cfg_data(cfg_data[R_RQ*`CFG_W +: `CFG_W]),
    .m_f_valid(rqf_valid), .m_f_ready(rqf_ready), .m_f_mtt(rqf_mtt), .m_f_offset(rqf_offset), .m_f_len(rqf_len),
    .s_f_valid(rqd_valid), .s_f_ready(rqd_ready), .s_f_data(rqd_data), .s_f_last(rqd_last), .s_f_error(rqd_error),
    .m_arrived_valid(rq_arrived_valid), .m_arrived_ready(rq_arrived_ready), .m_arrived_qp(rq_arrived_qp),
    .look_qp(rsp_look), .arrived(rq_arrived), .bad(rq_bad),
    .s_rd_valid(rq_rd_valid), .s_rd_qp(rsp_look), .s_rd_index(rq_rd_index), .s_rd_log_stride(rq_rd_stride), .s_rd_word(rq_rd_word),
    .m_word(rq_word), .s_used_valid(rq_used), .s_used_qp(rsp_look), .s_back_valid(1'b0), .s_back_ready(rq_back_ready), .s_back_qp(QW'(0)), .s_back_index(16'd0),
    .s_ctl_valid(ctl_valid[E_RQ]), .s_ctl_ready(ctl_ready[E_RQ]), .s_ctl(ctl));

  logic          placed_valid, placed_pushed, placed_clear;
  logic [QW-1:0] placed_qp;
  assign placed_clear = ctl_valid[E_SQ] && ctl_ready[E_SQ];
  logic          tok_valid, tok_ready, tok_fail, tok_host, tok_bare, comp_valid, comp_ready, comp_fail, go_valid, go_ready, cqe_valid, cqe_ready, cqe_done, cqe_error;
  tok_t          tok;
  logic [QW-1:0] go_qp;
  logic [15:0]   tok_done;
  logic [23:0]   cqe_mtt, fire_cqn, cq_event_number;
  logic [31:0]   cqe_offset;
  logic [255:0]  cqe_data;
  logic          fire_valid, fire_ready, cq_event_valid, cq_event_ready;
  logic [7:0]    fire_eqn, cq_event;
  lost_data #(.QPS(QPS)) u_lost_data (
    .clk, .rst, .s_tok_valid(tok_valid), .s_tok_ready(tok_ready), .s_tok(tok), .s_tok_fail(tok_fail), .s_tok_host(tok_host), .s_tok_bare(tok_bare),
    .m_tok_valid(comp_valid), .m_tok_ready(comp_ready), .m_tok_fail(comp_fail),
    .m_fatal_valid(fail_valid[5]), .m_fatal_ready(fail_ready[5]), .m_fatal_qp(fail_qp[5*QW +: QW]),
    .s_clear(ctl_valid[E_TX] && ctl_ready[E_TX]), .s_clear_qp(ctl.qpn[QW-1:0]));
  cqe_writer #(.CQS(CQS), .QPS(QPS)) u_cqes (
    .clk, .rst, .s_tok_valid(comp_valid), .s_tok_ready(comp_ready), .s_tok(tok), .s_tok_fail(comp_fail),
    .m_go_valid(go_valid), .m_go_ready(go_ready), .m_go_qp(go_qp),
    .m_placed_valid(placed_valid), .m_placed_ready(placed_pushed && !placed_clear), .m_placed_qp(placed_qp), .m_done(tok_done),
    .s_db_valid(cq_db_valid), .s_db_ready(cq_db_ready), .s_db_cq(db_number[$clog2(CQS)-1:0]), .s_db_page(db_from),
    .s_db_index(db_index), .s_db_arm(db_arm), .m_db_refused(db_refused[1]),
    .m_cfg_valid(cqc_ask), .m_cfg_cq(cqc_cq), .s_cfg_valid(cqc_valid), .s_cfg_data(cqc_data),
    .m_wr_valid(cqe_valid), .m_wr_ready(cqe_ready), .m_wr_mtt(cqe_mtt), .m_wr_offset(cqe_offset), .m_wr_data(cqe_data),
    .s_wr_done(cqe_done), .s_wr_error(cqe_error), .m_fire_valid(fire_valid), .m_fire_ready(fire_ready), .m_fire_eqn(fire_eqn), .m_fire_cqn(fire_cqn),
    .m_event_valid(cq_event_valid), .m_event_ready(cq_event_ready), .m_event(cq_event), .m_event_number(cq_event_number),
    .m_error_valid(fail_valid[2]), .m_error_ready(fail_ready[2]), .m_error_qp(fail_qp[2*QW +: QW]), .m_count_valid(count_valid[7]), .m_last_error(last_error),
    .s_clear_valid(cq_clear), .s_query_valid(cq_query), .s_hold_valid(cq_hold), .s_move_valid(cq_move), .s_ctl_ready(cq_ctl_ready), .s_ctl_cq(cmd_number[$clog2(CQS)-1:0]),
    .m_ctl_data(cq_ctl_data));

  localparam int EVENTS = 3;                 // queue pairs, completions, port and drained send queues
  logic [EVENTS-1:0]    event_valid, event_ready;
  logic [EVENTS*32-1:0] event_data;
  logic         eqe_valid, eqe_ready, eqe_done, eqe_error;
  logic [23:0]  eqe_mtt;
  logic [31:0]  eqe_offset;
  logic [255:0] eqe_data;
  assign event_valid[1]       = cq_event_valid;
  assign cq_event_ready       = event_ready[1];
  assign event_data[63:32]    = {cq_event, cq_event_number};
  logic [1:0]  rare_valid, rare_ready;       // of the port, of drained send queues
  logic [63:0] rare_data;
  port_events u_port (
    .clk, .rst, .link_up(s_link_up), .m_event_valid(rare_valid[0]), .m_event_ready(rare_ready[0]), .m_event(rare_data[31:0]));
  rare_events u_rare (
    .clk, .rst, .s_valid(rare_valid), .s_ready(rare_ready), .s_event(rare_data), .m_valid(event_valid[2]), .m_ready(event_ready[2]), .m_event(event_data[95:64]));
  eqe_writer #(.EQS(EQS), .SOURCES(EVENTS)) u_eqes (
    .clk, .rst, .async_valid(async_valid && enable), .async_eqn, .s_fire_valid(fire_valid), .s_fire_ready(fire_ready), .s_fire_eqn(fire_eqn),
    .s_fire_cqn(fire_cqn), .s_event_valid(event_valid), .s_event_ready(event_ready), .s_event_data(event_data),
    .s_db_valid(eq_db_valid), .s_db_ready(eq_db_ready), .s_db_eq(db_number[$clog2(EQS)-1:0]), .s_db_page(db_from),
    .s_db_index(db_index), .m_db_refused(db_refused[2]),
    .m_cfg_valid(eqc_ask), .m_cfg_eq(eqc_eq), .s_cfg_valid(eqc_valid), .s_cfg_data(eqc_data),
    .m_wr_valid(eqe_valid), .m_wr_ready(eqe_ready), .m_wr_mtt(eqe_mtt), .m_wr_offset(eqe_offset), .m_wr_data(eqe_data),
    .s_wr_done(eqe_done), .s_wr_error(eqe_error), .m_irq_valid, .m_irq_ready, .m_irq_vector, .m_count_valid(count_valid[8]),
    .m_fatal(fatal), .m_health(health), .m_last_event(last_event),
    .s_clear_valid(eq_clear), .s_query_valid(eq_query), .s_ctl_ready(eq_ctl_ready), .s_ctl_eq(cmd_number[$clog2(EQS)-1:0]),
    .m_ctl_data(eq_ctl_data));

  logic [1:0]      flush_valid, flush_ready; // completer, responder
  logic [2*QW-1:0] flush_qp;
  logic [31:0]     flush_index;
  logic [16:0]     flush_sq, flush_rq;       // queues being flushed, for QUERY_QP
  logic            flush_tok_valid, flush_tok_ready;
  tok_t            flush_tok;
  assign flush_qp = {rsp_flush_qp, cpl_qp};
  logic            flush_mark, flush_drained;
  flush #(.QPS(QPS)) u_flush (
    .clk, .rst, .s_start_valid(flush_valid), .s_start_ready(flush_ready), .s_start_qp(flush_qp), .s_start_index(flush_index),
    .m_mark(flush_mark), .s_drained(flush_drained), .s_ring_valid(flush_ring_valid), .s_ring_ready(flush_ring_ready), .s_ring_qp(ring_qp), .s_ring_queue(flush_ring_queue),
    .show_qp(cmd_number[QW-1:0]), .show_sq(flush_sq), .show_rq(flush_rq), .look_qp(flush_look), .sq_producer(look_sq[2*16 +: 16]), .rq_producer(look_rq[2*16 +: 16]),
    .m_cfg_valid(cfg_ask[R_FLUSH]), .m_cfg_qp(cfg_qp[R_FLUSH*QW +: QW]), .s_cfg_valid(cfg_valid[R_FLUSH]),
    .s_cfg_data(cfg_data[R_FLUSH*`CFG_W +: `CFG_W]), .m_tok_valid(flush_tok_valid), .m_tok_ready(flush_tok_ready), .m_tok(flush_tok),
    .s_ctl_valid(ctl_valid[E_FLUSH]), .s_ctl_ready(ctl_ready[E_FLUSH]), .s_ctl(ctl));

  // ---------------------------------------------------------------------------------------------
  // Transmit: requester, READ responses, acknowledges, link.

  logic          work_valid, work_ready, again_valid, again_ready, cpl_wake_valid, cpl_wake_ready;
  logic [QW-1:0] work_qp, again_qp, cpl_wake_qp;
  // Requester and completer leave word and go on: what they do in a cycle does not hang on who else pushes.
  logic          woken_valid, woken_ready, more_valid, more_ready;
  logic [QW-1:0] woken_qp, more_qp;
  prim_skid #(.DATA_W(QW)) u_woken (
    .clk, .rst, .s_valid(cpl_wake_valid), .s_ready(cpl_wake_ready), .s_data(cpl_wake_qp), .m_valid(woken_valid), .m_ready(woken_ready), .m_data(woken_qp));
  prim_skid #(.DATA_W(QW)) u_more (
    .clk, .rst, .s_valid(again_valid), .s_ready(again_ready), .s_data(again_qp), .m_valid(more_valid), .m_ready(more_ready), .m_data(more_qp));
  logic          called_valid, called_ready, listed_valid, listed_ready;
  logic [QW-1:0] called_qp, listed_qp;
  prim_skid #(.DATA_W(QW)) u_listed (
    .clk, .rst, .s_valid(called_valid), .s_ready(called_ready), .s_data(called_qp), .m_valid(listed_valid), .m_ready(listed_ready), .m_data(listed_qp));
  qp_queue #(.QPS(QPS), .PUSHERS(6)) u_schedule (
    .clk, .rst, .s_valid({listed_valid, placed_valid, wake_valid, woken_valid, more_valid, sq_arrived_valid}),
    .s_ready({listed_ready, placed_pushed, wake_ready, woken_ready, more_ready, sq_arrived_ready}),
    .s_qp({listed_qp, placed_qp, cmd_number[QW-1:0], woken_qp, more_qp, sq_arrived_qp}), .m_valid(work_valid), .m_ready(work_ready), .m_qp(work_qp));

  localparam int DW = $clog2(INFLIGHT);
  logic        flight_placed, sq_empty, sqd_empty;
  logic        flight_full, flight_put, sent_valid, sent_set, flight_clear_put, flight_clear_get, flight_empty, flight_get, flight_there, flight_pop, flight_pop_read;
  logic [7:0]  flight_reads;
  logic [DW:0] flight_head, flight_tail, flight_again;
  flight_t     flight_in, flight_out, flight_old;
  logic [23:0] sent_next_in, sent_next_out, sent_next_req, sent_next_time;
  logic        flight_again_valid;
  logic [QW-1:0] flight_qp, time_look, sqd_look;
  flight_table #(.QPS(QPS), .DEPTH(INFLIGHT)) u_flight (
    .clk, .rst, .put_qp(flight_qp), .look_qp(req_qp), .put_full(flight_full), .put_reads(flight_reads), .put_head(flight_head), .put_tail(flight_tail),
    .put_sent_next(sent_next_req), .s_again_valid(flight_again_valid), .s_again(flight_again), .m_again(flight_old), .s_put_valid(flight_put), .s_put(flight_in),
    .s_sent_valid(sent_valid), .s_sent_set(sent_set), .s_sent_next(sent_next_in), .get_qp(cpl_qp), .get_empty(flight_empty), .get_sent_next(sent_next_out),
    .s_get_valid(flight_get), .m_get(flight_out), .m_there(flight_there), .s_pop_valid(flight_pop), .s_pop_read(flight_pop_read),
    .put_placed(flight_placed), .s_placed_valid(placed_valid && placed_pushed && !placed_clear),
    .s_placed_qp(placed_clear ? ctl.qpn[QW-1:0] : placed_qp), .s_clear_placed(placed_clear), .show_qp(cmd_number[QW-1:0]), .show_empty(sq_empty),
    .watch_qp(time_look), 
    .drain_qp(sqd_look), .drain_empty(sqd_empty), .watch_sent_next(sent_next_time),
    .s_clear_put(flight_clear_put), .s_clear_get(flight_clear_get));

  // Orders and credits from completer to requester; what still reads memory.
  order_t        order_out, order_in, order_req, order_busy;
  credit_t       credit_out, credit_in, credit_req;
  logic          order_valid, credit_valid, cpl_reads, issued_valid, issued_again, gathered, again_kick_valid, again_kick_ready;
  logic [QW-1:0] tx_qp, again_kick_qp;
  logic [2:0]    tx_turn, pick_turn;
  tx_desc_t      gpick;
  rc_orders #(.QPS(QPS)) u_orders (
    .clk, .rst, .cpl_qp, .cpl_order(order_out), .cpl_credit(credit_out), .cpl_reads, .s_order_valid(order_valid), .s_order(order_in),
    .s_credit_valid(credit_valid), .s_credit(credit_in), .req_qp, .req_order(order_req), .req_credit(credit_req),
    .s_issued_qp(flight_qp), .issued_order(order_busy), .s_issued_valid(issued_valid), .s_issued_again(issued_again), .s_issued_clear(flight_clear_put),
    .tx_qp, .tx_turn, .pick_qp(gpick.qpn[QW-1:0]), .pick_turn, .s_drained_valid(gathered), .s_drained_clear(ctl_valid[E_TX] && ctl_ready[E_TX]), .ctl_qp(ctl.qpn[QW-1:0]),
    .m_kick_valid(again_kick_valid), .m_kick_ready(again_kick_ready), .m_kick_qp(again_kick_qp));

  watch_t        watch;
  logic          watch_valid, timer_valid, timer_ready, timer_rnr;
  logic [QW-1:0] timer_qp;
  logic [2:0]    timer_stamp;

  logic         list_free, listless, list_take, list_valid, list_rd_valid, list_back;
  logic [7:0]   list, list_rd, list_freed;
  logic [2:0]   list_word, list_rd_word;
  logic [255:0] list_data, list_rd_data;
  read_lists #(.LISTS(RD_LISTS), .QPS(QPS)) u_lists (
    .clk, .rst, .alloc_valid(list_free), .alloc(list), .s_take(list_take), .s_wr_valid(list_valid), .s_wr_word(list_word),
    .s_wr_data(list_data), .s_rd_valid(list_rd_valid), .s_rd_list(list_rd), .s_rd_word(list_rd_word), .m_rd_data(list_rd_data),
    .s_free_valid(list_back), .s_free(list_freed), .s_none_valid(listless), .s_none_qp(req_qp),
    .m_wake_valid(called_valid), .m_wake_ready(called_ready), .m_wake_qp(called_qp));

  // 0 requester, 1 READ responses.
  localparam int GPKT_W = DESC_W + 7 + 13 + 5;
  localparam int CHUNK_W = $bits(chunk_t'('0));
  logic [1:0]           gp_valid, gp_ready, gc_valid, gc_ready;
  logic [2*GPKT_W-1:0]  gp_data;
  logic [2*CHUNK_W-1:0] gc_data;
  tx_desc_t             req_desc, read_desc;
  logic [6:0]           req_hdr, read_hdr;
  logic [4:0]           req_chunks, read_chunks;
  chunk_t               req_chunk, read_chunk;
  logic                 inl_valid, inl_ready, inl_last, inl_half, kick_valid, kick_ready;
  logic [255:0]         inl_data;
  logic [QW-1:0]        kick_qp;
  assign gp_data = {read_desc, read_hdr, read_desc.payload, read_chunks, req_desc, req_hdr, req_desc.payload, req_chunks};
  assign gc_data = {read_chunk, req_chunk};

  logic          kick_in_valid, kick_in_ready;
  logic          changed_valid, changed_ready;
  logic [15:0]   changed_index;
  rc_requester #(.QPS(QPS), .INFLIGHT(INFLIGHT)) u_requester (
    .clk, .rst, .cap_fence, .cap_inline, .cap_atomics, .cap_credits, .s_qp_valid(work_valid), .s_qp_ready(work_ready), .s_qp(work_qp),
    .m_again_valid(again_valid), .m_again_ready(again_ready), .m_again_qp(again_qp),
    .m_cfg_valid(cfg_ask[R_REQ]), .m_cfg_qp(cfg_qp[R_REQ*QW +: QW]), .s_cfg_valid(cfg_valid[R_REQ]), .s_cfg_data(cfg_data[R_REQ*`CFG_W +: `CFG_W]),
    .look_qp(req_qp), .arrived(sq_arrived), .bad(sq_bad), .m_rd_valid(sq_rd_valid), .m_rd_qp(sq_rd_qp), .m_rd_index(sq_rd_index),
    .m_rd_log_stride(sq_rd_stride), .m_rd_word(sq_rd_word), .s_word(sq_word), .m_used_valid(sq_used), .m_used_qp(sq_used_qp),
    .m_back_valid(sq_back_valid), .m_back_ready(sq_back_ready), .m_back_index(sq_back_index), .order(order_req), .credit(credit_req),
    .m_flight_qp(flight_qp), .busy_order(order_busy), .flight_full, .flight_head, .flight_tail, .flight_sent(sent_next_req), .flight_reads, .flight_placed,
    .m_entry_valid(flight_again_valid), .m_entry(flight_again), .s_entry(flight_old), .m_flight_valid(flight_put), .m_flight(flight_in),
    .m_sent_valid(sent_valid), .m_sent_set(sent_set), .m_sent_next(sent_next_in), .m_issued_valid(issued_valid), .m_issued_again(issued_again),
    .m_flight_clear(flight_clear_put), .m_kick_valid(kick_in_valid), .m_kick_ready(kick_in_ready),
    .m_lost_valid(changed_valid), .m_lost_ready(changed_ready), .m_lost_index(changed_index),
    .list_free, .list, .m_listless(listless), .m_list_take(list_take), .m_list_valid(list_valid), .m_list_word(list_word), .m_list_data(list_data),
    .m_pkt_valid(gp_valid[0]), .m_pkt_ready(gp_ready[0]), .m_pkt(req_desc), .m_pkt_hdr_bytes(req_hdr), .m_pkt_chunks(req_chunks),
    .m_chunk_valid(gc_valid[0]), .m_chunk_ready(gc_ready[0]), .m_chunk(req_chunk),
    .m_inl_valid(inl_valid), .m_inl_ready(inl_ready), .m_inl_data(inl_data), .m_inl_last(inl_last), .m_inl_half(inl_half),
    .s_ctl_valid(ctl_valid[E_REQ]), .s_ctl_ready(ctl_ready[E_REQ]), .s_ctl(ctl), .m_ctl_data(ctl_data[63:0]));

  // Who may end a message without an answer: one that was never sent, one that was acknowledged while it was read again.
  qp_queue #(.QPS(QPS), .PUSHERS(2)) u_kicks (
    .clk, .rst, .s_valid({again_kick_valid, kick_in_valid}), .s_ready({again_kick_ready, kick_in_ready}), .s_qp({again_kick_qp, req_qp}),
    .m_valid(kick_valid), .m_ready(kick_ready), .m_qp(kick_qp));

  localparam int ATOMIC_W = QW + $clog2(RD_DEPTH);
  logic        read_valid, read_ready, opened_valid, opened_again, given_up_valid, given_up_begun, read_drop;
  logic [23:0] read_msn;
  logic [7:0]  reads_closed, ack_syndrome;
  logic [QW-1:0] opened_qp, given_up_qp;
  rx_desc_t    cpl_desc;
  read_req_t   read_new;
  logic [7:0]  executed;
  logic        execution_failed, executed_valid, executed_ready;
  logic [QW-1:0] executed_qp;
  logic        a_valid, a_ready, a_done_valid, a_done_ready;
  atomic_t     a_work;
  logic [2:0]  a_cause;
  logic [63:0] a_value;
  logic [ATOMIC_W-1:0] a_user, a_done_user;
  always_comb begin : new_read
    read_new          = '0;
    read_new.again    = rsp_read.again;
    read_new.opcode   = rsp_read.opcode;
    read_new.psn      = rsp_read.psn;
    read_new.msn      = read_msn;
    read_new.syndrome = ack_syndrome;
    read_new.va       = rsp_read.va;
    read_new.rkey     = rsp_read.rkey;
    read_new.len      = rsp_read.dma_len;
    read_new.swap_add = rsp_read.swap_add;
    read_new.compare  = rsp_read.compare;
    read_new.pd       = rsp_read.pd;
    read_new.path_mtu = rsp_read.mtu;
    read_new.depth    = rsp_read.depth;
  end
  rc_read_responder #(.QPS(QPS), .DEPTH(RD_DEPTH)) u_read_responder (
    .clk, .rst, .s_read_valid(read_valid), .s_read_ready(read_ready), .s_read_qp(rsp_read.qpn[QW-1:0]), .s_read(read_new), .look_qp(rsp_look), .closed(reads_closed),
    .executed, .execution_failed, .m_executed_valid(executed_valid), .m_executed_ready(executed_ready), .m_executed_qp(executed_qp),
    .s_go_valid(go_valid), .s_go_ready(go_ready), .s_go_qp(go_qp),
    .m_opened_valid(opened_valid), .m_opened_qp(opened_qp), .m_opened_again(opened_again),
    .m_given_up_valid(given_up_valid), .m_given_up_qp(given_up_qp), .m_given_up_begun(given_up_begun), .m_drop(read_drop),
    .m_cfg_valid(cfg_ask[R_READ]), .m_cfg_qp(cfg_qp[R_READ*QW +: QW]), .s_cfg_valid(cfg_valid[R_READ]), .s_cfg_data(cfg_data[R_READ*`CFG_W +: `CFG_W]),
    .m_pkt_valid(gp_valid[1]), .m_pkt_ready(gp_ready[1]), .m_pkt(read_desc), .m_pkt_hdr_bytes(read_hdr), .m_pkt_chunks(read_chunks),
    .m_chunk_valid(gc_valid[1]), .m_chunk_ready(gc_ready[1]), .m_chunk(read_chunk),
    .m_a_valid(a_valid), .m_a_ready(a_ready), .m_a(a_work), .m_a_user(a_user),
    .s_a_valid(a_done_valid), .s_a_ready(a_done_ready), .s_a_cause(a_cause), .s_a_value(a_value), .s_a_user(a_done_user),
    .m_done(count_valid[12]), .m_fail_valid(fail_valid[4]), .m_fail_ready(fail_ready[4]), .m_fail_qp(fail_qp[4*QW +: QW]),
    .s_ctl_valid(ctl_valid[E_READ]), .s_ctl_ready(ctl_ready[E_READ]), .s_ctl(ctl));

  logic               gpkt_valid, gpkt_ready, gchunk_valid, gchunk_ready, ginl_valid, ginl_ready;
  logic [GPKT_W-1:0]  gpkt;
  chunk_t             gchunk;
  logic [DATA_W-1:0]  ginl_data;
  // A request of before its queue pair went back is not read any more; it dies in the transmit buffer. Inline data have to be taken.
  logic [GPKT_W-1:0] gpick_data;
  wire gpick_cut = gpick.request && gpick.turn != pick_turn && gpick.payload > 13'(ib_pkg::MAX_INLINE_BYTES);
  assign gpick = gpick_data[GPKT_W-1 -: DESC_W];
  pkt_mux #(.N(2), .PKT_W(GPKT_W), .CHUNK_W(CHUNK_W), .CUT_W(18)) u_gather_mux (
    .clk, .rst, .s_pkt_valid(gp_valid), .s_pkt_ready(gp_ready), .s_pkt_data(gp_data), .s_chunk_valid(gc_valid),
    .s_chunk_ready(gc_ready), .s_chunk_data(gc_data), .m_pick(gpick_data), .s_cut(gpick_cut), .m_pkt_valid(gpkt_valid), .m_pkt_ready(gpkt_ready), .m_pkt_data(gpkt),
    .m_chunk_valid(gchunk_valid), .m_chunk_ready(gchunk_ready), .m_chunk_data(gchunk));
  word_to_beat #(.DATA_W(DATA_W)) u_inline (
    .clk, .rst, .s_valid(inl_valid), .s_ready(inl_ready), .s_data(inl_data), .s_last(inl_last), .s_half(inl_half),
    .m_valid(ginl_valid), .m_ready(ginl_ready), .m_data(ginl_data));

  logic              gbeat_valid, gbeat_ready, gbeat_last, gdone_valid, gdone_ready, gdone_error;
  logic [DATA_W-1:0] gbeat_data;
  tx_desc_t          gdone;
  logic [2:0]        gdone_cause;
  logic              txp_valid, txp_ready, txb_valid, txb_ready, lost_valid, lost_ready, poisoned;
  logic [DATA_W-1:0] txb_data;
  tx_desc_t          txp, lost;
  logic [2:0]        lost_cause;
  tx_buffer #(.DATA_W(DATA_W), .QPS(QPS), .BEATS(512 * 256 / DATA_W)) u_tx_buffer (
    .clk, .rst, .s_beat_valid(gbeat_valid), .s_beat_ready(gbeat_ready), .s_beat_data(gbeat_data), .s_beat_last(gbeat_last),
    .s_pkt_valid(gdone_valid), .s_pkt_ready(gdone_ready), .s_pkt(gdone), .s_pkt_error(gdone_error), .s_pkt_cause(gdone_cause),
    .m_pkt_valid(txp_valid), .m_pkt_ready(txp_ready), .m_pkt(txp), .m_beat_valid(txb_valid), .m_beat_ready(txb_ready), .m_beat_data(txb_data),
    .m_error_valid(lost_valid), .m_error_ready(lost_ready), .m_error(lost), .m_error_cause(lost_cause), .m_poisoned(poisoned),
    .look_qp(tx_qp), .turn(tx_turn), .m_drained(gathered),
    .s_ctl_valid(ctl_valid[E_TX]), .s_ctl_ready(ctl_ready[E_TX]), .s_ctl(ctl));

  // Payload of a request that could not be read ends its work request; of a READ response, the queue pair (o10-41).
  logic          req_lost_valid, req_lost_ready, req_lost_last, req_lost_index;
  logic [QW+18:0] req_lost;
  logic           any_lost_valid, any_lost_ready;
  logic [QW+18:0] any_lost;
  prim_arb #(.N(2), .WIDTH(QW + 19)) u_lost (
    .clk, .rst, .s_valid({changed_valid, lost_valid && lost.request}), .s_ready({changed_ready, lost_req_ready}),
    .s_data({req_qp, changed_index, 3'd0, lost_qp, lost.wqe_index, lost_cause}), .s_last('1),
    .m_valid(any_lost_valid), .m_ready(any_lost_ready), .m_data(any_lost), .m_last(req_lost_last), .m_index(req_lost_index));
  prim_skid #(.DATA_W(QW + 19)) u_any_lost (
    .clk, .rst, .s_valid(any_lost_valid), .s_ready(any_lost_ready), .s_data(any_lost), .m_valid(req_lost_valid), .m_ready(req_lost_ready), .m_data(req_lost));
  logic          lost_req_ready, lost_event_ready, lost_event_valid;
  logic [QW-1:0] lost_event_qp;
  logic [QW:0]   lost_event_level;
  wire  [QW-1:0] lost_qp = lost.qpn[QW-1:0];
  assign lost_ready    = lost.request ? lost_req_ready : fail_ready[3];
  assign fail_valid[3] = lost_valid && !lost.request;
  assign fail_qp[3*QW +: QW] = lost_qp;
  // So does an atomic that could not be executed, and data of a WRITE that the host refused; the queue of failures takes one a cycle.
  wire [2:0]     failing = fail_valid[5:3] & fail_ready[5:3];
  logic          lost_event_fatal;
  wire [7:0]     lost_event = lost_event_fatal ? ib_pkg::EVENT_TYPE_QP_FATAL : ib_pkg::EVENT_TYPE_QP_ACCESS_ERR;
  prim_fifo #(.WIDTH(QW + 1), .DEPTH(QPS)) u_lost_events (
    .clk, .rst, .s_valid(failing != '0), .s_ready(lost_event_ready),
    .s_data({failing[2], failing[2] ? fail_qp[5*QW +: QW] : failing[1] ? fail_qp[4*QW +: QW] : lost_qp}),
    .m_valid(lost_event_valid), .m_ready(qp_event_ready[1]), .m_data({lost_event_fatal, lost_event_qp}), .level(lost_event_level));
  // Events of queue pairs: of the responder, and of data that was lost.
  logic [1:0] qp_event_ready;
  logic       rsp_event_valid;
  logic [7:0] rsp_event;
  error_events #(.QPS(QPS)) u_error_events (
    .clk, .rst, .s_valid({lost_event_valid, rsp_event_valid}), .s_ready(qp_event_ready),
    .s_event({lost_event, 24'(lost_event_qp), rsp_event, 24'(rsp_qp)}),
    .m_valid(event_valid[0]), .m_ready(event_ready[0]), .m_event(event_data[31:0]),
    .s_clear(ctl_valid[E_TX] && ctl_ready[E_TX]), .s_clear_qp(ctl.qpn[QW-1:0]));

  logic          ack_in_valid, ack_in_ready, ack_valid, ack_ready, tx_sent_valid, tx_sent_round, tx_count_valid;
  logic [23:0]   ack_msn;
  logic          tx_begun_valid, tx_begun_round;
  logic [QW-1:0] tx_begun_qp, tx_sent_qp;
  logic [13:0]   tx_count_bytes;
  logic          tx_answer;
  logic [7:0]    tx_syndrome;
  tx_desc_t      ack;
  ack_unit #(.QPS(QPS)) u_acks (
    .clk, .rst, .s_ack_valid(ack_in_valid), .s_ack_qp(rsp_qp), .s_ack_psn(rsp.ack_psn), .s_ack_msn(ack_msn), .s_ack_syndrome(ack_syndrome),
    .s_ack_ready(ack_in_ready), .s_opened_valid(opened_valid), .s_opened_qp(opened_qp), .s_opened_again(opened_again),
    .s_given_up_valid(given_up_valid), .s_given_up_qp(given_up_qp), .s_given_up_begun(given_up_begun),
    .s_begun_valid(tx_begun_valid), .s_begun_qp(tx_begun_qp), .s_begun_round(tx_begun_round), .s_sent_valid(tx_sent_valid), .s_sent_qp(tx_sent_qp),
    .s_sent_round(tx_sent_round), .m_ack_valid(ack_valid), .m_ack_ready(ack_ready), .m_ack(ack),
    .s_ctl_valid(ctl_valid[E_ACK]), .s_ctl_ready(ctl_ready[E_ACK]), .s_ctl(ctl));

  link_tx #(.DATA_W(DATA_W), .QPS(QPS)) u_link_tx (
    .clk, .rst, .lid, .lmc, .sl2vl, .link_up(s_link_up && running), .s_ack_valid(ack_valid), .s_ack_ready(ack_ready), .s_ack(ack),
    .s_pkt_valid(txp_valid), .s_pkt_ready(txp_ready), .s_pkt(txp), .s_beat_valid(txb_valid), .s_beat_ready(txb_ready), .s_beat_data(txb_data),
    .m_cfg_valid(cfg_ask[R_TX]), .m_cfg_qp(cfg_qp[R_TX*QW +: QW]), .s_cfg_valid(cfg_valid[R_TX]), .s_cfg_data(cfg_data[R_TX*`CFG_W +: `CFG_W]),
    .sgid_index(gid_index[15:8]), .sgid(gid[128 +: 128]), .pkey_index(pkey_index[31:16]), .pkey(pkey[31:16]),
    .m_begun_valid(tx_begun_valid), .m_begun_qp(tx_begun_qp), .m_begun_round(tx_begun_round),
    .m_sent_valid(tx_sent_valid), .m_sent_qp(tx_sent_qp), .m_sent_round(tx_sent_round),
    .m_count_valid(tx_count_valid), .m_count_bytes(tx_count_bytes), .m_count_answer(tx_answer), .m_count_syndrome(tx_syndrome),
    .m_link_valid, .m_link_ready, .m_link_data, .m_link_keep, .m_link_last, .m_link_vl);
  rc_timers #(.QPS(QPS)) u_timers (
    .clk, .rst, .cap_retry, .tick, .s_watch_valid(watch_valid), .watched_qp(cpl_qp), .s_watch(watch),
    .s_left_valid(txp_valid && txp_ready && txp.request && txp.ack_req), .left_qp(txp.qpn[QW-1:0]), .s_left({txp.msn, txp.turn, txp.round}),
    .link_up(s_link_up), .look_qp(time_look), .sent_next(sent_next_time),
    .m_cfg_valid(cfg_ask[R_TIME]), .m_cfg_qp(cfg_qp[R_TIME*QW +: QW]), .s_cfg_valid(cfg_valid[R_TIME]), .s_cfg_data(cfg_data[R_TIME*`CFG_W +: `CFG_W]),
    .m_valid(timer_valid), .m_ready(timer_ready), .m_qp(timer_qp), .m_rnr(timer_rnr), .m_stamp(timer_stamp));

  // ---------------------------------------------------------------------------------------------
  // Receive: link, dispatcher, responder, completer, scatter.

  logic              rx_valid, rx_ready, rx_drop_valid, rx_count_valid, slot_back_valid, slot_back_ready, srd_en;
  rx_desc_t          rx_desc, disp_desc;
  logic [4:0]        rx_drop_reason, disp_drop_reason, rsp_drop_reason, cpl_drop_reason;
  logic [13:0]       rx_count_bytes;
  logic [SLOT_W-1:0] slot_back;
  logic [SLOT_W+BEAT_W-1:0] srd_addr;
  logic [DATA_W-1:0] srd_data;
  link_rx #(.DATA_W(DATA_W), .SLOTS(RX_SLOTS), .BEAT_W(BEAT_W)) u_link_rx (
    .clk, .rst, .enable(running && s_link_up), .lid, .lmc, .mtu, .dgid, .dgid_known, .s_link_valid, .s_link_ready, .s_link_data, .s_link_keep, .s_link_last,
    .m_desc_valid(rx_valid), .m_desc_ready(rx_ready), .m_desc(rx_desc), .m_drop_valid(rx_drop_valid), .m_drop_reason(rx_drop_reason),
    .m_count_valid(rx_count_valid), .m_count_bytes(rx_count_bytes), .s_free_valid(slot_back_valid), .s_free(slot_back),
    .s_free_ready(slot_back_ready), .s_rd_en(srd_en), .s_rd_addr(srd_addr), .m_rd_data(srd_data));

  logic req_valid, req_ready, rsp_valid, rsp_ready, disp_drop_valid, disp_drop_ready;
  logic [`CFG_W-1:0] disp_cfg;
  rx_dispatch #(.QPS(QPS)) u_dispatch (
    .clk, .rst, .qp_owned, .s_desc_valid(rx_valid), .s_desc_ready(rx_ready), .s_desc(rx_desc),
    .m_cfg_valid(cfg_ask[R_DISP]), .m_cfg_qp(cfg_qp[R_DISP*QW +: QW]), .s_cfg_valid(cfg_valid[R_DISP]), .s_cfg_data(cfg_data[R_DISP*`CFG_W +: `CFG_W]),
    .sgid_index(gid_index[7:0]), .sgid(gid[127:0]), .pkey_index(pkey_index[15:0]), .pkey(pkey[15:0]),
    .m_req_valid(req_valid), .m_req_ready(req_ready), .m_rsp_valid(rsp_valid), .m_rsp_ready(rsp_ready), .m_desc(disp_desc), .m_cfg_data(disp_cfg),
    .m_drop_valid(disp_drop_valid), .m_drop_ready(disp_drop_ready), .m_drop_reason(disp_drop_reason));

  logic       req_q_valid, req_q_ready, rsp_q_valid, rsp_q_ready;
  rx_desc_t   req_q, rsp_q;
  logic [4:0] req_q_level, rsp_q_level;
  prim_fifo #(.WIDTH($bits(rx_desc_t'('0))), .DEPTH(16)) u_requests (
    .clk, .rst, .s_valid(req_valid), .s_ready(req_ready), .s_data(disp_desc),
    .m_valid(req_q_valid), .m_ready(req_q_ready), .m_data(req_q), .level(req_q_level));
  prim_fifo #(.WIDTH($bits(rx_desc_t'('0))), .DEPTH(16)) u_responses (
    .clk, .rst, .s_valid(rsp_valid), .s_ready(rsp_ready), .s_data(disp_desc),
    .m_valid(rsp_q_valid), .m_ready(rsp_q_ready), .m_data(rsp_q), .level(rsp_q_level));

  logic     park, parked, parked_valid, parked_drop, parked_keep, retry;
  rx_desc_t parked_desc, park_desc;
  rx_park #(.QPS(QPS), .SLOTS(RX_SLOTS)) u_park (
    .clk, .rst, .s_park(park), .s_desc(park_desc), .look_qp(rsp_look), .parked, .s_retry(retry),
    .s_wake_valid(rq_arrived_valid), .s_wake_ready(rq_arrived_ready), .s_wake_qp(rq_arrived_qp),
    .s_executed_valid(executed_valid), .s_executed_ready(executed_ready), .s_executed_qp(executed_qp),
    .m_valid(parked_valid), .m_desc(parked_desc), .s_drop(parked_drop), .s_keep(parked_keep));

  // 0 responder, 1 completer, 2 flush (scatter only).
  localparam int SCMD_W = TOK_W + 1 + 1 + 13 + 7 + 8 + 5;
  logic [2:0]           sc_valid, sc_ready, sch_valid, sch_ready;
  logic [3*SCMD_W-1:0]  sc_data;
  logic [3*CHUNK_W-1:0] sch_data;
  logic [4:0]           rsp_chunks, cpl_chunks;
  logic                 rsp_tok_valid, cpl_free, cpl_data, cpl_tok_valid, rsp_drop_valid, cpl_drop_valid, nak_valid;
  tok_t                 rsp_tok, cpl_tok;
  chunk_t               rsp_chunk, cpl_chunk;
  logic [1:0]           chk_valid, chk_ready, chk_rsp_valid;
  gate_req_t            rsp_chk, cpl_chk;
  gate_rsp_t            chk_rsp;
  logic [2:0]           back_valid, back_ready;         // slots: responder, completer, dispatcher
  wire [12:0] rsp_len = rsp_chunks == '0 ? 13'd0 : rsp.payload;
  wire [12:0] cpl_len = cpl_data ? cpl_desc.payload : 13'd0;
  assign sc_data = {flush_tok, 1'b1, 1'b0, 13'd0, 7'd0, 8'd0, 5'd0,
                    cpl_tok, cpl_tok_valid, cpl_free, cpl_len, cpl_desc.first, cpl_desc.slot, cpl_data ? cpl_chunks : 5'd0,
                    rsp_tok, rsp_tok_valid, 1'b1, rsp_len, rsp.first, rsp.slot, rsp_chunks};
  assign sch_data        = {CHUNK_W'(0), cpl_chunk, rsp_chunk};
  assign sc_valid[2]     = flush_tok_valid;
  assign flush_tok_ready = sc_ready[2];
  assign sch_valid[2]    = 1'b0;

  rc_responder #(.QPS(QPS)) u_responder (
    .clk, .rst, .cap_atomics, .cap_credits, .s_desc_valid(req_q_valid), .s_desc_ready(req_q_ready), .s_desc(req_q),
    .s_parked_valid(parked_valid), .s_parked(parked_desc), .m_park(park), .m_park_desc(park_desc), .m_parked_drop(parked_drop), .m_parked_keep(parked_keep),
    .m_retry(retry), .parked,
    .m_cfg_valid(cfg_ask[R_RSP]), .m_cfg_qp(cfg_qp[R_RSP*QW +: QW]), .s_cfg_valid(cfg_valid[R_RSP]), .s_cfg_data(cfg_data[R_RSP*`CFG_W +: `CFG_W]),
    .look_qp(rsp_look), .arrived(rq_arrived), .bad(rq_bad), .posted(look_rq[3*16 +: 16]), .reads_closed, .executed, .execution_failed,
    .m_rd_valid(rq_rd_valid), .m_rd_index(rq_rd_index), .m_rd_log_stride(rq_rd_stride), .m_rd_word(rq_rd_word), .s_word(rq_word),
    .m_used_valid(rq_used), .m_chk_valid(chk_valid[0]), .m_chk_ready(chk_ready[0]), .m_chk(rsp_chk), .s_chk_valid(chk_rsp_valid[0]), .s_chk(chk_rsp),
    .m_rsp(rsp), .m_cmd_valid(sc_valid[0]), .m_cmd_ready(sc_ready[0]), .m_cmd_chunks(rsp_chunks), .m_cmd_tok_valid(rsp_tok_valid),
    .m_cmd_tok(rsp_tok), .m_chunk_valid(sch_valid[0]), .m_chunk_ready(sch_ready[0]), .m_chunk(rsp_chunk),
    .m_free_valid(back_valid[0]), .m_free_ready(back_ready[0]), .m_read(rsp_read), .m_read_valid(read_valid), .m_read_ready(read_ready), .m_read_msn(read_msn),
    .m_ack_valid(ack_in_valid), .m_ack_ready(ack_in_ready), .m_ack_msn(ack_msn), .m_ack_syndrome(ack_syndrome),
    .m_error_valid(fail_valid[0]), .m_error_ready(fail_ready[0]), .m_event_valid(rsp_event_valid), .m_event_ready(qp_event_ready[0]), .m_event(rsp_event),
    .m_drop_valid(rsp_drop_valid), .m_drop_reason(rsp_drop_reason),
    .m_flush_valid(flush_valid[1]), .m_flush_ready(flush_ready[1]), .m_flush_qp(rsp_flush_qp), .m_flush_index(flush_index[31:16]),
    .s_ctl_valid(ctl_valid[E_RSP]), .s_ctl_ready(ctl_ready[E_RSP]), .s_ctl(ctl), .m_ctl_data(ctl_data[191:128]));
  assign fail_qp[0 +: QW]  = rsp_qp;

  rc_completer #(.QPS(QPS)) u_completer (
    .clk, .rst, .cap_retry, .s_desc_valid(rsp_q_valid), .s_desc_ready(rsp_q_ready), .s_desc(rsp_q),
    .s_kick_valid(kick_valid), .s_kick_ready(kick_ready), .s_kick_qp(kick_qp),
    .s_timer_valid(timer_valid), .s_timer_ready(timer_ready), .s_timer_qp(timer_qp), .s_timer_rnr(timer_rnr), .s_timer_stamp(timer_stamp),
    .s_lost_valid(req_lost_valid), .s_lost_ready(req_lost_ready), .s_lost_qp(req_lost[QW+18:19]), .s_lost_index(req_lost[18:3]), .s_lost_cause(req_lost[2:0]),
    .m_cfg_valid(cfg_ask[R_CPL]), .m_cfg_qp(cfg_qp[R_CPL*QW +: QW]), .s_cfg_valid(cfg_valid[R_CPL]), .s_cfg_data(cfg_data[R_CPL*`CFG_W +: `CFG_W]),
    .look_qp(cpl_qp), .flight_empty, .sent_next(sent_next_out), .m_get_valid(flight_get), .s_get(flight_out), .there(flight_there), .m_pop_valid(flight_pop),
    .m_pop_read(flight_pop_read), .m_flight_clear(flight_clear_get), .order(order_out), .credit(credit_out), .reads(cpl_reads),
    .m_order_valid(order_valid), .m_order(order_in), .m_credit_valid(credit_valid), .m_credit(credit_in), .m_watch_valid(watch_valid), .m_watch(watch),
    .m_list_valid(list_rd_valid), .m_list(list_rd), .m_list_word(list_rd_word),
    .s_list_word(list_rd_data), .m_list_free(list_back), .m_list_freed(list_freed),
    .m_wake_valid(cpl_wake_valid), .m_wake_ready(cpl_wake_ready), .m_wake_qp(cpl_wake_qp),
    .m_chk_valid(chk_valid[1]), .m_chk_ready(chk_ready[1]), .m_chk(cpl_chk), .s_chk_valid(chk_rsp_valid[1]), .s_chk(chk_rsp),
    .m_cmd_valid(sc_valid[1]), .m_cmd_ready(sc_ready[1]), .m_desc(cpl_desc), .m_cmd_chunks(cpl_chunks), .m_cmd_free(cpl_free), .m_cmd_data(cpl_data),
    .m_cmd_tok_valid(cpl_tok_valid), .m_cmd_tok(cpl_tok), .m_chunk_valid(sch_valid[1]), .m_chunk_ready(sch_ready[1]), .m_chunk(cpl_chunk),
    .m_free_valid(back_valid[1]), .m_free_ready(back_ready[1]), .m_error_valid(fail_valid[1]), .m_error_ready(fail_ready[1]),
    .m_flush_valid(flush_valid[0]), .m_flush_ready(flush_ready[0]), .m_flush_index(flush_index[15:0]),
    .m_drop_valid(cpl_drop_valid), .m_drop_reason(cpl_drop_reason), .m_nak_valid(nak_valid),
    .m_retry_valid(count_valid[9]), .m_timeout_valid(count_valid[10]), .m_rnr_valid(count_valid[11]),
    .s_ctl_valid(ctl_valid[E_CPL]), .s_ctl_ready(ctl_ready[E_CPL]), .s_ctl(ctl), .m_ctl_data(ctl_data[127:64]));
  assign fail_qp[QW +: QW] = cpl_qp;

  logic                   scmd_valid, scmd_ready, schunk_valid, schunk_ready;
  logic [SCMD_W-1:0]      scmd;
  chunk_t                 schunk;
  logic [SCMD_W-1:0] scmd_pick;
  pkt_mux #(.N(3), .PKT_W(SCMD_W), .CHUNK_W(CHUNK_W)) u_scatter_mux (
    .clk, .rst, .s_pkt_valid(sc_valid), .s_pkt_ready(sc_ready), .s_pkt_data(sc_data), .s_chunk_valid(sch_valid),
    .s_chunk_ready(sch_ready), .s_chunk_data(sch_data), .m_pick(scmd_pick), .s_cut(1'b0), .m_pkt_valid(scmd_valid), .m_pkt_ready(scmd_ready), .m_pkt_data(scmd),
    .m_chunk_valid(schunk_valid), .m_chunk_ready(schunk_ready), .m_chunk_data(schunk));

  // What was put into the scatter path, so that a command can wait for it.
  logic [15:0] cmds_done;
  wire [2:0]   sc_put  = sc_valid & sc_ready;
  wire [2:0]   tok_put = sc_put & {1'b1, cpl_tok_valid, rsp_tok_valid};
  logic [1:0]  sc_puts_q, tok_puts_q;        // how many in the cycle before: who waits has stopped his engines earlier
  always_ff @(posedge clk) begin : put
    sc_puts_q  <= rst ? '0 : 2'(sc_put[0]) + 2'(sc_put[1]) + 2'(sc_put[2]);
    tok_puts_q <= rst ? '0 : 2'(tok_put[0]) + 2'(tok_put[1]) + 2'(tok_put[2]);
  end
  drain_watch u_drain_cmds (
    .clk, .rst, .s_issued(sc_puts_q), .done(cmds_done), .s_mark(drain), .drained(drained_cmds));
  drain_watch u_drain_toks (
    .clk, .rst, .s_issued(tok_puts_q), .done(tok_done), .s_mark(drain), .drained(drained_toks));
  assign drained = drained_cmds && drained_toks;

  logic          sqd_mark, sqd_drained_cmds, sqd_drained_toks;
  drain_watch u_sqd_cmds (
    .clk, .rst, .s_issued(sc_puts_q), .done(cmds_done), .s_mark(sqd_mark), .drained(sqd_drained_cmds));
  drain_watch u_flush_cmds (
    .clk, .rst, .s_issued(sc_puts_q), .done(cmds_done), .s_mark(flush_mark), .drained(flush_drained));
  drain_watch u_sqd_toks (
    .clk, .rst, .s_issued(tok_puts_q), .done(tok_done), .s_mark(sqd_mark), .drained(sqd_drained_toks));
  sqd_watch #(.QPS(QPS)) u_sqd (
    .clk, .rst, .s_set(sqd_set), .s_clear(sqd_clear), .s_qp(cmd_number[QW-1:0]), .look_qp(sqd_look), .empty(sqd_empty), .m_mark(sqd_mark),
    .s_drained(sqd_drained_cmds && sqd_drained_toks), .m_event_valid(rare_valid[1]), .m_event_ready(rare_ready[1]), .m_event(rare_data[63:32]));

  // Slots come back: from scatter at once, from the others by turns.
  logic                sfree_valid, back_any, back_last;
  logic [SLOT_W-1:0]   sfree_slot, back_slot;
  logic [1:0]          back_index;
  logic [2:0]          given_valid, given_ready;
  logic [3*SLOT_W-1:0] given;
  wire  [3*SLOT_W-1:0] back = {disp_desc.slot[SLOT_W-1:0], cpl_desc.slot[SLOT_W-1:0], rsp.slot[SLOT_W-1:0]};
  for (genvar i = 0; i < 3; i++) begin : g_back
    prim_skid #(.DATA_W(SLOT_W)) u_slice (
      .clk, .rst, .s_valid(back_valid[i]), .s_ready(back_ready[i]), .s_data(back[i*SLOT_W +: SLOT_W]),
      .m_valid(given_valid[i]), .m_ready(given_ready[i]), .m_data(given[i*SLOT_W +: SLOT_W]));
  end
  prim_arb #(.N(3), .WIDTH(SLOT_W)) u_back (
    .clk, .rst, .s_valid(given_valid), .s_ready(given_ready), .s_data(given), .s_last('1),
    .m_valid(back_any), .m_ready(!sfree_valid && slot_back_ready), .m_data(back_slot), .m_last(back_last), .m_index(back_index));
  assign back_valid[2]   = disp_drop_valid;
  assign disp_drop_ready = back_ready[2];
  assign slot_back_valid = sfree_valid || back_any;
  assign slot_back       = sfree_valid ? sfree_slot : back_slot;

  // ---------------------------------------------------------------------------------------------
  // Host memory.

  logic                   mchk_valid, mchk_ready, mrsp_valid, gate_waits;
  logic [`GATE_REQ_W-1:0] mchk;
  check_mux u_check_mux (
    .clk, .rst, .s_chk_valid(chk_valid), .s_chk_ready(chk_ready), .s_chk({cpl_chk, rsp_chk}), .m_chk_valid(mchk_valid),
    .m_chk_ready(mchk_ready), .m_chk(mchk), .s_rsp_valid(mrsp_valid), .m_rsp_valid(chk_rsp_valid));

  mem_unit #(
    .DATA_W(DATA_W), .MRS(MRS), .MTTS(MTTS), .RD_TAGS(RD_TAGS), .MAX_PAYLOAD_BYTES(MAX_PAYLOAD_BYTES), .MAX_READ_BYTES(MAX_READ_BYTES),
    .DESC_W(DESC_W), .SLOT_W(SLOT_W), .BEAT_W(BEAT_W), .TOK_W(TOK_W), .ATOMIC_W(ATOMIC_W)
  ) u_mem (
    .clk, .rst, .m_rdreq_valid, .m_rdreq_ready, .m_rdreq_addr, .m_rdreq_len, .m_rdreq_tag,
    .s_rdcpl_valid, .s_rdcpl_ready, .s_rdcpl_tag, .s_rdcpl_data, .s_rdcpl_last, .s_rdcpl_error,
    .m_wr_valid, .m_wr_ready, .m_wr_addr, .m_wr_len, .m_wr_data, .m_wr_keep, .m_wr_last, .s_wrack_valid, .s_wrack_error,
    .s_tbl_valid(mem_tbl_valid), .s_tbl_write(bus_write), .s_tbl_mtt(mem_tbl_mtt), .s_tbl_index(bus_index), .s_tbl_word(bus_word[2:0]),
    .s_tbl_wdata(bus_wdata), .m_tbl_valid(mem_tbl_rvalid), .m_tbl_rdata(mem_tbl_rdata),
    .s_live_valid(live_valid), .s_live_set(live_set), .s_live_index(live_index), .m_live(mr_live),
    .s_fence_valid(fence_valid), .s_fence_ready(fence_ready), .m_fence_done(fence_done),
    .s_chk_valid(mchk_valid), .s_chk_ready(mchk_ready), .s_chk_data(mchk), .m_chk_valid(mrsp_valid), .m_chk_data(chk_rsp),
    .s_gpkt_valid(gpkt_valid), .s_gpkt_ready(gpkt_ready), .s_gpkt_desc(gpkt[GPKT_W-1 -: DESC_W]), .s_gpkt_hdr_bytes(gpkt[24:18]),
    .s_gpkt_payload(gpkt[17:5]), .s_gpkt_chunks(gpkt[4:0]), .s_gchunk_valid(gchunk_valid), .s_gchunk_ready(gchunk_ready),
    .s_gchunk_inl(gchunk.inl), .s_gchunk_key(gchunk.key), .s_gchunk_pd(gchunk.pd), .s_gchunk_need(gchunk.need), .s_gchunk_va(gchunk.va),
    .s_gchunk_len(gchunk.len), .s_ginl_valid(ginl_valid), .s_ginl_ready(ginl_ready), .s_ginl_data(ginl_data),
    .m_gbeat_valid(gbeat_valid), .m_gbeat_ready(gbeat_ready), .m_gbeat_data(gbeat_data), .m_gbeat_last(gbeat_last),
    .m_gpkt_valid(gdone_valid), .m_gpkt_ready(gdone_ready), .m_gpkt_desc(gdone), .m_gpkt_error(gdone_error), .m_gpkt_cause(gdone_cause),
    .s_scmd_valid(scmd_valid), .s_scmd_ready(scmd_ready), .s_scmd_slot(scmd[5 +: SLOT_W]), .s_scmd_first(scmd[19:13]), .s_scmd_len(scmd[32:20]),
    .s_scmd_chunks(scmd[4:0]), .s_scmd_free(scmd[33]), .s_scmd_tok_valid(scmd[34]), .s_scmd_tok(scmd[35 +: TOK_W]),
    .s_schunk_valid(schunk_valid), .s_schunk_ready(schunk_ready), .s_schunk_key(schunk.key), .s_schunk_pd(schunk.pd), .s_schunk_need(schunk.need),
    .s_schunk_va(schunk.va), .s_schunk_len(schunk.len), .m_srd_en(srd_en), .m_srd_addr(srd_addr), .s_srd_data(srd_data),
    .m_sfree_valid(sfree_valid), .m_sfree_slot(sfree_slot), .m_tok_valid(tok_valid), .m_tok_ready(tok_ready), .m_tok(tok), .m_tok_fail(tok_fail), .m_tok_host(tok_host), .m_tok_bare(tok_bare),
    .m_sdone(cmds_done),
    .s_sqf_valid(sqf_valid), .s_sqf_ready(sqf_ready), .s_sqf_mtt(sqf_mtt), .s_sqf_offset(sqf_offset), .s_sqf_len(sqf_len),
    .m_sqf_valid(sqd_valid), .m_sqf_ready(sqd_ready), .m_sqf_data(sqd_data), .m_sqf_last(sqd_last), .m_sqf_error(sqd_error),
    .s_rqf_valid(rqf_valid), .s_rqf_ready(rqf_ready), .s_rqf_mtt(rqf_mtt), .s_rqf_offset(rqf_offset), .s_rqf_len(rqf_len),
    .m_rqf_valid(rqd_valid), .m_rqf_ready(rqd_ready), .m_rqf_data(rqd_data), .m_rqf_last(rqd_last), .m_rqf_error(rqd_error),
    .s_cqe_valid(cqe_valid), .s_cqe_ready(cqe_ready), .s_cqe_mtt(cqe_mtt), .s_cqe_offset(cqe_offset), .s_cqe_data(cqe_data),
    .m_cqe_valid(cqe_done), .m_cqe_error(cqe_error), .s_eqe_valid(eqe_valid), .s_eqe_ready(eqe_ready), .s_eqe_mtt(eqe_mtt),
    .s_eqe_offset(eqe_offset), .s_eqe_data(eqe_data), .m_eqe_valid(eqe_done), .m_eqe_error(eqe_error),
    .s_a_valid(a_valid), .s_a_ready(a_ready), .s_a_key(a_work.key), .s_a_pd(a_work.pd), .s_a_va(a_work.va), .s_a_swap(a_work.swap),
    .s_a_swap_add(a_work.swap_add), .s_a_compare(a_work.compare), .s_a_user(a_user),
    .m_a_valid(a_done_valid), .m_a_ready(a_done_ready), .m_a_cause(a_cause), .m_a_value(a_value), .m_a_user(a_done_user), .m_gate_waits(gate_waits));

  // ---------------------------------------------------------------------------------------------
  // Counters, in the order of the registers from tx_packets on.

  wire ack_good   = tx_syndrome[7:5] == ib_pkg::AETH_CLASS_ACK;
  wire ack_leaves = tx_count_valid && tx_answer && ack_good;
  wire nak_leaves = tx_count_valid && tx_answer && !ack_good;
  assign count_valid[6:0] = {nak_valid, nak_leaves, ack_leaves, rx_count_valid, rx_count_valid, tx_count_valid, tx_count_valid};
  assign count_add = {14'd1, 14'd1, 14'd1, 14'd1, 14'd1, 14'd1, 14'd1, 14'd1, 14'd1, rx_count_bytes, 14'd1, tx_count_bytes, 14'd1};

  nak_counters u_naks (
    .clk, .rst, .s_sent_valid(nak_leaves), .s_sent(tx_syndrome), .s_received_valid(nak_valid),
    .s_received(cpl_desc.syndrome), .s_index(counter_index), .m_count(naks));

  // Streams in the order of stall_counter. One doorbell at a time goes to one of the queues.
  wire [4:0] bell_valid = {eq_db_valid, cq_db_valid, flush_ring_valid, ring_valid};
  wire [4:0] bell_ready = {eq_db_ready, cq_db_ready, flush_ring_ready, ring_ready};
  stall_counters u_stalls (
    .clk, .rst, .s_index(counter_index), .m_count(stalls),
    .s_valid({m_irq_valid, tok_valid, schunk_valid, rsp_q_valid, req_q_valid, rx_valid, s_link_valid, m_link_valid, m_wr_valid, m_rdreq_valid,
              gate_waits, gp_valid[1], gp_valid[0], |bell_valid}),
    .s_ready({m_irq_ready, tok_ready, schunk_ready, rsp_q_ready, req_q_ready, rx_ready, s_link_ready, m_link_ready, m_wr_ready, m_rdreq_ready,
              1'b0, gp_ready[1], gp_ready[0], |(bell_valid & bell_ready)}));

  // Reasons with more than one source are counted for each.
  logic disp_drops, drop_state, drop_doorbell;
  assign disp_drops = disp_drop_valid && disp_drop_ready;
  prim_pulses #(.N(3)) u_drop_state (
    .clk, .rst, .s_pulse({cpl_drop_valid && cpl_drop_reason == ib_pkg::DROP_REASON_STATE,
                          disp_drops && disp_drop_reason == ib_pkg::DROP_REASON_STATE, rsp_drop_valid && rsp_drop_reason == ib_pkg::DROP_REASON_STATE}),
    .m_pulse(drop_state));
  prim_pulses #(.N(3)) u_drop_doorbell (.clk, .rst, .s_pulse(db_refused), .m_pulse(drop_doorbell));

  always_comb begin : drops
    drop_valid = '0;
    if (rx_drop_valid) drop_valid[rx_drop_reason] = 1'b1;
    if (disp_drops) drop_valid[disp_drop_reason] = 1'b1;
    if (rsp_drop_valid) drop_valid[rsp_drop_reason] = 1'b1;
    if (cpl_drop_valid && cpl_drop_reason == ib_pkg::DROP_REASON_RESPONSE) drop_valid[ib_pkg::DROP_REASON_RESPONSE] = 1'b1;
    drop_valid[ib_pkg::DROP_REASON_STATE]    = drop_state;
    drop_valid[ib_pkg::DROP_REASON_DOORBELL] = drop_doorbell;
    if (poisoned) drop_valid[ib_pkg::DROP_REASON_POISONED] = 1'b1;
  end

  wire unused = &{1'b0, read_drop, rsp_read, bus_unused_last, mr_live, gid[383:256], look_sq, look_rq, disp_cfg, req_q_level, rsp_q_level, lost_event_ready,
                  lost_event_level, lost, back_last, back_index, req_lost_last, req_lost_index, rq_back_ready, s_link_vl, schunk.inl, cq_event_number,
                  gpick, gpick_data, scmd_pick};

endmodule

`default_nettype wire
