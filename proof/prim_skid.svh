// Properties of prim_skid.
`include "reset.svh"

  logic [1:0]        f_held, f_ahead;
  logic              f_inside;
  logic [DATA_W-1:0] f_word;
  follow #(.WIDTH(DATA_W), .MOST(2)) f_follow (
    .clk, .rst, .put(s_valid && s_ready), .put_data(s_data), .get(m_valid && m_ready), .shows(m_valid), .get_data(m_data),
    .held(f_held), .inside(f_inside), .ahead(f_ahead), .word(f_word));
  prim_stream_check #(.DATA_W(DATA_W)) f_m (.clk, .rst, .valid(m_valid), .ready(m_ready), .data(m_data));

  // A word that is held shows.
  `ASSERT(a_shows, m_valid == (f_held != '0))
  // There is room unless two words are held.
  `ASSERT(a_takes, s_ready == (f_held != 2'd2))

  `ASSERT(i_held, f_held == {1'b0, m_valid} + {1'b0, spare_valid_q} && (!spare_valid_q || m_valid))
  `ASSERT(i_place, !f_inside || (f_ahead == '0 ? m_data : spare_q) == f_word)

  // Two words are held and one leaves.
  `COVER(c_full, f_held == 2'd2 && m_ready)
  // The second of two leaves behind the first.
  `COVER(c_second, f_inside && f_ahead == '0 && m_ready && $past(f_ahead) == 2'd1)
