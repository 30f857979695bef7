// Properties of prim_credit.
`include "reset.svh"

  // What is out, counted by what was taken and came back.
  logic [CW+1:0] f_out_q;
  always_ff @(posedge clk)
    f_out_q <= rst ? '0 : f_out_q + (s_take ? (CW+2)'(s_need) : '0) - (CW+2)'(s_back_a) - (CW+2)'(s_back_b);

  // Credits that are out and credits that are here are all there are: none is lost, made or negative.
  `ASSERT(a_sum, (CW+2)'(credit_q) + (CW+2)'(back_a_q) + (CW+2)'(back_b_q) + f_out_q == (CW+2)'(CREDITS))
  // Never more are out than there are.
  `ASSERT(a_out, f_out_q <= (CW+2)'(CREDITS))
  // There are enough when so many have come back.
  `ASSERT(a_tells, m_enough == ((CW+2)'(s_need) + f_out_q + (CW+2)'(back_a_q) + (CW+2)'(back_b_q) <= (CW+2)'(CREDITS)))

  // All are out.
  `COVER(c_none, f_out_q == (CW+2)'(CREDITS))
  // Some come back by both ways while others are taken.
  `COVER(c_both, s_take && s_need != '0 && s_back_a != '0 && s_back_b != '0 && f_out_q == (CW+2)'(s_back_a) + (CW+2)'(s_back_b))
