// scatter: writes received payload from the receive buffer to consumer memory.
//
// Contract: commands are carried out in order. A chunk that the gate refuses writes nothing; the rest goes
//           on. m_sfree tells a slot with free that is read to the end. m_tok and m_sdone move, in order, when
//           all writes of a command and of those before it were called ordered; fail = the gate or the
//           host refused one. A token not taken holds up the counting.
// Timing:   one beat per cycle over commands back to back, no bubble for commands of one chunk; a
//           command without data, or a refused chunk, takes a cycle. PENDING pieces are in flight.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module scatter #(
  parameter int DATA_W  = 256,
  parameter int SLOT_W  = 5,
  parameter int BEAT_W  = 8,
  parameter int TOK_W   = 32,
  parameter int PENDING = 64
) (
  input  wire logic                     clk,
  input  wire logic                     rst,

  input  wire logic                     s_scmd_valid,
  output      logic                     s_scmd_ready,
  input  wire logic [SLOT_W-1:0]        s_scmd_slot,
  input  wire logic [6:0]               s_scmd_first,     // byte offset of the payload in the slot
  input  wire logic [12:0]              s_scmd_len,       // 0..4096
  input  wire logic [4:0]               s_scmd_chunks,    // 0 iff len is 0
  input  wire logic                     s_scmd_free,
  input  wire logic                     s_scmd_tok_valid,
  input  wire logic [TOK_W-1:0]         s_scmd_tok,
  input  wire logic                     s_schunk_valid,
  output      logic                     s_schunk_ready,
  input  wire logic [31:0]              s_schunk_key,
  input  wire logic [23:0]              s_schunk_pd,
  input  wire logic [3:0]               s_schunk_need,
  input  wire logic [63:0]              s_schunk_va,
  input  wire logic [31:0]              s_schunk_len,

  output      logic                     m_srd_en,         // the receive buffer
  output      logic [SLOT_W+BEAT_W-1:0] m_srd_addr,       // {slot, beat}
  input  wire logic [DATA_W-1:0]        s_srd_data,       // a cycle after en, kept while en is low
  output      logic                     m_sfree_valid,
  output      logic [SLOT_W-1:0]        m_sfree_slot,

  output      logic                     m_first_valid,
  input  wire logic                     m_first_ready,
  output      logic [`GATE_REQ_W-1:0]   m_first_data,
  input  wire logic                     s_first_valid,
  output      logic                     m_rest_valid,
  input  wire logic                     m_rest_ready,
  output      logic [`GATE_REQ_W-1:0]   m_rest_data,
  input  wire logic                     s_rest_valid,
  input  wire logic [`GATE_RSP_W-1:0]   s_rsp_data,

  output      logic                     m_req_valid,      // to dma_wr
  input  wire logic                     m_req_ready,
  output      logic [`SPAN_W-1:0]       m_req_data,
  output      logic                     m_beat_valid,
  input  wire logic                     m_beat_ready,
  output      logic [DATA_W-1:0]        m_beat_data,
  input  wire logic                     s_ord_valid,
  input  wire logic                     s_ord_error,

  output      logic                     m_tok_valid,
  input  wire logic                     m_tok_ready,
  output      logic [TOK_W-1:0]         m_tok,
  output      logic                     m_tok_fail,
  output      logic [15:0]              m_sdone           // commands done, modulo 2^16
);

  localparam int BYTES = DATA_W / 8;
  localparam int LW    = $clog2(BYTES);

  // One chunk, or a command without, a cycle.
  logic [4:0] left_q;                        // chunks to come; 0: a command starts
  wire        starts = left_q == '0;
  wire        none   = starts && s_scmd_chunks == '0;
  wire        last   = none || (starts ? s_scmd_chunks : left_q) == 5'd1;
  wire        there  = starts ? s_scmd_valid && (none || s_schunk_valid) : s_schunk_valid;
  logic       cmd_room, walk_ready;
  wire        may    = there && (!starts || cmd_room);
  wire        fire   = may && walk_ready;

  assign s_scmd_ready   = starts && fire;
  assign s_schunk_ready = !none && fire;

  always_ff @(posedge clk) begin : count
    if (rst) left_q <= '0;
    else if (fire) left_q <= none ? '0 : (starts ? s_scmd_chunks : left_q) - 1'b1;
  end

  localparam int CMD_W = SLOT_W + 7 + 2 + TOK_W;
  logic              cmd_valid, cmd_pop, cmd_free, cmd_tok_valid;
  logic [SLOT_W-1:0] cmd_slot;
  logic [6:0]        cmd_first;
  logic [TOK_W-1:0]  cmd_tok;
  logic [5:0]        cmd_level;
  prim_fifo #(.WIDTH(CMD_W), .DEPTH(32)) u_commands (
    .clk, .rst, .s_valid(fire && starts), .s_ready(cmd_room),
    .s_data({s_scmd_slot, s_scmd_first, s_scmd_free, s_scmd_tok_valid, s_scmd_tok}),
    .m_valid(cmd_valid), .m_ready(cmd_pop), .m_data({cmd_slot, cmd_first, cmd_free, cmd_tok_valid, cmd_tok}),
    .level(cmd_level));

  gate_req_t req;
  always_comb begin : chunk
    req      = '0;
    req.hold = 1'b1;
    req.key  = s_schunk_key;
    req.pd   = s_schunk_pd;
    req.need = s_schunk_need;
    req.va   = s_schunk_va;
    req.len  = none ? '0 : s_schunk_len;
  end

  logic                walked_valid, walked_ready, piece_valid, piece_pop, first_c, last_c;
  logic [`PIECE_W+1:0] walked;
  logic [`PIECE_W-1:0] piece_data;
  logic [3:0]          piece_level;
  piece_t              piece;
  assign piece = piece_data;
  mem_walk #(.USER_W(2)) u_walk (
    .clk, .rst, .s_chunk_valid(may), .s_chunk_ready(walk_ready), .s_chunk_data(req), .s_chunk_skip(none),
    .s_chunk_user({starts, last}),
    .m_first_valid, .m_first_ready, .m_first_data, .s_first_valid,
    .m_rest_valid, .m_rest_ready, .m_rest_data, .s_rest_valid, .s_rsp_data,
    .m_piece_valid(walked_valid), .m_piece_ready(walked_ready), .m_piece_data(walked[`PIECE_W+1:2]),
    .m_piece_user(walked[1:0]));

  prim_fifo #(.WIDTH(`PIECE_W + 2), .DEPTH(8)) u_pieces (   // so that a further page is asked for ahead
    .clk, .rst, .s_valid(walked_valid), .s_ready(walked_ready), .s_data(walked),
    .m_valid(piece_valid), .m_ready(piece_pop), .m_data({piece_data, first_c, last_c}), .level(piece_level));

  // Steps: what one beat of the receive buffer brings to the piece being written.
  logic          mid_q;                      // inside a piece
  logic [12:0]   at_q, rem_q;                // byte of the slot; bytes of the piece to come
  wire           writes = piece.ok && !piece.skip;
  wire  [12:0]   at     = first_c && piece.first && !mid_q ? 13'(cmd_first) : at_q;
  wire  [12:0]   rem    = mid_q ? rem_q : piece.len;
  wire  [BEAT_W-1:0] beat = BEAT_W'(at >> LW);
  wire  [12:0]   room   = 13'(BYTES) - 13'(at[LW-1:0]);
  wire           fin    = !writes || rem <= room;
  wire  [12:0]   n      = fin ? rem : room;
  wire           ends   = fin && piece.last && last_c;

  logic          step_q, align_ready, req_room, order_ready;
  wire           step   = cmd_valid && piece_valid
                          && (!writes || ((!step_q || align_ready) && (mid_q || req_room)))
                          && (!fin || order_ready);
  assign piece_pop = step && fin;
  assign cmd_pop   = step && ends;

  logic          first_q, last_q;
  logic [LW-1:0] src_q, dst_q;
  logic [LW:0]   n_q;

  assign m_srd_en   = step && writes;
  assign m_srd_addr = {cmd_slot, beat};

  always_ff @(posedge clk) begin : steps
    if (rst) begin
      mid_q         <= 1'b0;
      step_q        <= 1'b0;
      m_sfree_valid <= 1'b0;
    end else begin
      if (step) mid_q <= !fin;
      if (align_ready) step_q <= 1'b0;
      if (m_srd_en) step_q <= 1'b1;
      m_sfree_valid <= step && ends && cmd_free;
    end
    m_sfree_slot <= cmd_slot;
    if (step) begin
      at_q  <= at + n;
      rem_q <= rem - n;
    end
    if (m_srd_en) begin
      first_q <= !mid_q;
      last_q  <= fin;
      src_q   <= at[LW-1:0];
      dst_q   <= piece.pa[LW-1:0];
      n_q     <= n[LW:0];
    end
  end

  logic align_last;
  mem_align #(.DATA_W(DATA_W)) u_align (
    .clk, .rst, .s_valid(step_q), .s_ready(align_ready), .s_data(s_srd_data), .s_zero(1'b0), .s_src(src_q),
    .s_n(n_q), .s_first(first_q), .s_last(last_q), .s_dst(dst_q), .s_blank(3'd0),
    .m_valid(m_beat_valid), .m_ready(m_beat_ready), .m_data(m_beat_data), .m_last(align_last));

  span_t      span;
  logic [3:0] req_level;
  always_comb begin : write
    span.epoch = piece.epoch;
    span.pa    = piece.pa;
    span.len   = piece.len;
  end
  prim_fifo #(.WIDTH(`SPAN_W), .DEPTH(8)) u_requests (
    .clk, .rst, .s_valid(m_srd_en && !mid_q), .s_ready(req_room), .s_data(span),
    .m_valid(m_req_valid), .m_ready(m_req_ready), .m_data(m_req_data), .level(req_level));

  // What was written, in order.
  logic             out_valid, out_ready, out_fail, out_last, out_tok_valid, tok_room, failed_q;
  logic [TOK_W-1:0] out_tok;
  logic [3:0]       tok_level;
  mem_order #(.WIDTH(2 + TOK_W), .DEPTH(PENDING)) u_order (
    .clk, .rst, .s_valid(piece_pop), .s_ready(order_ready), .s_wr(writes), .s_fail(!piece.ok),
    .s_data({ends, cmd_tok_valid, cmd_tok}), .s_ord_valid, .s_ord_error,
    .m_valid(out_valid), .m_ready(out_ready), .m_fail(out_fail), .m_data({out_last, out_tok_valid, out_tok}));

  wire token = out_last && out_tok_valid;
  assign out_ready = !token || tok_room;
  wire out = out_valid && out_ready;

  prim_fifo #(.WIDTH(TOK_W + 1), .DEPTH(8)) u_tokens (
    .clk, .rst, .s_valid(out_valid && token), .s_ready(tok_room), .s_data({out_tok, out_fail || failed_q}),
    .m_valid(m_tok_valid), .m_ready(m_tok_ready), .m_data({m_tok, m_tok_fail}), .level(tok_level));

  always_ff @(posedge clk) begin : done
    if (rst) begin
      m_sdone  <= '0;
      failed_q <= 1'b0;
    end else if (out) begin
      if (out_last) m_sdone <= m_sdone + 16'd1;
      failed_q <= !out_last && (failed_q || out_fail);
    end
  end

  `ASSERT(a_reads, !m_srd_en || (at >> LW) < 13'(1 << BEAT_W))
  `ASSERT(a_len, !(fire && starts) || ((s_scmd_len == '0) == none && s_scmd_len <= 13'd4096))

  wire unused = &{1'b0, cmd_level, piece_level, req_level, tok_level, align_last, s_scmd_len, piece};

endmodule

`default_nettype wire
