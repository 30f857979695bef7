// PSN arithmetic of rc_timers.
`include "prim_assert.svh"
`include "reset.svh"

  logic f_behind, f_beyond;
  psn_order f_order (.a(left.psn), .b(now.acked), .behind(f_behind), .beyond(f_beyond));

  // An answer is waited for while a request of this life and turn has left that is beyond what is acknowledged.
  `ASSERT(a_asks, asks == (left.turn == now.turn && left.round == now.round && f_beyond))

  // An answer is waited for over the end of the ring.
  `COVER(c_waits, asks && left.psn < now.acked)
  // One is answered over the end of the ring.
  `COVER(c_answered, !asks && f_behind && left.psn > now.acked)
