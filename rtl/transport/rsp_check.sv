// rsp_check: judges request packets in the standard's order and moves their queue pair's context on, before memory has been judged (9.7.4).
//
// Contract: a packet is parked, or leaves as one record that says what is still to be done. The context goes on as if the plan of
//           its memory were allowed; if it is not the queue pair fails and what was judged after it is void (rsp_commit).
//           SENDs and WRITEs behind an atomic wait until it is executed (9.5); if it cannot be they are dropped.
//           The checks and their order are docs/programming.md, "What the device does with a connection". An order waits
//           until the records from before it are done; meanwhile packets of other queue pairs go on.
// Timing:   6 cycles a WRITE packet, 7 a SEND, for packets of one queue pair; one less for others.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "mem_types.svh"
`include "responder.svh"

module rsp_check #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   cap_atomics,     // offered

  input  wire logic                   s_desc_valid,    // new packets
  output      logic                   s_desc_ready,
  input  wire rx_desc_t               s_desc,
  input  wire logic                   s_parked_valid,  // packets that waited for a receive WQE
  input  wire rx_desc_t               s_parked,
  output      logic                   m_park,
  output      logic                   m_parked_drop,
  output      logic                   m_parked_keep,
  output      logic                   m_retry,
  input  wire logic                   parked,          // packets of look_qp wait
  output      rx_desc_t               m_desc,          // the packet in hand

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,

  output      logic [$clog2(QPS)-1:0] look_qp,
  input  wire logic                   dead,            // failed: nothing is executed any more
  input  wire logic [15:0]            arrived,         // receive WQE store and doorbells
  input  wire logic                   bad,
  input  wire logic [15:0]            posted,
  input  wire logic [7:0]             reads_closed,    // READs and atomics that were answered
  input  wire logic [7:0]             executed,        // of them: no atomic is left to execute in so many
  input  wire logic                   execution_failed,
  output      logic                   m_rd_valid,      // receive WQE: shows one cycle later
  output      logic [15:0]            m_rd_index,
  output      logic [1:0]             m_rd_log_stride,
  output      logic [4:0]             m_rd_word,
  input  wire logic [255:0]           s_word,
  output      logic                   m_used_valid,

  input  wire logic                   plan_idle,       // rsp_plan
  output      logic                   m_plan_start,
  output      logic                   m_plan_direct,
  output      logic [31:0]            m_plan_key,
  output      logic [63:0]            m_plan_va,
  output      logic [31:0]            m_plan_len,
  output      logic [3:0]             m_plan_rights,
  output      logic [12:0]            m_plan_need,
  output      logic [23:0]            m_plan_pd,
  output      logic [4:0]             m_plan_seg,
  output      logic [31:0]            m_plan_seg_offset,
  output      logic [4:0]             m_plan_segments,
  input  wire logic                   plan_word_valid,
  input  wire logic [2:0]             plan_word,
  input  wire logic                   plan_asked,
  input  wire logic [4:0]             plan_seg,
  input  wire logic [31:0]            plan_seg_offset,

  output      logic                   m_rsp_valid,
  output      rsp_t                   m_rsp,
  input  wire logic                   rsp_room,        // for two more
  input  wire logic                   rsp_done,        // one is done

  output      logic                   m_flush_valid,   // receive WQEs from this index on are flushed
  input  wire logic                   m_flush_ready,
  output      logic [15:0]            m_flush_index,

  input  wire logic                   s_ctl_valid,
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl,
  output      logic [63:0]            m_ctl_data       // CTL_QUERY: word 19 of the QPC
);

  localparam int QW = $clog2(QPS);

  // What this engine knows of a queue pair; nobody else writes it.
  typedef struct packed {
    logic        live;                       // RTR was reached since Reset
    logic        established;                // a request was accepted
    logic        nak_sent;                   // of a gap or RNR: no further one until the expected PSN comes
    logic [23:0] epsn;
    logic [23:0] msn;
    logic [15:0] index;                      // receive WQE in use, or next
    logic        in_send;                    // a SEND is under way
    logic        in_write;                   // a WRITE is under way
    logic [63:0] va;                         // WRITE: next byte
    logic [31:0] rkey;
    logic [31:0] left;                       // WRITE: bytes to come
    logic [31:0] placed;                     // bytes of the message
    logic [4:0]  seg;                        // SEND: place in the receive WQE
    logic [31:0] seg_offset;
    logic [4:0]  segments;
    logic [7:0]  reads;                      // READs and atomics accepted
    logic [7:0]  barrier;                   // so many have to be executed before SENDs and WRITEs go on
    logic        behind;                     // an atomic is among them
  } state_t;

  typedef enum logic [2:0] {ST_IDLE, ST_CTX, ST_WEIGH, ST_JUDGE, ST_PLAN, ST_PUSH, ST_CTL} step_e;

  step_e         step_q;
  logic [QW-1:0] qp_q;
  state_t        ctx, ctx_q;
  rx_desc_t      desc_q;
  ctl_t          ctl_q;
  qpc_t          cfg, cfg_q;
  rsp_t          rsp, rsp_q;
  logic          resumed_q;                  // desc_q came from the parked ones
  wqe_header_t   header;
  assign cfg    = ib_pkg::QPC_W'(s_cfg_data);
  assign header = s_word;

  wire [7:0]  opcode    = desc_q.opcode;
  wire [12:0] mtu       = 13'd128 << cfg_q.path_mtu;
  wire        is_send   = opcode <= ib_pkg::OP_RC_SEND_ONLY_IMM;
  wire        is_write  = opcode >= ib_pkg::OP_RC_WRITE_FIRST && opcode <= ib_pkg::OP_RC_WRITE_ONLY_IMM;
  wire        is_read   = opcode == ib_pkg::OP_RC_READ_REQUEST;
  wire        is_atomic = opcode == ib_pkg::OP_RC_COMPARE_SWAP || opcode == ib_pkg::OP_RC_FETCH_ADD;
  wire        asks      = is_read || is_atomic;
  wire        first     = ib_pkg::op_is_first(opcode);
  wire        last      = ib_pkg::op_is_last(opcode);
  wire        with_imm  = ib_pkg::op_has_immdt(opcode);
  wire        has_reth  = ib_pkg::op_has_reth(opcode);
  wire        takes_wqe = is_send || (is_write && with_imm);

  // PSN: expected, duplicate or beyond (9.7.4.1.2).
  wire [23:0] distance = desc_q.psn - ctx_q.epsn;

  // Opcode sequence (9.7.4.1.3), rights of the queue pair, resources, lengths (9.7.4.1.5 to 9.7.4.1.7).
  wire in_message  = ctx_q.in_send || ctx_q.in_write;
  wire sequence_d  = first ? !in_message : (is_send ? ctx_q.in_send : ctx_q.in_write);
  wire enabled_d   = is_send || (is_write && cfg_q.remote_write) || (is_read && cfg_q.remote_read) ||
                     (is_atomic && cfg_q.remote_atomic && cap_atomics);
  wire [7:0] open_reads = ctx_q.reads - reads_closed;
  wire room_d      = !asks || (open_reads < cfg_q.max_dest_rd_atomic && (!is_atomic || desc_q.va[2:0] == '0));
  wire [31:0] left = has_reth ? desc_q.dma_len : ctx_q.left;            // of a duplicate without RETH nobody knows it
  wire payload_ok  = !desc_q.pad_bad && (asks ? desc_q.payload == '0
                                        : !last ? desc_q.payload == mtu
                                        : desc_q.payload <= mtu && (first || desc_q.payload != '0));
  wire length_d    = payload_ok && (!has_reth || desc_q.dma_len <= 32'h8000_0000);
  wire rest_d      = !is_write || (last ? left == 32'(desc_q.payload) : left > 32'(desc_q.payload));

  // The receive WQE that a message needs: is one posted, is it here, is it sound?
  wire needs_d     = takes_wqe && (is_send ? first : last);
  wire [6:0] slot_segments = 7'd4 << cfg_q.rq_log_stride[1:0];
  wire header_d    = !bad && header.mark == 8'(ib_pkg::WQE_MARK) && header.index == ctx_q.index && header.opcode == ib_pkg::WR_OPCODE_RECV &&
                     header.segments <= 8'(ib_pkg::MAX_SGE) && header.segments + 8'd2 <= {1'b0, slot_segments} && !header.inline;

  wire [7:0]  unexecuted = ctx_q.barrier - executed;
  wire        behind_d   = ctx_q.behind && unexecuted != '0 && !unexecuted[7];

  // A READ takes as many PSNs as it has responses.
  wire [31:0] round_up = desc_q.dma_len + 32'(mtu) - 32'd1;
  wire [23:0] psn_step = is_read && desc_q.dma_len != '0 ? 24'(round_up >> (5'd7 + {1'b0, cfg_q.path_mtu})) : 24'd1;

  // Weighed in one cycle, judged by in the next.
  logic expected, older, sequence_ok, enabled, room, length_ok, rest_ok, needs, empty, absent, header_ok, behind, undone;
  logic [4:0]  segments_q;
  logic [23:0] psn_step_q;
  always_ff @(posedge clk) if (step_q == ST_WEIGH) begin : weigh
    expected    <= distance == '0;
    older       <= distance[23];
    sequence_ok <= sequence_d;
    enabled     <= enabled_d;
    room        <= room_d;
    length_ok   <= length_d;
    rest_ok     <= rest_d;
    needs       <= needs_d;
    empty       <= posted == ctx_q.index;
    absent      <= arrived == ctx_q.index;
    header_ok   <= header_d;
    behind      <= behind_d;
    undone      <= execution_failed;
    segments_q  <= header.segments[4:0];
    psn_step_q  <= psn_step;
  end

  logic failed_q;                            // an order told its queue pair to fail
  wire dropped = !ctx_q.live || dead || failed_q || undone;
  wire queued  = parked && !resumed_q;                                  // others of its queue pair wait before it
  wire valid   = sequence_ok && enabled && room && length_ok && rest_ok;
  wire waits   = !dropped && (queued || (expected && valid && ((behind && !asks) || (needs && !empty && absent))));
  wire takes   = !dropped && expected && valid;                         // it is executed, if its receive WQE and its memory allow
  wire again   = !dropped && older && asks && enabled && length_ok && (!is_atomic || desc_q.va[2:0] == '0);
  wire not_ready = takes && needs && empty;
  wire bad_wqe   = takes && needs && !empty && !header_ok;
  wire accepts   = takes && !not_ready && !bad_wqe;
  wire sound     = enabled && length_ok && (rest_ok || !has_reth);      // for itself, whatever came before it
  // A WRITE's keys are judged before it takes a receive WQE (C10-87); a SEND without one has no memory to judge.
  wire plans     = (takes && !(is_send && (not_ready || bad_wqe))) || again;

  wire        opens    = is_send && first;
  wire [63:0] write_va = has_reth ? desc_q.va : ctx_q.va;
  wire [31:0] write_key = has_reth || is_atomic ? desc_q.rkey : ctx_q.rkey;
  assign m_plan_start      = step_q == ST_JUDGE && plans && !waits && plan_idle;
  assign m_plan_direct     = !is_send;
  assign m_plan_pd         = cfg_q.pd;
  assign m_plan_key        = write_key;
  assign m_plan_va         = asks ? desc_q.va : write_va;
  assign m_plan_len        = is_atomic ? 32'd8 : has_reth ? desc_q.dma_len : 32'(desc_q.payload);
  assign m_plan_rights     = is_atomic ? `NEED_REMOTE_ATOMIC : is_read ? `NEED_REMOTE_READ : `NEED_REMOTE_WRITE;
  assign m_plan_need       = desc_q.payload;
  assign m_plan_seg        = opens ? 5'd0 : ctx_q.seg;
  assign m_plan_seg_offset = opens ? 32'd0 : ctx_q.seg_offset;
  assign m_plan_segments   = opens ? segments_q : ctx_q.segments;

  // An order is due when none of its queue pair is in hand and what was pushed before is done.
  logic [3:0] held_q, ahead_q;               // records not done: all, those from before the order
  logic       due_q;
  wire        in_hand = step_q != ST_IDLE && step_q != ST_CTL && qp_q == s_ctl.qpn[QW-1:0];
  wire        stands  = s_ctl_valid && !in_hand;
  wire [3:0]  held    = held_q + 4'(m_rsp_valid) - 4'(rsp_done);
  always_ff @(posedge clk) begin : wait_for_records
    held_q  <= rst ? '0 : held;
    ahead_q <= rst ? '0 : !stands ? held : ahead_q - 4'(rsp_done && ahead_q != '0);
    due_q   <= !rst && stands && ahead_q == '0 && !s_ctl_ready;
  end
  `ASSUME(a_done, !rsp_done || held_q != '0)

  // The next packet is taken while this one is pushed, if it is another queue pair's.
  wire pushes = (step_q == ST_PLAN && plan_asked) || step_q == ST_PUSH;
  wire [QW-1:0] ctl_qp  = s_ctl.qpn[QW-1:0];
  wire [QW-1:0] next_qp = s_parked_valid ? s_parked.qpn[QW-1:0] : s_desc.qpn[QW-1:0];
  wire [QW-1:0] take_qp = due_q ? ctl_qp : next_qp;
  wire open   = step_q == ST_IDLE && rsp_room;
  wire free   = (open || (pushes && !resumed_q && rsp_room && next_qp != qp_q)) && !due_q && !(s_ctl_valid && next_qp == ctl_qp);
  wire order  = step_q == ST_IDLE && due_q;
  wire take   = free && (s_parked_valid || s_desc_valid);
  assign s_desc_ready = free && !s_parked_valid;
  assign m_cfg_valid  = take;
  assign m_cfg_qp     = take_qp;
  assign look_qp      = qp_q;
  assign m_desc       = desc_q;
  wire   ctl_flush    = ctl_q.op == `CTL_ERROR && !dead && !failed_q;

  wire judged = step_q == ST_JUDGE;
  assign m_park        = judged && waits && !resumed_q;
  assign m_parked_keep = judged && waits && resumed_q;
  assign m_parked_drop = pushes && resumed_q;
  assign m_retry       = s_ctl_ready && (ctl_q.op == `CTL_CLEAR || ctl_q.op == `CTL_ERROR);

  always_ff @(posedge clk) begin : control
    if (rst) begin
      step_q <= ST_IDLE;
    end else begin
      case (step_q)
        ST_CTX: if (s_cfg_valid) step_q <= ST_WEIGH;
        ST_WEIGH: step_q <= ST_JUDGE;
        ST_JUDGE: if (waits) step_q <= ST_IDLE;
                  else if (!plans) step_q <= ST_PUSH;
                  else if (plan_idle) step_q <= ST_PLAN;
        ST_CTL: if (!ctl_flush || m_flush_ready) step_q <= ST_IDLE;
        default: begin                       // idle, or a record leaves
          if (order) step_q <= ST_CTL;
          else if (take) step_q <= ST_CTX;
          else if (pushes) step_q <= ST_IDLE;
        end
      endcase
    end
  end

  // What becomes of the packet, and of its queue pair.
  always_comb begin : record
    rsp             = '0;
    rsp.accept      = accepts;
    rsp.again       = again;
    rsp.refuse      = (!dropped && expected && !valid) || bad_wqe;
    rsp.planned     = plans;
    rsp.wqe         = bad_wqe || ctx_q.in_send;
    rsp.ends        = accepts && last && takes_wqe;
    rsp.established = accepts && !ctx_q.established && cfg_q.state == ib_pkg::QP_STATE_RTR;
    rsp.ack_psn     = desc_q.psn;
    rsp.syndrome    = ib_pkg::NAK_SYNDROME_NAK_INVALID_REQUEST;
    rsp.status      = ib_pkg::WC_STATUS_REM_INV_REQ_ERR;
    rsp.event_type  = sequence_ok && enabled ? ib_pkg::EVENT_TYPE_QP_ACCESS_ERR : ib_pkg::EVENT_TYPE_QP_REQ_ERR;
    if (dropped) begin
      rsp.drop   = 1'b1;
      rsp.reason = ib_pkg::DROP_REASON_STATE;
    end else if (older) begin
      // A duplicate SEND or WRITE is acknowledged again, with the newest PSN (9.7.4.1.2), unless it is none that was ever accepted.
      rsp.drop    = 1'b1;
      rsp.reason  = ib_pkg::DROP_REASON_DUPLICATE;
      rsp.ack     = !asks && desc_q.ack_req && sound;
      rsp.good    = 1'b1;
      rsp.ack_psn = ctx_q.epsn - 24'd1;
    end else if (!expected) begin
      // A gap is told once.
      rsp.drop     = 1'b1;
      rsp.reason   = ib_pkg::DROP_REASON_SEQUENCE;
      rsp.ack      = !ctx_q.nak_sent;
      rsp.syndrome = ib_pkg::NAK_SYNDROME_NAK_SEQUENCE;
      rsp.ack_psn  = ctx_q.epsn;
    end else if (not_ready) begin
      rsp.ack      = 1'b1;
      rsp.syndrome = {ib_pkg::AETH_CLASS_RNR, cfg_q.min_rnr_timer};
    end else if (bad_wqe) begin
      rsp.ack      = 1'b1;
      rsp.syndrome = ib_pkg::NAK_SYNDROME_NAK_REMOTE_OPERATIONAL;
      rsp.status   = ib_pkg::WC_STATUS_LOC_QP_OP_ERR;
    end else begin
      rsp.ack  = rsp.refuse || (desc_q.ack_req && !asks);
      rsp.good = !rsp.refuse;
    end
    rsp.credits    = posted - ctx_q.index - 16'(accepts ? is_send || rsp.ends : ctx_q.in_send);   // without the one in use
    rsp.index      = ctx_q.index;
    rsp.epsn       = ctx_q.epsn;
    rsp.msn        = ctx_q.msn;
    rsp.counts     = accepts && last;
    rsp.byte_len   = is_write && has_reth ? 32'(desc_q.payload) : (opens ? 32'd0 : ctx_q.placed) + 32'(desc_q.payload);
    rsp.recv_cqn   = cfg_q.recv_cqn;
    rsp.src_qpn    = cfg_q.dest_qpn;
    rsp.pd         = cfg_q.pd;
    rsp.pkey_index = cfg_q.pkey_index;
    rsp.mtu        = cfg_q.path_mtu;
    rsp.depth      = cfg_q.max_dest_rd_atomic;
    rsp.qpn        = 24'(qp_q);
    rsp.opcode     = opcode;
    rsp.psn        = desc_q.psn;
    rsp.va         = desc_q.va;
    rsp.rkey       = desc_q.rkey;
    rsp.dma_len    = desc_q.dma_len;
    rsp.swap_add   = desc_q.swap_add;
    rsp.compare    = desc_q.compare;
    rsp.imm        = desc_q.imm;
    rsp.grh        = desc_q.grh;
    rsp.solicited  = desc_q.solicited;
    rsp.slid       = desc_q.slid;
    rsp.sl         = desc_q.sl;
    rsp.path_bits  = desc_q.path_bits;
    rsp.payload    = desc_q.payload;
    rsp.first      = desc_q.first;
    rsp.slot       = desc_q.slot;
  end
  assign m_rsp_valid = pushes;
  assign m_rsp       = rsp_q;

  always_ff @(posedge clk) begin : work
    if (take || order) begin
      qp_q      <= take_qp;
      ctl_q     <= s_ctl;
      desc_q    <= s_parked_valid ? s_parked : s_desc;
      resumed_q <= s_parked_valid;
    end
    if (step_q == ST_CTX) begin
      ctx_q <= ctx;
      cfg_q <= cfg;
    end
    if (judged) begin
      rsp_q <= rsp;
      if (!dropped && !older && !expected) ctx_q.nak_sent <= 1'b1;
      if (not_ready) ctx_q.nak_sent <= 1'b1;
      if (!behind) ctx_q.behind <= 1'b0;
      if (accepts && !waits && plan_idle) begin
        ctx_q.established <= 1'b1;
        ctx_q.nak_sent    <= 1'b0;
        ctx_q.epsn        <= ctx_q.epsn + psn_step_q;
        ctx_q.in_send     <= is_send && !last;
        ctx_q.in_write    <= is_write && !last;
        ctx_q.va          <= write_va + 64'(desc_q.payload);
        ctx_q.rkey        <= write_key;
        ctx_q.left        <= left - 32'(desc_q.payload);
        ctx_q.placed      <= rsp.byte_len;
        ctx_q.segments    <= m_plan_segments;
        ctx_q.reads       <= ctx_q.reads + 8'(asks);
        if (is_atomic) begin
          ctx_q.barrier  <= ctx_q.reads + 8'd1;
          ctx_q.behind <= 1'b1;
        end
        if (last) ctx_q.msn <= ctx_q.msn + 24'd1;
        if (rsp.ends) ctx_q.index <= ctx_q.index + 16'd1;
      end
    end
  end
  assign m_used_valid = pushes && rsp_q.ends;

  // The receive WQE is read ahead: its header with the context, then the word of its next segment; further ones when the plan asks.
  assign m_rd_valid      = (step_q == ST_CTX && s_cfg_valid) || step_q == ST_WEIGH || plan_word_valid;
  assign m_rd_index      = step_q == ST_CTX ? ctx.index : rsp_index;
  assign m_rd_log_stride = step_q == ST_CTX ? cfg.rq_log_stride[1:0] : cfg_q.rq_log_stride[1:0];
  assign m_rd_word       = step_q == ST_CTX ? 5'd0 : step_q == ST_WEIGH ? (opens ? 5'd1 : {1'b0, ctx_q.seg[4:1]} + 5'd1)
                                                                      : {2'b0, plan_word} + 5'd1;
  wire [15:0] rsp_index  = step_q == ST_WEIGH ? ctx_q.index : rsp_q.index;

  state_t save_ctx, ctl_ctx;
  always_comb begin : saved
    save_ctx = ctx_q;
    if (step_q == ST_PLAN && rsp_q.accept) begin
      save_ctx.seg        = plan_seg;
      save_ctx.seg_offset = plan_seg_offset;
    end
  end
  always_comb begin : control_order
    ctl_ctx = ctx;
    case (ctl_q.op)
      `CTL_CLEAR: ctl_ctx = '0;
      `CTL_RTR: begin
        ctl_ctx.live = 1'b1;
        ctl_ctx.epsn = ctl_q.psn;
      end
      default: ;
    endcase
  end
  wire save = pushes || (step_q == ST_CTL && ctl_q.op != `CTL_QUERY && s_ctl_ready);
  prim_ram #(.WIDTH($bits(state_t'('0))), .DEPTH(QPS)) u_state (
    .clk, .wr_en(save), .wr_addr(qp_q), .wr_data(step_q == ST_CTL ? ctl_ctx : save_ctx),
    .rd_en(take || order), .rd_addr(take_qp), .rd_data(ctx));

  // Told to fail by an order: flush is started once.
  (* ram_style = "distributed" *) logic failed_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) failed_mem[i] = 1'b0;
  assign failed_q = failed_mem[qp_q];
  always_ff @(posedge clk) begin : failed
    if (s_ctl_ready && (ctl_q.op == `CTL_CLEAR || ctl_q.op == `CTL_ERROR)) failed_mem[qp_q] <= ctl_q.op == `CTL_ERROR;
  end

  assign s_ctl_ready   = step_q == ST_CTL && (!ctl_flush || m_flush_ready);
  assign m_flush_valid = step_q == ST_CTL && ctl_flush;
  assign m_flush_index = ctx.index;
  assign m_ctl_data    = {ctx.index, ctx.msn, ctx.epsn};

  wire unused = &{1'b0, header, desc_q, cfg_q};

endmodule

`default_nettype wire
