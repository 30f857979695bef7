// What the command unit has done of a command when it says that it is done.
`include "reset.svh"

  // What was done since the command, or the failed queue pair, was taken.
  logic [ENGINES-1:0] f_cleared_q;           // engines that were told to forget the queue pair
  logic [2:0]         f_failed_q;            // engines that were told to stop
  logic               f_marked_q, f_drained_q;                          // everything of before, behind the first three
  logic               f_state_q;             // the new state stands in the context
  logic               f_dead_q, f_asked_q, f_fenced_q;                  // keys of the region
  logic               f_changed_q;           // anything
  wire [ENGINES-1:0]  f_taken = m_ctl_valid & m_ctl_ready;
  wire                f_ctl   = f_taken != '0;
  wire [QPS+MRS+CQS+EQS-1:0] f_owned = {qp_owned, mr_owned, cq_owned, eq_owned};
  logic [QPS+MRS+CQS+EQS-1:0] f_owned_q;
  logic               f_owning_q;
  always_ff @(posedge clk) begin
    f_owned_q  <= f_owned;
    f_owning_q <= !rst && step_q == ST_OWN;
    if (rst || step_q == ST_IDLE) begin
      f_cleared_q <= '0;
      f_failed_q  <= '0;
      {f_marked_q, f_drained_q, f_state_q, f_dead_q, f_asked_q, f_fenced_q, f_changed_q} <= '0;
    end else begin
      if (m_ctl.op == `CTL_CLEAR) f_cleared_q <= f_cleared_q | f_taken;
      if (m_ctl.op == `CTL_ERROR) f_failed_q <= f_failed_q | f_taken[2:0];
      if (m_drain) f_marked_q <= 1'b1;
      if (f_marked_q && s_drained) f_drained_q <= 1'b1;
      if (m_tbl_valid && m_tbl_ready && m_tbl_write && m_tbl_word == '0 && is_qp) f_state_q <= 1'b1;
      if (m_live_valid) begin
        f_dead_q   <= !m_live_set;
        f_asked_q  <= 1'b0;
        f_fenced_q <= 1'b0;
      end
      if (m_fence_valid && m_fence_ready) f_asked_q <= f_dead_q;
      if (s_fence_done && f_asked_q) f_fenced_q <= 1'b1;
      if ((m_tbl_valid && m_tbl_write) || m_live_valid || (f_ctl && m_ctl.op != `CTL_QUERY) || step_q == ST_OWN || m_cq_clear || m_eq_clear || m_cq_move ||
          m_wake_valid || m_sqd_set) f_changed_q <= 1'b1;
    end
  end
  wire f_ok      = status_q == ib_pkg::CMD_STATUS_OK || failing_q;
  wire f_done    = step_q == ST_DONE;
  wire f_resets  = is_qp && !failing_q && to_reset && !queries;
  wire f_told    = f_cleared_q == '1;

  // An order goes to one engine at a time.
  `ASSERT(a_one, (m_ctl_valid & (m_ctl_valid - 1'b1)) == '0)
  // An engine is told once to forget a queue pair, or once that it has failed.
  `ASSERT(a_once, (m_ctl.op != `CTL_CLEAR || (m_ctl_valid & f_cleared_q) == '0) && (m_ctl.op != `CTL_ERROR || (m_ctl_valid[2:0] & f_failed_q) == '0))
  // Nobody is told that a queue pair ends or fails before its context says so.
  `ASSERT(a_state_first, m_ctl_valid == '0 || (m_ctl.op != `CTL_CLEAR && m_ctl.op != `CTL_ERROR) || f_state_q)
  // What is under way is marked only when requester, completer and responder have stopped.
  `ASSERT(a_marked, !m_drain || f_cleared_q[2:0] == '1)
  // The others forget a queue pair only when what is under way of it is through.
  `ASSERT(a_drained, m_ctl.op != `CTL_CLEAR || (m_ctl_valid >> 3) == '0 || f_drained_q)
  // A queue pair is given back, or back in Reset, only when every engine has forgotten it and what was under way is through.
  `ASSERT(a_qp, !(f_resets && ((step_q == ST_OWN && ends) || (f_done && f_ok))) || (f_told && f_drained_q))
  // A failed queue pair is done with when completer and responder were told.
  `ASSERT(a_error, !(f_done && f_ok && is_qp && enters_error && (failing_q || modifies) && f_changed_q) || (f_state_q && f_failed_q[2:1] == '1))
  // A region is given back only when its keys are dead, and behind that a fence has passed.
  `ASSERT(a_region, !(is_mpt && ends && (step_q == ST_OWN || (f_done && f_ok))) || (f_dead_q && f_fenced_q))
  // The entry of a region is written only while its keys are dead and a fence has passed.
  `ASSERT(a_entry, !(m_tbl_valid && m_tbl_write && is_mpt) || (f_dead_q && f_fenced_q))
  // A command that is refused has changed nothing.
  `ASSERT(a_refused, !(f_done && !f_ok) || !f_changed_q)
  // Who owns an entry changes in one step of a command that was not refused.
  `ASSERT(a_owner, f_owned == f_owned_q || f_owning_q || f_owned == '0)
  // Only the entry of the command changes, and in its own table.
  `ASSERT(a_number, !m_tbl_valid || m_tbl_index == number_q)

  // Where the ghosts stand at each step.
  logic [ENGINES-1:0] f_before;              // told to forget before this step
  wire  [ENGINES-1:0] f_now = taken_q && m_ctl.op == `CTL_CLEAR ? asks : '0;
  always_comb begin
    f_before = '0;
    if (step_q == ST_CTL && to_reset) f_before = engine_q == ENGINE_REQUESTER && part_q ? ENGINES'(2) : engine_q == ENGINE_RESPONDER ? ENGINES'(3) : '0;
    if (step_q == ST_DRAIN) f_before = ENGINES'(7);
    if (step_q == ST_OTHERS) for (int i = 0; i < ENGINES; i++) f_before[i] = i < int'(engine_q);
  end
  wire f_after = step_q == ST_STORE || step_q == ST_WAKE || step_q == ST_SQD || step_q == ST_OWN || step_q == ST_DONE;
  `ASSERT(i_told, f_after || step_q == ST_IDLE || f_cleared_q == (f_before | f_now))
  `ASSERT(i_none, !f_after || f_cleared_q == (f_resets && (!f_done || f_ok) ? '1 : '0))
  `ASSERT(i_after, !(f_after && f_resets && (!f_done || f_ok)) || (f_told && f_drained_q && f_state_q))
  `ASSERT(i_order, (order_q == '0 || order_q == asks) && (!taken_q || (asks != '0 && order_q == asks)))
  `ASSERT(i_engine, ((step_q != ST_CTL && step_q != ST_OTHERS && !(step_q == ST_QUEUE && part_q && is_qp)) || int'(engine_q) < ENGINES) &&
    (step_q != ST_CTL || engine_q <= ENGINE_RESPONDER) && (step_q != ST_OTHERS || engine_q >= ENGINE_FIRST_OTHER) &&
    !(step_q == ST_QUEUE && part_q && is_qp && engine_q > ENGINE_RESPONDER))
  `ASSERT(i_part, !(step_q == ST_LOADED || step_q == ST_CHECK || step_q == ST_MERGE || step_q == ST_VALUES || step_q == ST_PLAN || step_q == ST_DECODE) || !part_q)
  wire f_for_qp  = step_q == ST_STATE || step_q == ST_CTL || step_q == ST_DRAIN || step_q == ST_OTHERS || step_q == ST_WAKE || step_q == ST_SQD;
  wire f_for_mpt = step_q == ST_LIVE || step_q == ST_FENCE || step_q == ST_FENCED;
  wire f_busy    = step_q != ST_IDLE && step_q != ST_DECODE && step_q != ST_DONE;
  wire f_errs    = is_qp && enters_error && (failing_q || modifies);
  `ASSERT(i_steps, (!f_for_qp || (is_qp && !queries)) && (!f_for_mpt || (is_mpt && (creates || ends || modifies))) &&
    (!(step_q == ST_DRAIN || step_q == ST_OTHERS) || to_reset) && (step_q != ST_STATE || to_reset || enters_error) &&
    (!(step_q == ST_FENCE || step_q == ST_FENCED) || ends || modifies) && (!(step_q == ST_FIT || step_q == ST_MOVE) || resizes) &&
    (step_q != ST_QUEUE || queries || resizes || ((is_cq || is_eq) && creates)) && (step_q != ST_SHOW || queries || resizes) &&
    (!(step_q == ST_STORE || step_q == ST_WAKE || step_q == ST_SQD) || (!f_errs && !queries && !(is_mpt && !modifies) && !(is_qp && ends))) &&
    (step_q != ST_OWN || creates || ends || (modifies && !is_qp)) && (!f_busy || creates || ends || modifies || queries || resizes) &&
    (!(step_q == ST_CHECK || step_q == ST_MERGE || step_q == ST_VALUES || step_q == ST_PLAN) || (!queries && !resizes)) && (!failing_q || op_q == ib_pkg::CMD_OP_MODIFY_QP) &&
    (!failing_q || step_q == ST_LOAD || step_q == ST_LOADED || step_q == ST_CHECK || step_q == ST_STATE || step_q == ST_CTL || f_done || step_q == ST_IDLE))
  `ASSERT(i_status, !f_busy || failing_q || status_q == ib_pkg::CMD_STATUS_OK)
  `ASSERT(i_keys, (!(step_q == ST_FENCE || step_q == ST_FENCED) || f_dead_q) && (step_q != ST_FENCED || f_asked_q) &&
    (!(is_mpt && step_q == ST_STORE) || (f_dead_q && f_fenced_q)) && (!(is_mpt && ends && (step_q == ST_OWN || (f_done && f_ok))) || (f_dead_q && f_fenced_q)) &&
    (step_q != ST_LIVE || !part_q || modifies))
  `ASSERT(i_drain, (step_q != ST_DRAIN || part_q || f_marked_q) && (step_q != ST_OTHERS || f_drained_q) &&
    (!(step_q == ST_CTL && to_reset) || (engine_q == ENGINE_COMPLETER ? !part_q : engine_q != ENGINE_RESPONDER || part_q)))
  `ASSERT(i_state, !(step_q == ST_CTL || step_q == ST_DRAIN || step_q == ST_OTHERS) || !(to_reset || enters_error) || f_state_q)
  `ASSERT(i_failed, !(step_q == ST_CTL && enters_error) ||
    f_failed_q == (engine_q == ENGINE_COMPLETER ? (taken_q ? 3'd2 : 3'd0) : engine_q == ENGINE_RESPONDER ? (taken_q ? 3'd6 : 3'd2) : 3'd0))
  wire f_early = step_q == ST_DECODE || step_q == ST_LOAD || step_q == ST_LOADED || step_q == ST_CHECK || step_q == ST_MERGE || step_q == ST_VALUES ||
                 step_q == ST_PLAN || step_q == ST_FIT || (step_q == ST_QUEUE && !creates);
  `ASSERT(i_unchanged, !f_early || (!f_changed_q && !f_marked_q && !f_state_q && f_failed_q == '0))
  `ASSERT(i_fresh, step_q != ST_STATE || f_failed_q == '0)

  // The cycle in which each is reached at the earliest: no other is looked at.
  logic [5:0] f_cycle_q;
  initial f_cycle_q = '0;
  always_ff @(posedge clk) f_cycle_q <= f_cycle_q + 6'd1;
  // A command is refused by who owns its entry.
  `COVER(c_refused, f_cycle_q == 6'd4 && f_done && status_q == ib_pkg::CMD_STATUS_BAD_OWNER && ends && is_mpt)
  // Keys of a region work.
  `COVER(c_live, f_cycle_q == 6'd22 && m_live_valid && m_live_set)
  // A failed queue pair is in Error, and its engines know.
  `COVER(c_failed, f_cycle_q == 6'd32 && f_done && failing_q && f_failed_q[2:1] == '1)
