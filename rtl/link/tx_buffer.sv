// tx_buffer: holds packet images until they are whole; a packet whose payload could not be read never leaves.
//
// Contract: m_pkt shows a packet only when all its beats are here. After a failed one nothing later of that queue
//           pair leaves until it goes back (requests) or CTL_CLEAR, and m_error tells of it once; in place of a READ
//           response that failed leaves a NAK (9.7.5.2.4). A packet of an earlier life of its queue pair (round), or a
//           request of before it went back (turn), dies unseen.
// Timing:   one beat a cycle in and out; the first beat is ready with its packet.

`default_nettype none
`include "prim_assert.svh"
`include "hca_types.svh"
`include "mem_types.svh"

module tx_buffer #(
  parameter int DATA_W = 256,
  parameter int QPS    = 64,
  parameter int BEATS  = 512                 // a power of two, more than two of the largest packets
) (
  input  wire logic              clk,
  input  wire logic              rst,

  input  wire logic              s_beat_valid,
  output      logic              s_beat_ready,
  input  wire logic [DATA_W-1:0] s_beat_data,
  input  wire logic              s_beat_last,
  input  wire logic              s_pkt_valid,    // the beats before were this packet
  output      logic              s_pkt_ready,
  input  wire tx_desc_t          s_pkt,
  input  wire logic              s_pkt_error,
  input  wire logic [2:0]        s_pkt_cause,

  output      logic              m_pkt_valid,
  input  wire logic              m_pkt_ready,
  output      tx_desc_t          m_pkt,
  output      logic              m_beat_valid,
  input  wire logic              m_beat_ready,
  output      logic [DATA_W-1:0] m_beat_data,

  output      logic              m_error_valid,
  input  wire logic              m_error_ready,
  output      tx_desc_t          m_error,
  output      logic [2:0]        m_error_cause,
  output      logic [$clog2(QPS)-1:0] look_qp,
  input  wire logic [2:0]        turn,           // newest of look_qp
  output      logic              m_drained,      // a request of look_qp came out of gather
  output      logic              m_poisoned,     // a packet died: count it

  input  wire logic              s_ctl_valid,
  output      logic              s_ctl_ready,
  input  wire ctl_t              s_ctl
);

  localparam int AW = $clog2(BEATS);
  localparam int QW = $clog2(QPS);

  logic [AW:0] in_q, out_q;                  // beats written, read
  logic        error_room, pkt_room, pkt_out_valid, end_room, end_valid, fate, fetch;
  logic        span_valid, span_dead, span_room;
  logic [AW:0] span_end;
  logic [4:0]  span_level;
  logic [4:0]  pkt_level;

  assign s_beat_ready = in_q - out_q != (AW+1)'(BEATS) && end_room;
  wire   beat_in      = s_beat_valid && s_beat_ready;
  always_ff @(posedge clk) begin : pointer
    if (rst) in_q <= '0;
    else if (beat_in) in_q <= in_q + 1'b1;
  end

  // Where packets end whose fate is not known yet: the next one's beats may come before it is.
  logic [AW:0] pkt_end;
  logic [4:0]  end_level;
  prim_fifo #(.WIDTH(AW + 1), .DEPTH(16)) u_ends (
    .clk, .rst, .s_valid(beat_in && s_beat_last), .s_ready(end_room), .s_data(in_q + 1'b1),
    .m_valid(end_valid), .m_ready(fate), .m_data(pkt_end), .level(end_level));

  // The packet's fate.
  (* ram_style = "distributed" *) logic round_mem [0:QPS-1];            // flips with each Reset of a queue pair
  initial for (int i = 0; i < QPS; i++) round_mem[i] = 1'b0;
  logic          poisoned;
  logic          unused_was;
  // By what a queue pair was poisoned.
  (* ram_style = "distributed" *) logic [3:0] poison_mem [0:QPS-1];
  logic          poison_request;
  logic [2:0]    poison_turn;
  assign {poison_request, poison_turn} = poison_mem[pkt_qp];
  always_ff @(posedge clk) if (fate && tell) poison_mem[pkt_qp] <= {s_pkt.request, s_pkt.turn};
  wire [QW-1:0]  pkt_qp = s_pkt.qpn[QW-1:0];
  wire           other  = s_pkt.round != round_mem[pkt_qp];
  wire           stale  = other || (s_pkt.request && s_pkt.turn != turn);
  wire           barred = poisoned && (poison_request ? s_pkt.request && poison_turn == turn : 1'b1);
  wire           die    = s_pkt_error || barred || stale;
  wire           tell   = s_pkt_error && !barred && !stale;
  assign         look_qp   = pkt_qp;
  assign         m_drained = fate && s_pkt.request && !other;
  wire           keep   = !die || (tell && !s_pkt.request);   // itself, or as a NAK
  assign         fate   = s_pkt_valid && s_pkt_ready;
  assign s_pkt_ready    = end_valid && span_room && (!tell || error_room) && (!keep || pkt_room);
  prim_skid #(.DATA_W($bits(tx_desc_t'('0)) + 3)) u_errors (
    .clk, .rst, .s_valid(s_pkt_valid && end_valid && span_room && tell && (!keep || pkt_room)), .s_ready(error_room),
    .s_data({s_pkt, s_pkt_cause}), .m_valid(m_error_valid), .m_ready(m_error_ready), .m_data({m_error, m_error_cause}));

  tx_desc_t kept;
  always_comb begin : as_nak
    kept = s_pkt;
    if (die) begin
      kept.opcode   = ib_pkg::OP_RC_ACKNOWLEDGE;
      kept.payload  = '0;
      kept.bare     = 1'b1;
      kept.syndrome = s_pkt_cause == `MEM_CAUSE_HOST || s_pkt_cause == `MEM_CAUSE_PAGE
                    ? ib_pkg::NAK_SYNDROME_NAK_REMOTE_OPERATIONAL : ib_pkg::NAK_SYNDROME_NAK_REMOTE_ACCESS;
    end
  end
  assign m_poisoned     = fate && tell;                    // those behind it die with it, their payload is good

  prim_flags #(.N(QPS)) u_poisoned (
    .clk, .set_en(fate && tell), .set_index(pkt_qp), .clear_en(s_ctl_valid && s_ctl_ready),
    .clear_index(s_ctl.qpn[QW-1:0]), .set_was(unused_was), .index(pkt_qp), .flag(poisoned));
  // An order is taken the cycle after it is seen.
  always_ff @(posedge clk) begin : order
    s_ctl_ready <= !rst && s_ctl_valid && !s_ctl_ready;
    if (s_ctl_ready) round_mem[s_ctl.qpn[QW-1:0]] <= s_ctl.round;
  end

  prim_fifo #(.WIDTH($bits(tx_desc_t'('0))), .DEPTH(16)) u_pkts (
    .clk, .rst, .s_valid(fate && keep), .s_ready(pkt_room), .s_data(kept),
    .m_valid(pkt_out_valid), .m_ready(m_pkt_ready), .m_data(m_pkt), .level(pkt_level));
  assign m_pkt_valid = pkt_out_valid;

  // Beats of packets that leave are read; those of the others are skipped.
  wire         span_done = span_valid && (span_dead || (fetch && out_q + 1'b1 == span_end));
  prim_fifo #(.WIDTH(AW + 2), .DEPTH(16)) u_spans (
    .clk, .rst, .s_valid(fate), .s_ready(span_room), .s_data({die, pkt_end}),
    .m_valid(span_valid), .m_ready(span_done), .m_data({span_dead, span_end}), .level(span_level));

  // They come out through a short queue that hides the memory's cycle.
  logic              fetched_q, out_ready;
  logic [DATA_W-1:0] fetched;
  logic [2:0]        out_level;
  assign fetch = span_valid && !span_dead && {1'b0, out_level} + 4'(fetched_q) < 4'd4;

  prim_ram #(.WIDTH(DATA_W), .DEPTH(BEATS)) u_beats (
    .clk, .wr_en(beat_in), .wr_addr(in_q[AW-1:0]), .wr_data(s_beat_data),
    .rd_en(fetch), .rd_addr(out_q[AW-1:0]), .rd_data(fetched));

  always_ff @(posedge clk) begin : read
    if (rst) begin
      out_q     <= '0;
      fetched_q <= 1'b0;
    end else begin
      if (span_valid && span_dead) out_q <= span_end;
      else if (fetch) out_q <= out_q + 1'b1;
      fetched_q <= fetch;
    end
  end

  prim_fifo #(.WIDTH(DATA_W), .DEPTH(4)) u_out (
    .clk, .rst, .s_valid(fetched_q), .s_ready(out_ready), .s_data(fetched),
    .m_valid(m_beat_valid), .m_ready(m_beat_ready), .m_data(m_beat_data), .level(out_level));
  `ASSERT(a_out, !fetched_q || out_ready)

  wire unused = &{1'b0, end_level, span_level, pkt_level, unused_was, s_ctl};

endmodule

`default_nettype wire
