// Properties of prim_pool.
`include "reset.svh"

  (* anyconst *) logic [W-1:0] f_n;          // any one number
  wire  f_take = s_take && m_number == f_n;
  wire  f_free = s_free_valid && s_free == f_n;
  logic f_lent_q;
  logic [W:0] f_lent_count_q;                // how many are lent
  always_ff @(posedge clk) begin
    if (rst) f_lent_q <= 1'b0;
    else f_lent_q <= (f_lent_q || f_take) && !f_free;
    f_lent_count_q <= rst ? '0 : f_lent_count_q + (W+1)'(s_take) - (W+1)'(s_free_valid);
  end

  // A number is lent to one only.
  `ASSERT(a_once, !(f_take && f_lent_q))
  // There is one to lend unless all are lent: none is lost.
  `ASSERT(a_left, m_valid == (f_lent_count_q != (W+1)'(N)))

  (* hierconn *) wire [N*W-1:0] \u_back.f_mem ;
  (* hierconn *) wire [W:0]     \u_back.out_q ;
  logic [N-1:0] f_one_place;                 // of each number: lent, fresh, or once in what came back
  always_comb begin : one_place
    int places;
    for (int n = 0; n < N; n++) begin
      places = int'(lent_q[n]) + int'((W+1)'(n) >= fresh_q);
      for (int i = 0; i < N; i++)
        if (i < int'(level) && \u_back.f_mem [((int'(\u_back.out_q ) + i) % N)*W +: W] == W'(n)) places = places + 1;
      f_one_place[n] = places == 1;
    end
  end
  `ASSERT(i_one_place, f_one_place == '1)
  `ASSERT(i_lent, lent_q[f_n] == f_lent_q)
  logic [W:0] f_ones;
  always_comb begin
    f_ones = '0;
    for (int i = 0; i < N; i++) f_ones = f_ones + (W+1)'(lent_q[i]);
  end
  `ASSERT(i_count, f_ones == f_lent_count_q && level + f_lent_count_q == fresh_q && fresh_q <= (W+1)'(N))

  // All are lent.
  `COVER(c_all, f_lent_count_q == (W+1)'(N))
  // A number that came back is lent again.
  `COVER(c_again, !fresh && f_take && !f_lent_q && f_n == '1)
