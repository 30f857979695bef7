// One completion for each message of the flight table, none for no message, and nothing behind an error.
`include "reset.svh"

  wire f_look = step_q == ST_JUDGE || step_q == ST_ENTRY;
  flight_t f_shown_q;                        // what the table showed when it was looked at
  logic    f_fresh_q, f_there_q;             // looked at since a message ended; and it was one
  logic    f_failed_q;                       // a message of this turn ended in error
  wire     f_token  = m_cmd_valid && m_cmd_ready && m_cmd_tok_valid;
  wire     f_cqe    = f_token && !m_cmd_tok.silent;
  wire     f_drains = step_q == ST_DRAIN;
  cqe_t    f_is;
  assign   f_is = m_cmd_tok.cqe;
  always_ff @(posedge clk) begin
    f_fresh_q  <= !rst && !m_pop_valid && (f_look || (f_fresh_q && !take));
    f_failed_q <= !rst && !take && (f_failed_q || (f_cqe && f_is.status != ib_pkg::WC_STATUS_SUCCESS));
    if (f_look) begin
      f_shown_q <= s_get;
      f_there_q <= there;
    end
  end

  // What completes leaves the flight table in the same cycle.
  `ASSERT(a_leaves, !f_token || (m_pop_valid && !f_drains))
  // What leaves the table by a response completes in the same cycle, unless it succeeds and asked for no completion.
  `ASSERT(a_completes, !(m_pop_valid && !f_drains) || f_cqe || (!f_shown_q.signaled && success))
  // Between two completions the table is looked at anew: none is made twice.
  `ASSERT(a_once, !(m_pop_valid && !f_drains) || f_fresh_q)
  // It was a message of the table, its oldest, and the completion is of that one.
  `ASSERT(a_oldest, !f_token || (f_there_q && f_is.wqe_index == f_shown_q.wqe_index && f_is.opcode == f_shown_q.wc_opcode))
  // A completion goes to the queue pair in hand and its send CQ.
  `ASSERT(a_whose, !f_token || (f_is.qpn == 24'(qp_q) && m_cmd_tok.cqn == cfg_q.send_cqn && !f_is.queue))
  // Behind an error nothing completes in this turn.
  `ASSERT(a_last, !(f_failed_q && (f_token || (m_pop_valid && !f_drains))))
  // The queue pair is dead when that turn is over.
  `ASSERT(a_dies, !(f_failed_q && over) || ctx_q.dead)
  // Nothing of a queue pair that is dead, or was never ready to send, completes.
  `ASSERT(a_alive, !(m_pop_valid && !f_drains) || (ctx_q.live && !ctx_q.dead))
  // Flush gets a queue pair when it dies: behind the error that was completed, or by an order that finds it alive.
  `ASSERT(a_flush, !(m_flush_valid && m_flush_ready) || (source_q == SRC_CTL ? !ctx_q.dead && !f_failed_q : f_failed_q))
  // A context is never read in the cycle in which it is written back: it has one writer.
  `ASSERT(a_writer, !(take && save) || take_qp != qp_q)
  // A READ ends with the data that is its last; other data completes nothing.
  `ASSERT(a_data, !(step_q == ST_DATA && m_pop_valid) || op_ends)

  wire f_works = step_q == ST_ENTRY || step_q == ST_DECIDE || step_q == ST_PLAN_START || step_q == ST_PLAN || step_q == ST_DATA || step_q == ST_COMPLETE ||
                 step_q == ST_SETTLE || step_q == ST_RETRY || step_q == ST_RNR || step_q == ST_BACK;
  wire f_holds = step_q == ST_DECIDE || step_q == ST_PLAN_START || step_q == ST_PLAN || step_q == ST_DATA || step_q == ST_COMPLETE || step_q == ST_RETRY || step_q == ST_RNR;
  `ASSERT(i_alive, !f_works || (ctx_q.live && !ctx_q.dead && !f_failed_q && source_q != SRC_CTL))
  `ASSERT(i_entry, !f_holds || (f_fresh_q && f_there_q && entry_q == f_shown_q))
  `ASSERT(i_failed, (!f_failed_q || (ctx_q.dead && (step_q == ST_FAIL || step_q == ST_FLUSH || step_q == ST_SAVE || step_q == ST_IDLE) && source_q != SRC_CTL)) &&
                    (!(step_q == ST_FAIL || step_q == ST_FLUSH) || f_failed_q))
  `ASSERT(i_status, !(step_q == ST_CTX || step_q == ST_JUDGE || step_q == ST_ENTRY || step_q == ST_DECIDE || step_q == ST_PLAN_START || step_q == ST_PLAN || step_q == ST_DATA) || success)
  `ASSERT(i_control, (!(step_q == ST_CTL || step_q == ST_DRAIN) || source_q == SRC_CTL) && (step_q != ST_JUDGE || (source_q != SRC_CTL && !f_failed_q)))

  // Two messages end by one response.
  logic f_two_q;
  always_ff @(posedge clk) f_two_q <= !rst && !take && (f_two_q || f_cqe);
  `COVER(c_two, f_two_q && f_cqe)
  // A message ends in error and flush takes the rest.
  `COVER(c_error, m_flush_valid && m_flush_ready && f_failed_q)
  // The last data of a READ.
  `COVER(c_read, step_q == ST_DATA && m_pop_valid)
