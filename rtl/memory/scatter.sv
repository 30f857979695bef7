// scatter: writes received payload from the receive buffer to consumer memory.
//
// Contract: commands are carried out in order. A chunk that the gate refuses writes nothing; the rest goes
//           on. m_sfree tells a slot with free that is read to the end. m_tok and m_sdone move, in order, when
//           all writes of a command and of those before it were called ordered; fail = the gate or the
//           host refused one, host = the host did. A command without a token that fails tells of it by one that is bare. A
//           token not taken holds up the counting and, in the end, new chunks, but no chunk that has passed the gate.
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
  output      logic                     m_tok_host,
  output      logic                     m_tok_bare,
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
  logic       cmd_room, order_room, walk_ready;
  wire        may    = there && order_room && (!starts || cmd_room);
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
  piece_t              walked_piece;
  assign walked_piece = walked[`PIECE_W+1:2];
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

  logic               req_valid, req_room, entry, entry_ready, wr, wr_fail, ends, step_valid, step_ready, first, end_of;
  logic [`SPAN_W-1:0] req_span;
  logic [LW-1:0]      src, dst;
  logic [LW:0]        n;

  scatter_steps #(.DATA_W(DATA_W), .SLOT_W(SLOT_W), .BEAT_W(BEAT_W)) u_steps (
    .clk, .rst, .s_piece_valid(piece_valid), .s_piece_ready(piece_pop), .s_piece_data(piece_data),
    .s_piece_first(first_c), .s_piece_last(last_c), .s_cmd_valid(cmd_valid), .s_cmd_ready(cmd_pop),
    .s_cmd_slot(cmd_slot), .s_cmd_first(cmd_first), .m_srd_en, .m_srd_addr, .m_req_valid(req_valid),
    .s_req_room(req_room), .m_req_data(req_span), .m_entry_valid(entry), .m_entry_wr(wr),
    .m_entry_fail(wr_fail), .m_entry_last(ends), .m_step_valid(step_valid), .m_step_ready(step_ready),
    .m_step_src(src), .m_step_n(n), .m_step_first(first), .m_step_last(end_of), .m_step_dst(dst));

  always_ff @(posedge clk) begin : free
    m_sfree_valid <= cmd_pop && cmd_free && !rst;
    m_sfree_slot  <= cmd_slot;
  end

  logic align_last;
  mem_align #(.DATA_W(DATA_W)) u_align (
    .clk, .rst, .s_valid(step_valid), .s_ready(step_ready), .s_data(s_srd_data), .s_zero(1'b0), .s_src(src),
    .s_n(n), .s_first(first), .s_last(end_of), .s_dst(dst), .s_blank(3'd0),
    .m_valid(m_beat_valid), .m_ready(m_beat_ready), .m_data(m_beat_data), .m_last(align_last));

  logic [3:0] req_level;
  prim_fifo #(.WIDTH(`SPAN_W), .DEPTH(8)) u_requests (
    .clk, .rst, .s_valid(req_valid), .s_ready(req_room), .s_data(req_span),
    .m_valid(m_req_valid), .m_ready(m_req_ready), .m_data(m_req_data), .level(req_level));

  // What was written, in order.
  logic             out_valid, out_ready, out_fail, out_wr, out_last, out_tok_valid, tok_room, failed_q, host_q;
  logic [TOK_W-1:0] out_tok;
  logic [3:0]       tok_level;
  mem_order #(.WIDTH(3 + TOK_W), .DEPTH(PENDING)) u_order (
    .clk, .rst, .s_valid(entry), .s_ready(entry_ready), .s_wr(wr), .s_fail(wr_fail),
    .s_data({wr, ends, cmd_tok_valid, cmd_tok}), .s_ord_valid, .s_ord_error,
    .m_valid(out_valid), .m_ready(out_ready), .m_fail(out_fail), .m_data({out_wr, out_last, out_tok_valid, out_tok}));

  wire fails = out_fail || failed_q;
  wire host  = (out_fail && out_wr) || host_q;                          // what the gate refuses is not written
  wire token = out_last && (out_tok_valid || fails);
  assign out_ready = !token || tok_room;
  wire out = out_valid && out_ready;

  // A chunk passes the gate with places for all its pieces: what holds an epoch waits for the host only.
  wire   whole = walked_valid && walked_ready && walked_piece.first && walked_piece.last && !walked_piece.skip;
  prim_credit #(.CREDITS(PENDING), .N_W(2)) u_places (
    .clk, .rst, .s_need(none ? 2'd1 : 2'd2), .m_enough(order_room), .s_take(fire),
    .s_back_a({1'b0, whole}), .s_back_b({1'b0, out}));

  prim_fifo #(.WIDTH(TOK_W + 3), .DEPTH(8)) u_tokens (
    .clk, .rst, .s_valid(out_valid && token), .s_ready(tok_room), .s_data({out_tok, fails, host, !out_tok_valid}),
    .m_valid(m_tok_valid), .m_ready(m_tok_ready), .m_data({m_tok, m_tok_fail, m_tok_host, m_tok_bare}), .level(tok_level));

  always_ff @(posedge clk) begin : done
    if (rst) begin
      m_sdone  <= '0;
      failed_q <= 1'b0;
      host_q   <= 1'b0;
    end else if (out) begin
      if (out_last) m_sdone <= m_sdone + 16'd1;
      failed_q <= !out_last && fails;
      host_q   <= !out_last && host;
    end
  end

  `ASSERT(a_entry, !entry || entry_ready)
  `ASSERT(a_len, !(fire && starts) || ((s_scmd_len == '0) == none && s_scmd_len <= 13'd4096))

  wire unused = &{1'b0, walked_piece, entry_ready, cmd_level, piece_level, req_level, tok_level, align_last, s_scmd_len};

endmodule

`default_nettype wire
