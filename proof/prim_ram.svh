// Properties of prim_ram.
`include "prim_assert.svh"

  wire rst = 1'b0;                           // it has none

  (* anyconst *) logic [$clog2(DEPTH)-1:0] f_at;   // any one word
  logic             f_known_q, f_read_known_q, f_read_q;
  logic [WIDTH-1:0] f_word_q, f_read_word_q;
  initial f_known_q = 1'b0;
  initial f_read_known_q = 1'b0;
  initial f_read_q = 1'b0;
  always_ff @(posedge clk) begin
    if (wr_en && wr_addr == f_at) begin
      f_known_q <= 1'b1;
      f_word_q  <= wr_data;
    end
    if (rd_en) begin
      f_read_q       <= 1'b1;
      f_read_known_q <= f_known_q && rd_addr == f_at;
      f_read_word_q  <= f_word_q;
    end
  end

  // A read shows what was written last before it, and goes on showing it.
  `ASSERT(a_read, !f_read_known_q || rd_data == f_read_word_q)
  `ASSERT(i_word, !f_known_q || mem[f_at] == f_word_q)

  // A word is read that is written again at that moment, and held.
  `COVER(c_old, f_read_known_q && !rd_en && f_word_q != f_read_word_q)
