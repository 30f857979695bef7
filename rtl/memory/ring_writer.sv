// ring_writer: writes 32-byte entries into a ring in host memory, such as completions and events.
//
// Contract: each s_c {mtt, offset, data} becomes one aligned write of 32 bytes; m_done pulses once per
//           entry, in order, when the host has called it ordered; error = the ring page is not present, or
//           the host refused the write.
// Timing:   one entry per cycle into the gate; PENDING in flight.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module ring_writer #(
  parameter int DATA_W  = 256,
  parameter int PENDING = 32
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_c_valid,
  output      logic                   s_c_ready,
  input  wire logic [23:0]            s_c_mtt,
  input  wire logic [31:0]            s_c_offset,      // multiple of 32
  input  wire logic [255:0]           s_c_data,
  output      logic                   m_done_valid,
  output      logic                   m_done_error,

  output      logic                   m_gate_valid,
  input  wire logic                   m_gate_ready,
  output      logic [`GATE_REQ_W-1:0] m_gate_data,
  input  wire logic                   s_gate_valid,
  input  wire logic [`GATE_RSP_W-1:0] s_rsp_data,

  output      logic                   m_req_valid,     // to dma_wr
  input  wire logic                   m_req_ready,
  output      logic [`SPAN_W-1:0]     m_req_data,
  output      logic                   m_beat_valid,
  input  wire logic                   m_beat_ready,
  output      logic [DATA_W-1:0]      m_beat_data,
  input  wire logic                   s_ord_valid,
  input  wire logic                   s_ord_error
);

  localparam int DEPTH = 8;                  // entries on their way to dma_wr

  gate_req_t req;
  always_comb begin : entry
    req      = '0;
    req.ring = 1'b1;
    req.hold = 1'b1;
    req.mtt  = s_c_mtt;
    req.va   = 64'(s_c_offset);
    req.len  = 32'd32;
  end

  logic                   piece_valid, piece_ready, no_rest;
  logic [`PIECE_W-1:0]    piece_data;
  logic [`GATE_REQ_W-1:0] no_data;
  logic [255:0]           data;
  piece_t                 piece;
  assign piece = piece_data;

  mem_walk #(.USER_W(256), .SPLIT(1'b0)) u_walk (
    .clk, .rst, .s_chunk_valid(s_c_valid), .s_chunk_ready(s_c_ready), .s_chunk_data(req), .s_chunk_skip(1'b0),
    .s_chunk_user(s_c_data), .m_first_valid(m_gate_valid), .m_first_ready(m_gate_ready),
    .m_first_data(m_gate_data), .s_first_valid(s_gate_valid), .m_rest_valid(no_rest), .m_rest_ready(1'b0),
    .m_rest_data(no_data), .s_rest_valid(1'b0), .s_rsp_data,
    .m_piece_valid(piece_valid), .m_piece_ready(piece_ready), .m_piece_data(piece_data), .m_piece_user(data));

  // Request, data and a place in the order, all at once.
  logic                   req_room, data_room, order_room, data_valid, data_pop;
  logic [255:0]           word;
  logic [$clog2(DEPTH):0] req_level, data_level;
  span_t                  span;
  always_comb begin : write
    span.epoch = piece.epoch;
    span.pa    = piece.pa;
    span.len   = 13'd32;
  end
  assign piece_ready = order_room && (!piece.ok || (req_room && data_room));
  wire   send        = piece_valid && piece_ready && piece.ok;

  prim_fifo #(.WIDTH(`SPAN_W), .DEPTH(DEPTH)) u_requests (
    .clk, .rst, .s_valid(send), .s_ready(req_room), .s_data(span),
    .m_valid(m_req_valid), .m_ready(m_req_ready), .m_data(m_req_data), .level(req_level));
  prim_fifo #(.WIDTH(256), .DEPTH(DEPTH)) u_data (
    .clk, .rst, .s_valid(send), .s_ready(data_room), .s_data(data),
    .m_valid(data_valid), .m_ready(data_pop), .m_data(word), .level(data_level));

  assign m_beat_valid = data_valid;
  generate
    if (DATA_W >= 256) begin : g_wide
      assign m_beat_data = {(DATA_W / 256){word}};
      assign data_pop    = m_beat_ready;
    end else begin : g_narrow
      logic half_q;
      assign m_beat_data = half_q ? word[255:256-DATA_W] : word[DATA_W-1:0];
      assign data_pop    = m_beat_ready && half_q;
      always_ff @(posedge clk) begin : halves
        if (rst) half_q <= 1'b0;
        else if (data_valid && m_beat_ready) half_q <= !half_q;
      end
    end
  endgenerate

  logic nothing;
  mem_order #(.WIDTH(1), .DEPTH(PENDING)) u_order (
    .clk, .rst, .s_valid(piece_valid && piece_ready), .s_ready(order_room), .s_wr(piece.ok), .s_fail(!piece.ok),
    .s_data(1'b0), .s_ord_valid, .s_ord_error,
    .m_valid(m_done_valid), .m_ready(1'b1), .m_fail(m_done_error), .m_data(nothing));

  `ASSERT(a_entry, !s_c_valid || s_c_offset[4:0] == '0)

  wire unused = &{1'b0, no_rest, no_data, req_level, data_level, piece, nothing};

endmodule

`default_nettype wire
