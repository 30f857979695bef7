// PSN arithmetic of rsp_check.
`include "reset.svh"

  logic f_old, f_new;
  psn_order f_order (.a(desc_q.psn), .b(ctx_q.epsn), .behind(f_old), .beyond(f_new));
  // What is behind the expected PSN is a duplicate, what is beyond it is behind a gap (9.7.4.1.2).
  `ASSERT(a_older, step_q != ST_JUDGE || older == f_old)
  // What is at the expected PSN is new.
  `ASSERT(a_expected, step_q != ST_JUDGE || expected == (desc_q.psn == ctx_q.epsn))
  // A new packet is executed at the expected PSN only; a duplicate is answered only from behind it.
  `ASSERT(a_takes, step_q != ST_JUDGE || ((!takes || desc_q.psn == ctx_q.epsn) && (!again || f_old)))

  // A READ takes as many PSNs as its data needs packets, at least one.
  wire        f_mtu_ok = cfg_q.path_mtu >= 4'd1 && cfg_q.path_mtu <= 4'd5;
  wire [12:0] f_mtu    = cfg_q.path_mtu == 4'd1 ? 13'd256 : cfg_q.path_mtu == 4'd2 ? 13'd512 : cfg_q.path_mtu == 4'd3 ? 13'd1024
                       : cfg_q.path_mtu == 4'd4 ? 13'd2048 : 13'd4096;
  wire [36:0] f_room   = psn_step_q * f_mtu;                            // of so many packets
  `ASSERT(a_steps, !(step_q == ST_JUDGE && takes && is_read && f_mtu_ok) ||
    (psn_step_q != '0 && f_room >= {5'b0, desc_q.dma_len} && (psn_step_q == 24'd1 || f_room - 37'(f_mtu) < {5'b0, desc_q.dma_len})))

  // A duplicate from over the end of the ring.
  `COVER(c_duplicate, step_q == ST_JUDGE && older && desc_q.psn > ctx_q.epsn)
  // A gap over the end of the ring.
  `COVER(c_gap, step_q == ST_JUDGE && !older && !expected && desc_q.psn < ctx_q.epsn)
  // The longest READ takes half the ring.
  `COVER(c_long, step_q == ST_JUDGE && takes && is_read && psn_step_q == 24'h80_0000)
