// rc_completer: takes responses and ends work requests by them, in posting order (9.7.6, 9.9.2).
//
// Contract: an ACK ends every message up to its PSN, READ data goes to the READ's scatter list, a NAK ends the message that it
//           names in error, or makes the queue pair go back or wait (9.7.5.2, 9.7.6.1); stale, unsolicited and reserved
//           responses are dropped and counted. A work request that fails stops the queue pair: its error is completed, the
//           rest is left to flush (10.10.3.1). An ACK completes nothing while a replay still reads memory.
// Timing:   6 cycles an ACK that ends a message, 2 more for each further one, 1 less for another queue pair.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "mem_types.svh"

module rc_completer #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   cap_retry,       // offered

  input  wire logic                   s_desc_valid,    // responses
  output      logic                   s_desc_ready,
  input  wire rx_desc_t               s_desc,
  input  wire logic                   s_kick_valid,    // a message that ends without an answer was put into the table
  output      logic                   s_kick_ready,
  input  wire logic [$clog2(QPS)-1:0] s_kick_qp,
  input  wire logic                   s_timer_valid,   // time is over
  output      logic                   s_timer_ready,
  input  wire logic [$clog2(QPS)-1:0] s_timer_qp,
  input  wire logic                   s_timer_rnr,
  input  wire logic [2:0]             s_timer_stamp,
  input  wire logic                   s_lost_valid,    // payload of a request could not be read, or its WQE changed (cause 0)
  output      logic                   s_lost_ready,
  input  wire logic [$clog2(QPS)-1:0] s_lost_qp,
  input  wire logic [15:0]            s_lost_index,
  input  wire logic [2:0]             s_lost_cause,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,

  output      logic [$clog2(QPS)-1:0] look_qp,         // flight table
  input  wire logic                   flight_empty,
  input  wire logic [23:0]            sent_next,
  output      logic                   m_get_valid,
  input  wire flight_t                s_get,
  input  wire logic                   there,           // s_get is a message
  output      logic                   m_pop_valid,
  output      logic                   m_pop_read,
  output      logic                   m_flight_clear,

  input  wire order_t                 order,           // of look_qp: to the requester
  input  wire credit_t                credit,
  input  wire logic                   reads,           // a replay still reads memory
  output      logic                   m_order_valid,
  output      order_t                 m_order,
  output      logic                   m_credit_valid,
  output      credit_t                m_credit,
  output      logic                   m_watch_valid,   // to the timers
  output      watch_t                 m_watch,

  output      logic                   m_list_valid,    // scatter lists
  output      logic [7:0]             m_list,
  output      logic [2:0]             m_list_word,
  input  wire logic [255:0]           s_list_word,
  output      logic                   m_list_free,
  output      logic [7:0]             m_list_freed,
  output      logic                   m_wake_valid,    // the requester has room again
  input  wire logic                   m_wake_ready,
  output      logic [$clog2(QPS)-1:0] m_wake_qp,

  output      logic                   m_chk_valid,     // the gate
  input  wire logic                   m_chk_ready,
  output      gate_req_t              m_chk,
  input  wire logic                   s_chk_valid,
  input  wire gate_rsp_t              s_chk,

  output      logic                   m_cmd_valid,     // scatter
  input  wire logic                   m_cmd_ready,
  output      rx_desc_t               m_desc,          // the response in hand
  output      logic [4:0]             m_cmd_chunks,
  output      logic                   m_cmd_free,
  output      logic                   m_cmd_data,      // the command has the response's payload
  output      logic                   m_cmd_tok_valid,
  output      tok_t                   m_cmd_tok,
  output      logic                   m_chunk_valid,
  input  wire logic                   m_chunk_ready,
  output      chunk_t                 m_chunk,
  output      logic                   m_free_valid,
  input  wire logic                   m_free_ready,

  output      logic                   m_error_valid,   // the queue pair fails
  input  wire logic                   m_error_ready,
  output      logic                   m_flush_valid,   // send WQEs from this index on are flushed
  input  wire logic                   m_flush_ready,
  output      logic [15:0]            m_flush_index,
  output      logic                   m_drop_valid,    // count it
  output      logic [4:0]             m_drop_reason,
  output      logic                   m_nak_valid,     // count it
  output      logic                   m_retry_valid,
  output      logic                   m_timeout_valid,
  output      logic                   m_rnr_valid,

  input  wire logic                   s_ctl_valid,
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl,
  output      logic [63:0]            m_ctl_data       // CTL_QUERY: word 18 of the QPC
);

  localparam int QW = $clog2(QPS);

  // What this engine knows of a queue pair; nobody else writes it.
  typedef struct packed {
    logic        round;                      // its life
    logic        live;                       // RTS was reached since Reset
    logic        dead;                       // a work request failed: the rest is flushed
    logic [23:0] acked;                      // newest PSN acknowledged
    logic [15:0] oldest;                     // WQE that ends next
    logic        reading;                    // data of the oldest READ is coming
    logic        restarted;                  // and was asked for again: it opens anew somewhere
    logic [31:0] got;                        // bytes of it that came
    logic [4:0]  seg;                        // place in its scatter list
    logic [31:0] seg_offset;
    logic        lost;                       // payload of this WQE could not be read
    logic [15:0] lost_index;
    logic [2:0]  lost_cause;
    logic [2:0]  retries;                    // tries used since there was progress
    logic [2:0]  rnr_retries;
    logic        recovering;                 // went back by a NAK, implied or not: more of them say nothing new
    logic        waiting;                    // for the delay of an RNR NAK
    logic [4:0]  code;                       // its delay
    logic [2:0]  stamp;                      // what the timers wait for
  } state_t;

  typedef enum logic [4:0] {
    ST_IDLE, ST_CTX, ST_JUDGE, ST_ENTRY, ST_DECIDE, ST_PLAN_START, ST_PLAN, ST_DATA, ST_COMPLETE, ST_FAIL, ST_FLUSH,
    ST_SETTLE, ST_RETRY, ST_RNR, ST_BACK, ST_SAVE, ST_DRAIN, ST_CTL
  } step_e;
  typedef enum logic [2:0] {SRC_RESPONSE, SRC_KICK, SRC_LOST, SRC_TIMER, SRC_CTL} source_e;

  step_e         step_q;
  source_e       source_q;
  logic [QW-1:0] qp_q;
  state_t        ctx, ctx_q;
  rx_desc_t      desc_q;
  ctl_t          ctl_q;
  qpc_t          cfg, cfg_q;
  flight_t       entry_q;
  logic [15:0]   lost_index_q;
  logic [2:0]    lost_cause_q, stamp_q;
  logic          rnr_over_q;
  assign cfg = ib_pkg::QPC_W'(s_cfg_data);

  wire is_response = source_q == SRC_RESPONSE;
  wire is_timer    = source_q == SRC_TIMER;
  wire is_ack      = desc_q.opcode == ib_pkg::OP_RC_ACKNOWLEDGE;
  wire is_atomic   = desc_q.opcode == ib_pkg::OP_RC_ATOMIC_ACKNOWLEDGE;
  wire is_data     = is_response && !is_ack;
  wire has_aeth    = desc_q.opcode != ib_pkg::OP_RC_READ_RESPONSE_MIDDLE;
  wire ack_class   = desc_q.syndrome[7:5] == ib_pkg::AETH_CLASS_ACK;
  wire rnr_class   = desc_q.syndrome[7:5] == ib_pkg::AETH_CLASS_RNR;
  wire nak_known   = desc_q.syndrome[7:5] == ib_pkg::AETH_CLASS_NAK && desc_q.syndrome[4:0] <= 5'd3;
  wire is_nak      = is_response && is_ack && (rnr_class || nak_known);
  wire is_gap      = desc_q.syndrome == ib_pkg::NAK_SYNDROME_NAK_SEQUENCE;
  wire reserved    = is_ack && !ack_class && !rnr_class && !nak_known;

  // PSN of a response against what was sent and what is acknowledged (9.7.6.1).
  logic [23:0] newest_q;                     // PSN sent last
  wire [23:0] ahead  = newest_q - desc_q.psn;                             // negative: never sent
  logic [23:0] beyond_q;                     // what is acknowledged; negative: stale; 0: acknowledged already
  wire        ghost  = beyond_q == '0 && is_ack && ack_class && desc_q.payload == '0;             // credits only
  wire        stale  = ahead[23] || beyond_q[23] || beyond_q == '0 || reserved || (is_ack && (desc_q.payload != '0 || desc_q.pad_bad));
  wire        unowed = newest_q == ctx_q.acked;
  wire        late   = stamp_q != ctx_q.stamp || rnr_over_q != ctx_q.waiting || (!rnr_over_q && unowed);

  // Messages end up to here; what stands in a NAK's or in data's own PSN is not acknowledged by it.
  logic [23:0] upto_q;
  wire [23:0] due       = ctx_q.acked + 24'd1;
  wire [23:0] entry_end = upto_q - s_get.last_psn;                        // not negative: all of it
  logic [23:0] resumed_q;                    // behind the newest, when the turn began
  wire [23:0] need      = ctx_q.reading ? resumed_q : s_get.first_psn;        // PSN of the response that it needs next
  wire [23:0] entry_beg = upto_q - need;                                  // not negative: answered beyond it
  wire        asked     = s_get.kind == `FLIGHT_READ || s_get.kind == `FLIGHT_ATOMIC;
  wire        lost_now  = ctx_q.lost && s_get.kind != `FLIGHT_ERROR && s_get.wqe_index == ctx_q.lost_index;
  wire [23:0] data_from = desc_q.psn - s_get.first_psn;
  wire [23:0] data_to   = s_get.last_psn - desc_q.psn;
  wire        data_hit  = is_data && asked && !data_from[23] && !data_to[23];

  // Data: position, length (9.7.6.3).
  wire [12:0] mtu       = 13'd128 << cfg_q.path_mtu;
  wire        op_opens  = desc_q.opcode == ib_pkg::OP_RC_READ_RESPONSE_FIRST || desc_q.opcode == ib_pkg::OP_RC_READ_RESPONSE_ONLY || is_atomic;
  wire        op_ends   = desc_q.opcode == ib_pkg::OP_RC_READ_RESPONSE_LAST || desc_q.opcode == ib_pkg::OP_RC_READ_RESPONSE_ONLY || is_atomic;
  wire [31:0] rest      = s_get.byte_len - ctx_q.got;
  wire        in_turn   = desc_q.psn == need;
  logic       bare_bad_q;                    // an AtomicAck that is longer than it may be
  wire        fits      = is_atomic ? !bare_bad_q
                        : !desc_q.pad_bad && (op_ends ? rest == 32'(desc_q.payload) && desc_q.payload <= mtu && (op_opens || desc_q.payload != '0)
                                                      : desc_q.payload == mtu && rest > 32'(mtu));
  wire        aeth_ok   = !has_aeth || ack_class;
  wire        kind_ok   = is_atomic == (s_get.kind == `FLIGHT_ATOMIC);
  wire        opens_ok  = kind_ok && (op_opens == !ctx_q.reading || ctx_q.restarted) && aeth_ok;

  // Credits: they only grow (9.7.7.2.5).
  wire [16:0] credits   = rc_pkg::credits(desc_q.syndrome[4:0]);
  logic [23:0] lsn_q;
  logic       told_free_q;
  wire [23:0] lsn_ahead = lsn_q - credit.lsn;
  wire        hears     = step_q == ST_JUDGE && is_response && ctx_q.live && !ctx_q.dead && has_aeth && ack_class && (!stale || (ghost && !ahead[23]));
  wire        learns    = hears && !credit.free && (told_free_q || (lsn_ahead != '0 && !lsn_ahead[23]));
  assign m_credit_valid = learns || m_flight_clear;
  assign m_credit       = m_flight_clear ? '0 : {told_free_q, lsn_q};

  // What the oldest message is to this response.
  logic       lost_q, hit_q, in_turn_q, opens_q, fits_q, covered_q, errs_q, asked_q, reads_q, next_due_q;
  wire        out_of_turn = (hit_q && !in_turn_q) || (!hit_q && covered_q && asked_q);     // implied NAK (9.7.6.1.1)
  logic [23:0] base_q;                       // acknowledged, whatever is made of the rest
  wire        progress = base_q != ctx_q.acked;

  // How it ends.
  logic [7:0] status_q, nak_status;
  logic [7:0] vendor_q;
  logic       slot_q;                        // the response's slot is still ours
  logic       wake_q;                        // the requester may go on
  wire        frees = is_response && slot_q;
  always_comb begin : by_nak
    case (desc_q.syndrome)
      ib_pkg::NAK_SYNDROME_NAK_INVALID_REQUEST: nak_status = ib_pkg::WC_STATUS_REM_INV_REQ_ERR;
      ib_pkg::NAK_SYNDROME_NAK_REMOTE_ACCESS:   nak_status = ib_pkg::WC_STATUS_REM_ACCESS_ERR;
      default:                                  nak_status = ib_pkg::WC_STATUS_REM_OP_ERR;
    endcase
  end

  // Tries: seven are seven, but seven of RNR are for ever (9.7.5.2.8).
  wire [2:0] retry_limit = cap_retry ? cfg_q.retry_count : 3'd0;
  wire [2:0] rnr_limit   = cap_retry ? cfg_q.rnr_retry : 3'd0;
  wire [2:0] retries     = progress ? 3'd0 : ctx_q.retries;
  wire [2:0] rnr_retries = progress ? 3'd0 : ctx_q.rnr_retries;
  wire       give_up     = retries >= retry_limit;
  wire       rnr_give_up = rnr_limit != 3'd7 && rnr_retries >= rnr_limit;

  logic       plan_idle, plan_done, plan_ok, plan_short, plan_word_valid;
  logic [2:0] plan_cause;
  logic [4:0] plan_seg;
  logic [31:0] plan_seg_offset;
  wire        plan_start = step_q == ST_PLAN_START && plan_idle;
  scatter_plan u_plan (
    .clk, .rst, .s_start(plan_start), .s_direct(1'b0), .s_pd(cfg_q.pd), .s_key('0), .s_va('0), .s_len('0), .s_rights('0),
    .s_need(desc_q.payload), .s_seg(ctx_q.seg), .s_seg_offset(ctx_q.seg_offset), .s_segments(entry_q.segments),
    .m_word_valid(plan_word_valid), .m_word(m_list_word), .s_word(s_list_word), .m_chk_valid, .m_chk_ready, .m_chk,
    .s_chk_valid, .s_chk, .m_idle(plan_idle), .m_done(plan_done), .m_ok(plan_ok), .m_short(plan_short), .m_cause(plan_cause),
    .m_chunks(m_cmd_chunks), .m_seg(plan_seg), .m_seg_offset(plan_seg_offset),
    .s_release(step_q == ST_DATA && m_cmd_ready), .s_discard(step_q == ST_PLAN && plan_done && !plan_ok),
    .m_chunk_valid, .m_chunk_ready, .m_chunk);
  assign m_list_valid = plan_word_valid;
  assign m_list       = entry_q.rd_slot;

  // The next turn starts in the last cycle of this one, if it is another queue pair's.
  wire over = step_q == ST_SAVE && (!wake_q || m_wake_ready) && (!frees || m_free_ready);
  wire [QW-1:0] take_qp = s_ctl_valid ? s_ctl.qpn[QW-1:0] : s_timer_valid ? s_timer_qp : s_lost_valid ? s_lost_qp
                        : s_kick_valid ? s_kick_qp : s_desc.qpn[QW-1:0];
  wire open = step_q == ST_IDLE || (over && take_qp != qp_q && source_q != SRC_CTL && !s_ctl_valid);
  wire take = open && (s_ctl_valid || s_timer_valid || s_lost_valid || s_kick_valid || s_desc_valid);
  assign s_timer_ready = open && !s_ctl_valid;
  assign s_lost_ready  = s_timer_ready && !s_timer_valid;
  assign s_kick_ready  = s_lost_ready && !s_lost_valid;
  assign s_desc_ready  = s_kick_ready && !s_kick_valid;
  assign m_cfg_valid = take;
  assign m_cfg_qp    = take_qp;
  assign look_qp     = qp_q;
  assign m_desc      = desc_q;
  assign m_get_valid = step_q == ST_CTX || ends || step_q == ST_CTL;

  wire success = status_q == ib_pkg::WC_STATUS_SUCCESS;
  wire shows   = entry_q.signaled || !success;                          // writes a CQE (C10-90 to C10-92)
  wire ends    = (step_q == ST_COMPLETE && (!shows || m_cmd_ready)) || (step_q == ST_DATA && m_cmd_ready && op_ends);
  wire fails   = step_q == ST_COMPLETE && !success;
  wire ctl_first = step_q == ST_CTL && ctl_q.op == `CTL_ERROR && !ctx_q.dead;   // nobody told flush yet
  wire refused = !ctx_q.live || ctx_q.dead || (is_response && stale) || (is_timer && late);

  // What the oldest message makes of it.
  // There is nothing new in it: what it says was acted on, and it acknowledges nothing more.
  wire   held_back = ctx_q.recovering || ctx_q.waiting;
  wire   known_gap = held_back && !progress;
  wire   known_out = held_back && (ctx_q.reading || next_due_q);
  step_e decision;
  always_comb begin : decide
    decision = ST_SETTLE;
    if (errs_q || lost_q)               decision = ST_COMPLETE;
    else if (is_timer && rnr_over_q)    decision = ST_BACK;
    else if (is_timer)                  decision = ST_RETRY;
    else if (out_of_turn && known_out)  decision = ST_SAVE;
    else if (out_of_turn)               decision = ST_RETRY;
    else if (hit_q && opens_q && fits_q) decision = ST_PLAN_START;
    else if (hit_q)                     decision = ST_COMPLETE;
    else if (covered_q && reads_q && !is_nak && !is_data) decision = ST_SETTLE;
    else if (covered_q)                 decision = ST_COMPLETE;
    else if (is_nak && (rnr_class ? ctx_q.waiting && !progress : is_gap && known_gap)) decision = ST_SAVE;
    else if (is_nak && rnr_class)       decision = ST_RNR;
    else if (is_nak && is_gap)          decision = ST_RETRY;
    else if (is_nak || is_data)         decision = ST_COMPLETE;
  end
  // A wait ends whether a message waits for that or none is left.
  step_e unheard;
  always_comb begin : nothing_in_flight
    unheard = ST_SETTLE;
    if (is_timer && rnr_over_q) unheard = ST_BACK;
  end
  // The common case is seen a step earlier: an ACK ends this message, or all that it ends have ended.
  wire plain    = is_response ? is_ack && ack_class : !is_timer;
  wire sound    = s_get.kind != `FLIGHT_ERROR && !lost_now;
  wire ends_now = plain && sound && !asked && !entry_end[23] && !reads;
  wire settles  = plain && (!there || (sound && (asked ? entry_beg[23] : entry_end[23])));

  always_ff @(posedge clk) begin : control
    if (rst) begin
      step_q <= ST_IDLE;
    end else begin
      case (step_q)
        ST_CTX: if (s_cfg_valid) step_q <= source_q == SRC_CTL ? ST_CTL : ST_JUDGE;
        ST_JUDGE: step_q <= refused ? ST_SAVE : !there ? unheard : ends_now ? ST_COMPLETE : ST_DECIDE;

        // One message after the other, oldest first.
        ST_ENTRY: step_q <= settles ? ST_SAVE : there ? (ends_now ? ST_COMPLETE : ST_DECIDE) : ST_SETTLE;
        ST_DECIDE: step_q <= decision;

        ST_PLAN_START: if (plan_idle) step_q <= ST_PLAN;
        ST_PLAN: if (plan_done) step_q <= plan_ok ? ST_DATA : ST_COMPLETE;
        ST_DATA: if (m_cmd_ready) step_q <= op_ends ? ST_ENTRY : ST_SAVE;
        ST_COMPLETE: if (!shows || m_cmd_ready) step_q <= success ? ST_ENTRY : ST_FAIL;
        ST_FAIL: if (m_error_ready) step_q <= ST_FLUSH;
        ST_FLUSH: if (m_flush_ready) step_q <= ST_SAVE;

        ST_SETTLE, ST_BACK: step_q <= ST_SAVE;
        ST_RETRY: step_q <= give_up ? ST_COMPLETE : ST_BACK;
        ST_RNR: step_q <= rnr_give_up ? ST_COMPLETE : ST_SAVE;

        // The queue pair ends or starts anew: scatter lists of its READs go back.
        ST_CTL: if (!ctl_first || m_flush_ready)
          step_q <= (ctl_q.op == `CTL_CLEAR || ctl_q.op == `CTL_ERROR) && !flight_empty ? ST_DRAIN : ST_SAVE;
        ST_DRAIN: step_q <= ST_CTL;
        default: begin                       // idle, or the end of a turn
          if (take) step_q <= ST_CTX;
          else if (over) step_q <= ST_IDLE;
        end
      endcase
    end
  end

  wire [15:0] lost_age  = lost_index_q - ctx.oldest;                    // of a message that is over: nobody waits for it
  wire [15:0] lost_less = lost_index_q - ctx.lost_index;
  always_ff @(posedge clk) begin : work
    case (step_q)
      ST_CTX: begin
        ctx_q  <= ctx;
        cfg_q  <= cfg;
        newest_q  <= sent_next - 24'd1;
        resumed_q <= ctx.acked + 24'd1;
        beyond_q <= desc_q.psn - ctx.acked;
        upto_q   <= !is_response ? ctx.acked : is_ack && ack_class ? desc_q.psn : desc_q.psn - 24'd1;
        lsn_q  <= desc_q.msn + 24'(credits);
        told_free_q <= desc_q.syndrome[4:0] == 5'd31;
        if (source_q == SRC_LOST && !lost_age[15] && (!ctx.lost || lost_less[15])) begin
          ctx_q.lost       <= 1'b1;
          ctx_q.lost_index <= lost_index_q;
          ctx_q.lost_cause <= lost_cause_q;
        end
      end
      ST_JUDGE, ST_ENTRY: begin
        base_q    <= upto_q;
        entry_q   <= s_get;
        errs_q    <= s_get.kind == `FLIGHT_ERROR;
        lost_q    <= lost_now;
        hit_q     <= data_hit;
        in_turn_q <= in_turn;
        opens_q   <= opens_ok;
        fits_q    <= fits;
        asked_q   <= asked;
        next_due_q <= s_get.first_psn == due;
        reads_q   <= reads;                                             // if no more, a kick comes after this turn
        covered_q <= asked ? !entry_beg[23] : !entry_end[23];
        if (learns) wake_q <= 1'b1;
      end
      ST_DECIDE: begin
        if (errs_q) begin
          status_q <= entry_q.status;
        end else if (lost_q) begin
          status_q <= ctx_q.lost_cause == '0 ? ib_pkg::WC_STATUS_LOC_QP_OP_ERR : ib_pkg::WC_STATUS_LOC_PROT_ERR;
          vendor_q <= {5'b0, ctx_q.lost_cause};
        end else if (hit_q && in_turn_q) begin
          status_q <= !opens_q ? ib_pkg::WC_STATUS_BAD_RESP_ERR : !fits_q ? ib_pkg::WC_STATUS_LOC_LEN_ERR : ib_pkg::WC_STATUS_SUCCESS;
        end else if (is_nak && !covered_q && !is_gap && !rnr_class) begin
          status_q <= nak_status;
          vendor_q <= desc_q.syndrome;
        end else if (is_data && !hit_q && !covered_q) begin
          status_q <= ib_pkg::WC_STATUS_BAD_RESP_ERR;
        end
        // By an implied NAK what lies before the READ is acknowledged, no more.
        if (out_of_turn) base_q <= ctx_q.reading ? ctx_q.acked : entry_q.first_psn - 24'd1;
        if (is_timer) base_q <= ctx_q.acked;
      end
      ST_PLAN: if (plan_done && !plan_ok) begin
        status_q <= plan_short ? ib_pkg::WC_STATUS_LOC_LEN_ERR : ib_pkg::WC_STATUS_LOC_PROT_ERR;
        vendor_q <= {5'b0, plan_cause};
      end
      ST_DATA: if (m_cmd_ready) begin
        slot_q            <= 1'b0;
        ctx_q.acked       <= desc_q.psn;
        ctx_q.reading     <= !op_ends;
        ctx_q.restarted   <= ctx_q.restarted && !op_ends;
        ctx_q.got         <= op_ends ? 32'd0 : ctx_q.got + 32'(desc_q.payload);
        ctx_q.seg         <= op_ends ? 5'd0 : plan_seg;
        ctx_q.seg_offset  <= op_ends ? 32'd0 : plan_seg_offset;
        ctx_q.retries     <= '0;
        ctx_q.rnr_retries <= '0;
        ctx_q.recovering  <= 1'b0;
        ctx_q.stamp       <= restamp;
        if (op_ends) begin                                              // the data is placed: whoever is next may end
          source_q <= SRC_KICK;
          upto_q     <= desc_q.psn;
        end
      end
      ST_RETRY: begin
        ctx_q.acked <= base_q;
        if (progress) ctx_q.rnr_retries <= '0;
        ctx_q.retries    <= retries + 3'd1;
        ctx_q.recovering <= !is_timer;
        status_q         <= ib_pkg::WC_STATUS_RETRY_EXC_ERR;
        vendor_q         <= is_nak ? desc_q.syndrome : 8'd0;
      end
      ST_RNR: begin
        ctx_q.acked <= base_q;
        if (progress) ctx_q.retries <= '0;
        ctx_q.rnr_retries <= rnr_retries + 3'd1;
        ctx_q.recovering  <= 1'b0;
        ctx_q.waiting     <= 1'b1;
        ctx_q.code        <= desc_q.syndrome[4:0];
        ctx_q.stamp       <= ctx_q.stamp + 3'd1;
        status_q          <= ib_pkg::WC_STATUS_RNR_RETRY_EXC_ERR;
        vendor_q          <= desc_q.syndrome;
      end
      ST_BACK: begin
        ctx_q.waiting   <= 1'b0;
        ctx_q.restarted <= ctx_q.reading;
        ctx_q.stamp     <= ctx_q.stamp + 3'd1;
        wake_q          <= 1'b1;
      end
      ST_CTL: begin
        if (ctl_q.op == `CTL_CLEAR) begin
          ctx_q       <= '0;
          ctx_q.round <= ctl_q.round;
        end
        if (ctl_q.op == `CTL_ERROR && ctl_first && m_flush_ready) ctx_q.dead <= 1'b1;
        if (ctl_q.op == `CTL_RTS) begin
          ctx_q.live  <= 1'b1;
          ctx_q.acked <= ctl_q.psn - 24'd1;
        end
      end
      default: ;
    endcase
    if ((step_q == ST_SETTLE || (step_q == ST_ENTRY && settles)) && progress_now) begin
      ctx_q.acked       <= upto_q;
      ctx_q.retries     <= '0;
      ctx_q.rnr_retries <= '0;
      ctx_q.recovering  <= 1'b0;
      ctx_q.stamp       <= restamp;
    end
    if (take) begin
      qp_q       <= take_qp;
      source_q     <= s_ctl_valid ? SRC_CTL : s_timer_valid ? SRC_TIMER : s_lost_valid ? SRC_LOST : s_kick_valid ? SRC_KICK : SRC_RESPONSE;
      ctl_q      <= s_ctl;
      desc_q       <= s_desc;
      if (s_desc.opcode == ib_pkg::OP_RC_ATOMIC_ACKNOWLEDGE) desc_q.payload <= 13'd8;
      bare_bad_q   <= s_desc.payload != '0 || s_desc.pad_bad;
      stamp_q      <= s_timer_stamp;
      rnr_over_q   <= s_timer_rnr;
      lost_index_q <= s_lost_index;
      lost_cause_q <= s_lost_cause;
      slot_q       <= 1'b1;
      wake_q       <= 1'b0;
      vendor_q     <= '0;
      status_q     <= ib_pkg::WC_STATUS_SUCCESS;
    end
    if (ends) begin
      ctx_q.oldest <= ctx_q.oldest + 16'd1;
      wake_q       <= 1'b1;
      if (!success) ctx_q.dead <= 1'b1;
      if (entry_q.wqe_index == ctx_q.lost_index) ctx_q.lost <= 1'b0;
    end
  end
  wire [23:0] step_on      = upto_q - ctx_q.acked;
  wire        progress_now = step_on != '0 && !step_on[23];

  wire [2:0]  restamp      = ctx_q.stamp + 3'(!ctx_q.waiting);          // progress does not lengthen a wait

  cqe_t cqe;
  always_comb begin : completion
    cqe           = '0;
    cqe.qpn       = 24'(qp_q);
    cqe.wqe_index = entry_q.wqe_index;
    cqe.opcode    = entry_q.wc_opcode;
    cqe.status    = status_q;
    cqe.vendor    = 16'(vendor_q);
    if (success) begin
      cqe.byte_len   = entry_q.byte_len;
      cqe.src_qpn    = cfg_q.dest_qpn;
      cqe.pkey_index = cfg_q.pkey_index;
    end
  end

  assign m_cmd_valid     = step_q == ST_DATA || (step_q == ST_COMPLETE && shows);
  assign m_cmd_data      = step_q == ST_DATA;
  assign m_cmd_free      = step_q == ST_DATA;
  assign m_cmd_tok_valid = step_q == ST_COMPLETE || op_ends;
  assign m_cmd_tok.placed = step_q == ST_DATA;
  assign m_cmd_tok.silent = step_q == ST_DATA && !entry_q.signaled;
  assign m_cmd_tok.read  = 1'b0;
  assign m_cmd_tok.cqn   = cfg_q.send_cqn;
  assign m_cmd_tok.cqe   = cqe;

  // What was asked of the requester, and what the timers wait for.
  assign m_order_valid = step_q == ST_BACK || (step_q == ST_RNR && !rnr_give_up) || fails || m_flight_clear;
  always_comb begin : ordered
    m_order = order;
    if (step_q == ST_BACK) m_order = {order.turn + 3'd1, 1'b0, due};
    if (step_q == ST_RNR)  m_order = {order.turn + 3'd1, 1'b1, base_q + 24'd1};       // what is under way dies
    if (fails)             m_order.hold = 1'b1;                         // nothing starts until the state says so too
    if (m_flight_clear)    m_order = '0;
  end
  assign m_watch_valid = over && !(source_q == SRC_CTL && ctl_q.op == `CTL_QUERY);
  assign m_watch       = {ctx_q.waiting, ctx_q.code, ctx_q.stamp, ctx_q.acked, m_flight_clear ? 3'd0 : order.turn, ctx_q.round};
  assign m_retry_valid   = step_q == ST_RETRY && !give_up;
  assign m_timeout_valid = step_q == ST_RETRY && is_timer;
  assign m_rnr_valid     = step_q == ST_RNR && !rnr_give_up;

  wire drained_asks = s_get.kind == `FLIGHT_READ || s_get.kind == `FLIGHT_ATOMIC;
  assign m_pop_valid  = ends || step_q == ST_DRAIN;
  assign m_pop_read   = step_q == ST_DRAIN ? drained_asks : asked_q;
  assign m_list_free  = m_pop_valid && m_pop_read && !(step_q == ST_DRAIN && ctl_q.fresh);
  assign m_list_freed = step_q == ST_DRAIN ? s_get.rd_slot : entry_q.rd_slot;
  assign m_wake_valid = step_q == ST_SAVE && wake_q;
  assign m_wake_qp    = qp_q;
  assign m_free_valid = step_q == ST_SAVE && frees && (!wake_q || m_wake_ready);
  assign m_error_valid = step_q == ST_FAIL;
  assign m_flush_valid = step_q == ST_FLUSH || ctl_first;
  assign m_flush_index = ctx_q.oldest;
  logic  decided_q;                          // and straight to ST_SAVE: it meant nothing
  wire   drops         = is_response && ((step_q == ST_JUDGE && (!ctx_q.live || ctx_q.dead || (stale && !ghost))) ||
                                         (decided_q && step_q == ST_SAVE));
  wire   receives      = cfg_q.state == ib_pkg::QP_STATE_RTR || cfg_q.state == ib_pkg::QP_STATE_RTS || cfg_q.state == ib_pkg::QP_STATE_SQD;
  wire   by_state      = ctx_q.dead || !receives;
  always_ff @(posedge clk) decided_q <= !rst && step_q == ST_DECIDE;
  always_ff @(posedge clk) begin : count_drop
    m_drop_valid  <= !rst && drops;
    m_drop_reason <= by_state ? ib_pkg::DROP_REASON_STATE : ib_pkg::DROP_REASON_RESPONSE;
  end
  assign m_nak_valid   = step_q == ST_JUDGE && is_nak && ctx_q.live && !ctx_q.dead && !stale;

  wire save = over && !(source_q == SRC_CTL && ctl_q.op == `CTL_QUERY);
  prim_ram #(.WIDTH($bits(state_t'('0))), .DEPTH(QPS)) u_state (
    .clk, .wr_en(save), .wr_addr(qp_q), .wr_data(ctx_q), .rd_en(take), .rd_addr(take_qp), .rd_data(ctx));

  assign s_ctl_ready    = over && source_q == SRC_CTL;
  assign m_flight_clear = s_ctl_ready && ctl_q.op == `CTL_CLEAR;
  assign m_ctl_data     = {24'b0, ctx_q.oldest, ctx_q.acked};

  wire unused = &{1'b0, desc_q, cfg_q, order.hold, order.psn};

endmodule

`default_nettype wire
