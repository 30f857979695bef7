// Properties of prim_counters.
`include "prim_assert.svh"
`include "reset.svh"

  (* anyconst *) logic [AW-1:0] f_n;         // any one counter
  logic [63:0] f_count_q, f_count2_q;        // its pulses so far; those of up to two cycles before
  logic        f_asked_q;                    // the index was its
  always_ff @(posedge clk) begin
    f_count_q  <= rst ? '0 : f_count_q + 64'(s_pulse[f_n]);
    f_count2_q <= rst ? '0 : f_count_q;
    f_asked_q  <= !rst && s_index == f_n && turn_q[AW];
  end
  logic [63:0] f_shown_q;                    // what is to be shown
  always_ff @(posedge clk) f_shown_q <= rst ? '0 : f_count2_q;

  // A read shows every pulse of up to two cycles before the index, once all are cleared.
  `ASSERT(a_shown, !f_asked_q || m_count == f_shown_q)

  wire [AW:0] f_rounds = turn_q[AW-1:0] - f_n - 1'b1;
  `ASSERT(i_pulse, pulse_q[f_n] == (f_count_q != f_count2_q) && f_count_q == f_count2_q + 64'(pulse_q[f_n]))
  `ASSERT(i_sum, (turn_q[AW] || turn > f_n ? count_mem[f_n] : 64'd0) + 64'(wait_q[f_n]) == f_count2_q)
  // No more wait than cycles went by since its turn.
  `ASSERT(i_wait, int'(wait_q[f_n]) <= (turn_q[AW] && turn > f_n ? int'(turn) - int'(f_n) : int'(turn) + (turn_q[AW] ? N - int'(f_n) : 0) + (turn_q[AW] ? int'(f_n) : 0)))

  // A counter is read that has counted in two rounds.
  `COVER(c_counted, f_asked_q && m_count == 64'd3 && turn_q[AW])
