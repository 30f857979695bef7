// Properties of prim_fifo.
`include "reset.svh"

  localparam int F_W = $clog2(DEPTH + 1);
  logic [F_W-1:0]   f_held, f_ahead;
  logic             f_inside;
  logic [WIDTH-1:0] f_word;
  follow #(.WIDTH(WIDTH), .MOST(DEPTH)) f_follow (
    .clk, .rst, .put(push), .put_data(s_data), .get(pop), .shows(m_valid), .get_data(m_data),
    .held(f_held), .inside(f_inside), .ahead(f_ahead), .word(f_word));
  prim_stream_check #(.DATA_W(WIDTH)) f_m (.clk, .rst, .valid(m_valid), .ready(m_ready), .data(m_data));

  // level counts the words held.
  `ASSERT(a_count, level == (AW+1)'(f_held))
  // A word that is held shows: it waits for nothing.
  `ASSERT(a_shows, m_valid == (f_held != '0))
  // There is room until DEPTH words are held.
  `ASSERT(a_takes, s_ready == (f_held != F_W'(DEPTH)))

  wire [AW-1:0] f_slot = out_q[AW-1:0] + f_ahead[AW-1:0];
  `ASSERT(i_slot, !f_inside || mem[f_slot] == f_word)

  // Full, and a word leaves.
  `COVER(c_full, f_held == F_W'(DEPTH) && pop)
  // The word taken last of a full queue leaves.
  `COVER(c_last, f_inside && pop && f_ahead == '0 && out_q[AW-1:0] == '1)
