// Properties of prim_pulses.
`include "reset.svh"

  logic [W+8:0] f_in, f_owed_q;              // pulses told, and not given on
  always_comb begin
    f_in = '0;
    for (int i = 0; i < N; i++) f_in = f_in + (W+9)'(s_pulse[i]);
  end
  always_ff @(posedge clk) f_owed_q <= rst ? '0 : f_owed_q + f_in - (W+9)'(m_pulse);

  // One is given on as long as any is owed, none else.
  `ASSERT(a_owed, m_pulse == (f_owed_q + f_in != '0))
  `ASSERT(i_wait, f_owed_q == (W+9)'(wait_q))

  // As many as can be wait.
  `COVER(c_most, sum == {1'b0, {W{1'b1}}})
