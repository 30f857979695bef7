// ring_reader: reads blocks of a ring in host memory, such as work requests.
//
// Contract: s_f {mtt, offset, len} asks for len bytes (64..512, multiple of 64) at a multiple of 64 that do
//           not cross 4 KiB; m_b gives their beats in order, last on the last, error with last. A ring page
//           that is not present gives one beat with error. Tags are reserved before the gate is asked.
// Timing:   one request per cycle into the gate, one beat per cycle.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module ring_reader #(
  parameter int DATA_W         = 256,
  parameter int TAGS           = 8,
  parameter int TAG_BASE       = 48,
  parameter int TAG_W          = 6,
  parameter int MAX_READ_BYTES = 512
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_f_valid,
  output      logic                   s_f_ready,
  input  wire logic [23:0]            s_f_mtt,
  input  wire logic [31:0]            s_f_offset,
  input  wire logic [9:0]             s_f_len,
  output      logic                   m_b_valid,
  input  wire logic                   m_b_ready,
  output      logic [DATA_W-1:0]      m_b_data,
  output      logic                   m_b_last,
  output      logic                   m_b_error,

  output      logic                   m_gate_valid,
  input  wire logic                   m_gate_ready,
  output      logic [`GATE_REQ_W-1:0] m_gate_data,
  input  wire logic                   s_gate_valid,
  input  wire logic [`GATE_RSP_W-1:0] s_rsp_data,
  output      logic                   m_release_valid,
  output      logic                   m_release_epoch,

  output      logic                   m_req_valid,
  input  wire logic                   m_req_ready,
  output      logic [63:0]            m_req_addr,
  output      logic [12:0]            m_req_len,
  output      logic [TAG_W-1:0]       m_req_tag,
  input  wire logic                   s_cpl_valid,
  input  wire logic [TAG_W-1:0]       s_cpl_tag,
  input  wire logic [DATA_W-1:0]      s_cpl_data,
  input  wire logic                   s_cpl_last,
  input  wire logic                   s_cpl_error
);

  localparam int MW    = $clog2(MAX_READ_BYTES);
  localparam int NW    = 4;
  localparam int READS = 16;                 // asked for and not delivered
  initial if (TAGS < 512 / MAX_READ_BYTES + 1) $fatal(1, "%m: a block needs more tags");

  // Reserve tags and a place in the order of delivery, then ask the gate.
  wire [NW-1:0] need = NW'((11'(s_f_len) + 11'(MAX_READ_BYTES - 2)) >> MW) + NW'(1);
  logic         tags_ok, list_ok, walk_ready;
  wire          may  = s_f_valid && tags_ok && list_ok;
  wire          fire = may && walk_ready;
  assign s_f_ready = fire;

  gate_req_t req;
  always_comb begin : block
    req      = '0;
    req.ring = 1'b1;
    req.hold = 1'b1;
    req.mtt  = s_f_mtt;
    req.va   = 64'(s_f_offset);
    req.len  = 32'(s_f_len);
  end

  logic                   piece_valid, piece_ready, no_rest;
  logic [`PIECE_W-1:0]    piece_data;
  logic [`GATE_REQ_W-1:0] no_data;
  piece_t                 piece;
  logic [NW-1:0]          need_c;
  assign piece = piece_data;

  mem_walk #(.USER_W(NW), .SPLIT(1'b0)) u_walk (
    .clk, .rst, .s_chunk_valid(may), .s_chunk_ready(walk_ready), .s_chunk_data(req), .s_chunk_skip(1'b0),
    .s_chunk_user(need), .m_first_valid(m_gate_valid), .m_first_ready(m_gate_ready), .m_first_data(m_gate_data),
    .s_first_valid(s_gate_valid), .m_rest_valid(no_rest), .m_rest_ready(1'b0), .m_rest_data(no_data),
    .s_rest_valid(1'b0), .s_rsp_data,
    .m_piece_valid(piece_valid), .m_piece_ready(piece_ready), .m_piece_data(piece_data), .m_piece_user(need_c));

  logic  rd_ready, list_room, slot_free;
  span_t rd;
  always_comb begin : read
    rd.epoch = piece.epoch;
    rd.pa    = piece.pa;
    rd.len   = piece.len;
  end
  assign piece_ready = list_room && (!piece.ok || rd_ready);
  wire         give  = piece_valid && piece_ready;
  wire [NW-1:0] used = piece.ok ? NW'((13'(piece.pa[MW-1:0]) + piece.len - 13'd1) >> MW) + NW'(1) : '0;

  logic              beat_valid, beat_ready, beat_last, beat_error;
  dma_rd_client #(.DATA_W(DATA_W), .TAGS(TAGS), .TAG_BASE(TAG_BASE), .TAG_W(TAG_W),
                  .MAX_READ_BYTES(MAX_READ_BYTES)) u_read (
    .clk, .rst, .s_rd_valid(piece_valid && piece.ok && list_room), .s_rd_ready(rd_ready), .s_rd_data(rd),
    .m_req_valid, .m_req_ready, .m_req_addr, .m_req_len, .m_req_tag,
    .s_cpl_valid, .s_cpl_tag, .s_cpl_data, .s_cpl_last, .s_cpl_error,
    .m_beat_valid(beat_valid), .m_beat_ready(beat_ready), .m_beat_data(m_b_data), .m_beat_last(beat_last),
    .m_beat_error(beat_error), .m_slot_free(slot_free), .m_release_valid, .m_release_epoch);

  // Deliver: beats of the host, or the one that tells of a refusal.
  logic                   list_valid, list_found;
  logic [$clog2(READS):0] list_level;
  wire                    list_pop = m_b_valid && m_b_ready && m_b_last;
  prim_fifo #(.WIDTH(1), .DEPTH(READS)) u_list (
    .clk, .rst, .s_valid(piece_valid && (!piece.ok || rd_ready)), .s_ready(list_room), .s_data(piece.ok),
    .m_valid(list_valid), .m_ready(list_pop), .m_data(list_found), .level(list_level));

  assign m_b_valid  = list_valid && (!list_found || beat_valid);
  assign m_b_last   = !list_found || beat_last;
  assign m_b_error  = !list_found || beat_error;
  assign beat_ready = m_b_ready && list_valid && list_found;

  prim_credit #(.CREDITS(TAGS), .N_W(NW)) u_tags (
    .clk, .rst, .s_need(need), .m_enough(tags_ok), .s_take(fire),
    .s_back_a(give ? need_c - used : '0), .s_back_b(NW'(slot_free)));
  prim_credit #(.CREDITS(READS), .N_W(1)) u_list_room (
    .clk, .rst, .s_need(1'b1), .m_enough(list_ok), .s_take(fire), .s_back_a(1'b0), .s_back_b(list_pop));

  `ASSERT(a_list_room, !piece_valid || list_room)
  `ASSERT(a_block, !fire || (s_f_len != '0 && s_f_offset[5:0] == '0
                             && 13'(s_f_offset[11:0]) + 13'(s_f_len) <= 13'd4096))

  wire unused = &{1'b0, no_rest, no_data, list_level, piece};

endmodule

`default_nettype wire
