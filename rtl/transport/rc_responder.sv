// rc_responder: executes request packets: checks them in the standard's order, places data, acknowledges (9.7.4, 9.7.5).
//
// Contract: one outcome a packet: dropped and counted, refused by a NAK with the queue pair in error, or executed. Payload goes to
//           memory only through a scatter command whose every piece the gate has allowed. The checks and their order are
//           docs/programming.md, "What the device does with a connection".
// Timing:   about 14 cycles a packet with payload, 5 without.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "mem_types.svh"

module rc_responder #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

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

  output      logic [$clog2(QPS)-1:0] look_qp,         // receive WQE store and doorbells
  input  wire logic [15:0]            arrived,
  input  wire logic                   bad,
  input  wire logic [15:0]            posted,
  output      logic                   m_rd_valid,
  output      logic [15:0]            m_rd_index,
  output      logic [1:0]             m_rd_log_stride,
  output      logic [4:0]             m_rd_word,
  input  wire logic [255:0]           s_word,
  output      logic                   m_used_valid,

  output      logic                   m_chk_valid,     // the gate
  input  wire logic                   m_chk_ready,
  output      gate_req_t              m_chk,
  input  wire logic                   s_chk_valid,
  input  wire gate_rsp_t              s_chk,

  output      logic                   m_cmd_valid,     // scatter
  input  wire logic                   m_cmd_ready,
  output      logic [4:0]             m_cmd_chunks,
  output      logic                   m_cmd_free,
  output      logic                   m_cmd_tok_valid,
  output      tok_t                   m_cmd_tok,
  output      logic                   m_chunk_valid,
  input  wire logic                   m_chunk_ready,
  output      chunk_t                 m_chunk,
  output      logic                   m_free_valid,    // slot of a packet that writes nothing
  input  wire logic                   m_free_ready,

  output      logic                   m_read_valid,    // READ accepted
  output      logic [23:0]            m_read_msn,
  input  wire logic [7:0]             read_count,
  output      logic                   m_ack_valid,
  input  wire logic                   m_ack_ready,
  output      logic [23:0]            m_ack_psn,
  output      logic [23:0]            m_ack_msn,
  output      logic [7:0]             m_ack_syndrome,

  output      logic                   m_error_valid,   // the queue pair fails
  input  wire logic                   m_error_ready,
  output      logic                   m_event_valid,   // tell the consumer
  input  wire logic                   m_event_ready,
  output      logic [7:0]             m_event,
  output      logic                   m_flush_valid,   // receive WQEs from this index on are flushed
  input  wire logic                   m_flush_ready,
  output      logic [15:0]            m_flush_index,
  output      logic                   m_drop_valid,    // count it
  output      logic [4:0]             m_drop_reason,

  input  wire logic                   s_ctl_valid,
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl,
  output      logic [63:0]            m_ctl_data       // CTL_QUERY: word 19 of the QPC
);

  localparam int QW = $clog2(QPS);

  // What this engine knows of a queue pair; nobody else writes it.
  typedef struct packed {
    logic        live;                       // RTR was reached since Reset
    logic        dead;                       // failed: nothing is executed any more
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
  } state_t;

  typedef enum logic [4:0] {
    ST_IDLE, ST_CTX, ST_WEIGH, ST_JUDGE, ST_RECEIVE, ST_HEADER, ST_START, ST_PLAN, ST_COMMAND, ST_CHUNKS, ST_FREE, ST_ACK,
    ST_EVENT, ST_FAIL, ST_FLUSH, ST_SAVE, ST_CTL
  } step_e;

  step_e         step_q;
  logic [QW-1:0] qp_q;
  state_t        ctx, ctx_q;
  rx_desc_t      desc_q;
  ctl_t          ctl_q;
  qpc_t          cfg, cfg_q;
  logic          resumed_q;                  // desc_q came from the parked ones
  wqe_header_t   header;
  assign cfg    = ib_pkg::QPC_W'(s_cfg_data);
  assign header = s_word;

  wire [7:0]  opcode   = desc_q.opcode;
  wire [12:0] mtu      = 13'd128 << cfg_q.path_mtu;
  wire        is_send  = opcode <= ib_pkg::OP_RC_SEND_ONLY_IMM;
  wire        is_write = opcode >= ib_pkg::OP_RC_WRITE_FIRST && opcode <= ib_pkg::OP_RC_WRITE_ONLY_IMM;
  wire        is_read  = opcode == ib_pkg::OP_RC_READ_REQUEST;
  wire        first    = ib_pkg::op_is_first(opcode);
  wire        last     = ib_pkg::op_is_last(opcode);
  wire        with_imm = ib_pkg::op_has_immdt(opcode);
  wire        has_reth = ib_pkg::op_has_reth(opcode);
  wire        takes_wqe = is_send || (is_write && with_imm);

  // PSN: expected, duplicate or beyond (9.7.4.1.2).
  wire [23:0] distance = desc_q.psn - ctx_q.epsn;

  // Opcode sequence (9.7.4.1.3), rights of the queue pair, resources, lengths (9.7.4.1.5 to 9.7.4.1.7).
  wire in_message  = ctx_q.in_send || ctx_q.in_write;
  wire sequence_d  = first ? !in_message : (is_send ? ctx_q.in_send : ctx_q.in_write);
  wire enabled_d   = is_send || (is_write && cfg_q.remote_write) || (is_read && cfg_q.remote_read);
  wire room_d      = !is_read || read_count < cfg_q.max_dest_rd_atomic;
  wire [31:0] left = has_reth ? desc_q.dma_len : ctx_q.left;
  wire payload_ok  = !desc_q.pad_bad && (is_read ? desc_q.payload == '0
                                        : !last ? desc_q.payload == mtu
                                        : desc_q.payload <= mtu && (first || desc_q.payload != '0));
  wire length_d    = payload_ok && (!has_reth || desc_q.dma_len <= 32'h8000_0000) &&
                     (!is_write || (last ? left == 32'(desc_q.payload) : left > 32'(desc_q.payload)));

  // Weighed in one cycle, judged by in the next.
  logic expected, older, sequence_ok, enabled, room, length_ok;
  always_ff @(posedge clk) begin : weigh
    expected    <= distance == '0;
    older       <= distance[23];
    sequence_ok <= sequence_d;
    enabled     <= enabled_d;
    room        <= room_d;
    length_ok   <= length_d;
  end

  // A READ takes as many PSNs as it has responses.
  wire [31:0] round_up = desc_q.dma_len + 32'(mtu) - 32'd1;
  wire [23:0] psn_step = is_read && desc_q.dma_len != '0 ? 24'(round_up >> (5'd7 + {1'b0, cfg_q.path_mtu})) : 24'd1;

  logic [23:0] psn_step_q;
  always_ff @(posedge clk) psn_step_q <= psn_step;                     // settled long before it is used

  // What becomes of the packet.
  logic       ack_q, error_q, cqe_q, event_q;
  logic [7:0] syndrome_q, status_q, event_type_q, vendor_q;
  logic [23:0] ack_psn_q;

  // Receive WQEs posted, and here.
  wire empty  = posted == ctx_q.index;
  wire absent = arrived == ctx_q.index;

  // The plan of where its payload goes.
  logic       plan_idle, plan_done, plan_ok, plan_short, plan_release, plan_discard, word_valid;
  logic [2:0] plan_cause, word;
  logic [4:0] plan_seg;
  logic [31:0] plan_seg_offset;
  wire [63:0] write_va = has_reth ? desc_q.va : ctx_q.va;
  wire [31:0] write_key = has_reth ? desc_q.rkey : ctx_q.rkey;
  scatter_plan u_plan (
    .clk, .rst, .s_start(step_q == ST_START && plan_idle), .s_direct(!is_send), .s_pd(cfg_q.pd), .s_key(write_key), .s_va(write_va),
    .s_len(has_reth ? desc_q.dma_len : 32'(desc_q.payload)), .s_rights(is_read ? `NEED_REMOTE_READ : `NEED_REMOTE_WRITE),
    .s_need(desc_q.payload), .s_seg(ctx_q.seg), .s_seg_offset(ctx_q.seg_offset), .s_segments(ctx_q.segments),
    .m_word_valid(word_valid), .m_word(word), .s_word, .m_chk_valid, .m_chk_ready, .m_chk, .s_chk_valid, .s_chk,
    .m_idle(plan_idle), .m_done(plan_done), .m_ok(plan_ok), .m_short(plan_short), .m_cause(plan_cause), .m_chunks(m_cmd_chunks),
    .m_seg(plan_seg), .m_seg_offset(plan_seg_offset), .s_release(plan_release), .s_discard(plan_discard),
    .m_chunk_valid, .m_chunk_ready, .m_chunk);
  assign plan_release = step_q == ST_COMMAND && m_cmd_ready && plan_done;
  assign plan_discard = plan_done && ((step_q == ST_PLAN && !plan_ok) || (step_q == ST_RECEIVE && (empty || absent)) ||
                                      (step_q == ST_HEADER && !header_ok));

  // The receive WQE.
  wire [6:0] slot_segments = 7'd4 << cfg_q.rq_log_stride[1:0];
  wire header_ok = !bad && header.mark == 8'(ib_pkg::WQE_MARK) && header.index == ctx_q.index && header.opcode == ib_pkg::WR_OPCODE_RECV &&
                   header.segments <= 8'(ib_pkg::MAX_SGE) && header.segments + 8'd2 <= {1'b0, slot_segments} && !header.inline;

  wire take = step_q == ST_IDLE && !s_ctl_valid && (s_parked_valid || s_desc_valid);
  assign s_desc_ready = step_q == ST_IDLE && !s_ctl_valid && !s_parked_valid;
  wire [QW-1:0] take_qp = s_ctl_valid ? s_ctl.qpn[QW-1:0] : s_parked_valid ? s_parked.qpn[QW-1:0] : s_desc.qpn[QW-1:0];
  assign m_cfg_valid = take;
  assign m_cfg_qp    = take_qp;
  assign look_qp     = qp_q;
  wire   ctl_flush   = ctl_q.op == `CTL_ERROR && !ctx.dead;
  assign m_desc      = desc_q;

  // Where a packet goes that executes nothing.
  wire waits  = parked && !resumed_q && ctx_q.live && !ctx_q.dead;      // others of its queue pair wait before it
  wire dropped = step_q == ST_JUDGE && (!ctx_q.live || ctx_q.dead);
  assign m_drop_valid  = dropped || (step_q == ST_JUDGE && ctx_q.live && !ctx_q.dead && !waits && !expected);
  assign m_drop_reason = dropped ? ib_pkg::DROP_REASON_STATE : older ? ib_pkg::DROP_REASON_DUPLICATE : ib_pkg::DROP_REASON_SEQUENCE;
  wire parks  = (step_q == ST_JUDGE && waits) || (step_q == ST_RECEIVE && !empty && absent);
  assign m_park        = parks && !resumed_q;
  assign m_parked_keep = parks && resumed_q;
  assign m_parked_drop = step_q == ST_SAVE && resumed_q;
  assign m_retry       = step_q == ST_CTL && (ctl_q.op == `CTL_CLEAR || ctl_q.op == `CTL_ERROR);

  always_ff @(posedge clk) begin : control
    if (rst) begin
      step_q <= ST_IDLE;
    end else begin
      case (step_q)
        ST_IDLE: if (s_ctl_valid) step_q <= ST_CTL;
                 else if (take) step_q <= ST_CTX;
        ST_CTX: if (s_cfg_valid) step_q <= ST_WEIGH;
        ST_WEIGH: step_q <= ST_JUDGE;

        // Everything that the packet itself, the context and the configuration decide.
        ST_JUDGE: begin
          if (dropped) step_q <= ST_FREE;
          else if (waits) step_q <= ST_IDLE;
          else if (!expected) step_q <= ST_FREE;
          else if (!sequence_ok || !enabled || !room || !length_ok) step_q <= ST_FREE;
          else if (is_send) step_q <= first ? ST_RECEIVE : ST_START;
          else step_q <= ST_START;
        end

        // A SEND opens: is there a receive WQE, is it here? A WRITE with immediate takes it when its data is allowed.
        ST_RECEIVE: begin
          if (empty) step_q <= ST_FREE;
          else if (absent) step_q <= ST_IDLE;
          else step_q <= ST_HEADER;
        end
        ST_HEADER: step_q <= !header_ok ? ST_FREE : is_send ? ST_START : ST_COMMAND;

        ST_START: if (plan_idle) step_q <= ST_PLAN;
        ST_PLAN: if (plan_done)
          step_q <= !plan_ok ? ST_FREE : is_write && last && with_imm ? ST_RECEIVE : ST_COMMAND;

        // Data, and what follows it: completion, or a READ.
        ST_COMMAND: if (m_cmd_ready) step_q <= ST_CHUNKS;
        ST_CHUNKS: step_q <= ST_ACK;
        // Nothing of it is kept but, perhaps, the completion in error of a receive WQE.
        ST_FREE: if (cqe_q ? m_cmd_ready : m_free_ready) step_q <= ack_q ? ST_ACK : ST_SAVE;

        ST_ACK: if (!ack_q || m_ack_ready) step_q <= event_q ? ST_EVENT : error_q ? ST_FAIL : ST_SAVE;
        ST_EVENT: if (m_event_ready) step_q <= error_q ? ST_FAIL : ST_SAVE;
        ST_FAIL: if (m_error_ready) step_q <= ST_FLUSH;
        ST_FLUSH: if (m_flush_ready) step_q <= ST_SAVE;
        ST_SAVE: step_q <= ST_IDLE;
        ST_CTL: if (!ctl_flush || m_flush_ready) step_q <= ST_IDLE;
        default: step_q <= ST_IDLE;
      endcase
    end
  end

  // Refusals: the syndrome, and how the consumer learns of it (10.10.4: by the receive WQE in use, else by an event).
  logic       refuse;
  logic [7:0] refuse_syndrome, refuse_status, refuse_event;
  always_comb begin : refusal
    refuse          = 1'b0;
    refuse_syndrome = ib_pkg::NAK_SYNDROME_NAK_INVALID_REQUEST;
    refuse_status   = ib_pkg::WC_STATUS_REM_INV_REQ_ERR;
    refuse_event    = ib_pkg::EVENT_TYPE_QP_ACCESS_ERR;
    case (step_q)
      ST_JUDGE: if (!dropped && !waits && expected) begin
        refuse = !sequence_ok || !enabled || !room || !length_ok;
        if (!sequence_ok || !enabled) refuse_event = ib_pkg::EVENT_TYPE_QP_REQ_ERR;
      end
      ST_HEADER: if (!header_ok) begin
        refuse          = 1'b1;
        refuse_syndrome = ib_pkg::NAK_SYNDROME_NAK_REMOTE_OPERATIONAL;
        refuse_status   = ib_pkg::WC_STATUS_LOC_QP_OP_ERR;
      end
      ST_PLAN: if (plan_done && !plan_ok) begin
        refuse = 1'b1;
        if (is_send && plan_short) begin
          refuse_status = ib_pkg::WC_STATUS_LOC_LEN_ERR;
        end else if (is_send) begin
          refuse_syndrome = ib_pkg::NAK_SYNDROME_NAK_REMOTE_OPERATIONAL;
          refuse_status   = ib_pkg::WC_STATUS_LOC_PROT_ERR;
        end else begin
          refuse_syndrome = ib_pkg::NAK_SYNDROME_NAK_REMOTE_ACCESS;
        end
      end
      default: ;
    endcase
  end
  wire wqe_in_use = ctx_q.in_send || step_q == ST_HEADER || (step_q == ST_PLAN && is_send);

  wire [31:0] moved     = ctx_q.placed + 32'(desc_q.payload);
  wire        accepted  = step_q == ST_COMMAND && m_cmd_ready;
  wire        wqe_done  = (accepted && last && takes_wqe) || (step_q == ST_FREE && cqe_q && m_cmd_ready);
  assign m_used_valid   = wqe_done;

  always_ff @(posedge clk) begin : work
    if (step_q == ST_IDLE) begin
      qp_q      <= take_qp;
      ctl_q     <= s_ctl;
      desc_q    <= s_parked_valid ? s_parked : s_desc;
      resumed_q <= s_parked_valid;
      ack_q     <= 1'b0;
      error_q   <= 1'b0;
      cqe_q     <= 1'b0;
      event_q   <= 1'b0;
      vendor_q  <= '0;
      syndrome_q <= ib_pkg::NAK_SYNDROME_ACK_NO_CREDITS;
    end
    if (step_q == ST_CTX) begin
      ctx_q <= ctx;
      cfg_q <= cfg;
    end
    if (refuse) begin
      ack_q        <= 1'b1;
      ack_psn_q    <= desc_q.psn;
      error_q      <= 1'b1;
      syndrome_q   <= refuse_syndrome;
      status_q     <= refuse_status;
      cqe_q        <= wqe_in_use;
      event_q      <= !wqe_in_use;
      event_type_q <= refuse_event;
      vendor_q     <= step_q == ST_PLAN ? {5'b0, plan_cause} : 8'd0;
      ctx_q.dead   <= 1'b1;
    end
    if (step_q == ST_JUDGE && !dropped && !waits && !expected) begin
      // A duplicate SEND or WRITE is acknowledged again; a gap is told once (9.7.4.1.2).
      ack_q          <= older ? !is_read && desc_q.ack_req : !ctx_q.nak_sent;
      ack_psn_q      <= older ? ctx_q.epsn - 24'd1 : ctx_q.epsn;
      syndrome_q     <= older ? ib_pkg::NAK_SYNDROME_ACK_NO_CREDITS : ib_pkg::NAK_SYNDROME_NAK_SEQUENCE;
      ctx_q.nak_sent <= !older || ctx_q.nak_sent;
    end
    if (step_q == ST_RECEIVE && empty) begin
      ack_q          <= 1'b1;
      ack_psn_q      <= desc_q.psn;
      syndrome_q     <= {ib_pkg::AETH_CLASS_RNR, cfg_q.min_rnr_timer};
      ctx_q.nak_sent <= 1'b1;
    end
    if (step_q == ST_HEADER && is_send) begin
      ctx_q.seg        <= '0;
      ctx_q.seg_offset <= '0;
      ctx_q.segments   <= header.segments[4:0];
      ctx_q.placed     <= '0;
    end
    if (accepted) begin
      ack_q             <= desc_q.ack_req && !is_read;
      ack_psn_q         <= desc_q.psn;
      event_q           <= !ctx_q.established && cfg_q.state == ib_pkg::QP_STATE_RTR;
      event_type_q      <= ib_pkg::EVENT_TYPE_COMM_EST;
      ctx_q.established <= 1'b1;
      ctx_q.nak_sent    <= 1'b0;
      ctx_q.epsn        <= ctx_q.epsn + psn_step_q;
      ctx_q.in_send     <= is_send && !last;
      ctx_q.in_write    <= is_write && !last;
      ctx_q.va          <= write_va + 64'(desc_q.payload);
      ctx_q.rkey        <= write_key;
      ctx_q.left        <= left - 32'(desc_q.payload);
      ctx_q.placed      <= is_write && has_reth ? 32'(desc_q.payload) : moved;
      ctx_q.seg         <= plan_seg;
      ctx_q.seg_offset  <= plan_seg_offset;
      if (last) ctx_q.msn <= ctx_q.msn + 24'd1;
    end
    if (wqe_done) ctx_q.index <= ctx_q.index + 16'd1;
  end

  // The completion: of the message that ends, or of the receive WQE that a refusal uses up.
  cqe_t cqe;
  always_comb begin : completion
    cqe           = '0;
    cqe.qpn       = 24'(qp_q);
    cqe.queue     = 1'b1;
    cqe.wqe_index = ctx_q.index;
    cqe.opcode    = is_write ? ib_pkg::WC_OPCODE_RECV_RDMA_WITH_IMM : ib_pkg::WC_OPCODE_RECV;
    if (cqe_q) begin
      cqe.opcode = ib_pkg::WC_OPCODE_RECV;
      cqe.status = status_q;
      cqe.vendor = 16'(vendor_q);
    end else begin
      cqe.with_imm   = with_imm;
      cqe.grh        = desc_q.grh;
      cqe.solicited  = desc_q.solicited;
      cqe.byte_len   = is_write && has_reth ? 32'(desc_q.payload) : moved;
      if (with_imm) cqe.immediate = {desc_q.imm[7:0], desc_q.imm[15:8], desc_q.imm[23:16], desc_q.imm[31:24]};
      cqe.slid       = desc_q.slid;
      cqe.sl         = desc_q.sl;
      cqe.path_bits  = desc_q.path_bits;
      cqe.src_qpn    = cfg_q.dest_qpn;
      cqe.pkey_index = cfg_q.pkey_index;
    end
  end

  assign m_cmd_valid     = step_q == ST_COMMAND || (step_q == ST_FREE && cqe_q);
  assign m_cmd_free      = 1'b1;
  assign m_cmd_tok_valid = step_q == ST_FREE || is_read || (last && takes_wqe);
  wire   tok_read        = step_q == ST_COMMAND && is_read;
  assign m_cmd_tok.read  = tok_read;
  assign m_cmd_tok.placed = 1'b0;
  assign m_cmd_tok.silent = 1'b0;
  assign m_cmd_tok.cqn   = tok_read ? 24'(qp_q) : cfg_q.recv_cqn;
  assign m_cmd_tok.cqe   = cqe;
  assign m_free_valid    = step_q == ST_FREE && !cqe_q;
  assign m_read_valid    = accepted && is_read;
  assign m_read_msn      = ctx_q.msn + 24'd1;

  assign m_ack_valid    = step_q == ST_ACK && ack_q;
  assign m_ack_psn      = ack_psn_q;
  assign m_ack_msn      = ctx_q.msn;
  assign m_ack_syndrome = syndrome_q;
  assign m_event_valid  = step_q == ST_EVENT;
  assign m_event        = event_type_q;
  assign m_error_valid  = step_q == ST_FAIL;
  assign m_flush_valid  = step_q == ST_FLUSH || (step_q == ST_CTL && ctl_flush);
  assign m_flush_index  = step_q == ST_CTL ? ctx.index : ctx_q.index;

  // The receive WQE's words: the header first, segments when the plan asks.
  assign m_rd_valid      = step_q == ST_RECEIVE || word_valid;
  assign m_rd_index      = ctx_q.index;
  assign m_rd_log_stride = cfg_q.rq_log_stride[1:0];
  assign m_rd_word       = step_q == ST_RECEIVE ? 5'd0 : {2'b0, word} + 5'd1;

  state_t ctl_ctx;
  always_comb begin : control_order
    ctl_ctx = ctx;
    case (ctl_q.op)
      `CTL_CLEAR: ctl_ctx = '0;
      `CTL_RTR: begin
        ctl_ctx.live = 1'b1;
        ctl_ctx.epsn = ctl_q.psn;
      end
      `CTL_ERROR: ctl_ctx.dead = 1'b1;
      default: ;
    endcase
  end
  wire save = step_q == ST_SAVE || (step_q == ST_CTL && ctl_q.op != `CTL_QUERY && s_ctl_ready);
  prim_ram #(.WIDTH($bits(state_t'('0))), .DEPTH(QPS)) u_state (
    .clk, .wr_en(save), .wr_addr(qp_q), .wr_data(step_q == ST_CTL ? ctl_ctx : ctx_q),
    .rd_en(step_q == ST_IDLE), .rd_addr(take_qp), .rd_data(ctx));

  assign s_ctl_ready = step_q == ST_CTL && (!ctl_flush || m_flush_ready);
  assign m_ctl_data  = {ctx.index, ctx.msn, ctx.epsn};

  wire unused = &{1'b0, header};

  `ASSERT(a_chunks, step_q != ST_COMMAND || plan_done)

endmodule

`default_nettype wire
