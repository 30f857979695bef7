// Properties of prim_flags.
`include "prim_assert.svh"

  wire rst = 1'b0;                           // it has none

  (* anyconst *) logic [IW-1:0] f_n;         // any one object
  wire  f_set   = set_en && set_index == f_n;
  wire  f_clear = clear_en && clear_index == f_n;
  logic f_flag_q;
  initial f_flag_q = 1'b0;
  always_ff @(posedge clk) f_flag_q <= f_set && f_clear ? !f_flag_q : (f_flag_q || f_set) && !f_clear;

  // A look-up shows what was set and cleared before.
  `ASSERT(a_flag, index[IW-1:0] != f_n || flag[0] == f_flag_q)
  // set_was shows the flag that is set.
  `ASSERT(a_was, set_index != f_n || set_was == f_flag_q)

  `ASSERT(i_bits, (a_mem[f_n] ^ b_mem[f_n]) == f_flag_q)

  // Set and cleared at once, while clear.
  `COVER(c_wins, f_set && f_clear && !f_flag_q)
  // Set and cleared at once, while set.
  `COVER(c_loses, f_set && f_clear && f_flag_q)
