// req_open: takes a queue pair's turn and finds the message that may send its next packet: a new one, the one under way, or one again.
//
// Contract: a WQE is judged when its message opens (10.10.3.1); one that cannot be sent enters the flight table with the status
//           it will end with. A new order makes the queue pair go back: WQEs are read anew from the message of the order's PSN on, and
//           the messages of the flight table are sent again from that PSN on (9.7.5.2). A message that has to wait ends the turn: who
//           frees the way wakes the queue pair.
// Timing:   5 cycles for a message under way, 6 for a new one (5 if inline or empty), 1 more for each further two segments.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "requester.svh"

module req_open #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   cap_fence,       // offered
  input  wire logic                   cap_inline,
  input  wire logic                   cap_atomics,

  input  wire logic                   s_qp_valid,      // a queue pair with work
  output      logic                   s_qp_ready,
  input  wire logic [$clog2(QPS)-1:0] s_qp,
  input  wire logic                   busy,            // a packet of busy_qp is being described
  input  wire logic [$clog2(QPS)-1:0] busy_qp,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,
  output      logic                   m_ctx_valid,     // context: shows one cycle later
  output      logic [$clog2(QPS)-1:0] m_ctx_qp,
  input  wire req_state_t             s_ctx,
  output      logic                   m_save_valid,
  input  wire logic                   m_save_ready,
  output      req_state_t             m_save,

  output      logic [$clog2(QPS)-1:0] look_qp,         // WQE store
  input  wire logic [15:0]            arrived,
  input  wire logic                   bad,
  output      logic                   m_rd_valid,      // always taken; shows one cycle later
  output      logic [15:0]            m_rd_index,
  output      logic [1:0]             m_rd_log_stride,
  output      logic [4:0]             m_rd_word,
  input  wire logic [255:0]           s_word,
  output      logic                   m_back_valid,    // read from m_save.index on
  input  wire logic                   m_back_ready,

  input  wire order_t                 order,           // of look_qp
  input  wire credit_t                credit,
  input  wire logic                   flight_full,
  input  wire logic [7:0]             flight_head,
  input  wire logic [7:0]             flight_tail,
  input  wire logic [7:0]             flight_mask,     // they count modulo this + 1
  input  wire logic [23:0]            flight_sent,     // PSN behind all that was sent
  input  wire logic [7:0]             flight_reads,
  input  wire logic                   flight_placed,   // READs before have their data in memory
  output      logic                   m_entry_valid,   // show one: one cycle later
  output      logic [7:0]             m_entry,
  input  wire flight_t                s_entry,
  output      logic                   m_error_valid,   // enters the flight table as it is, and is told
  input  wire logic                   m_error_ready,
  output      flight_t                m_error,
  output      logic                   m_lost_valid,    // a WQE is not what it was
  input  wire logic                   m_lost_ready,

  input  wire logic                   list_free,       // scatter lists of READs
  output      logic                   m_listless,      // look_qp wants one and there is none
  output      logic                   m_list_valid,
  output      logic [2:0]             m_list_word,
  output      logic [255:0]           m_list_data,

  output      logic                   m_job_valid,
  input  wire logic                   m_job_ready,
  output      req_job_t               m_job,

  input  wire logic                   s_ctl_valid,
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl
);

  localparam int QW = $clog2(QPS);

  typedef enum logic [3:0] {
    ST_IDLE, ST_CTX, ST_HEADER, ST_SUM, ST_COUNT, ST_SEEK, ST_WORD, ST_JOB, ST_ERROR, ST_LOST, ST_SAVE, ST_BACK, ST_REWIND, ST_CTL
  } step_e;

  step_e       step_q;
  logic [QW-1:0] qp_q;
  req_state_t  ctx, ctx_q;
  qpc_t        cfg;
  wqe_header_t header, header_q;
  wqe_data_t   low, high, segment;
  ctl_t        ctl_q;
  assign ctx  = s_ctx;
  assign cfg  = ib_pkg::QPC_W'(s_cfg_data);
  assign header = s_word;
  assign low  = s_word[127:0];
  assign high = s_word[255:128];

  // Configuration as latched with the context.
  logic [3:0]  mtu_q;
  logic [23:0] pd_q;
  logic [1:0]  stride_q;
  logic        grh_q, sig_all_q;
  logic [7:0]  depth_q;
  wire [12:0]  mtu_bytes = 13'd128 << mtu_q;

  logic [4:0]  word_q;                       // the word that s_word shows
  logic [255:0] kept_q;                      // the word that goes with the job
  logic [35:0] sum_q;
  logic [23:0] packets_q, delta_q;           // of the message; from its first PSN to the next to be sent
  logic [31:0] seek_q;                       // bytes still to be passed over
  logic [7:0]  status_q;                     // of a WQE that cannot be sent
  flight_t     entry_q;

  // Is the queue pair where it was? Entries count in a ring.
  wire [7:0] level  = (flight_head - flight_tail) & flight_mask;
  wire [7:0] along  = (ctx.entry - flight_tail) & flight_mask;
  wire       passed = along > level;                                    // what was under way again is complete meanwhile
  wire       replay = ((ctx.entry - flight_head) & flight_mask) != '0;
  wire       back   = order.turn != ctx.turn || passed;
  wire       runs   = cfg.state == ib_pkg::QP_STATE_RTS || (cfg.state == ib_pkg::QP_STATE_SQD && (ctx.open || replay || back));

  // Is the WQE one that can be sent?
  wire wants_atomic = header.opcode == ib_pkg::WR_OPCODE_ATOMIC_CMP_AND_SWP || header.opcode == ib_pkg::WR_OPCODE_ATOMIC_FETCH_AND_ADD;
  wire wants_read   = header.opcode == ib_pkg::WR_OPCODE_RDMA_READ;
  wire asks_wants   = wants_read || wants_atomic;
  wire takes_wqe    = header.opcode == ib_pkg::WR_OPCODE_SEND || header.opcode == ib_pkg::WR_OPCODE_SEND_WITH_IMM ||
                      header.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE_WITH_IMM;
  wire known        = takes_wqe || wants_read || header.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE || (wants_atomic && cap_atomics);
  wire [6:0] slot_segments = 7'd4 << stride_q;
  wire fits  = header.inline ? {1'b0, header.inline_bytes} + 17'd32 <= {6'b0, slot_segments, 4'b0} &&
                               header.inline_bytes <= 16'(ib_pkg::MAX_INLINE_BYTES)
                             : header.segments <= 8'(ib_pkg::MAX_SGE) && header.segments + 8'd2 <= {1'b0, slot_segments};
  wire sound = !bad && header.mark == 8'(ib_pkg::WQE_MARK) && header.index == ctx_q.index && known && fits &&
               (cap_fence || !header.fence) && (cap_inline || !header.inline) &&
               !(asks_wants && (header.inline || depth_q == '0)) && !(wants_atomic && header.segments != 8'd1);
  wire [23:0] ahead  = credit.lsn - ctx_q.ssn;                          // one message may go beyond (9.7.7.2.5)
  wire waits = flight_full || order.hold || (asks_wants && (flight_reads >= depth_q || !list_free)) || (header.fence && !flight_placed) ||
               (takes_wqe && !credit.free && ahead[23]);

  wire is_atomic = header_q.opcode == ib_pkg::WR_OPCODE_ATOMIC_CMP_AND_SWP || header_q.opcode == ib_pkg::WR_OPCODE_ATOMIC_FETCH_AND_ADD;
  wire is_read   = header_q.opcode == ib_pkg::WR_OPCODE_RDMA_READ;

  // Segments summed up two at a time.
  wire [4:0]  seg_count = header_q.segments[4:0];
  wire [4:0]  sum_seg   = {word_q[3:0] - 4'd1, 1'b0};
  wire [32:0] pair      = {1'b0, sum_seg < seg_count ? low.length : 32'd0} + {1'b0, (sum_seg | 5'd1) < seg_count ? high.length : 32'd0};
  wire        sum_done  = (sum_seg | 5'd1) + 5'd1 >= seg_count;
  wire        too_long  = sum_q > 36'h8000_0000 || (is_atomic && sum_q != 36'd8);

  // Packets of the message: max(1, ceil(total / MTU)).
  wire [31:0] round_up = ctx_q.total + 32'(mtu_bytes) - 32'd1;
  wire [23:0] packets  = ctx_q.total == '0 || is_atomic ? 24'd1 : 24'(round_up >> (5'd7 + {1'b0, mtu_q}));
  wire        changed  = ctx_q.total != entry_q.byte_len || wc_opcode(header_q.opcode) != entry_q.wc_opcode;

  function automatic logic [7:0] wc_opcode(input logic [7:0] opcode);
    case (opcode)
      ib_pkg::WR_OPCODE_RDMA_READ:              wc_opcode = ib_pkg::WC_OPCODE_RDMA_READ;
      ib_pkg::WR_OPCODE_RDMA_WRITE,
      ib_pkg::WR_OPCODE_RDMA_WRITE_WITH_IMM:    wc_opcode = ib_pkg::WC_OPCODE_RDMA_WRITE;
      ib_pkg::WR_OPCODE_ATOMIC_CMP_AND_SWP:     wc_opcode = ib_pkg::WC_OPCODE_COMP_SWAP;
      ib_pkg::WR_OPCODE_ATOMIC_FETCH_AND_ADD:   wc_opcode = ib_pkg::WC_OPCODE_FETCH_ADD;
      default:                                  wc_opcode = ib_pkg::WC_OPCODE_SEND;
    endcase
  endfunction

  // Bytes before the PSN to go on with: segments are passed over one a cycle.
  wqe_data_t kept_low, kept_high;
  assign kept_low  = kept_q[127:0];
  assign kept_high = kept_q[255:128];
  assign segment   = ctx_q.seg[0] ? kept_high : kept_low;
  wire [4:0] seg_word  = {1'b0, ctx_q.seg[4:1]} + 5'd1;
  wire       word_here = kept_at_q == seg_word;
  logic      coming_q;                       // the word asked for shows
  logic [4:0] kept_at_q;
  wire       seek_ends = word_here && segment.length > seek_q;
  wire       seeks     = ctx_q.again && delta_q != '0 && !is_read && !is_atomic && !header_q.inline;

  // A queue pair whose packet is being described waits for that.
  wire mine = busy && busy_qp == (s_ctl_valid ? s_ctl.qpn[QW-1:0] : s_qp);
  wire take = step_q == ST_IDLE && !mine && (s_ctl_valid || s_qp_valid);
  assign s_qp_ready  = step_q == ST_IDLE && !s_ctl_valid && !mine;
  assign m_cfg_valid = take && !s_ctl_valid;
  assign m_cfg_qp    = s_qp;
  assign m_ctx_valid = step_q == ST_IDLE;
  assign m_ctx_qp    = s_ctl_valid ? s_ctl.qpn[QW-1:0] : s_qp;
  assign look_qp     = qp_q;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      step_q <= ST_IDLE;
    end else begin
      case (step_q)
        ST_IDLE: if (take) step_q <= s_ctl_valid ? ST_CTL : ST_CTX;

        // Context and configuration come; nothing to do is the end of the turn.
        ST_CTX: if (s_cfg_valid) begin
          if (!ctx.live || !runs) step_q <= ST_IDLE;
          else if (back) step_q <= ST_BACK;
          else if (order.hold) step_q <= ST_IDLE;
          else if (ctx.open) step_q <= ST_HEADER;
          else if ((ctx.dead && !replay) || arrived == ctx.index) step_q <= ST_IDLE;
          else step_q <= ST_HEADER;
        end

        // The WQE header shows, of a message again also its entry.
        ST_HEADER: begin
          if (ctx_q.open) step_q <= ST_WORD;
          else if (ctx_q.again) step_q <= s_entry.kind == `FLIGHT_ERROR ? ST_IDLE : !sound ? ST_LOST
                                        : header.inline || header.segments == '0 ? ST_COUNT : ST_SUM;
          else if (flight_full) step_q <= ST_IDLE;
          else if (!sound) step_q <= ST_ERROR;
          else if (waits) step_q <= ST_IDLE;
          else step_q <= header.inline || header.segments == '0 ? ST_COUNT : ST_SUM;
        end
        ST_SUM: if (sum_done) step_q <= ST_COUNT;
        // The whole length is known, and how many packets it takes.
        ST_COUNT: if (m_job_valid && m_job_ready) step_q <= ST_IDLE;
                  else step_q <= ctx_q.again ? (changed ? ST_LOST : seeks ? ST_SEEK : ST_JOB) : too_long ? ST_ERROR : ST_JOB;
        ST_SEEK: if (seek_ends) step_q <= ST_JOB;
        ST_WORD: step_q <= ST_JOB;
        ST_JOB: if (m_job_ready) step_q <= ST_IDLE;

        ST_ERROR: if (m_error_ready) step_q <= ST_SAVE;
        ST_LOST: if (m_lost_ready) step_q <= ST_SAVE;
        ST_SAVE: if (m_save_ready) step_q <= ST_IDLE;

        // Back to the oldest message that is not acknowledged: its entry shows, the ring is read anew.
        ST_BACK: step_q <= ST_REWIND;
        ST_REWIND: if (passes) step_q <= ST_BACK;
                   else if (m_back_ready && m_save_ready) step_q <= ST_IDLE;

        ST_CTL: if (m_save_ready) step_q <= ST_IDLE;
        default: step_q <= ST_IDLE;
      endcase
    end
  end

  wire [31:0] sum_next = sum_q[31:0] + pair[31:0];
  always_ff @(posedge clk) begin : work
    case (step_q)
      ST_IDLE: begin
        qp_q  <= m_ctx_qp;
        ctl_q <= s_ctl;
      end
      ST_CTX: begin
        ctx_q       <= ctx;
        ctx_q.again <= ctx.open ? ctx.again : replay;
        mtu_q     <= cfg.path_mtu;
        pd_q      <= cfg.pd;
        stride_q  <= cfg.sq_log_stride[1:0];
        grh_q     <= cfg.grh;
        sig_all_q <= cfg.sig_all;
        depth_q   <= cfg.max_rd_atomic;
        sum_q     <= '0;
      end
      ST_HEADER: begin
        header_q <= header;
        entry_q  <= s_entry;
        delta_q  <= ctx_q.psn - s_entry.first_psn;
        status_q <= ib_pkg::WC_STATUS_LOC_QP_OP_ERR;
        if (!ctx_q.open) begin
          ctx_q.total      <= header.inline ? 32'(header.inline_bytes) : 32'd0;
          ctx_q.offset     <= '0;
          ctx_q.seg        <= '0;
          ctx_q.seg_offset <= '0;
          ctx_q.burst      <= '0;
        end
      end
      ST_SUM: begin
        sum_q       <= sum_q + 36'(pair);
        ctx_q.total <= sum_next;
        status_q    <= ib_pkg::WC_STATUS_LOC_LEN_ERR;
      end
      ST_COUNT: begin
        kept_q    <= s_word;
        kept_at_q <= 5'd1;
        packets_q <= packets;
        seek_q    <= 32'(delta_q) << (5'd7 + {1'b0, mtu_q});
        if (ctx_q.again) ctx_q.burst <= delta_q[3:0];                   // AckReq by place in the message
        if (ctx_q.again) ctx_q.offset <= is_atomic ? '0 : 32'(delta_q) << (5'd7 + {1'b0, mtu_q});
      end
      ST_SEEK: begin
        if (word_here) begin
          ctx_q.seg_offset <= seek_q;
          if (!seek_ends) begin
            seek_q    <= seek_q - segment.length;
            ctx_q.seg <= ctx_q.seg + 5'd1;
          end
        end
        if (coming_q) begin
          kept_q    <= s_word;
          kept_at_q <= seg_word;
        end
      end
      ST_WORD: kept_q <= s_word;
      ST_ERROR, ST_LOST: ctx_q.dead <= 1'b1;
      default: ;
    endcase
  end

  // The WQE word that the next step wants is asked for one cycle ahead.
  logic [4:0] word_next;
  always_comb begin : read_ahead
    m_rd_valid = 1'b0;
    word_next  = word_q;
    case (step_q)
      ST_CTX: begin
        m_rd_valid = s_cfg_valid;
        word_next  = '0;
      end
      ST_HEADER: begin
        m_rd_valid = 1'b1;
        word_next  = ctx_q.open ? seg_word : 5'd1;
      end
      ST_SUM: begin
        m_rd_valid = 1'b1;
        word_next  = sum_done ? 5'd1 : word_q + 5'd1;
      end
      ST_SEEK: if (!word_here && !coming_q) begin
        m_rd_valid = 1'b1;
        word_next  = seg_word;
      end
      default: ;
    endcase
  end
  always_ff @(posedge clk) begin : shown
    if (m_rd_valid) word_q <= word_next;
    coming_q <= m_rd_valid;
  end
  assign m_rd_word       = word_next;
  assign m_rd_index      = step_q == ST_CTX ? ctx.index : ctx_q.index;
  assign m_rd_log_stride = step_q == ST_CTX ? cfg.sq_log_stride[1:0] : stride_q;

  assign m_entry_valid = step_q == ST_CTX || step_q == ST_BACK;
  assign m_entry       = step_q == ST_BACK ? (further_q ? from_q + 8'd1 : flight_tail) : ctx.entry;
  assign m_listless    = step_q == ST_HEADER && !ctx_q.open && !ctx_q.again && asks_wants && !list_free;
  assign m_list_valid  = step_q == ST_SUM && !ctx_q.again;
  assign m_list_word   = word_q[2:0] - 3'd1;
  assign m_list_data   = s_word;

  always_comb begin : job
    m_job         = '0;
    m_job.fresh   = !ctx_q.open && !ctx_q.again;
    m_job.psns    = packets_q - (ctx_q.again ? delta_q : 24'd0);
    m_job.mtu     = mtu_q;
    m_job.pd      = pd_q;
    m_job.stride  = stride_q;
    m_job.grh     = grh_q;
    m_job.sig_all = sig_all_q;
    m_job.ctx     = ctx_q;
    m_job.ctx.open = 1'b1;
    if (m_job.fresh) m_job.ctx.ssn = ctx_q.ssn + 24'd1;
    m_job.header  = header_q;
    m_job.at      = {ctx_q.seg[4:1]} + 4'd1;
    m_job.word    = kept_q;
    // Inline data fills one packet: nothing has to be counted.
    if (step_q == ST_COUNT) begin
      m_job.psns = 24'd1;
      m_job.word = s_word;
    end
  end
  assign m_job_valid = step_q == ST_JOB || (step_q == ST_COUNT && header_q.inline && !ctx_q.again);

  assign m_error_valid = step_q == ST_ERROR;
  always_comb begin : error_entry
    m_error           = '0;
    m_error.kind      = `FLIGHT_ERROR;
    m_error.wc_opcode = wc_opcode(header_q.opcode);
    m_error.status    = status_q;
    m_error.first_psn = ctx_q.psn;
    m_error.last_psn  = ctx_q.psn;
    m_error.byte_len  = ctx_q.total;
    m_error.wqe_index = ctx_q.index;
  end
  assign m_lost_valid = step_q == ST_LOST;

  // Where going back leads: the oldest message that is not acknowledged, not before the order's PSN. One may be acknowledged and still be
  // here: it completes when its replay reads no more.
  order_t      order_q;
  logic        further_q;                    // one entry was passed
  logic [7:0]  from_q, level_q, missing_q;   // the entry that shows; in flight from there on; from the one under way to the next new one
  logic [23:0] sent_q;
  wire         none     = level_q == '0;
  wire [23:0]  from     = order_q.psn - s_entry.first_psn;
  wire [23:0]  owed     = s_entry.last_psn - order_q.psn;               // negative: all of it is acknowledged
  wire         passes   = !none && owed[23];
  always_ff @(posedge clk) begin : measured
    if (step_q == ST_CTX) further_q <= 1'b0;
    if (step_q == ST_BACK) begin
      further_q <= 1'b1;
      from_q    <= m_entry;
      level_q   <= (flight_head - m_entry) & flight_mask;
      missing_q <= (flight_head - ctx_q.entry) & flight_mask;
      sent_q    <= flight_sent;
      order_q   <= order;
    end
  end
  req_state_t back_ctx, ctl_ctx;
  always_comb begin : went_back
    back_ctx       = ctx_q;
    back_ctx.turn  = order_q.turn;
    back_ctx.open  = 1'b0;
    back_ctx.again = 1'b0;
    back_ctx.entry = from_q;
    back_ctx.index = none ? ctx_q.index + 16'(missing_q) : s_entry.wqe_index;
    back_ctx.psn   = none ? sent_q : from[23] ? s_entry.first_psn : order_q.psn;
  end
  always_comb begin : ordered
    ctl_ctx = '0;
    if (ctl_q.op == `CTL_RTS) begin
      ctl_ctx.live = 1'b1;
      ctl_ctx.psn  = ctl_q.psn;
    end
  end
  assign m_back_valid = step_q == ST_REWIND && !passes && m_save_ready;
  assign m_save_valid = step_q == ST_SAVE || (step_q == ST_REWIND && !passes && m_back_ready) ||
                        (step_q == ST_CTL && (ctl_q.op == `CTL_CLEAR || ctl_q.op == `CTL_RTS));
  assign m_save       = step_q == ST_CTL ? ctl_ctx : step_q == ST_REWIND ? back_ctx : ctx_q;
  assign s_ctl_ready  = step_q == ST_CTL && m_save_ready;

  wire unused = &{1'b0, cfg, header_q.mark, header_q.index, header_q.fence, entry_q, s_entry};

  `ASSERT(a_seek, step_q != ST_SEEK || ctx_q.seg < 5'd16)

endmodule

`default_nettype wire
