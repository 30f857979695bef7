// rx_dispatch: finds the queue pair of a received packet, checks that it may receive it, and hands requests to
// the responder and responses to the completer, with the queue pair's configuration.
//
// Checks in the order of drop_reason: QPN, state (10.3.1), service, path (9.6.1.2), P_Key (10.9.3); what fails is
// dropped and counted. Timing: 3 cycles a packet.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "hca_types.svh"

module rx_dispatch #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic [QPS-1:0]         qp_owned,        // the others are the software's: no queue pair

  input  wire logic                   s_desc_valid,
  output      logic                   s_desc_ready,
  input  wire rx_desc_t               s_desc,

  output      logic                   m_cfg_valid,
  output      logic [$clog2(QPS)-1:0] m_cfg_qp,
  input  wire logic                   s_cfg_valid,
  input  wire logic [`CFG_W-1:0]      s_cfg_data,
  output      logic [7:0]             sgid_index,      // look-ups in the port's tables
  input  wire logic [127:0]           sgid,
  output      logic [15:0]            pkey_index,
  input  wire logic [15:0]            pkey,

  output      logic                   m_req_valid,
  input  wire logic                   m_req_ready,
  output      logic                   m_rsp_valid,
  input  wire logic                   m_rsp_ready,
  output      rx_desc_t               m_desc,
  output      logic [`CFG_W-1:0]      m_cfg_data,

  output      logic                   m_drop_valid,
  input  wire logic                   m_drop_ready,    // the slot is taken back
  output      logic [4:0]             m_drop_reason
);

  localparam int QW = $clog2(QPS);

  logic     busy_q;
  rx_desc_t desc_q;
  qpc_t     cfg;
  assign cfg = ib_pkg::QPC_W'(s_cfg_data);

  assign sgid_index = cfg.sgid_index;
  assign pkey_index = cfg.pkey_index;

  // Low 15 bits equal and not zero, at least one side a full member (10.9.3).
  wire pkey_ok  = desc_q.pkey[14:0] == pkey[14:0] && pkey[14:0] != '0 && (desc_q.pkey[15] || pkey[15]);
  wire state_ok = cfg.state == ib_pkg::QP_STATE_RTR || cfg.state == ib_pkg::QP_STATE_RTS ||
                  cfg.state == ib_pkg::QP_STATE_SQD || cfg.state == ib_pkg::QP_STATE_SQE;
  wire path_ok  = desc_q.slid == cfg.dlid && desc_q.grh == cfg.grh &&
                  (!cfg.grh || (desc_q.sgid == cfg.dgid && desc_q.dgid == sgid));

  logic       ok;
  logic [4:0] reason;
  always_comb begin : judge
    ok     = 1'b0;
    reason = ib_pkg::DROP_REASON_QPN;
    if (desc_q.qpn >= 24'(QPS) || desc_q.qpn < 24'd2 || !qp_owned[desc_q.qpn[QW-1:0]])  reason = ib_pkg::DROP_REASON_QPN;
    else if (!state_ok)                                           reason = ib_pkg::DROP_REASON_STATE;
    else if (desc_q.opcode[7:5] != 3'(cfg.service))               reason = ib_pkg::DROP_REASON_SERVICE;
    else if (!path_ok)                                            reason = ib_pkg::DROP_REASON_PATH;
    else if (!pkey_ok)                                            reason = ib_pkg::DROP_REASON_PKEY;
    else                                                          ok     = 1'b1;
  end

  wire  is_request = !ib_pkg::op_is_response(desc_q.opcode);             // reserved opcodes too: they are refused
  logic ready_q, ok_q, request_q;            // judged, and how
  logic [4:0] reason_q;

  assign m_req_valid   = ready_q && ok_q && request_q;
  assign m_rsp_valid   = ready_q && ok_q && !request_q;
  assign m_drop_valid  = ready_q && !ok_q;
  assign m_drop_reason = reason_q;
  assign m_desc        = desc_q;
  assign m_cfg_data    = s_cfg_data;

  wire leave = (m_req_valid && m_req_ready) || (m_rsp_valid && m_rsp_ready) || (m_drop_valid && m_drop_ready);
  assign s_desc_ready = !busy_q || leave;
  assign m_cfg_valid  = s_desc_valid && s_desc_ready;
  assign m_cfg_qp     = s_desc.qpn[QW-1:0];

  always_ff @(posedge clk) begin : control
    if (rst) begin
      busy_q  <= 1'b0;
      ready_q <= 1'b0;
    end else begin
      if (s_desc_ready) busy_q <= s_desc_valid;
      if (leave) ready_q <= 1'b0;
      else if (s_cfg_valid) ready_q <= 1'b1;
    end
    if (m_cfg_valid) desc_q <= s_desc;
    if (s_cfg_valid) begin
      ok_q      <= ok;
      reason_q  <= reason;
      request_q <= is_request;
    end
  end

  // A configuration comes once, for the packet in hand.
  `ASSUME(a_cfg, !s_cfg_valid || (busy_q && !ready_q))

endmodule

`default_nettype wire
