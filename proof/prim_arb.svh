// Properties of prim_arb.
`include "reset.svh"

  (* anyconst *) logic [IW-1:0] f_i;         // any one stream
  wire f_there = int'(f_i) < N;
  logic               f_valid, f_ready, f_last;
  logic [WIDTH-1:0]   f_data;
  always_comb begin
    f_valid = 1'b0;
    f_ready = 1'b0;
    f_last  = 1'b0;
    f_data  = '0;
    for (int i = 0; i < N; i++) if (IW'(i) == f_i) begin
      f_valid = s_valid[i];
      f_ready = s_ready[i];
      f_last  = s_last[i];
      f_data  = s_data[i*WIDTH +: WIDTH];
    end
  end
  wire f_mine = m_index == f_i;
  wire f_take = m_valid && m_ready;

  // A stream is taken from when its word leaves, and only then: none is lost or doubled.
  `ASSERT(a_taken, !f_there || (f_valid && f_ready) == (f_take && f_mine))
  // What leaves is the word of the stream that m_index names.
  `ASSERT(a_word, !(f_there && f_mine && m_valid) || (f_valid && m_data == f_data && m_last == f_last))
  // m_index names a stream.
  `ASSERT(a_index, int'(m_index) < N)

  // Packets: with LOCK up to a last word, else each word.
  logic          f_burst_q, f_offered_q;
  logic [IW-1:0] f_whose_q;
  always_ff @(posedge clk) begin
    if (rst) f_burst_q <= 1'b0;
    else if (f_take) f_burst_q <= LOCK && !m_last;
    if (m_valid) f_whose_q <= m_index;
    f_offered_q <= !rst && m_valid && !m_ready;
  end
  // An offer stays until it is taken.
  prim_stream_check #(.DATA_W(WIDTH + 1 + IW)) f_m (
    .clk, .rst, .valid(m_valid), .ready(m_ready), .data({m_index, m_last, m_data}));
  // Nothing comes between the words of a packet.
  `ASSERT(a_whole, !(f_burst_q && m_valid) || m_index == f_whose_q)
  // Somebody is served while anybody waits, but for a packet that pauses.
  `ASSERT(a_busy, s_valid == '0 || m_valid || f_burst_q)

  // Fairness: who waits sees at most one packet of each other stream.
  logic [IW:0] f_before_q;                   // packets of others since it waits
  wire         f_begins = f_take && !f_mine && !f_burst_q;
  always_ff @(posedge clk) begin
    if (rst || !f_valid || (f_take && f_mine)) f_before_q <= '0;
    else if (f_begins) f_before_q <= f_before_q + 1'b1;
  end
  `ASSERT(a_fair, !f_there || int'(f_before_q) + int'(f_begins && f_valid) <= N - 1)

  // Streams between who was served last and this one, in turn.
  wire int f_between = f_i > last_q ? int'(f_i) - int'(last_q) - 1 : int'(f_i) + N - int'(last_q) - 1;
  wire     f_pending = f_offered_q && !f_burst_q && last_q != f_i;      // chosen before it, not taken yet
  `ASSERT(i_turn, !f_there || int'(f_before_q) + int'(f_pending) + (last_q == f_i && held_q ? 0 : f_between) <= N - 1)
  `ASSERT(i_held, held_q == (f_burst_q || f_offered_q) && int'(last_q) < N && (!held_q || f_whose_q == last_q))
  logic [N-1:0] f_behind;
  always_comb for (int i = 0; i < N; i++) f_behind[i] = IW'(i) > last_q;
  `ASSERT(i_behind, behind_q == f_behind)

  // A stream waits as long as it can, then is served.
  `COVER(c_longest, f_there && f_before_q == (IW+1)'(N - 1) && f_take && f_mine)
  // An offer waits, then leaves.
  `COVER(c_offer, f_offered_q && f_take)
