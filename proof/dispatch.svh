// Each packet leaves the dispatcher once, by one way, and only whom it is for hears of it.
`include "reset.svh"

  wire f_in  = s_desc_valid && s_desc_ready;
  wire f_out = (m_req_valid && m_req_ready) || (m_rsp_valid && m_rsp_ready) || (m_drop_valid && m_drop_ready);
  logic     f_held_q;                        // a packet was taken and has not left
  rx_desc_t f_desc_q;
  always_ff @(posedge clk) begin
    f_held_q <= !rst && (f_in || (f_held_q && !f_out));
    if (f_in) f_desc_q <= s_desc;
  end
  qpc_t f_cfg;
  logic f_may_q;                             // what the packet must be to be heard, by the configuration that came for it
  assign f_cfg = ib_pkg::QPC_W'(s_cfg_data);
  wire f_known  = f_desc_q.qpn >= 24'd2 && f_desc_q.qpn < 24'(QPS) && qp_owned[f_desc_q.qpn[QW-1:0]];
  wire f_state  = f_cfg.state == ib_pkg::QP_STATE_RTR || f_cfg.state == ib_pkg::QP_STATE_RTS || f_cfg.state == ib_pkg::QP_STATE_SQD || f_cfg.state == ib_pkg::QP_STATE_SQE;
  wire f_path   = f_desc_q.slid == f_cfg.dlid && f_desc_q.grh == f_cfg.grh && (!f_cfg.grh || (f_desc_q.sgid == f_cfg.dgid && f_desc_q.dgid == sgid));
  wire f_member = f_desc_q.pkey[14:0] == pkey[14:0] && pkey[14:0] != 15'd0 && !(f_desc_q.pkey[15] == 1'b0 && pkey[15] == 1'b0);
  always_ff @(posedge clk)
    if (s_cfg_valid) f_may_q <= f_known && f_state && f_path && f_member && f_desc_q.opcode[7:5] == 3'(f_cfg.service);

  // A packet leaves by one way only.
  `ASSERT(a_way, {1'b0, m_req_valid} + {1'b0, m_rsp_valid} + {1'b0, m_drop_valid} <= 2'd1)
  // Nothing leaves that was not taken, and nothing twice.
  `ASSERT(a_once, !(m_req_valid || m_rsp_valid || m_drop_valid) || f_held_q)
  // No packet is taken while one is held, but in the cycle in which that leaves: none is lost.
  `ASSERT(a_room, !(f_in && f_held_q) || f_out)
  // It leaves as it came.
  `ASSERT(a_same, !f_held_q || m_desc == f_desc_q)
  // Responder and completer hear of a packet only if it is for a queue pair of the device, in a state that receives, from its path and partition.
  `ASSERT(a_heard, !(m_req_valid || m_rsp_valid) || f_may_q)
  // A packet that may be heard is not dropped.
  `ASSERT(a_dropped, !m_drop_valid || !f_may_q)
  // Once its configuration is here it waits for those who take it and for nothing else.
  `ASSERT(a_progress, !ready_q || m_req_valid || m_rsp_valid || m_drop_valid)
  // What is offered stays until it is taken.
  prim_stream_check #(.DATA_W($bits(rx_desc_t'('0)) + 3)) f_m (.clk, .rst, .valid(m_req_valid || m_rsp_valid || m_drop_valid), .ready(f_out),
    .data({m_desc, m_req_valid, m_rsp_valid, m_drop_valid}));
  `ASSERT(i_busy, busy_q == f_held_q && (!ready_q || busy_q))

  // One leaves and the next is taken.
  `COVER(c_next, f_in && f_held_q && m_req_valid)
  // A response waits, then leaves.
  logic f_waited_q;
  always_ff @(posedge clk) f_waited_q <= !rst && m_rsp_valid && !m_rsp_ready;
  `COVER(c_waits, f_waited_q && m_rsp_valid && m_rsp_ready)
  // A packet of a queue pair that is the software's is dropped.
  `COVER(c_drop, m_drop_valid && m_drop_ready && m_drop_reason == ib_pkg::DROP_REASON_QPN && f_desc_q.qpn < 24'(QPS))
