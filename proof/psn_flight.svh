// PSN arithmetic of flight_table.
`include "reset.svh"

  wire [23:0] f_sent = sent_mem[sent_qp_q];
  logic f_behind, f_beyond, f_told_q;
  logic [23:0] f_before_q, f_next_q;
  logic [$clog2(QPS)-1:0] f_qp_q;
  psn_order f_order (.a(sent_next_q), .b(f_sent), .behind(f_behind), .beyond(f_beyond));
  always_ff @(posedge clk) begin
    f_told_q   <= !rst && sent_q && !set_q && f_beyond;
    f_before_q <= f_sent;
    f_next_q   <= sent_next_q;
    f_qp_q     <= sent_qp_q;
  end
  logic f_old_q;
  always_ff @(posedge clk) f_old_q <= !rst && sent_q && !set_q && !f_beyond;

  // The highest PSN sent moves on to one that is beyond it.
  `ASSERT(a_moves, !f_told_q || sent_mem[f_qp_q] == f_next_q)
  // It never goes back: what a replay sends changes nothing.
  `ASSERT(a_stays, !f_old_q || sent_mem[f_qp_q] == f_before_q)

  // It moves past the end of the ring.
  `COVER(c_wraps, f_told_q && f_next_q < 24'd4 && f_before_q > 24'hff_fff0)
  // A replay sends what was sent before.
  `COVER(c_replay, f_old_q && f_next_q != f_before_q)
