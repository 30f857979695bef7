// rc_requester: turns the WQEs of send queues into request packets, one packet a turn.
//
// Contract: takes a queue pair that has something to do; opens its next message or goes on with the one
//           under way: segmentation (9.7.2), PSN and SSN (9.7.2.1), AckReq, initiator depth, fence; puts the
//           message into the flight table before its first packet leaves. A WQE that cannot be
//           sent goes there with the status it will end with (10.10.3.1).
// Timing:   7 cycles for a packet, 3 more to open a message with one segment, 1 more for each further chunk.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"

module rc_requester #(
  parameter int QPS       = 64,
  parameter int ACK_EVERY = 16               // packets of one message between two AckReq, a power of two
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   cap_fence,       // offered
  input  wire logic                   cap_inline,

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

  output      logic [$clog2(QPS)-1:0] look_qp,         // WQE store
  input  wire logic [15:0]            arrived,
  input  wire logic                   bad,
  output      logic                   m_rd_valid,
  output      logic [15:0]            m_rd_index,
  output      logic [1:0]             m_rd_log_stride,
  output      logic [4:0]             m_rd_word,
  input  wire logic [255:0]           s_word,
  output      logic                   m_used_valid,

  input  wire logic                   flight_full,     // flight table, for look_qp
  input  wire logic [7:0]             flight_reads,
  input  wire logic                   flight_placed,   // READs before have their data in memory
  output      logic                   m_flight_valid,
  output      flight_t                m_flight,
  output      logic                   m_sent_valid,
  output      logic [23:0]            m_sent_next,
  output      logic                   m_flight_clear,
  output      logic                   m_kick_valid,    // a message that ends without an answer
  input  wire logic                   m_kick_ready,
  output      logic [$clog2(QPS)-1:0] m_kick_qp,

  input  wire logic                   list_free,       // scatter lists of READs
  input  wire logic [7:0]             list,
  output      logic                   m_list_take,
  output      logic                   m_list_valid,
  output      logic [2:0]             m_list_word,
  output      logic [255:0]           m_list_data,

  output      logic                   m_pkt_valid,     // to gather: packet, its chunks, inline bytes
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
  output      logic                   m_inl_half,      // with last: 16 bytes or less of it count

  input  wire logic                   s_ctl_valid,
  output      logic                   s_ctl_ready,
  input  wire ctl_t                   s_ctl,
  output      logic [63:0]            m_ctl_data       // CTL_QUERY: word 17 of the QPC, with ready
);

  localparam int QW = $clog2(QPS);

  // What this engine knows of a queue pair; nobody else writes it.
  typedef struct packed {
    logic        live;                       // RTS was reached since Reset
    logic        dead;                       // a WQE could not be sent: nothing later is
    logic        open;                       // a message is under way
    logic [23:0] psn;                        // of the next packet
    logic [23:0] ssn;                        // messages started
    logic [15:0] index;                      // WQE under way, or next
    logic [31:0] total;                      // bytes of the message
    logic [31:0] offset;                     // bytes sent
    logic [4:0]  seg;                        // segment to go on with
    logic [31:0] seg_offset;                 // bytes of it that were sent
    logic [3:0]  burst;                      // packets since the last AckReq
  } state_t;

  typedef enum logic [3:0] {
    ST_IDLE, ST_CTX, ST_HEADER, ST_SUM, ST_COUNT, ST_OPEN, ST_PACKET, ST_CHUNK, ST_INLINE, ST_SEND, ST_SAVE, ST_ERROR, ST_CTL
  } step_e;

  step_e           step_q;
  logic [QW-1:0]   qp_q;
  state_t          ctx, ctx_q;               // as read; as it will be written back
  qpc_t            cfg;
  wqe_header_t     header, header_q;
  wqe_data_t       seg_low, seg_high, segment;
  ctl_t            ctl_q;

  assign cfg      = ib_pkg::QPC_W'(s_cfg_data);
  assign header   = s_word;
  assign seg_low  = s_word[127:0];
  assign seg_high = s_word[255:128];

  // Configuration as latched with the context.
  logic [3:0]  mtu_q;
  logic [23:0] pd_q;
  logic [1:0]  stride_q;
  logic        grh_q, sig_all_q;
  logic [7:0]  depth_q;
  wire [12:0]  mtu_bytes = 13'd128 << mtu_q;

  // Words of the WQE: 0 is the header, word n holds segments 2n - 2 and 2n - 1.
  logic [4:0]  word_q;                       // the word that s_word shows
  logic [35:0] sum_q;
  logic [23:0] packets_q;                    // of the message
  logic [7:0]  status_q;                     // of a WQE that cannot be sent

  wire is_read  = header_q.opcode == ib_pkg::WR_OPCODE_RDMA_READ;
  wire is_write = header_q.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE || header_q.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE_WITH_IMM;
  wire has_imm  = header_q.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE_WITH_IMM || header_q.opcode == ib_pkg::WR_OPCODE_SEND_WITH_IMM;

  // Is the WQE one that can be sent?
  wire [6:0] slot_segments = 7'd4 << stride_q;
  wire       known = header.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE || header.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE_WITH_IMM ||
                     header.opcode == ib_pkg::WR_OPCODE_SEND || header.opcode == ib_pkg::WR_OPCODE_SEND_WITH_IMM ||
                     header.opcode == ib_pkg::WR_OPCODE_RDMA_READ;
  wire       wants_read = header.opcode == ib_pkg::WR_OPCODE_RDMA_READ;
  wire       fits  = header.inline ? {1'b0, header.inline_bytes} + 17'd32 <= {6'b0, slot_segments, 4'b0} &&
                                     header.inline_bytes <= 16'(ib_pkg::MAX_INLINE_BYTES)
                                   : header.segments <= 8'(ib_pkg::MAX_SGE) && header.segments + 8'd2 <= {1'b0, slot_segments};
  wire       sound = !bad && header.mark == 8'(ib_pkg::WQE_MARK) && header.index == ctx_q.index && known && fits &&
                     (cap_fence || !header.fence) && (cap_inline || !header.inline) &&
                     !(wants_read && (header.inline || depth_q == '0));
  wire       wait_flight = flight_full ||
                           (wants_read && (flight_reads >= depth_q || !list_free)) ||
                           (header.fence && !flight_placed);

  // Segments summed up two at a time.
  wire [4:0]  seg_count = header_q.segments[4:0];
  wire [4:0]  sum_seg   = {word_q[3:0] - 4'd1, 1'b0};
  wire [32:0] pair      = {1'b0, sum_seg < seg_count ? seg_low.length : 32'd0} +
                          {1'b0, (sum_seg | 5'd1) < seg_count ? seg_high.length : 32'd0};
  wire        sum_done  = (sum_seg | 5'd1) + 5'd1 >= seg_count;

  // Packets of the message: max(1, ceil(total / MTU)).
  wire [31:0] round_up  = ctx_q.total + 32'(mtu_bytes) - 32'd1;
  wire [23:0] packets   = ctx_q.total == '0 ? 24'd1 : 24'(round_up >> (5'd7 + {1'b0, mtu_q}));

  // The packet of this turn.
  wire [31:0]  rest     = ctx_q.total - ctx_q.offset;
  wire         at_first = ctx_q.offset == '0;
  wire         at_last  = is_read || rest <= 32'(mtu_bytes);
  logic [12:0] payload_q, need_q;
  logic        first_q, last_q;
  logic [4:0]  chunks_q;
  logic [7:0]  opcode;
  always_comb begin : choose_opcode
    case ({is_read, is_write, first_q, last_q})
      4'b0010: opcode = ib_pkg::OP_RC_SEND_FIRST;
      4'b0000: opcode = ib_pkg::OP_RC_SEND_MIDDLE;
      4'b0001: opcode = has_imm ? ib_pkg::OP_RC_SEND_LAST_IMM : ib_pkg::OP_RC_SEND_LAST;
      4'b0011: opcode = has_imm ? ib_pkg::OP_RC_SEND_ONLY_IMM : ib_pkg::OP_RC_SEND_ONLY;
      4'b0110: opcode = ib_pkg::OP_RC_WRITE_FIRST;
      4'b0100: opcode = ib_pkg::OP_RC_WRITE_MIDDLE;
      4'b0101: opcode = has_imm ? ib_pkg::OP_RC_WRITE_LAST_IMM : ib_pkg::OP_RC_WRITE_LAST;
      4'b0111: opcode = has_imm ? ib_pkg::OP_RC_WRITE_ONLY_IMM : ib_pkg::OP_RC_WRITE_ONLY;
      default: opcode = ib_pkg::OP_RC_READ_REQUEST;
    endcase
  end

  // The chunk under way: what is left of the segment, or of the packet.
  assign segment = ctx_q.seg[0] ? seg_high : seg_low;
  wire [31:0] seg_rest  = segment.length - ctx_q.seg_offset;
  wire        seg_ends  = seg_rest <= 32'(need_q);
  wire        seg_fills = seg_rest >= 32'(need_q);                     // the packet is full with it
  wire        seg_more  = segment.length != ctx_q.seg_offset;          // it has bytes left
  wire [12:0] chunk_len = seg_ends ? seg_rest[12:0] : need_q;
  wire [4:0]  seg_word  = {1'b0, ctx_q.seg[4:1]} + 5'd1;
  wire        word_here = word_q == seg_word;
  logic       inl_sent_q;                    // the chunk of inline bytes has been told
  wire        chunk_go  = step_q == ST_CHUNK && word_here && (!seg_more || m_chunk_ready);

  assign m_chunk_valid = (step_q == ST_CHUNK && word_here && seg_more) ||
                         (step_q == ST_INLINE && word_q == 5'd1 && !inl_sent_q);
  assign m_chunk = step_q == ST_INLINE ? {1'b1, 32'b0, 24'b0, `NEED_LOCAL_READ, 64'b0, 19'b0, payload_q}
                 : {1'b0, segment.lkey, pd_q, `NEED_LOCAL_READ, segment.addr + {32'b0, ctx_q.seg_offset}, 19'b0, chunk_len};

  // Inline bytes: the words behind the header, one after the other.
  wire  inl_last = {word_q, 5'b0} >= 10'(payload_q[9:0]);
  assign m_inl_valid = step_q == ST_INLINE && word_q != '0 && inl_sent_q;
  assign m_inl_data  = s_word;
  assign m_inl_last  = inl_last;
  assign m_inl_half  = {word_q - 5'd1, 5'd16} >= 10'(payload_q[9:0]);

  assign m_pkt_valid     = step_q == ST_SEND;
  assign m_pkt_chunks    = chunks_q;
  assign m_pkt_hdr_bytes = ib_pkg::op_header_bytes(opcode) + (grh_q ? 7'd40 : 7'd0);
  wire   ack_now = last_q || ctx_q.burst == 4'(ACK_EVERY - 1);
  // Which life of the queue pair its packets are of.
  (* ram_style = "distributed" *) logic round_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) round_mem[i] = 1'b0;
  always_ff @(posedge clk) if (m_flight_clear) round_mem[qp_q] <= ctl_q.round;

  always_comb begin : packet
    m_pkt           = '0;
    m_pkt.request   = 1'b1;
    m_pkt.qpn       = 24'(qp_q);
    m_pkt.opcode    = opcode;
    m_pkt.psn       = ctx_q.psn;
    m_pkt.ack_req   = ack_now;
    m_pkt.solicited = last_q && header_q.solicited && !is_read && (!is_write || has_imm);
    m_pkt.payload   = is_read ? 13'd0 : payload_q;
    m_pkt.va        = header_q.remote_addr;
    m_pkt.rkey      = header_q.rkey;
    m_pkt.dma_len   = ctx_q.total;
    m_pkt.imm       = {header_q.immediate[7:0], header_q.immediate[15:8], header_q.immediate[23:16], header_q.immediate[31:24]};
    m_pkt.wqe_index = ctx_q.index;
    m_pkt.round     = round_mem[qp_q];
  end

  wire [23:0] psn_step = is_read ? packets_q : 24'd1;
  assign m_sent_valid  = (m_pkt_valid && m_pkt_ready) || (step_q == ST_CTL && ctl_q.op == `CTL_RTS);
  assign m_sent_next   = step_q == ST_CTL ? ctl_q.psn : ctx_q.psn + psn_step;

  assign m_flight_valid = step_q == ST_OPEN || step_q == ST_ERROR && m_kick_ready;
  always_comb begin : flight
    m_flight           = '0;
    m_flight.kind      = step_q == ST_ERROR ? `FLIGHT_ERROR : is_read ? `FLIGHT_READ : `FLIGHT_ACKED;
    m_flight.signaled  = header_q.signaled || sig_all_q;
    m_flight.wc_opcode = is_read ? ib_pkg::WC_OPCODE_RDMA_READ : is_write ? ib_pkg::WC_OPCODE_RDMA_WRITE : ib_pkg::WC_OPCODE_SEND;
    m_flight.status    = status_q;
    m_flight.first_psn = ctx_q.psn;
    m_flight.last_psn  = ctx_q.psn + packets_q - 24'd1;
    m_flight.byte_len  = ctx_q.total;
    m_flight.wqe_index = ctx_q.index;
    m_flight.rd_slot   = list;
    m_flight.segments  = seg_count;
  end
  assign m_list_take  = step_q == ST_OPEN && is_read;
  assign m_list_valid = step_q == ST_SUM;
  assign m_list_word  = word_q[2:0] - 3'd1;
  assign m_list_data  = s_word;

  wire more = step_q == ST_SAVE && !ctx_q.dead;
  assign m_kick_valid = step_q == ST_ERROR;
  assign m_kick_qp    = qp_q;
  assign m_used_valid = step_q == ST_SAVE && (!more || m_again_ready) && (!ctx_q.open || ctx_q.dead);

  // The turn, step by step.
  wire take = step_q == ST_IDLE && !s_ctl_valid && s_qp_valid;
  assign s_qp_ready    = step_q == ST_IDLE && !s_ctl_valid;
  assign m_cfg_valid   = take;
  assign m_cfg_qp      = s_qp;
  assign look_qp       = qp_q;
  assign m_again_valid = more;
  assign m_again_qp    = qp_q;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      step_q <= ST_IDLE;
    end else begin
      case (step_q)
        ST_IDLE: if (s_ctl_valid) step_q <= ST_CTL;
                 else if (s_qp_valid) step_q <= ST_CTX;

        // Context and configuration come; nothing to do is the end of the turn.
        ST_CTX: if (s_cfg_valid) begin
          if (!ctx.live || ctx.dead || (!ctx.open && arrived == ctx.index) ||
              !(cfg.state == ib_pkg::QP_STATE_RTS || (cfg.state == ib_pkg::QP_STATE_SQD && ctx.open))) step_q <= ST_IDLE;
          else step_q <= ST_HEADER;
        end

        // The WQE header shows. A message under way goes on; a new one may have to wait: who frees the way wakes it.
        ST_HEADER: begin
          if (ctx_q.open) step_q <= ST_PACKET;
          else if (flight_full) step_q <= ST_IDLE;
          else if (!sound) step_q <= ST_ERROR;
          else if (wait_flight) step_q <= ST_IDLE;
          else if (header.inline || header.segments == '0) step_q <= ST_COUNT;
          else step_q <= ST_SUM;
        end

        ST_SUM: if (sum_done) step_q <= ST_COUNT;

        // The whole length is known, and how many packets it takes.
        ST_COUNT: step_q <= sum_q > 36'h8000_0000 ? ST_ERROR : ST_OPEN;

        ST_OPEN: step_q <= ST_PACKET;

        ST_PACKET: step_q <= is_read || rest == '0 ? ST_SEND : header_q.inline ? ST_INLINE : ST_CHUNK;

        // One chunk a cycle until the packet is full.
        ST_CHUNK: if (chunk_go && seg_fills) step_q <= ST_SEND;

        ST_INLINE: if (m_inl_valid && m_inl_ready && inl_last) step_q <= ST_SEND;

        ST_SEND: if (m_pkt_ready) step_q <= ST_SAVE;

        ST_ERROR: if (m_kick_ready) step_q <= ST_SAVE;

        ST_SAVE: if (!more || m_again_ready) step_q <= ST_IDLE;

        ST_CTL: step_q <= ST_IDLE;
        default: step_q <= ST_IDLE;
      endcase
    end
  end

  wire [31:0] sum_next = sum_q[31:0] + pair[31:0];
  always_ff @(posedge clk) begin : work
    case (step_q)
      ST_IDLE: begin
        qp_q  <= s_ctl_valid ? s_ctl.qpn[QW-1:0] : s_qp;
        ctl_q <= s_ctl;
      end
      ST_CTX: begin
        ctx_q     <= ctx;
        mtu_q     <= cfg.path_mtu;
        pd_q      <= cfg.pd;
        stride_q  <= cfg.sq_log_stride[1:0];
        grh_q     <= cfg.grh;
        sig_all_q <= cfg.sig_all;
        depth_q   <= cfg.max_rd_atomic;
        sum_q     <= '0;
        chunks_q  <= '0;
        inl_sent_q <= 1'b0;
      end
      ST_HEADER: begin
        header_q <= header;
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
      ST_COUNT: packets_q <= packets;
      ST_OPEN: begin
        ctx_q.open <= 1'b1;
        ctx_q.ssn  <= ctx_q.ssn + 24'd1;
      end
      ST_PACKET: begin
        payload_q <= rest < 32'(mtu_bytes) ? rest[12:0] : mtu_bytes;
        need_q    <= rest < 32'(mtu_bytes) ? rest[12:0] : mtu_bytes;
        first_q   <= at_first;
        last_q    <= at_last;
      end
      ST_CHUNK: if (chunk_go) begin
        need_q           <= need_q - chunk_len;
        ctx_q.seg        <= seg_ends ? ctx_q.seg + 5'd1 : ctx_q.seg;
        ctx_q.seg_offset <= seg_ends ? 32'd0 : ctx_q.seg_offset + 32'(chunk_len);
        if (seg_more) chunks_q <= chunks_q + 5'd1;
      end
      ST_INLINE: if (m_chunk_valid && m_chunk_ready) begin
        inl_sent_q <= 1'b1;
        chunks_q   <= 5'd1;
      end
      ST_SEND: if (m_pkt_ready) begin
        ctx_q.psn    <= ctx_q.psn + psn_step;
        ctx_q.offset <= ctx_q.offset + 32'(payload_q);
        ctx_q.burst  <= ack_now ? 4'd0 : ctx_q.burst + 4'd1;
        if (last_q) begin
          ctx_q.open  <= 1'b0;
          ctx_q.index <= ctx_q.index + 16'd1;
        end
      end
      ST_ERROR: if (m_kick_ready) ctx_q.dead <= 1'b1;
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
      ST_CHUNK: if (!word_here || (chunk_go && seg_ends && ctx_q.seg[0])) begin
        m_rd_valid = 1'b1;
        word_next  = word_here ? seg_word + 5'd1 : seg_word;
      end
      ST_INLINE: if (m_inl_valid && m_inl_ready) begin
        m_rd_valid = 1'b1;
        word_next  = word_q + 5'd1;
      end
      default: ;
    endcase
  end
  always_ff @(posedge clk) if (m_rd_valid) word_q <= word_next;
  assign m_rd_word       = word_next;
  assign m_rd_index      = step_q == ST_CTX ? ctx.index : ctx_q.index;
  assign m_rd_log_stride = step_q == ST_CTX ? cfg.sq_log_stride[1:0] : stride_q;

  // The slice: read with the turn, written at its end.
  state_t ctl_ctx, save_ctx;
  always_comb begin : control_order
    ctl_ctx = '0;
    if (ctl_q.op == `CTL_RTS) begin
      ctl_ctx.live = 1'b1;
      ctl_ctx.psn  = ctl_q.psn;
    end
  end
  assign save_ctx = step_q == ST_CTL ? ctl_ctx : ctx_q;
  wire save = (step_q == ST_SAVE && (!more || m_again_ready)) ||
              (step_q == ST_CTL && (ctl_q.op == `CTL_CLEAR || ctl_q.op == `CTL_RTS));

  prim_ram #(.WIDTH($bits(state_t'('0))), .DEPTH(QPS)) u_state (
    .clk, .wr_en(save), .wr_addr(qp_q), .wr_data(save_ctx),
    .rd_en(step_q == ST_IDLE), .rd_addr(s_ctl_valid ? s_ctl.qpn[QW-1:0] : s_qp), .rd_data(ctx));

  assign s_ctl_ready    = step_q == ST_CTL;
  assign m_ctl_data     = {ctx.index, ctx.ssn, ctx.psn};
  assign m_flight_clear = step_q == ST_CTL && ctl_q.op == `CTL_CLEAR;


  wire unused = &{1'b0, header_q.mark, header_q.index, header_q.fence};

  `ASSERT(a_not_past_end, step_q != ST_CHUNK || ctx_q.seg < 5'd16)

endmodule

`default_nettype wire
