// gather_plan: takes the chunks of packets through the gate, asks the host for them, and lists their pieces.
//
// Contract: a chunk passes the gate only when every piece it can become has its tags and its place in the
//           list, so an epoch is held for the host's time only, never for the link's. A refused
//           chunk becomes zeros. m_pkt shows a packet before or with its first piece.
// Timing:   one chunk per cycle; PIECES and PACKETS are how far it runs ahead.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module gather_plan #(
  parameter int DATA_W         = 256,
  parameter int DESC_W         = 32,
  parameter int TAGS           = 48,
  parameter int MAX_READ_BYTES = 512,
  parameter int PIECES         = 256,
  parameter int PACKETS        = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_gpkt_valid,
  output      logic                   s_gpkt_ready,
  input  wire logic [DESC_W-1:0]      s_gpkt_desc,
  input  wire logic [6:0]             s_gpkt_hdr_bytes,
  input  wire logic [12:0]            s_gpkt_payload,
  input  wire logic [4:0]             s_gpkt_chunks,
  input  wire logic                   s_gchunk_valid,
  output      logic                   s_gchunk_ready,
  input  wire logic                   s_gchunk_inl,
  input  wire logic [31:0]            s_gchunk_key,
  input  wire logic [23:0]            s_gchunk_pd,
  input  wire logic [3:0]             s_gchunk_need,
  input  wire logic [63:0]            s_gchunk_va,
  input  wire logic [31:0]            s_gchunk_len,

  output      logic                   m_first_valid,
  input  wire logic                   m_first_ready,
  output      logic [`GATE_REQ_W-1:0] m_first_data,
  input  wire logic                   s_first_valid,
  output      logic                   m_rest_valid,
  input  wire logic                   m_rest_ready,
  output      logic [`GATE_REQ_W-1:0] m_rest_data,
  input  wire logic                   s_rest_valid,
  input  wire logic [`GATE_RSP_W-1:0] s_rsp_data,

  output      logic                   m_rd_valid,       // to the read client
  input  wire logic                   m_rd_ready,
  output      logic [`SPAN_W-1:0]     m_rd_data,
  input  wire logic                   s_slot_free,

  output      logic                   m_pkt_valid,      // the packet of m_plan
  input  wire logic                   m_pkt_ready,
  output      logic [DESC_W-1:0]      m_pkt_desc,
  output      logic [6:0]             m_pkt_dst,        // lane of the first payload byte
  output      logic [2:0]             m_pkt_blank,      // beats of header only, before it

  output      logic                   m_plan_valid,
  input  wire logic                   m_plan_ready,
  output      logic                   m_plan_host,      // bytes from the host
  output      logic                   m_plan_inl,       // inline bytes; neither: zeros
  output      logic                   m_plan_first,     // of the packet
  output      logic                   m_plan_last,
  output      logic [2:0]             m_plan_cause,     // 0, or why it was refused
  output      logic [6:0]             m_plan_src,       // lane of its first byte
  output      logic [12:0]            m_plan_len
);

  localparam int BYTES = DATA_W / 8;
  localparam int LW    = $clog2(BYTES);
  localparam int MW    = $clog2(MAX_READ_BYTES);
  localparam int NW    = 7;                  // tags of a chunk
  initial if (TAGS < 4096 / MAX_READ_BYTES + 1) $fatal(1, "%m: a chunk needs more tags");

  // One chunk, or a packet without, a cycle.
  logic [4:0]  left_q;                       // chunks to come; 0: a packet starts
  wire         starts = left_q == '0;
  wire         none   = starts && s_gpkt_chunks == '0;
  wire         first  = starts;
  wire         last   = none || (starts ? s_gpkt_chunks : left_q) == 5'd1;
  wire         skip   = none || s_gchunk_inl;
  wire         there  = starts ? s_gpkt_valid && (none || s_gchunk_valid) : s_gchunk_valid;
  wire [NW-1:0] tags_need = skip ? '0 : NW'(s_gchunk_len[12:MW]) + (s_gchunk_len[MW-1:1] != '0 ? NW'(2) : NW'(1));   // at any alignment
  wire [1:0]    list_need = skip ? 2'd1 : 2'd2;
  logic        tags_ok, list_ok, pkt_room, walk_ready;
  wire         may  = there && tags_ok && list_ok && (!starts || pkt_room);
  wire         fire = may && walk_ready;

  assign s_gpkt_ready   = starts && fire;
  assign s_gchunk_ready = !none && fire;

  always_ff @(posedge clk) begin : count
    if (rst) left_q <= '0;
    else if (fire) left_q <= none ? '0 : (starts ? s_gpkt_chunks : left_q) - 1'b1;
  end

  // The image: header lanes first. Without payload its last beat is the one that ends it.
  wire         whole = none && 7'(s_gpkt_hdr_bytes[LW-1:0]) == '0;
  wire [2:0]   blank = 3'(s_gpkt_hdr_bytes >> LW) - 3'(whole);
  logic [$clog2(PACKETS):0] pkt_level;

  prim_fifo #(.WIDTH(DESC_W + LW + 3), .DEPTH(PACKETS)) u_packets (
    .clk, .rst, .s_valid(fire && starts), .s_ready(pkt_room),
    .s_data({s_gpkt_desc, s_gpkt_hdr_bytes[LW-1:0], blank}),
    .m_valid(m_pkt_valid), .m_ready(m_pkt_ready), .m_data({m_pkt_desc, m_pkt_dst[LW-1:0], m_pkt_blank}),
    .level(pkt_level));
  assign m_pkt_dst[6:LW] = '0;

  // Through the gate.
  gate_req_t req;
  always_comb begin : chunk
    req      = '0;
    req.hold = 1'b1;
    req.key  = s_gchunk_key;
    req.pd   = s_gchunk_pd;
    req.need = s_gchunk_need;
    req.va   = s_gchunk_va;
    req.len  = none ? '0 : s_gchunk_len;
  end

  logic          piece_valid, piece_ready, first_c, last_c, inl_c;
  logic [NW-1:0] tags_c;
  piece_t        piece;
  logic [`PIECE_W-1:0] piece_data;
  assign piece = piece_data;

  mem_walk #(.USER_W(3 + NW)) u_walk (
    .clk, .rst, .s_chunk_valid(may), .s_chunk_ready(walk_ready), .s_chunk_data(req), .s_chunk_skip(skip),
    .s_chunk_user({first, last, skip && !none, tags_need}),
    .m_first_valid, .m_first_ready, .m_first_data, .s_first_valid,
    .m_rest_valid, .m_rest_ready, .m_rest_data, .s_rest_valid, .s_rsp_data,
    .m_piece_valid(piece_valid), .m_piece_ready(piece_ready), .m_piece_data(piece_data),
    .m_piece_user({first_c, last_c, inl_c, tags_c}));

  // To the read client and into the list, both at once.
  wire         host = piece.ok && !piece.skip;
  logic        list_room;
  logic [$clog2(PIECES):0] list_level;
  span_t       rd;
  assign m_rd_valid  = piece_valid && host && list_room;
  assign m_rd_data   = rd;
  assign piece_ready = list_room && (!host || m_rd_ready);
  wire   piece_fire  = piece_valid && piece_ready;
  always_comb begin : read
    rd.epoch = piece.epoch;
    rd.pa    = piece.pa;
    rd.len   = piece.len;
  end

  prim_fifo #(.WIDTH(7 + LW + 13), .DEPTH(PIECES)) u_list (
    .clk, .rst, .s_valid(piece_valid && (!host || m_rd_ready)), .s_ready(list_room),
    .s_data({host, inl_c, first_c && piece.first, last_c && piece.last, piece.cause,
             host ? piece.pa[LW-1:0] : LW'(0), piece.len}),
    .m_valid(m_plan_valid), .m_ready(m_plan_ready),
    .m_data({m_plan_host, m_plan_inl, m_plan_first, m_plan_last, m_plan_cause, m_plan_src[LW-1:0], m_plan_len}),
    .level(list_level));
  assign m_plan_src[6:LW] = '0;

  // Give back what the chunk did not need.
  logic [NW-1:0] tags_left_q;
  logic          second_q;
  wire  [NW-1:0] tags_used = host ? NW'((13'(piece.pa[MW-1:0]) + piece.len - 13'd1) >> MW) + NW'(1) : '0;
  wire  [NW-1:0] tags_left = (piece.first ? tags_c : tags_left_q) - tags_used;
  wire           give      = piece_fire && piece.last;

  always_ff @(posedge clk) begin : surplus
    if (piece_fire) begin
      tags_left_q <= tags_left;
      second_q    <= piece.first;
    end
  end

  prim_credit #(.CREDITS(TAGS), .N_W(NW)) u_tags (
    .clk, .rst, .s_need(tags_need), .m_enough(tags_ok), .s_take(fire),
    .s_back_a(give ? tags_left : '0), .s_back_b(NW'(s_slot_free)));
  prim_credit #(.CREDITS(PIECES), .N_W(2)) u_list_room (
    .clk, .rst, .s_need(list_need), .m_enough(list_ok), .s_take(fire),
    .s_back_a({1'b0, give && piece.first && !piece.skip}), .s_back_b({1'b0, m_plan_valid && m_plan_ready}));

  `ASSERT(a_list_room, !piece_valid || list_room)
  `ASSERT(a_two_pages, !piece_fire || piece.first || second_q)
  `ASSERT(a_tags, !piece_fire || tags_used <= (piece.first ? tags_c : tags_left_q))
  `ASSERT(a_chunk_len, !(fire && !none) || (s_gchunk_len != '0 && s_gchunk_len <= 32'd4096))
  `ASSERT(a_payload, !(fire && starts) || ((s_gpkt_payload == '0) == none && s_gpkt_payload <= 13'd4096))

  wire unused = &{1'b0, pkt_level, list_level, s_gpkt_payload, piece, second_q};

endmodule

`default_nettype wire
