// cmd_unit: executes commands and moves failed queue pairs to Error, one at a time, ordered against the datapath.
//
// Contract: checks and effects of each command are docs/programming.md, "Commands"; on any status but OK nothing changed. A command
//           that takes something away is done only when no engine can act on it any more. Engines hear of a change by orders
//           (ctl_t) in the sequence that keeps each field with its one writer.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"

module cmd_unit #(
  parameter int QPS      = 64,
  parameter int MRS      = 64,
  parameter int CQS      = 32,
  parameter int EQS      = 4,
  parameter int RD_DEPTH = 16,
  parameter int ENGINES  = 10
) (
  input  wire logic               clk,
  input  wire logic               rst,

  input  wire logic               s_cmd_valid,   // registers
  input  wire logic [55:0]        s_cmd,
  input  wire logic [63:0]        s_param,
  output      logic               busy,
  output      logic [7:0]         status,
  input  wire logic               s_mb_write,
  input  wire logic [4:0]         s_mb_word,
  input  wire logic [63:0]        s_mb_wdata,
  output      logic [63:0]        m_mb_rdata,
  input  wire logic               cap_resize,    // offered
  input  wire logic [3:0]         port_mtu,
  input  wire logic               async_valid,
  input  wire logic [7:0]         async_eqn,

  output      logic [QPS-1:0]     qp_owned,      // by the device
  output      logic [MRS-1:0]     mr_owned,
  output      logic [CQS-1:0]     cq_owned,
  output      logic [EQS-1:0]     eq_owned,

  output      logic               m_tbl_valid,   // tables
  input  wire logic               m_tbl_ready,
  output      logic               m_tbl_write,
  output      logic [2:0]         m_tbl_table,
  output      logic [23:0]        m_tbl_index,
  output      logic [4:0]         m_tbl_word,
  output      logic [63:0]        m_tbl_wdata,
  input  wire logic               s_tbl_rvalid,
  input  wire logic [63:0]        s_tbl_rdata,
  output      logic [15:0]        pkey_index,    // look-up
  input  wire logic [15:0]        pkey,

  output      logic               m_live_valid,  // the gate
  output      logic               m_live_set,
  output      logic [23:0]        m_live_index,
  output      logic               m_fence_valid,
  input  wire logic               m_fence_ready,
  input  wire logic               s_fence_done,
  input  wire logic               s_drained,     // all scatter commands of before m_drain are through
  output      logic               m_drain,

  output      logic [ENGINES-1:0] m_ctl_valid,   // ENGINE_* below
  input  wire logic [ENGINES-1:0] m_ctl_ready,
  output      ctl_t               m_ctl,
  input  wire logic [3*64-1:0]    s_ctl_data,    // requester, completer, responder
  input  wire logic               s_sq_empty,    // no message of the queue pair is in flight
  input  wire logic [16:0]        s_flush_sq,    // {being flushed, index of the next WQE}
  input  wire logic [16:0]        s_flush_rq,
  input  wire logic [31:0]        s_producers,   // of the queue pair asked for: RQ, SQ
  output      logic               m_wake_valid,  // the send queue may go on
  input  wire logic               m_wake_ready,
  output      logic               m_sqd_set,     // tell when its send queue has drained
  output      logic               m_sqd_clear,
  output      logic               m_cq_clear,
  output      logic               m_cq_query,
  output      logic               m_cq_hold,
  output      logic               m_cq_move,
  input  wire logic               m_cq_ready,
  input  wire logic [63:0]        s_cq_data,
  output      logic               m_eq_clear,
  output      logic               m_eq_query,
  input  wire logic               m_eq_ready,
  input  wire logic [63:0]        s_eq_data,
  output      logic [23:0]        number,        // object of the command

  input  wire logic               s_error_valid, // a queue pair failed
  output      logic               s_error_ready,
  input  wire logic [$clog2(QPS)-1:0] s_error_qp
);

  localparam int QW = $clog2(QPS);
  localparam logic [3:0] ENGINE_REQUESTER = 4'd0, ENGINE_COMPLETER = 4'd1, ENGINE_RESPONDER = 4'd2, ENGINE_FIRST_OTHER = 4'd3;
  localparam logic [2:0] TABLE_QPC = 3'd0, TABLE_MPT = 3'd1, TABLE_CQC = 3'd3, TABLE_EQC = 3'd4;

  typedef enum logic [4:0] {
    ST_IDLE, ST_DECODE, ST_LOAD, ST_LOADED, ST_CHECK, ST_MERGE, ST_VALUES, ST_PLAN, ST_STATE, ST_STORE, ST_CTL, ST_DRAIN,
    ST_OTHERS, ST_LIVE, ST_FENCE, ST_FENCED, ST_SHOW, ST_QUEUE, ST_FIT, ST_MOVE, ST_OWN, ST_WAKE, ST_SQD, ST_DONE
  } step_e;
  step_e      step_q;
  logic [7:0] op_q, modifier_q, status_q;
  logic [3:0] to_q;                          // new state of a queue pair
  logic [23:0] number_q;
  logic [20:0] attrs_q;
  logic        stray_q;                      // a bit that names no attribute
  logic       failing_q;                     // a failed queue pair, no command
  logic [4:0] word_q;
  logic [3:0] engine_q;
  logic       part_q;                        // second round of a step
  assign number = number_q;
  assign status = status_q;

  // Object, and the entry as it is or will be: the first words of QPC or MPT.
  wire is_mpt = op_q[7:4] == 4'h0 && op_q != ib_pkg::CMD_OP_NOP;
  wire is_cq  = op_q[7:4] == 4'h1;
  wire is_eq  = op_q[7:4] == 4'h2;
  wire is_qp  = op_q[7:4] == 4'h3;
  wire creates = op_q == ib_pkg::CMD_OP_SW2HW_MPT || op_q == ib_pkg::CMD_OP_SW2HW_CQ || op_q == ib_pkg::CMD_OP_SW2HW_EQ || op_q == ib_pkg::CMD_OP_CREATE_QP;
  wire ends    = op_q == ib_pkg::CMD_OP_HW2SW_MPT || op_q == ib_pkg::CMD_OP_HW2SW_CQ || op_q == ib_pkg::CMD_OP_HW2SW_EQ || op_q == ib_pkg::CMD_OP_DESTROY_QP;
  wire modifies = op_q == ib_pkg::CMD_OP_MODIFY_MPT || op_q == ib_pkg::CMD_OP_MODIFY_CQ || op_q == ib_pkg::CMD_OP_MODIFY_EQ || op_q == ib_pkg::CMD_OP_MODIFY_QP;
  wire queries = op_q == ib_pkg::CMD_OP_QUERY_MPT || op_q == ib_pkg::CMD_OP_QUERY_CQ || op_q == ib_pkg::CMD_OP_QUERY_EQ || op_q == ib_pkg::CMD_OP_QUERY_QP;
  wire resizes = op_q == ib_pkg::CMD_OP_RESIZE_CQ;
  wire known   = creates || ends || modifies || queries || resizes || op_q == ib_pkg::CMD_OP_NOP;
  wire in_table = op_q == ib_pkg::CMD_OP_NOP || number_q < (is_mpt ? 24'(MRS) : is_cq ? 24'(CQS) : is_eq ? 24'(EQS) : 24'(QPS));
  wire owned   = is_mpt ? mr_owned[number_q[$clog2(MRS)-1:0]] : is_cq ? cq_owned[number_q[$clog2(CQS)-1:0]]
               : is_eq ? eq_owned[number_q[$clog2(EQS)-1:0]] : qp_owned[number_q[QW-1:0]];

  logic [63:0] image_q [0:`CFG_WORDS-1];
  logic [`CFG_W-1:0] image;
  for (genvar i = 0; i < `CFG_WORDS; i++) begin : g_image
    assign image[i*64 +: 64] = image_q[i];
  end
  qpc_t qpc;
  mpt_t mpt;
  cqc_t cqc;
  eqc_t eqc;
  assign qpc = ib_pkg::QPC_W'(image);
  assign mpt = image[511:0];
  assign cqc = 256'(image[127:0]);
  assign eqc = 256'(image[127:0]);
  wire [4:0] last_word = is_qp ? 5'd8 : is_mpt ? 5'd7 : 5'd1;

  // Mailbox.
  logic [63:0] mailbox_q [0:31];
  logic        show;
  logic [4:0]  show_word;
  logic [63:0] show_data;
  always_ff @(posedge clk) begin : mailbox
    if (show) mailbox_q[show_word] <= show_data;
    else if (s_mb_write) mailbox_q[s_mb_word] <= s_mb_wdata;
  end
  initial for (int i = 0; i < 32; i++) mailbox_q[i] = '0;
  assign m_mb_rdata = mailbox_q[s_mb_word];
  wire [63:0] mail = mailbox_q[word_q];

  // Who uses whom.
  logic [QW:0]          cq_refs_q [0:CQS-1];
  logic [$clog2(CQS):0] eq_refs_q [0:EQS-1];
  wire [$clog2(CQS)-1:0] send_cq = qpc.send_cqn[$clog2(CQS)-1:0];
  wire [$clog2(CQS)-1:0] recv_cq = qpc.recv_cqn[$clog2(CQS)-1:0];
  wire cq_used = cq_refs_q[number_q[$clog2(CQS)-1:0]] != '0;
  wire eq_used = eq_refs_q[number_q[$clog2(EQS)-1:0]] != '0 || (async_valid && async_eqn == number_q[7:0]);

  // Queue pair transitions (10.3.1, 11.2.4.2).
  wire [3:0]  from     = qpc.state;
  wire        to_reset = to_q == ib_pkg::QP_STATE_RESET;
  wire        legal    = ib_pkg::qp_transition_legal(from, to_q);
  wire [20:0] required = ib_pkg::qp_attr_required(from, to_q);
  wire [20:0] optional = ib_pkg::qp_attr_optional(from, to_q);
  wire [20:0] named    = attrs_q & ~21'd3;                              // state and cur_state may always be named
  // In Reset all attributes are 0 (C10-21).
  wire [63:0] mask     = ib_pkg::qp_attr_word_mask(word_q, to_reset ? ~21'd3 : named);

  // Attributes that change only when the send queue has drained.
  localparam logic [20:0] NEED_DRAINED = (21'd1 << ib_pkg::QP_ATTR_AV) | (21'd1 << ib_pkg::QP_ATTR_PORT) | (21'd1 << ib_pkg::QP_ATTR_PKEY_INDEX) |
    (21'd1 << ib_pkg::QP_ATTR_TIMEOUT) | (21'd1 << ib_pkg::QP_ATTR_RETRY_CNT) | (21'd1 << ib_pkg::QP_ATTR_RNR_RETRY) |
    (21'd1 << ib_pkg::QP_ATTR_MAX_RD_ATOMIC) | (21'd1 << ib_pkg::QP_ATTR_MAX_DEST_RD_ATOMIC);

  // Values in range.
  assign pkey_index = qpc.pkey_index;
  wire   mtu_ok   = qpc.path_mtu >= ib_pkg::MTU_CODE_MTU_256 && qpc.path_mtu <= ib_pkg::MTU_CODE_MTU_4096 && qpc.path_mtu <= port_mtu;
  wire   qp_values = (!named[ib_pkg::QP_ATTR_PATH_MTU] || mtu_ok) &&
                     (!named[ib_pkg::QP_ATTR_PKEY_INDEX] || (qpc.pkey_index < 16'(ib_pkg::PKEYS) && pkey[14:0] != '0)) &&
                     (!named[ib_pkg::QP_ATTR_PORT] || qpc.port == 8'd1) &&
                     (!named[ib_pkg::QP_ATTR_AV] || qpc.sgid_index < 8'(ib_pkg::GIDS)) &&
                     (!named[ib_pkg::QP_ATTR_MAX_RD_ATOMIC] || qpc.max_rd_atomic <= 8'(RD_DEPTH)) &&
                     (!named[ib_pkg::QP_ATTR_MAX_DEST_RD_ATOMIC] || qpc.max_dest_rd_atomic <= 8'(RD_DEPTH));
  wire   qp_create = qpc.service == ib_pkg::SERVICE_RC && qpc.send_cqn < 24'(CQS) && qpc.recv_cqn < 24'(CQS) &&
                     cq_owned[send_cq] && cq_owned[recv_cq] && qpc.sq_log_stride <= 4'd3 && qpc.rq_log_stride <= 4'd3 &&
                     qpc.uar < 16'(ib_pkg::UARS);
  wire [64:0] mpt_end = {1'b0, mpt.start} + {1'b0, mpt.length};
  wire   mpt_ok   = mpt.page_shift >= 6'd12 && mpt.page_shift <= 6'd30 && (mpt.local_write || !(mpt.remote_write || mpt.remote_atomic)) &&
                    mpt.length <= 64'h8000_0000_0000_0000 && (!mpt_end[64] || mpt_end[63:0] == '0);
  wire   cq_ok    = cqc.log_size <= 5'd20 && cqc.eqn < 8'(EQS) && eq_owned[cqc.eqn[$clog2(EQS)-1:0]];
  wire   eq_ok    = eqc.log_size <= 5'd20;
  wire [7:0] mail_eqn = mail[39:32];

  // Another ring of a CQ: what is not freed of the one before counts in it.
  logic [63:0] answer_q [0:2];               // of the engines, kept until they are shown
  wire [23:0] cq_left  = answer_q[0][23:0] - answer_q[0][47:24];
  wire [4:0]  new_log  = mail[28:24];
  wire [23:0] new_size = 24'd1 << new_log;
  wire        cq_error = answer_q[0][50];

  assign s_error_ready = step_q == ST_IDLE && !s_cmd_valid;
  wire   take_error    = s_error_valid && s_error_ready;

  // Table access: reads of whole entries, writes of their words, state of a queue pair first or last.
  wire   [2:0] table_of = is_mpt ? TABLE_MPT : is_cq ? TABLE_CQC : is_eq ? TABLE_EQC : TABLE_QPC;
  assign m_tbl_valid = (step_q == ST_LOAD && !part_q) || step_q == ST_STATE || step_q == ST_STORE;
  assign m_tbl_write = step_q != ST_LOAD;
  assign m_tbl_table = table_of;
  assign m_tbl_index = number_q;
  assign m_tbl_word  = step_q == ST_STATE ? 5'd0 : word_q;
  wire [63:0] with_state = {image_q[0][63:4], to_q};
  wire [63:0] with_ring  = {image_q[0][63:29], mail[28:0]};
  assign m_tbl_wdata = step_q == ST_STATE || (is_qp && word_q == '0) ? with_state : resizes ? with_ring : image_q[word_q[3:0]];

  // Each Reset starts another life of a queue pair: what is under way of the one before is told apart by it.
  (* ram_style = "distributed" *) logic round_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) round_mem[i] = 1'b0;
  wire round = round_mem[number_q[QW-1:0]];
  always_ff @(posedge clk) if (step_q == ST_STATE && to_reset && m_tbl_ready) round_mem[number_q[QW-1:0]] <= !round;

  // Orders leave from a register, and that one was taken is seen a cycle later: no path of an engine begins or goes on in here.
  logic               taken_q;
  logic [ENGINES-1:0] asks, order_q;
  always_ff @(posedge clk) begin : order
    taken_q <= !rst && (m_ctl_valid & m_ctl_ready) != '0;
    order_q <= rst || taken_q ? '0 : asks;
  end
  assign m_ctl_valid = taken_q ? '0 : order_q;

  wire enters_error = to_q == ib_pkg::QP_STATE_ERR;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      step_q    <= ST_IDLE;
      status_q  <= ib_pkg::CMD_STATUS_OK;
      busy      <= 1'b0;
      failing_q <= 1'b0;
      part_q    <= 1'b0;
      qp_owned  <= '0;
      mr_owned  <= '0;
      cq_owned  <= '0;
      eq_owned  <= '0;
      for (int i = 0; i < CQS; i++) cq_refs_q[i] <= '0;
      for (int i = 0; i < EQS; i++) eq_refs_q[i] <= '0;
    end else begin
      if (s_cmd_valid) begin
        busy <= 1'b1;
      end
      case (step_q)
        ST_IDLE: begin
          word_q <= '0;
          part_q <= 1'b0;
          if (take_error) begin
            failing_q  <= 1'b1;
            op_q       <= ib_pkg::CMD_OP_MODIFY_QP;
            to_q       <= ib_pkg::QP_STATE_ERR;
            number_q   <= 24'(s_error_qp);
            attrs_q    <= '0;
            stray_q    <= 1'b0;
            step_q     <= ST_LOAD;
          end else if (busy || s_cmd_valid) begin
            failing_q  <= 1'b0;
            op_q       <= s_cmd[ib_pkg::REG_CMD_OP_LSB +: 8];
            to_q       <= s_cmd[ib_pkg::REG_CMD_OP_LSB +: 8] == ib_pkg::CMD_OP_MODIFY_QP ? s_cmd[ib_pkg::REG_CMD_MODIFIER_LSB +: 4]
                                                                                       : ib_pkg::QP_STATE_RESET;
            modifier_q <= s_cmd[ib_pkg::REG_CMD_MODIFIER_LSB +: 8];
            number_q   <= s_cmd[ib_pkg::REG_CMD_NUMBER_LSB +: 24];
            attrs_q    <= s_param[20:0];
            stray_q    <= s_param[63:21] != '0;
            step_q     <= ST_DECODE;
          end
        end

        ST_DECODE: begin
          status_q <= ib_pkg::CMD_STATUS_OK;
          if (!known) begin
            status_q <= ib_pkg::CMD_STATUS_BAD_OP;
            step_q   <= ST_DONE;
          end else if (!in_table) begin
            status_q <= ib_pkg::CMD_STATUS_BAD_RESOURCE;
            step_q   <= ST_DONE;
          end else if (op_q == ib_pkg::CMD_OP_NOP) begin
            step_q <= ST_DONE;
          end else if (creates == owned) begin
            status_q <= ib_pkg::CMD_STATUS_BAD_OWNER;
            step_q   <= ST_DONE;
          end else if (resizes && !cap_resize) begin
            status_q <= ib_pkg::CMD_STATUS_BAD_OP;
            step_q   <= ST_DONE;
          end else begin
            step_q <= ST_LOAD;
          end
        end

        // The entry, word by word.
        ST_LOAD: begin
          if (!part_q && m_tbl_ready) part_q <= 1'b1;
          if (part_q && s_tbl_rvalid) begin
            part_q <= 1'b0;
            image_q[word_q[3:0]] <= s_tbl_rdata;
            word_q <= word_q == last_word ? '0 : word_q + 5'd1;
            if (word_q == last_word) step_q <= ST_LOADED;
          end
        end
        ST_LOADED: step_q <= queries || resizes ? ST_QUEUE : failing_q || op_q == ib_pkg::CMD_OP_MODIFY_QP ? ST_CHECK
                            : op_q == ib_pkg::CMD_OP_MODIFY_MPT || op_q == ib_pkg::CMD_OP_CREATE_QP ? ST_MERGE : ST_VALUES;

        // A transition: legal, all required attributes named, no others.
        ST_CHECK: begin
          step_q <= ST_MERGE;
          if (failing_q) begin
            step_q <= from == ib_pkg::QP_STATE_RESET || from == ib_pkg::QP_STATE_ERR ? ST_DONE : ST_STATE;
          end else if (!legal || modifier_q[7:4] != '0) begin
            status_q <= ib_pkg::CMD_STATUS_BAD_QP_STATE;
            step_q   <= ST_DONE;
          end else if (from == ib_pkg::QP_STATE_SQD && !s_sq_empty && (to_q == ib_pkg::QP_STATE_RTS || (named & NEED_DRAINED) != '0) &&
                       !to_reset && !enters_error) begin
            status_q <= ib_pkg::CMD_STATUS_BAD_QP_STATE;               // not drained (10.3.1.5)
            step_q   <= ST_DONE;
          end else if ((required & ~named) != '0) begin
            status_q <= ib_pkg::CMD_STATUS_MISSING_ATTR;
            step_q   <= ST_DONE;
          end else if (stray_q || (named & ~required & ~optional) != '0) begin
            status_q <= ib_pkg::CMD_STATUS_BAD_ATTR;
            step_q   <= ST_DONE;
          end
        end

        // New values out of the mailbox.
        ST_MERGE: begin
          image_q[word_q[3:0]] <= is_qp ? (image_q[word_q[3:0]] & ~mask) | (to_reset ? '0 : mail & mask) : mail;
          word_q <= word_q == last_word ? '0 : word_q + 5'd1;
          if (word_q == last_word) step_q <= ST_VALUES;
        end

        ST_VALUES: begin
          step_q <= ST_PLAN;
          if ((op_q == ib_pkg::CMD_OP_MODIFY_QP && !qp_values) || (op_q == ib_pkg::CMD_OP_CREATE_QP && !qp_create) ||
              ((op_q == ib_pkg::CMD_OP_SW2HW_MPT || op_q == ib_pkg::CMD_OP_MODIFY_MPT) && !mpt_ok) ||
              (op_q == ib_pkg::CMD_OP_SW2HW_CQ && !cq_ok) || (op_q == ib_pkg::CMD_OP_SW2HW_EQ && !eq_ok) ||
              (op_q == ib_pkg::CMD_OP_MODIFY_CQ && (mail_eqn >= 8'(EQS) || !eq_owned[mail_eqn[$clog2(EQS)-1:0]]))) begin
            status_q <= ib_pkg::CMD_STATUS_BAD_PARAM;
            step_q   <= ST_DONE;
          end
          if ((op_q == ib_pkg::CMD_OP_HW2SW_CQ && cq_used) || (op_q == ib_pkg::CMD_OP_HW2SW_EQ && eq_used)) begin
            status_q <= ib_pkg::CMD_STATUS_BUSY;
            step_q   <= ST_DONE;
          end
        end

        // From here on nothing is refused.
        ST_PLAN: begin
          word_q   <= last_word;
          engine_q <= ENGINE_REQUESTER;
          part_q   <= 1'b0;
          if (is_mpt) step_q <= ST_LIVE;
          else if (is_cq || is_eq) begin
            if (op_q == ib_pkg::CMD_OP_MODIFY_CQ || op_q == ib_pkg::CMD_OP_MODIFY_EQ) begin
              image_q[0][39:32] <= mail_eqn;
              word_q <= '0;
              step_q <= ST_STORE;
            end else step_q <= creates ? ST_QUEUE : ST_OWN;
          end else if (to_reset || enters_error) step_q <= ST_STATE;
          else if (to_q == ib_pkg::QP_STATE_RTR || (to_q == ib_pkg::QP_STATE_RTS && from == ib_pkg::QP_STATE_RTR)) begin
            engine_q <= to_q == ib_pkg::QP_STATE_RTR ? ENGINE_RESPONDER : ENGINE_REQUESTER;
            step_q   <= ST_CTL;
          end else step_q <= ST_STORE;
        end

        // The state first: engines that look from now on stop. Then they are told, then what is under way drains.
        ST_STATE: if (m_tbl_ready) begin
          image_q[0] <= with_state;
          engine_q   <= ENGINE_REQUESTER;
          part_q     <= 1'b0;
          step_q     <= ST_CTL;
        end
        // Requester (once to see it between turns), completer, requester, responder.
        ST_CTL: if (taken_q) begin
          if (to_reset) begin
            if (engine_q == ENGINE_REQUESTER && !part_q) engine_q <= ENGINE_COMPLETER;
            else if (engine_q == ENGINE_COMPLETER) begin
              engine_q <= ENGINE_REQUESTER;
              part_q   <= 1'b1;
            end else if (engine_q == ENGINE_REQUESTER) engine_q <= ENGINE_RESPONDER;
            else step_q <= ST_DRAIN;
          end else if (enters_error) begin
            engine_q <= engine_q + 4'd1;
            if (engine_q == ENGINE_RESPONDER) step_q <= ST_DONE;
          end else if (engine_q == ENGINE_REQUESTER) begin
            engine_q <= ENGINE_COMPLETER;
          end else begin
            word_q <= last_word;
            step_q <= ST_STORE;
          end
        end
        ST_DRAIN: begin
          engine_q <= ENGINE_FIRST_OTHER;
          part_q   <= 1'b0;
          if (!m_drain && s_drained) step_q <= ST_OTHERS;
        end
        ST_OTHERS: if (taken_q) begin
          engine_q <= engine_q + 4'd1;
          word_q   <= last_word;
          if (engine_q == 4'(ENGINES - 1)) step_q <= ends ? ST_OWN : ST_STORE;
        end

        // Words from last to first: the state comes last.
        ST_STORE: if (m_tbl_ready) begin
          word_q <= word_q - 5'd1;
          if (word_q == '0) begin
            part_q <= 1'b1;
            step_q <= is_mpt ? ST_LIVE : resizes ? ST_MOVE : is_qp && to_q == ib_pkg::QP_STATE_RTS ? ST_WAKE : is_qp && to_q == ib_pkg::QP_STATE_SQD ? ST_SQD : is_cq || creates ? ST_OWN : ST_DONE;
          end
        end
        ST_WAKE: if (m_wake_ready) step_q <= ST_DONE;
        // The requester between two turns starts nothing more: from now on the send queue drains.
        ST_SQD: if (taken_q) step_q <= ST_DONE;

        // Keys stop working at once; nothing goes on by them after the fence. They work when the entry is whole.
        ST_LIVE: begin
          if (creates || (modifies && part_q)) step_q <= ST_OWN;
          else step_q <= ST_FENCE;
        end
        ST_FENCE: if (m_fence_ready) step_q <= ST_FENCED;
        ST_FENCED: if (s_fence_done) begin
          word_q <= last_word;
          step_q <= modifies ? ST_STORE : ST_OWN;
        end

        // Counters of a CQ or EQ are shown or set to zero; what the engines know of a queue pair is shown.
        ST_QUEUE: begin
          part_q <= 1'b1;
          if (!part_q) engine_q <= ENGINE_REQUESTER;
          else if (is_qp && taken_q) engine_q <= engine_q + 4'd1;
          if (is_cq ? m_cq_ready : is_eq ? m_eq_ready : is_mpt || (part_q && engine_q == ENGINE_RESPONDER && taken_q)) begin
            word_q <= '0;
            step_q <= queries ? ST_SHOW : resizes ? ST_FIT : ST_OWN;
          end
        end

        // The CQ is held between two completions: it moves if it may, then goes on.
        ST_FIT: begin
          step_q <= ST_STORE;
          if (cq_error || new_log > 5'd20 || cq_left > new_size) begin
            status_q <= cq_error ? ib_pkg::CMD_STATUS_BAD_CQ_STATE : new_log > 5'd20 ? ib_pkg::CMD_STATUS_BAD_PARAM : ib_pkg::CMD_STATUS_BAD_SIZE;
            step_q   <= ST_DONE;
          end
        end
        ST_MOVE: begin
          word_q <= '0;
          step_q <= ST_SHOW;
        end
        ST_SHOW: begin
          word_q <= word_q + 5'd1;
          if (word_q == (is_qp ? 5'd31 : is_mpt ? 5'd7 : 5'd3)) step_q <= ST_DONE;
        end

        ST_OWN: begin
          if (is_mpt) mr_owned[number_q[$clog2(MRS)-1:0]] <= !ends;
          if (is_cq) begin
            cq_owned[number_q[$clog2(CQS)-1:0]] <= !ends;
          end
          if (is_eq) eq_owned[number_q[$clog2(EQS)-1:0]] <= !ends;
          if (is_qp) qp_owned[number_q[QW-1:0]] <= !ends;
          step_q <= ST_DONE;
        end

        ST_DONE: begin
          if (!failing_q) busy <= 1'b0;
          failing_q <= 1'b0;
          step_q    <= ST_IDLE;
        end
        default: step_q <= ST_IDLE;
      endcase

      // References: a queue pair names two CQs, a CQ an EQ.
      if (step_q == ST_OWN && is_qp) begin
        for (int i = 0; i < CQS; i++) begin
          if (!ends) cq_refs_q[i] <= cq_refs_q[i] + (QW+1)'(send_cq == $clog2(CQS)'(i)) + (QW+1)'(recv_cq == $clog2(CQS)'(i) && recv_cq != send_cq);
          else       cq_refs_q[i] <= cq_refs_q[i] - (QW+1)'(send_cq == $clog2(CQS)'(i)) - (QW+1)'(recv_cq == $clog2(CQS)'(i) && recv_cq != send_cq);
        end
      end
      for (int i = 0; i < EQS; i++) begin
        if (step_q == ST_OWN && is_cq && !modifies)
          eq_refs_q[i] <= ends ? eq_refs_q[i] - ($clog2(CQS)+1)'(cqc.eqn == 8'(i)) : eq_refs_q[i] + ($clog2(CQS)+1)'(cqc.eqn == 8'(i));
        if (step_q == ST_PLAN && op_q == ib_pkg::CMD_OP_MODIFY_CQ)
          eq_refs_q[i] <= eq_refs_q[i] - ($clog2(CQS)+1)'(cqc.eqn == 8'(i)) + ($clog2(CQS)+1)'(mail_eqn == 8'(i));
      end
    end
  end

  // Orders.
  always_comb begin : orders
    asks        = '0;
    m_ctl.qpn   = number_q;
    m_ctl.round = round;
    m_ctl.fresh = op_q == ib_pkg::CMD_OP_CREATE_QP;
    m_ctl.op    = `CTL_CLEAR;
    m_ctl.psn   = engine_q == ENGINE_RESPONDER ? qpc.rq_psn : qpc.sq_psn;
    if (step_q == ST_CTL || step_q == ST_OTHERS) asks[engine_q] = 1'b1;
    if (step_q == ST_QUEUE && is_qp && part_q) asks[engine_q] = 1'b1;
    if (step_q == ST_SQD) asks[ENGINE_REQUESTER] = 1'b1;
    if (step_q == ST_QUEUE || step_q == ST_SQD) m_ctl.op = `CTL_QUERY;
    else if (step_q == ST_CTL && to_reset) m_ctl.op = engine_q == ENGINE_REQUESTER && !part_q ? `CTL_QUERY : `CTL_CLEAR;
    else if (step_q == ST_CTL && enters_error) m_ctl.op = engine_q == ENGINE_REQUESTER ? `CTL_QUERY : `CTL_ERROR;
    else if (step_q == ST_CTL) m_ctl.op = to_q == ib_pkg::QP_STATE_RTR ? `CTL_RTR : `CTL_RTS;
  end

  always_ff @(posedge clk) begin : answers
    for (int i = 0; i < 3; i++) if (step_q == ST_QUEUE && m_ctl_valid[i] && m_ctl_ready[i]) answer_q[i] <= s_ctl_data[i*64 +: 64];
    if (step_q == ST_QUEUE && is_cq && m_cq_ready) answer_q[0] <= s_cq_data;
    if (step_q == ST_QUEUE && is_eq && m_eq_ready) answer_q[0] <= s_eq_data;
  end
  assign show      = step_q == ST_SHOW;
  assign show_word = word_q;
  always_comb begin : shown
    show_data = '0;
    if (is_cq || is_eq) show_data = word_q < 5'd2 ? image_q[word_q[3:0]] : word_q == 5'd2 ? answer_q[0] : '0;
    else if (is_mpt)    show_data = image_q[word_q[3:0]];
    else if (word_q < 5'(`CFG_WORDS)) show_data = image_q[word_q[3:0]];
    else if (word_q == 5'd16) show_data = {32'b0, s_producers};
    else if (word_q == 5'd17) show_data = answer_q[0];
    else if (word_q == 5'd18) show_data = s_flush_sq[16] ? {answer_q[1][63:40], s_flush_sq[15:0], answer_q[1][23:0]} : answer_q[1];
    else if (word_q == 5'd19) show_data = s_flush_rq[16] ? {s_flush_rq[15:0], answer_q[2][47:0]} : answer_q[2];
  end

  assign m_live_valid  = step_q == ST_LIVE;
  assign m_live_set    = creates || (modifies && part_q);
  assign m_live_index  = number_q;
  assign m_fence_valid = step_q == ST_FENCE;
  assign m_drain       = step_q == ST_DRAIN && part_q;
  assign m_wake_valid  = step_q == ST_WAKE;
  assign m_sqd_set     = step_q == ST_SQD && taken_q && qpc.sqd_notify && from == ib_pkg::QP_STATE_RTS;
  assign m_sqd_clear   = step_q == ST_WAKE || step_q == ST_STATE;
  assign m_cq_clear    = step_q == ST_QUEUE && is_cq && creates;
  assign m_cq_query    = step_q == ST_QUEUE && is_cq && queries;
  assign m_cq_hold     = resizes && (step_q == ST_QUEUE || step_q == ST_FIT || step_q == ST_STORE || step_q == ST_MOVE);
  assign m_cq_move     = step_q == ST_MOVE;
  assign m_eq_clear    = step_q == ST_QUEUE && is_eq && !queries;
  assign m_eq_query    = step_q == ST_QUEUE && is_eq && queries;

  wire unused = &{1'b0, qpc, mpt, cqc, eqc, s_cmd, s_param, mpt_end};

endmodule

`default_nettype wire
