// cqe_writer: writes completions into their rings and fires the events that were asked for (10.8).
//
// Contract: completions of one token stream enter memory in order; an event fires only after its CQE's write was called
//           ordered, and the arm state is looked at then: a CQE that the consumer can see fired, or was there before the
//           arm (10.8.4). A full CQ and a write that was refused are a CQ error: told once, the CQ writes nothing more and
//           the queue pair fails (C10-17, 11.6.3). While a CQ is held nothing is begun; one that moves starts at slot 0 and
//           takes over what was not freed. READ tokens pass to the READ responder. Timing: 3 cycles a
//           completion.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"

module cqe_writer #(
  parameter int CQS = 32,
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_tok_valid,
  output      logic                   s_tok_ready,
  input  wire tok_t                   s_tok,
  input  wire logic                   s_tok_fail,      // its data could not be written
  output      logic                   m_go_valid,      // a READ may start
  input  wire logic                   m_go_ready,
  output      logic [$clog2(QPS)-1:0] m_go_qp,
  output      logic                   m_placed_valid,  // the data of one of our READs is in memory
  input  wire logic                   m_placed_ready,
  output      logic [$clog2(QPS)-1:0] m_placed_qp,
  output      logic [15:0]            m_done,          // tokens done with, modulo 2^16

  input  wire logic                   s_db_valid,      // doorbell: page, CQN and command were checked to exist
  output      logic                   s_db_ready,
  input  wire logic [$clog2(CQS)-1:0] s_db_cq,
  input  wire logic [3:0]             s_db_page,
  input  wire logic [23:0]            s_db_index,
  input  wire logic [1:0]             s_db_arm,
  output      logic                   m_db_refused,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(CQS)-1:0] m_cfg_cq,
  input  wire logic                   s_cfg_valid,
  input  wire logic [127:0]           s_cfg_data,      // words 0 and 1 of the CQC

  output      logic                   m_wr_valid,      // ring write
  input  wire logic                   m_wr_ready,
  output      logic [23:0]            m_wr_mtt,
  output      logic [31:0]            m_wr_offset,
  output      logic [255:0]           m_wr_data,
  input  wire logic                   s_wr_done,
  input  wire logic                   s_wr_error,      // with done: it was refused

  output      logic                   m_fire_valid,    // completion event
  input  wire logic                   m_fire_ready,
  output      logic [7:0]             m_fire_eqn,
  output      logic [23:0]            m_fire_cqn,
  output      logic                   m_event_valid,   // CQ_ERROR, QP_FATAL
  input  wire logic                   m_event_ready,
  output      logic [7:0]             m_event,
  output      logic [23:0]            m_event_number,
  output      logic                   m_error_valid,   // the queue pair fails
  input  wire logic                   m_error_ready,
  output      logic [$clog2(QPS)-1:0] m_error_qp,
  output      logic                   m_count_valid,   // a completion was written
  output      logic [63:0]            m_last_error,    // register last_error

  input  wire logic                   s_clear_valid,   // the CQ starts anew
  input  wire logic                   s_query_valid,   // show it
  input  wire logic                   s_hold_valid,    // show it and begin nothing as long as this stays
  input  wire logic                   s_move_valid,    // while it is held: it has another ring
  output      logic                   s_ctl_ready,
  input  wire logic [$clog2(CQS)-1:0] s_ctl_cq,
  output      logic [63:0]            m_ctl_data       // word 2 of the CQC, with ready
);

  localparam int CW = $clog2(CQS);

  (* ram_style = "distributed" *) logic [23:0] producer_mem [0:CQS-1];
  (* ram_style = "distributed" *) logic [23:0] consumer_mem [0:CQS-1];
  (* ram_style = "distributed" *) logic [1:0]  armed_mem    [0:CQS-1];
  (* ram_style = "distributed" *) logic        error_mem    [0:CQS-1];
  initial for (int i = 0; i < CQS; i++) begin
    producer_mem[i] = '0;
    consumer_mem[i] = '0;
    armed_mem[i]    = '0;
    error_mem[i]    = 1'b0;
  end

  typedef enum logic [3:0] {ST_IDLE, ST_CFG, ST_PLACED, ST_LOOK, ST_WRITE, ST_GO, ST_CQ_ERROR, ST_QP_FATAL, ST_FAIL, ST_DB, ST_CTL} state_e;
  state_e        state_q;
  logic          db_q, fail_q, first_error_q, refused_q;
  tok_t          tok_q;
  cqe_t          cqe;
  cqc_t          cqc;
  logic [CW-1:0] cq_q;
  logic [23:0]   mtt_q, index_q, producer_q, size_q;
  logic [4:0]    log_size_q;
  logic [7:0]    eqn_q;
  logic [3:0]    page_q, uar_q;
  logic [1:0]    arm_q;
  assign cqc = 256'(s_cfg_data);

  wire [23:0] level = producer_mem[cq_q] - consumer_mem[cq_q];
  wire        full  = level >= size_q;
  wire        dead  = error_mem[cq_q];

  // What is on its way to memory: who it was for.
  typedef struct packed {
    logic          nop;                      // nothing was written
    logic          loud;                     // fires solicited notification too
    logic [7:0]    eqn;
    logic [CW-1:0] cq;
    logic [15:0]   vendor;
    logic [7:0]    status;
    logic          receive;
    logic [23:0]   qpn;
  } pending_t;
  pending_t   pending_in, pending;
  logic       pending_valid, pending_ready, pending_put;
  logic [3:0] pending_level;
  logic       retire;
  assign pending_in = {state_q != ST_WRITE, cqe.status != ib_pkg::WC_STATUS_SUCCESS || (cqe.queue && cqe.solicited), eqn_q, cq_q,
                       cqe.vendor, cqe.status, cqe.queue, cqe.qpn};
  prim_fifo #(.WIDTH($bits(pending_t'('0))), .DEPTH(8)) u_pending (
    .clk, .rst, .s_valid(pending_put), .s_ready(pending_ready), .s_data(pending_in),
    .m_valid(pending_valid), .m_ready(retire), .m_data(pending), .level(pending_level));

  // Writes come back in order; each done pulse belongs to the oldest entry that wrote. One that was refused waits for the state
  // machine, which tells of it as of a completion that is lost to a full CQ.
  logic       done_valid, done_ready, done_error, done_room;
  logic [3:0] done_level;
  prim_fifo #(.WIDTH(1), .DEPTH(8)) u_dones (
    .clk, .rst, .s_valid(s_wr_done), .s_ready(done_room), .s_data(s_wr_error),
    .m_valid(done_valid), .m_ready(done_ready), .m_data(done_error), .level(done_level));
  wire        done_here = pending_valid && !pending.nop && done_valid;
  wire        done_use  = done_here && !done_error && !arm_write;
  logic       arm_write, refused_told, refusal_q;
  assign done_ready = done_use || refused_told;
  assign retire     = done_ready || (pending_valid && pending.nop);
  always_ff @(posedge clk) refusal_q <= !rst && done_here && done_error && !refused_told;
  `ASSERT(a_done, !s_wr_done || done_room)
  wire [1:0] armed_now = armed_mem[pending.cq];
  wire       fires     = done_use && (armed_now == 2'd2 || (armed_now == 2'd1 && pending.loud));

  always_ff @(posedge clk) begin : retired
    if (rst) m_done <= '0;
    else if (retire) m_done <= m_done + 16'd1;
    if (rst) m_last_error <= '0;
    else if (done_use && pending.status != ib_pkg::WC_STATUS_SUCCESS && pending.status != ib_pkg::WC_STATUS_WR_FLUSH_ERR)
      m_last_error <= {8'b0, pending.vendor, pending.status, 7'b0, pending.receive, pending.qpn};
  end

  // Each CQ fires at most once per arming: room for all of them.
  logic       fire_ready;
  logic [CW+1:0] fire_level;
  logic [CW-1:0] fire_cq;
  prim_fifo #(.WIDTH(8 + CW), .DEPTH(CQS * 2)) u_fire (
    .clk, .rst, .s_valid(fires), .s_ready(fire_ready), .s_data({pending.eqn, pending.cq}),
    .m_valid(m_fire_valid), .m_ready(m_fire_ready), .m_data({m_fire_eqn, fire_cq}), .level(fire_level));
  assign m_fire_cqn = 24'(fire_cq);
  `ASSERT(a_fire, !fires || fire_ready)

  // Doorbells, arming: the stronger request stays.
  wire        db_ok     = index_q - consumer_mem[cq_q] <= level && page_q == uar_q;
  assign arm_write      = (state_q == ST_DB && db_ok && arm_q != '0) || clear;
  wire        clear     = state_q == ST_CTL && s_clear_valid;
  wire        move      = state_q == ST_CTL && s_move_valid;

  wire        ctl       = s_clear_valid || s_query_valid || s_hold_valid;
  assign s_db_ready   = state_q == ST_IDLE && !ctl && !refusal_q;
  assign s_tok_ready  = s_db_ready && !s_db_valid && pending_level < 4'd7;
  wire   db_take      = s_db_valid && s_db_ready;
  wire   tok_take     = s_tok_valid && s_tok_ready;
  assign m_cfg_valid  = db_take || tok_take;
  assign m_cfg_cq     = db_take ? s_db_cq : s_tok.cqn[CW-1:0];
  always_ff @(posedge clk) m_db_refused <= !rst && state_q == ST_DB && !db_ok;

  wire  silent     = tok_q.silent && !fail_q;
  logic event_room;
  wire  flushed    = cqe.status == ib_pkg::WC_STATUS_WR_FLUSH_ERR;
  wire fatal_told = state_q == ST_QP_FATAL && (flushed || event_room);
  assign refused_told = fatal_told && refused_q;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE: if (refusal_q) state_q <= ST_LOOK;
                 else if (ctl) state_q <= ST_CTL;
                 else if (tok_take && s_tok.read) state_q <= ST_GO;
                 else if (m_cfg_valid) state_q <= ST_CFG;
        ST_CFG: if (s_cfg_valid) state_q <= db_q ? ST_DB : tok_q.placed ? ST_PLACED : dead || level >= 24'd1 << cqc.log_size ? ST_LOOK : ST_WRITE;
        // A fence may open. An unsignaled READ has no completion, unless its data was lost.
        ST_PLACED: if (m_placed_ready) state_q <= silent ? ST_IDLE : ST_LOOK;
        ST_DB: state_q <= ST_IDLE;
        // What is not sure to have room is looked at once more.
        ST_LOOK: state_q <= dead || full || refused_q ? ST_CQ_ERROR : ST_WRITE;
        ST_WRITE: if (m_wr_ready) state_q <= fail_q ? ST_FAIL : ST_IDLE;
        // The completion is lost: the CQ tells once, the queue pair fails. One that is flushed has failed already.
        ST_CQ_ERROR: if (!first_error_q || event_room) state_q <= ST_QP_FATAL;
        ST_QP_FATAL: if (fatal_told) state_q <= flushed ? ST_IDLE : ST_FAIL;
        ST_FAIL: if (m_error_ready) state_q <= ST_IDLE;
        ST_GO: if (m_go_ready) state_q <= ST_IDLE;
        ST_CTL: if (!s_hold_valid) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
  end

  always_ff @(posedge clk) begin : work
    if (state_q == ST_IDLE) begin
      db_q    <= db_take;
      tok_q   <= s_tok;
      fail_q  <= s_tok_fail && !refusal_q;
      refused_q <= refusal_q;
      if (refusal_q) begin                   // all that is needed of it any more
        tok_q.cqe[47:40] <= pending.status;
        tok_q.cqe[23:0]  <= pending.qpn;
      end
      cq_q    <= refusal_q ? pending.cq : ctl ? s_ctl_cq : m_cfg_cq;
      page_q  <= s_db_page;
      index_q <= s_db_index;
      arm_q   <= s_db_arm;
    end
    if (state_q == ST_CFG) begin
      mtt_q      <= cqc.mtt;
      log_size_q <= cqc.log_size;
      eqn_q      <= cqc.eqn;
      uar_q      <= cqc.uar[3:0];
      size_q     <= 24'd1 << cqc.log_size;
      producer_q <= producer_mem[cq_q];
    end
    if (state_q == ST_LOOK) first_error_q <= !dead;
  end

  wire written = state_q == ST_WRITE && m_wr_ready;
  assign pending_put = written || (fatal_told && !refused_q) || (state_q == ST_PLACED && m_placed_ready && silent) || (state_q == ST_GO && m_go_ready);
  always_ff @(posedge clk) begin : counters
    if (clear || move) producer_mem[cq_q] <= '0;
    else if (written)  producer_mem[cq_q] <= producer_q + 24'd1;
    if (clear)                          consumer_mem[cq_q] <= '0;
    else if (move)                      consumer_mem[cq_q] <= 24'd0 - level;
    else if (state_q == ST_DB && db_ok) consumer_mem[cq_q] <= index_q;
    if (clear) error_mem[cq_q] <= 1'b0;
    else if (state_q == ST_LOOK && (full || refused_q)) error_mem[cq_q] <= 1'b1;
    if (clear) armed_mem[cq_q] <= '0;
    else if (arm_write) armed_mem[cq_q] <= armed_mem[cq_q] > arm_q ? armed_mem[cq_q] : arm_q;
    else if (fires) armed_mem[pending.cq] <= '0;
  end
  `ASSERT(a_pending, !pending_put || pending_ready)

  // The entry: data that did not reach memory is no success.
  always_comb begin : entry
    cqe = tok_q.cqe;
    if (fail_q && cqe.status == ib_pkg::WC_STATUS_SUCCESS) begin
      cqe           = '0;
      cqe.qpn       = tok_q.cqe[23:0];
      cqe.queue     = tok_q.cqe[24];
      cqe.opcode    = tok_q.cqe[39:32];
      cqe.wqe_index = tok_q.cqe[79:64];
      cqe.status    = ib_pkg::WC_STATUS_LOC_PROT_ERR;
    end
    cqe.phase = !(|(producer_q & size_q));
  end
  wire [23:0] slot = producer_q & (size_q - 24'd1);
  assign m_wr_valid  = state_q == ST_WRITE;
  assign m_wr_mtt    = mtt_q;
  assign m_wr_offset = {3'b0, slot, 5'b0};
  assign m_wr_data   = cqe;
  assign m_count_valid = done_use;

  assign m_go_valid     = state_q == ST_GO;
  assign m_go_qp        = tok_q.cqn[$clog2(QPS)-1:0];
  assign m_placed_valid = state_q == ST_PLACED;
  assign m_placed_qp    = cqe.qpn[$clog2(QPS)-1:0];

  wire [31:0] event_data = state_q == ST_CQ_ERROR ? {ib_pkg::EVENT_TYPE_CQ_ERROR, 24'(cq_q)} : {ib_pkg::EVENT_TYPE_QP_FATAL, cqe.qpn};
  prim_skid #(.DATA_W(32)) u_events (
    .clk, .rst, .s_valid((state_q == ST_CQ_ERROR && first_error_q) || (state_q == ST_QP_FATAL && !flushed)), .s_ready(event_room),
    .s_data(event_data), .m_valid(m_event_valid), .m_ready(m_event_ready), .m_data({m_event, m_event_number}));
  assign m_error_valid  = state_q == ST_FAIL;
  assign m_error_qp     = cqe.qpn[$clog2(QPS)-1:0];

  assign s_ctl_ready = state_q == ST_CTL;
  assign m_ctl_data  = {13'b0, error_mem[cq_q], armed_mem[cq_q], consumer_mem[cq_q], producer_mem[cq_q]};

  wire unused = &{1'b0, cqc, log_size_q, fire_level, done_level, tok_q.cqn};

endmodule

`default_nettype wire
