// req_packet: describes the next request packet of a message: opcode, headers, and the pieces of memory it carries (9.7.2).
//
// Contract: one packet a job, and further ones of the same message while `go_on` says that nobody waits for the requester. Chunks are
//           told before their packet. The context is saved with the last packet, then the queue pair is back in line.
// Timing:   2 cycles a packet, 1 more for each chunk, 2 for each further word of the WQE; 1 at the end.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"
`include "requester.svh"

module req_packet #(
  parameter int QPS       = 64,
  parameter int ACK_EVERY = 16               // packets of one message between two AckReq, a power of two
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_job_valid,
  output      logic                   s_job_ready,
  input  wire req_job_t               s_job,
  input  wire logic [$clog2(QPS)-1:0] s_qp,
  input  wire logic                   go_on,
  output      logic                   busy,            // with qp
  output      logic [$clog2(QPS)-1:0] qp,

  output      logic                   m_rd_valid,      // WQE word: shows one cycle later
  input  wire logic                   m_rd_ready,
  output      logic [15:0]            m_rd_index,
  output      logic [1:0]             m_rd_log_stride,
  output      logic [4:0]             m_rd_word,
  input  wire logic [255:0]           s_word,
  output      logic                   m_used_valid,    // the WQE's message is on its way

  output      logic                   m_flight_valid,  // a message enters the flight table
  output      flight_t                m_flight,
  input  wire logic [7:0]             list,
  output      logic                   m_list_take,
  output      logic                   m_sent_valid,
  output      logic [23:0]            m_sent_next,
  output      logic                   m_sent_again,    // of a replay

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

  output      logic                   m_save_valid,
  output      req_state_t             m_save,
  output      logic                   m_again_valid,
  input  wire logic                   m_again_ready
);

  localparam int QW = $clog2(QPS);

  typedef enum logic [2:0] {ST_IDLE, ST_PACKET, ST_CHUNK, ST_INLINE, ST_SEND, ST_SAVE} step_e;
  step_e         step_q;
  logic [QW-1:0] qp_q;
  req_job_t      job_q;
  req_state_t    ctx_q;
  wqe_data_t     low, high, segment;
  wqe_atomic_t   operands;
  logic [255:0]  word_q;                     // of the WQE
  logic [3:0]    at_q;                       // its number
  logic          coming_q;                   // the word asked for shows
  assign low      = word_q[127:0];
  assign high     = word_q[255:128];
  assign operands = word_q[255:128];
  assign busy     = step_q != ST_IDLE;
  assign qp       = qp_q;

  wqe_header_t header;
  assign header = job_q.header;
  wire is_read   = header.opcode == ib_pkg::WR_OPCODE_RDMA_READ;
  wire is_swap   = header.opcode == ib_pkg::WR_OPCODE_ATOMIC_CMP_AND_SWP;
  wire is_add    = header.opcode == ib_pkg::WR_OPCODE_ATOMIC_FETCH_AND_ADD;
  wire is_atomic = is_swap || is_add;
  wire asks      = is_read || is_atomic;                               // carries no data, is answered by some
  wire is_write  = header.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE || header.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE_WITH_IMM;
  wire has_imm   = header.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE_WITH_IMM || header.opcode == ib_pkg::WR_OPCODE_SEND_WITH_IMM;

  // The packet: its share of the message.
  req_job_t   start;
  req_state_t from;
  assign start = step_q == ST_IDLE ? s_job : job_q;
  assign from  = step_q == ST_IDLE ? s_job.ctx : ctx_q;
  wire [12:0] from_mtu   = 13'd128 << start.mtu;
  wire [31:0] rest       = from.total - from.offset;
  wire        fills      = rest < 32'(from_mtu);
  wire        from_asks  = start.header.opcode == ib_pkg::WR_OPCODE_RDMA_READ || start.header.opcode == ib_pkg::WR_OPCODE_ATOMIC_CMP_AND_SWP ||
                           start.header.opcode == ib_pkg::WR_OPCODE_ATOMIC_FETCH_AND_ADD;
  logic [12:0] payload_q, need_q;
  logic        first_q, last_q;
  logic [31:0] rest_q;
  logic [4:0]  chunks_q;
  logic        told_q;                       // the chunk of inline bytes has been told

  logic [7:0]  opcode;
  always_comb begin : choose_opcode
    case ({is_write, first_q, last_q})
      3'b010: opcode = ib_pkg::OP_RC_SEND_FIRST;
      3'b000: opcode = ib_pkg::OP_RC_SEND_MIDDLE;
      3'b001: opcode = has_imm ? ib_pkg::OP_RC_SEND_LAST_IMM : ib_pkg::OP_RC_SEND_LAST;
      3'b011: opcode = has_imm ? ib_pkg::OP_RC_SEND_ONLY_IMM : ib_pkg::OP_RC_SEND_ONLY;
      3'b110: opcode = ib_pkg::OP_RC_WRITE_FIRST;
      3'b100: opcode = ib_pkg::OP_RC_WRITE_MIDDLE;
      3'b101: opcode = has_imm ? ib_pkg::OP_RC_WRITE_LAST_IMM : ib_pkg::OP_RC_WRITE_LAST;
      default: opcode = has_imm ? ib_pkg::OP_RC_WRITE_ONLY_IMM : ib_pkg::OP_RC_WRITE_ONLY;
    endcase
    if (is_read) opcode = ib_pkg::OP_RC_READ_REQUEST;
    if (is_swap) opcode = ib_pkg::OP_RC_COMPARE_SWAP;
    if (is_add)  opcode = ib_pkg::OP_RC_FETCH_ADD;
  end

  // The chunk under way: what is left of the segment, or of the packet.
  assign segment = ctx_q.seg[0] ? high : low;
  wire [31:0] seg_rest  = segment.length - ctx_q.seg_offset;
  wire        seg_ends  = seg_rest <= 32'(need_q);
  wire        seg_fills = seg_rest >= 32'(need_q);                     // the packet is full with it
  wire        seg_more  = segment.length != ctx_q.seg_offset;          // it has bytes left
  wire [12:0] chunk_len = seg_ends ? seg_rest[12:0] : need_q;
  wire [4:0]  seg_word  = {1'b0, ctx_q.seg[4:1]} + 5'd1;
  wire        word_here = {1'b0, at_q} == seg_word;
  wire        chunk_go  = step_q == ST_CHUNK && word_here && (!seg_more || m_chunk_ready);

  assign m_chunk_valid = (step_q == ST_CHUNK && word_here && seg_more) || (step_q == ST_INLINE && !told_q);
  assign m_chunk = step_q == ST_INLINE ? {1'b1, 32'b0, 24'b0, `NEED_LOCAL_READ, 64'b0, 19'b0, payload_q}
                 : {1'b0, segment.lkey, job_q.pd, `NEED_LOCAL_READ, segment.addr + {32'b0, ctx_q.seg_offset}, 19'b0, chunk_len};

  // Inline bytes: the words behind the header, one after the other.
  logic [4:0] inl_q;                         // the word to hand over
  wire        inl_here = {1'b0, at_q} == inl_q;
  wire        inl_last = {inl_q, 5'b0} >= 10'(payload_q[9:0]);
  wire        inl_go   = m_inl_valid && m_inl_ready;
  assign m_inl_valid = step_q == ST_INLINE && (told_q || m_chunk_ready) && inl_here;
  assign m_inl_data  = word_q;
  assign m_inl_last  = inl_last;
  assign m_inl_half  = {inl_q - 5'd1, 5'd16} >= 10'(payload_q[9:0]);

  // Further words, when nobody else reads.
  wire [4:0] wanted = step_q == ST_INLINE ? inl_q : seg_word;
  assign m_rd_valid      = (step_q == ST_CHUNK || step_q == ST_INLINE) && {1'b0, at_q} != wanted && !coming_q;
  assign m_rd_index      = ctx_q.index;
  assign m_rd_log_stride = job_q.stride;
  assign m_rd_word       = wanted;
  always_ff @(posedge clk) coming_q <= !rst && m_rd_valid && m_rd_ready;

  wire ack_now = last_q || ctx_q.burst == 4'(ACK_EVERY - 1);
  wire [23:0] psn_next = ctx_q.psn + (asks ? job_q.psns : 24'd1);
  logic [63:0] va_q;
  always_comb begin : packet
    m_pkt           = '0;
    m_pkt.request   = 1'b1;
    m_pkt.qpn       = 24'(qp_q);
    m_pkt.opcode    = opcode;
    m_pkt.psn       = ctx_q.psn;
    m_pkt.msn       = psn_next - 24'd1;
    m_pkt.ack_req   = ack_now;
    m_pkt.solicited = last_q && header.solicited && !asks && (!is_write || has_imm);
    m_pkt.payload   = asks ? 13'd0 : payload_q;
    m_pkt.va        = va_q;
    m_pkt.rkey      = header.rkey;
    m_pkt.dma_len   = rest_q;
    m_pkt.imm       = {header.immediate[7:0], header.immediate[15:8], header.immediate[23:16], header.immediate[31:24]};
    m_pkt.swap_add  = operands.swap_add;
    m_pkt.compare   = is_swap ? operands.compare : '0;
    m_pkt.wqe_index = ctx_q.index;
    m_pkt.turn      = ctx_q.turn;
  end
  assign m_pkt_valid     = step_q == ST_SEND;
  assign m_pkt_chunks    = chunks_q;
  assign m_pkt_hdr_bytes = ib_pkg::op_header_bytes(opcode) + (job_q.grh ? 7'd40 : 7'd0);

  wire        sent     = m_pkt_valid && m_pkt_ready;
  assign m_sent_valid = sent;
  assign m_sent_next  = psn_next;
  assign m_sent_again = ctx_q.again;

  // A new message enters the flight table before its first packet leaves.
  wqe_header_t new_header;
  assign new_header = s_job.header;
  wire new_asks = new_header.opcode == ib_pkg::WR_OPCODE_RDMA_READ;
  wire new_swap = new_header.opcode == ib_pkg::WR_OPCODE_ATOMIC_CMP_AND_SWP;
  wire new_add  = new_header.opcode == ib_pkg::WR_OPCODE_ATOMIC_FETCH_AND_ADD;
  wire new_write = new_header.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE || new_header.opcode == ib_pkg::WR_OPCODE_RDMA_WRITE_WITH_IMM;
  wire take     = s_job_valid && s_job_ready;
  assign s_job_ready    = step_q == ST_IDLE;
  assign m_flight_valid = take && s_job.fresh;
  assign m_list_take    = m_flight_valid && (new_asks || new_swap || new_add);
  always_comb begin : flight
    m_flight           = '0;
    m_flight.kind      = new_asks ? `FLIGHT_READ : new_swap || new_add ? `FLIGHT_ATOMIC : `FLIGHT_ACKED;
    m_flight.signaled  = new_header.signaled || s_job.sig_all;
    m_flight.wc_opcode = new_asks ? ib_pkg::WC_OPCODE_RDMA_READ : new_swap ? ib_pkg::WC_OPCODE_COMP_SWAP
                       : new_add ? ib_pkg::WC_OPCODE_FETCH_ADD : new_write ? ib_pkg::WC_OPCODE_RDMA_WRITE : ib_pkg::WC_OPCODE_SEND;
    m_flight.first_psn = s_job.ctx.psn;
    m_flight.last_psn  = s_job.ctx.psn + s_job.psns - 24'd1;
    m_flight.byte_len  = s_job.ctx.total;
    m_flight.wqe_index = s_job.ctx.index;
    m_flight.rd_slot   = list;
    m_flight.segments  = new_header.segments[4:0];
  end

  always_ff @(posedge clk) begin : control
    if (rst) begin
      step_q <= ST_IDLE;
    end else begin
      case (step_q)
        ST_IDLE, ST_PACKET: if (step_q == ST_PACKET || s_job_valid)
          step_q <= from_asks || rest == '0 ? ST_SEND : start.header.inline ? ST_INLINE : ST_CHUNK;
        // One chunk a cycle until the packet is full.
        ST_CHUNK: if (chunk_go && seg_fills) step_q <= ST_SEND;
        ST_INLINE: if (inl_go && inl_last) step_q <= ST_SEND;
        ST_SEND: if (m_pkt_ready) step_q <= !last_q && go_on ? ST_PACKET : ST_SAVE;
        ST_SAVE: if (m_again_ready) step_q <= ST_IDLE;
        default: step_q <= ST_IDLE;
      endcase
    end
  end

  always_ff @(posedge clk) begin : work
    case (step_q)
      ST_IDLE, ST_PACKET: begin
        if (step_q == ST_IDLE) begin
          qp_q   <= s_qp;
          job_q  <= s_job;
          ctx_q  <= s_job.ctx;
          word_q <= s_job.word;
          at_q   <= s_job.at;
        end
        payload_q <= fills ? rest[12:0] : from_mtu;
        need_q    <= fills ? rest[12:0] : from_mtu;
        rest_q    <= rest;
        va_q      <= start.header.remote_addr + 64'(from.offset);
        first_q   <= from.offset == '0;
        last_q    <= from_asks || rest <= 32'(from_mtu);
        chunks_q  <= '0;
        told_q    <= 1'b0;
        inl_q     <= 5'd1;
      end
      ST_CHUNK: begin
        if (chunk_go) begin
          need_q           <= need_q - chunk_len;
          ctx_q.seg        <= seg_ends ? ctx_q.seg + 5'd1 : ctx_q.seg;
          ctx_q.seg_offset <= seg_ends ? 32'd0 : ctx_q.seg_offset + 32'(chunk_len);
          if (seg_more) chunks_q <= chunks_q + 5'd1;
        end
      end
      ST_INLINE: begin
        if (m_chunk_valid && m_chunk_ready) begin
          told_q   <= 1'b1;
          chunks_q <= 5'd1;
        end
        if (inl_go) inl_q <= inl_q + 5'd1;
      end
      ST_SEND: if (m_pkt_ready) begin
        ctx_q.psn    <= psn_next;
        ctx_q.offset <= ctx_q.offset + 32'(payload_q);
        ctx_q.burst  <= ack_now ? 4'd0 : ctx_q.burst + 4'd1;
        if (last_q) begin
          ctx_q.open  <= 1'b0;
          ctx_q.again <= 1'b0;
          ctx_q.entry <= ctx_q.entry + 8'd1;
          ctx_q.index <= ctx_q.index + 16'd1;
        end
      end
      default: ;
    endcase
    if (coming_q) begin
      word_q <= s_word;
      at_q   <= wanted[3:0];
    end
  end

  assign m_again_valid = step_q == ST_SAVE;
  assign m_save_valid  = step_q == ST_SAVE && m_again_ready;
  assign m_save        = ctx_q;
  assign m_used_valid  = m_save_valid && !ctx_q.open;

  wire unused = &{1'b0, header.mark, header.index, header.fence, new_header, start, from, s_job};

  `ASSERT(a_not_past_end, step_q != ST_CHUNK || ctx_q.seg < 5'd16)

endmodule

`default_nettype wire
