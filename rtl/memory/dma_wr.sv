// dma_wr: the one ordered write channel to the host, shared by N clients a request at a time.
//
// Contract: a request {pa, len} within 4 KiB is followed, or accompanied, by its address-aligned beats,
//           which wait for nothing but this block. It leaves as bursts that keep inside MAX_PAYLOAD_BYTES boundaries.
//           m_ord pulses once per request, in the order of a client's requests, when the host has called
//           all of its bursts ordered; the epoch is released then.
// Timing:   one beat per cycle, also across bursts and requests; latency 4 from request to first beat.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module dma_wr #(
  parameter int N                 = 3,
  parameter int DATA_W            = 256,
  parameter int MAX_PAYLOAD_BYTES = 256,
  parameter int BURSTS            = 128      // in flight
) (
  input  wire logic                 clk,
  input  wire logic                 rst,

  input  wire logic [N-1:0]         s_req_valid,
  output      logic [N-1:0]         s_req_ready,
  input  wire logic [N*`SPAN_W-1:0] s_req_data,    // span_t of each
  input  wire logic [N-1:0]         s_beat_valid,
  output      logic [N-1:0]         s_beat_ready,
  input  wire logic [N*DATA_W-1:0]  s_beat_data,
  output      logic [N-1:0]         m_ord_valid,
  output      logic                 m_ord_error,   // a burst of the request was refused

  output      logic                 m_wr_valid,
  input  wire logic                 m_wr_ready,
  output      logic [63:0]          m_wr_addr,
  output      logic [12:0]          m_wr_len,
  output      logic [DATA_W-1:0]    m_wr_data,
  output      logic [DATA_W/8-1:0]  m_wr_keep,
  output      logic                 m_wr_last,
  input  wire logic                 s_wrack_valid,
  input  wire logic                 s_wrack_error,

  output      logic                 m_release_valid,
  output      logic                 m_release_epoch
);

  localparam int BYTES = DATA_W / 8;
  localparam int LW    = $clog2(BYTES);
  localparam int PW    = $clog2(MAX_PAYLOAD_BYTES);
  localparam int CW    = N > 1 ? $clog2(N) : 1;
  localparam int BW    = PW - LW;
  localparam int PLANW = 64 + 13 + CW + BW;
  initial if (MAX_PAYLOAD_BYTES < 2 * BYTES || (1 << PW) != MAX_PAYLOAD_BYTES) $fatal(1, "%m: wrong payload size");

  // Choose a request.
  logic               pick_valid, pick_ready, pick_last, next_valid, next_ready;
  logic [`SPAN_W-1:0] pick, next;
  logic [CW-1:0]      pick_client, next_client;

  prim_arb #(.N(N), .WIDTH(`SPAN_W)) u_arb (
    .clk, .rst, .s_valid(s_req_valid), .s_ready(s_req_ready), .s_data(s_req_data), .s_last({N{1'b1}}),
    .m_valid(pick_valid), .m_ready(pick_ready), .m_data(pick), .m_last(pick_last), .m_index(pick_client));

  prim_skid #(.DATA_W(`SPAN_W + CW)) u_next (
    .clk, .rst, .s_valid(pick_valid), .s_ready(pick_ready), .s_data({pick, pick_client}),
    .m_valid(next_valid), .m_ready(next_ready), .m_data({next, next_client}));

  // Plan its bursts.
  span_t         req;
  logic          busy_q, epoch_q;
  logic [63:0]   pa_q;
  logic [12:0]   rem_q;
  logic [CW-1:0] client_q;
  assign req = next;

  wire [12:0]    room  = 13'(MAX_PAYLOAD_BYTES) - 13'(pa_q[PW-1:0]);
  wire           fin   = rem_q <= room;
  wire [12:0]    part  = fin ? rem_q : room;
  wire [12:0]    reach = 13'(pa_q[LW-1:0]) + part - 13'd1;
  logic          plan_ready, ack_room;
  wire           plan  = busy_q && plan_ready && ack_room;
  assign next_ready = !busy_q || (plan && fin);

  always_ff @(posedge clk) begin : planner
    if (rst) busy_q <= 1'b0;
    else if (next_ready) busy_q <= next_valid;
    if (plan) begin
      pa_q  <= pa_q + 64'(part);
      rem_q <= rem_q - part;
    end
    if (next_ready) begin
      pa_q     <= req.pa;
      rem_q    <= req.len;
      epoch_q  <= req.epoch;
      client_q <= next_client;
    end
  end

  logic             burst_valid, burst_ready;
  logic [63:0]      addr;
  logic [12:0]      len;
  logic [CW-1:0]    client;
  logic [BW-1:0]    beats;                   // minus 1

  prim_skid #(.DATA_W(PLANW)) u_plan (
    .clk, .rst, .s_valid(busy_q && ack_room), .s_ready(plan_ready),
    .s_data({pa_q, part, client_q, reach[PW-1:LW]}),
    .m_valid(burst_valid), .m_ready(burst_ready), .m_data({addr, len, client, beats}));

  // Send their beats.
  logic [BW-1:0]    beat_q;
  logic [BYTES-1:0] keep;
  logic             take, beat_here;
  logic [DATA_W-1:0] data;
  wire  [LW-1:0]    from = addr[LW-1:0];
  wire  [LW-1:0]    upto = LW'(addr[LW-1:0] + LW'(len) - 1'b1);
  wire              last = beat_q == beats;

  always_comb begin : lanes
    for (int i = 0; i < BYTES; i++)
      keep[i] = (beat_q != '0 || LW'(i) >= from) && (!last || LW'(i) <= upto);
  end

  always_comb begin : clients
    beat_here = 1'b0;
    data = '0;
    for (int i = 0; i < N; i++) begin
      if (client == CW'(i)) begin
        beat_here = s_beat_valid[i];
        data      = s_beat_data[i*DATA_W +: DATA_W];
      end
    end
    take = burst_valid && beat_here && (!m_wr_valid || m_wr_ready);
    for (int i = 0; i < N; i++) s_beat_ready[i] = take && client == CW'(i);
  end
  assign burst_ready = take && last;

  always_ff @(posedge clk) begin : send
    if (rst) begin
      m_wr_valid <= 1'b0;
      beat_q     <= '0;
    end else begin
      if (m_wr_ready) m_wr_valid <= 1'b0;
      if (take) begin
        m_wr_valid <= 1'b1;
        beat_q     <= last ? '0 : beat_q + 1'b1;
      end
    end
    if (take) begin
      m_wr_addr <= addr;
      m_wr_len  <= len;
      m_wr_data <= data;
      m_wr_keep <= keep;
      m_wr_last <= last;
    end
  end

  // What each acknowledge is for.
  logic                    ack_valid, ack_fin, ack_epoch;
  logic [CW-1:0]           ack_client;
  logic [$clog2(BURSTS):0] ack_level;
  logic                    wrack_q, wrack_error_q, failed_q;

  prim_fifo #(.WIDTH(2 + CW), .DEPTH(BURSTS)) u_acks (
    .clk, .rst, .s_valid(busy_q && plan_ready), .s_ready(ack_room), .s_data({fin, epoch_q, client_q}),
    .m_valid(ack_valid), .m_ready(wrack_q), .m_data({ack_fin, ack_epoch, ack_client}), .level(ack_level));

  always_ff @(posedge clk) begin : acknowledge
    wrack_q         <= s_wrack_valid && !rst;
    wrack_error_q   <= s_wrack_error;
    m_release_valid <= wrack_q && ack_fin && !rst;
    m_release_epoch <= ack_epoch;
    m_ord_error     <= wrack_error_q || failed_q;
    for (int i = 0; i < N; i++) m_ord_valid[i] <= wrack_q && ack_fin && ack_client == CW'(i) && !rst;
    if (rst) failed_q <= 1'b0;
    else if (wrack_q) failed_q <= !ack_fin && (failed_q || wrack_error_q);
  end

  `ASSERT(a_acked, !wrack_q || ack_valid)
  `ASSERT(a_length, !(next_valid && next_ready) || (req.len != '0 && 13'(req.pa[11:0]) + req.len <= 13'd4096))

  wire unused = &{1'b0, pick_last, ack_level, reach};

endmodule

`default_nettype wire
