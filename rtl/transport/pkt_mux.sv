// pkt_mux: joins N sources of packets with their chunks, whole packets by turns.
//
// Contract: a source offers `chunks` chunks for every packet, before or after it, at most CHUNK_DEPTH - 16 ahead. The first
//           chunk is offered beside its packet and may be taken with it or later, never before. A packet that is cut as it is
//           picked leaves without its chunks, its low CUT_W bits cleared.
// Timing:   1 cycle a chunk, the packet included; latency 2, both streams leave from registers.

`default_nettype none
`include "prim_assert.svh"

module pkt_mux #(
  parameter int N           = 2,
  parameter int PKT_W       = 64,            // the low 5 bits are the number of chunks
  parameter int CHUNK_W     = 64,
  parameter int CUT_W       = 5,
  parameter int PKT_DEPTH   = 4,
  parameter int CHUNK_DEPTH = 32
) (
  input  wire logic                 clk,
  input  wire logic                 rst,
  input  wire logic [N-1:0]         s_pkt_valid,
  output      logic [N-1:0]         s_pkt_ready,
  input  wire logic [N*PKT_W-1:0]   s_pkt_data,
  input  wire logic [N-1:0]         s_chunk_valid,
  output      logic [N-1:0]         s_chunk_ready,
  input  wire logic [N*CHUNK_W-1:0] s_chunk_data,
  output      logic [PKT_W-1:0]     m_pick,          // the packet that leaves next
  input  wire logic                 s_cut,           // nobody wants it any more
  output      logic                 m_pkt_valid,
  input  wire logic                 m_pkt_ready,
  output      logic [PKT_W-1:0]     m_pkt_data,
  output      logic                 m_chunk_valid,
  input  wire logic                 m_chunk_ready,
  output      logic [CHUNK_W-1:0]   m_chunk_data
);

  localparam int IW = N > 1 ? $clog2(N) : 1;

  logic [N-1:0]         pkt_valid, pkt_ready, chunk_valid, chunk_ready;
  logic [N*PKT_W-1:0]   pkt_data;
  logic [N*CHUNK_W-1:0] chunk_data;

  for (genvar i = 0; i < N; i++) begin : g_source
    logic [$clog2(PKT_DEPTH):0]   unused_pkts;
    logic [$clog2(CHUNK_DEPTH):0] unused_chunks;
    prim_fifo #(.WIDTH(PKT_W), .DEPTH(PKT_DEPTH)) u_pkts (
      .clk, .rst, .s_valid(s_pkt_valid[i]), .s_ready(s_pkt_ready[i]), .s_data(s_pkt_data[i*PKT_W +: PKT_W]),
      .m_valid(pkt_valid[i]), .m_ready(pkt_ready[i]), .m_data(pkt_data[i*PKT_W +: PKT_W]), .level(unused_pkts));
    prim_fifo #(.WIDTH(CHUNK_W), .DEPTH(CHUNK_DEPTH)) u_chunks (
      .clk, .rst, .s_valid(s_chunk_valid[i]), .s_ready(s_chunk_ready[i]), .s_data(s_chunk_data[i*CHUNK_W +: CHUNK_W]),
      .m_valid(chunk_valid[i]), .m_ready(chunk_ready[i]), .m_data(chunk_data[i*CHUNK_W +: CHUNK_W]),
      .level(unused_chunks));
    wire unused = &{1'b0, unused_pkts, unused_chunks};
  end

  logic [4:0]     left_q;                    // chunks of the packet that still have to leave
  logic [IW-1:0]  source_q, pick;
  logic           cut_q;                     // they go nowhere
  logic           unused_last;
  wire            open = left_q == '0;
  logic           pkt_offer;

  logic [PKT_W-1:0]   pkt;
  logic               pkt_room, chunk_room, chunk_offer;
  logic [CHUNK_W-1:0] chunk;

  prim_arb #(.N(N), .WIDTH(PKT_W)) u_arb (
    .clk, .rst, .s_valid(pkt_valid & {N{open}}), .s_ready(pkt_ready), .s_data(pkt_data), .s_last('1),
    .m_valid(pkt_offer), .m_ready(pkt_room), .m_data(pkt), .m_last(unused_last), .m_index(pick));
  assign m_pick = pkt;
  wire [PKT_W-1:0] leaving = s_cut ? {pkt[PKT_W-1:CUT_W], CUT_W'(0)} : pkt;
  prim_skid #(.DATA_W(PKT_W)) u_pkt_slice (
    .clk, .rst, .s_valid(pkt_offer), .s_ready(pkt_room), .s_data(leaving), .m_valid(m_pkt_valid), .m_ready(m_pkt_ready), .m_data(m_pkt_data));
  prim_skid #(.DATA_W(CHUNK_W)) u_chunk_slice (
    .clk, .rst, .s_valid(chunk_offer), .s_ready(chunk_room), .s_data(chunk),
    .m_valid(m_chunk_valid), .m_ready(m_chunk_ready), .m_data(m_chunk_data));

  wire [IW-1:0] source = open ? pick : source_q;
  wire          offers = open ? pkt_offer && pkt_room && leaving[4:0] != '0 : 1'b1;   // with its packet, or after it
  wire          swallows = !open && cut_q;
  logic         chunk_go;
  always_comb begin : chunk_side
    chunk_offer = 1'b0;
    chunk       = '0;
    chunk_ready   = '0;
    chunk_go      = 1'b0;
    for (int i = 0; i < N; i++) begin
      if (IW'(i) == source) begin
        chunk_offer    = chunk_valid[i] && offers && !swallows;
        chunk          = chunk_data[i*CHUNK_W +: CHUNK_W];
        chunk_ready[i] = swallows || (chunk_room && offers);
        chunk_go       = chunk_valid[i] && chunk_ready[i];
      end
    end
  end
  wire pkt_go = pkt_offer && pkt_room;

  always_ff @(posedge clk) begin : control
    if (rst) left_q <= '0;
    else if (pkt_go) left_q <= pkt[4:0] - 5'(chunk_go);
    else if (chunk_go) left_q <= left_q - 5'd1;
    if (pkt_go) source_q <= pick;
    if (pkt_go) cut_q    <= s_cut;
  end

  wire unused_all = &{1'b0, unused_last};

endmodule

`default_nettype wire
