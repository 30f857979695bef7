// PSN arithmetic of req_open.
`include "reset.svh"

  logic f_acked, f_open, f_early, f_late;
  psn_order f_owed (.a(s_entry.last_psn), .b(order_q.psn), .behind(f_acked), .beyond(f_open));
  psn_order f_from (.a(order_q.psn), .b(s_entry.first_psn), .behind(f_early), .beyond(f_late));
  // Going back passes messages that are wholly acknowledged.
  `ASSERT(a_passes, passes == (level_q != '0 && f_acked))
  // It leads to the order's PSN, or to the beginning of the oldest message if that is beyond it.
  `ASSERT(a_back, level_q == '0 || back_ctx.psn == (f_early ? s_entry.first_psn : order_q.psn))
  // A message that takes a receive WQE waits if it is beyond the newest that has one (9.7.7.2.5).
  logic f_none, f_have;
  psn_order f_credit (.a(credit.lsn), .b(ctx_q.ssn), .behind(f_none), .beyond(f_have));
  `ASSERT(a_credit, !(takes_wqe && !credit.free && f_none) || waits)

  // A message takes as many PSNs as its bytes need packets, at least one (9.7.3).
  wire        f_mtu_ok = mtu_q >= 4'd1 && mtu_q <= 4'd5;
  wire [12:0] f_mtu    = mtu_q == 4'd1 ? 13'd256 : mtu_q == 4'd2 ? 13'd512 : mtu_q == 4'd3 ? 13'd1024 : mtu_q == 4'd4 ? 13'd2048 : 13'd4096;
  wire [36:0] f_room   = packets * f_mtu;
  `ASSERT(a_packets, !(f_mtu_ok && ctx_q.total <= 32'h8000_0000 && !is_atomic) ||
    (packets != '0 && f_room >= {5'b0, ctx_q.total} && (packets == 24'd1 || f_room - 37'(f_mtu) < {5'b0, ctx_q.total})))

  // A message is passed over the end of the ring.
  `COVER(c_passes, passes && s_entry.last_psn > order_q.psn)
  // A message begins beyond the order's PSN, over the end of the ring.
  `COVER(c_early, level_q != '0 && f_early && order_q.psn > s_entry.first_psn)
  // The longest message takes half the ring.
  `COVER(c_long, packets == 24'h80_0000 && f_mtu_ok)
