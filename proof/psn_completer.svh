// PSN arithmetic of rc_completer.
`include "reset.svh"

  // A response against what was sent and what is acknowledged (9.7.6.1).
  logic f_over, f_under, f_new, f_old;
  psn_order f_sent (.a(desc_q.psn), .b(newest_q), .behind(f_under), .beyond(f_over));
  psn_order f_acked (.a(desc_q.psn), .b(ctx_q.acked), .behind(f_old), .beyond(f_new));
  wire f_judged = step_q == ST_JUDGE && is_response;
  // Never sent: 2^23 steps beyond are behind too.
  wire f_unsent = f_over || (newest_q ^ 24'h80_0000) == desc_q.psn;
  // A response is heard only if it is beyond what is acknowledged and not beyond what was sent.
  `ASSERT(a_window, !(f_judged && !stale) || (f_new && !f_unsent))
  // One in that window is heard, unless it is malformed.
  `ASSERT(a_heard, !(f_judged && f_new && !f_unsent && !reserved && !(is_ack && (desc_q.payload != '0 || desc_q.pad_bad))) || !stale)

  logic f_short, f_past, f_first, f_later;
  psn_order f_end (.a(upto_q), .b(s_get.last_psn), .behind(f_short), .beyond(f_past));
  psn_order f_need (.a(upto_q), .b(need), .behind(f_first), .beyond(f_later));
  wire f_entry = step_q == ST_JUDGE || step_q == ST_ENTRY;
  logic f_entry_q, f_ended_q, f_answered_q, f_asked_q;
  always_ff @(posedge clk) begin
    f_entry_q    <= !rst && f_entry;
    f_ended_q    <= !f_short;
    f_answered_q <= !f_first;
    f_asked_q    <= asked;
  end
  // An acknowledge covers messages up to its PSN, a READ from its next response on.
  `ASSERT(a_covered, !f_entry_q || covered_q == (f_asked_q ? f_answered_q : f_ended_q))
  // Without a look at the next step: only what the acknowledge covers ends.
  `ASSERT(a_ends, !(f_entry && ends_now) || !f_short)

  // Data belongs to a READ whose PSNs its own is among.
  wire [24:0] f_length = s_get.last_psn >= s_get.first_psn ? {1'b0, s_get.last_psn} - {1'b0, s_get.first_psn}
                       : 25'h1000000 - {1'b0, s_get.first_psn} + {1'b0, s_get.last_psn};
  wire [24:0] f_place  = desc_q.psn >= s_get.first_psn ? {1'b0, desc_q.psn} - {1'b0, s_get.first_psn}
                       : 25'h1000000 - {1'b0, s_get.first_psn} + {1'b0, desc_q.psn};
  `ASSERT(a_data, !(f_entry && is_data && asked && f_length < 25'h800000) || data_hit == (f_place <= f_length))

  // What is acknowledged moves on only.
  logic f_step_old, f_step_new;
  psn_order f_step (.a(upto_q), .b(ctx_q.acked), .behind(f_step_old), .beyond(f_step_new));
  `ASSERT(a_progress, progress_now == f_step_new)
  // Credits grow only (9.7.7.2.5).
  logic f_lsn_old, f_lsn_new;
  psn_order f_lsn (.a(lsn_q), .b(credit.lsn), .behind(f_lsn_old), .beyond(f_lsn_new));
  `ASSERT(a_credits, !(learns && !told_free_q) || f_lsn_new)

  // The window of half the PSNs is open over the end of the ring.
  `COVER(c_window, f_judged && !stale && desc_q.psn < 24'd8 && ctx_q.acked > 24'hff_fff0)
  // A PSN is both stale and never sent.
  `COVER(c_stale, f_judged && f_old && f_unsent)
  // A message ends over the end of the ring.
  `COVER(c_ends, f_entry && ends_now && upto_q < 24'd8 && s_get.last_psn > 24'hff_fff0)
