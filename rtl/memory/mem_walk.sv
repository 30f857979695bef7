// mem_walk: takes chunks through the gate and gives their pieces, page by page, in order.
//
// Contract: a chunk of len bytes becomes pieces that each lie in one 4 KiB page; a refusal ends its chunk
//           with one piece that is not ok and covers the rest. A chunk with skip is one piece and asks
//           no one. Every piece that is ok (and no skip) holds its epoch: who takes it releases it.
// Timing:   one chunk per cycle while each lies in one page; 8 cycles for every further page.
//           DEPTH chunks are in flight. First pages and further pages are clients of their own.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module mem_walk #(
  parameter int USER_W = 8,                  // travels with the chunk
  parameter int DEPTH  = 16,
  parameter bit SPLIT  = 1'b1                // 0: no chunk crosses a page
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_chunk_valid,
  output      logic                   s_chunk_ready,
  input  wire logic [`GATE_REQ_W-1:0] s_chunk_data,     // gate_req_t with hold
  input  wire logic                   s_chunk_skip,
  input  wire logic [USER_W-1:0]      s_chunk_user,

  output      logic                   m_first_valid,    // gate client: first page of a chunk
  input  wire logic                   m_first_ready,
  output      logic [`GATE_REQ_W-1:0] m_first_data,
  input  wire logic                   s_first_valid,
  output      logic                   m_rest_valid,     // gate client: further pages
  input  wire logic                   m_rest_ready,
  output      logic [`GATE_REQ_W-1:0] m_rest_data,
  input  wire logic                   s_rest_valid,
  input  wire logic [`GATE_RSP_W-1:0] s_rsp_data,       // gate_rsp_t of both

  output      logic                   m_piece_valid,
  input  wire logic                   m_piece_ready,
  output      logic [`PIECE_W-1:0]    m_piece_data,     // piece_t
  output      logic [USER_W-1:0]      m_piece_user
);

  localparam int LW = $clog2(DEPTH) + 1;

  // The chunks in flight, and the answers for their first pages.
  logic                   room, chunk_valid, chunk_skip, first_valid, first_ready, pop;
  logic [`GATE_REQ_W-1:0] chunk_data;
  logic [`GATE_RSP_W-1:0] first_data;
  logic [LW-1:0]          chunk_level, first_level;

  assign m_first_valid = s_chunk_valid && room && !s_chunk_skip;
  assign m_first_data  = s_chunk_data;
  assign s_chunk_ready = room && (s_chunk_skip || m_first_ready);

  prim_fifo #(.WIDTH(`GATE_REQ_W + 1 + USER_W), .DEPTH(DEPTH)) u_chunks (
    .clk, .rst, .s_valid(s_chunk_valid && (s_chunk_skip || m_first_ready)), .s_ready(room),
    .s_data({s_chunk_data, s_chunk_skip, s_chunk_user}),
    .m_valid(chunk_valid), .m_ready(pop), .m_data({chunk_data, chunk_skip, m_piece_user}), .level(chunk_level));

  prim_fifo #(.WIDTH(`GATE_RSP_W), .DEPTH(DEPTH)) u_first (
    .clk, .rst, .s_valid(s_first_valid), .s_ready(first_ready), .s_data(s_rsp_data),
    .m_valid(first_valid), .m_ready(pop && !chunk_skip), .m_data(first_data), .level(first_level));

  // The oldest chunk: its first page, then the rest.
  logic        mid_q, ask_q, have_q;         // behind the first page; a request to be made; its answer is there
  logic [63:0] va_q;
  logic [31:0] rem_q;
  gate_rsp_t   rest_q, rsp;
  gate_req_t   chunk, rest;
  piece_t      piece;

  assign chunk = chunk_data;
  assign rsp   = mid_q ? rest_q : first_data;
  wire [31:0] rem = mid_q ? rem_q : chunk.len;
  wire        fits = !SPLIT || rem <= 32'(rsp.span);

  always_comb begin : make_piece
    piece       = '0;
    piece.skip  = chunk_skip;
    piece.ok    = chunk_skip || rsp.ok;
    piece.cause = chunk_skip ? '0 : rsp.cause;
    piece.epoch = rsp.epoch;
    piece.first = !mid_q;
    piece.last  = chunk_skip || !rsp.ok || fits;
    piece.pa    = rsp.pa;
    piece.len   = piece.last ? rem[12:0] : rsp.span;
  end

  assign m_piece_valid = chunk_valid && (chunk_skip || (mid_q ? have_q : first_valid));
  assign m_piece_data  = piece;
  wire fire = m_piece_valid && m_piece_ready;
  assign pop = fire && piece.last;

  always_comb begin : ask
    rest     = chunk;
    rest.va  = va_q;
    rest.len = rem_q;
  end
  assign m_rest_valid = SPLIT && ask_q;
  assign m_rest_data  = rest;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      mid_q  <= 1'b0;
      ask_q  <= 1'b0;
      have_q <= 1'b0;
    end else begin
      if (m_rest_valid && m_rest_ready) ask_q <= 1'b0;
      if (s_rest_valid) have_q <= 1'b1;
      if (fire) begin
        mid_q  <= !piece.last;
        ask_q  <= !piece.last;
        have_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk) begin : payload
    if (s_rest_valid) rest_q <= s_rsp_data;
    if (fire) begin
      va_q  <= (mid_q ? va_q : chunk.va) + 64'(rsp.span);
      rem_q <= rem - 32'(rsp.span);
    end
  end

  `ASSERT(a_first_room, !s_first_valid || first_ready)
  `ASSERT(a_rest_asked, !s_rest_valid || (mid_q && !have_q))
  `ASSERT(a_no_split, !fire || chunk_skip || SPLIT || !rsp.ok || chunk.len <= 32'(rsp.span))

  wire unused = &{1'b0, chunk_level, first_level, rem[31:13]};

endmodule

`default_nettype wire
