// What the responder takes has its record reserved: it never waits for the queue of judged packets.
`include "reset.svh"

  // Packets taken and not yet parked, kept parked or judged.
  (* hierconn *) wire [2:0] \u_check.step_q ;
  (* hierconn *) wire       \u_check.take ;
  (* hierconn *) wire       \u_check.order ;
  wire f_put = judged_valid;
  wire f_end = judged_valid || m_park || m_parked_keep;
  wire f_gone = rsp_valid && rsp_ready;
  logic f_open_q;
  logic [4:0] f_cycles_q;                    // since it was taken, without those that the plan or the configuration takes
  wire f_waits = (\u_check.step_q == 3'd1 && !s_cfg_valid) || (\u_check.step_q == 3'd3 && !plan_idle) || (\u_check.step_q == 3'd4 && !plan_asked);
  always_ff @(posedge clk) begin
    f_open_q <= !rst && (\u_check.take || (f_open_q && !f_end));
    f_cycles_q <= rst || \u_check.take ? '0 : f_cycles_q + 5'(f_open_q && !f_waits);
  end

  // One record of a queue pair, and how many are done before the next order of it may come.
  (* anyconst *) logic [QW-1:0] f_qp;
  (* anyseq *)   logic          f_pick;
  (* hierconn *) wire [2:0]    \u_commit.step_q ;
  (* hierconn *) wire [3:0]    \u_check.held_q ;
  (* hierconn *) wire [3:0]    \u_check.held ;
  (* hierconn *) wire [3:0]    \u_check.ahead_q ;
  (* hierconn *) wire          \u_check.stands ;
  (* hierconn *) wire          \u_check.due_q ;
  (* hierconn *) wire [QW-1:0] \u_check.qp_q ;
  logic [3:0]    f_up_to_q;
  logic          f_stood_q;
  logic [QW-1:0] f_stood_qp_q;
  wire f_picked = judged_valid && judged.qpn[QW-1:0] == f_qp && f_pick && f_up_to_q == '0;
  wire f_busy   = \u_commit.step_q >= 3'd2;  // with a record that has left the queue
  always_ff @(posedge clk) begin
    f_up_to_q    <= rst ? '0 : f_picked ? \u_check.held : f_up_to_q - 4'(rsp_done && f_up_to_q != '0);
    f_stood_q    <= !rst && \u_check.stands ;
    f_stood_qp_q <= s_ctl.qpn[QW-1:0];
  end

  // A packet is parked or leaves as one record: no two of a packet, none of no packet.
  `ASSERT(a_once, !f_end || f_open_q)
  // It is one or the other.
  `ASSERT(a_one, {1'b0, judged_valid} + {1'b0, m_park} + {1'b0, m_parked_keep} <= 2'd1)
  // None is taken before the one in hand has its record or its place: none is lost.
  `ASSERT(a_held, !(\u_check.take && f_open_q) || f_end)
  // From when it is taken it waits for its configuration and its plan only, never for room: four cycles of its own.
  `ASSERT(a_progress, !f_open_q || f_cycles_q <= 5'd3)
  // An order comes when no packet of its queue pair is in hand and all its records are done, whichever one looks at.
  `ASSERT(a_order, !\u_check.order || (!(f_open_q && \u_check.qp_q == s_ctl.qpn[QW-1:0]) && (s_ctl.qpn[QW-1:0] != f_qp || f_up_to_q == '0)))
  // Nothing is taken unless its record and another have room.
  `ASSERT(a_reserved, !\u_check.take || level <= 4'd5)

  `ASSERT(i_held, \u_check.held_q == level + 4'(f_busy) && f_up_to_q <= \u_check.held_q )
  `ASSERT(i_ahead, f_stood_q ? f_stood_qp_q != f_qp || f_up_to_q <= \u_check.ahead_q : \u_check.ahead_q == \u_check.held_q )
  `ASSERT(i_due, !\u_check.due_q || (\u_check.stands && f_stood_q && f_stood_qp_q == s_ctl.qpn[QW-1:0] && \u_check.ahead_q == '0))
  `ASSERT(i_whose, !(\u_check.step_q == 3'd4 || \u_check.step_q == 3'd5) || judged.qpn[QW-1:0] == \u_check.qp_q )
  `ASSERT(i_commit, \u_commit.step_q <= 3'd5)
  `ASSERT(i_room, level <= (f_open_q ? 4'd6 : 4'd7))
  `ASSERT(i_open, f_open_q == (\u_check.step_q != 3'd0 && \u_check.step_q != 3'd6) && \u_check.step_q != 3'd7)
  `ASSERT(i_cycles, !f_open_q || f_cycles_q <= (\u_check.step_q == 3'd1 ? 5'd0 : \u_check.step_q == 3'd2 ? 5'd1 : \u_check.step_q == 3'd3 ? 5'd2 : 5'd3))

  // Two records wait.
  `COVER(c_two, level == 4'd2)
  // An order comes while records of another queue pair wait.
  `COVER(c_order, \u_check.order && level != '0)
  // A packet is taken while the one before is put.
  `COVER(c_next, \u_check.take && f_put)
