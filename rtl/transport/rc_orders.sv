// rc_orders: what completer and requester of a queue pair tell each other: go back, hold, credits; and what still reads memory.
//
// Contract: the completer alone writes orders and credits, the requester alone what it issued, the transmit buffer what came out of
//           gather. `reads` says that a packet of a replay may still read its work request's memory: it must not complete
//           now; m_kick tells when that is over.
// Timing:   look-ups are combinational.

`default_nettype none
`include "hca_types.svh"

module rc_orders #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic [$clog2(QPS)-1:0] cpl_qp,          // completer
  output      order_t                 cpl_order,
  output      credit_t                cpl_credit,
  output      logic                   cpl_reads,
  input  wire logic                   s_order_valid,
  input  wire order_t                 s_order,
  input  wire logic                   s_credit_valid,
  input  wire credit_t                s_credit,

  input  wire logic [$clog2(QPS)-1:0] req_qp,          // requester
  output      order_t                 req_order,
  output      credit_t                req_credit,
  input  wire logic [$clog2(QPS)-1:0] s_issued_qp,
  output      order_t                 issued_order,
  input  wire logic                   s_issued_valid,  // a packet goes to gather
  input  wire logic                   s_issued_again,  // of a replay
  input  wire logic                   s_issued_clear,  // Reset

  input  wire logic [$clog2(QPS)-1:0] tx_qp,           // transmit buffer
  output      logic [2:0]             tx_turn,
  input  wire logic [$clog2(QPS)-1:0] pick_qp,         // on the way to gather
  output      logic [2:0]             pick_turn,
  input  wire logic                   s_drained_valid, // a packet came out of gather
  input  wire logic                   s_drained_clear, // Reset, of ctl_qp
  input  wire logic [$clog2(QPS)-1:0] ctl_qp,
  output      logic                   m_kick_valid,
  input  wire logic                   m_kick_ready,
  output      logic [$clog2(QPS)-1:0] m_kick_qp
);

  localparam int QW = $clog2(QPS);

  (* ram_style = "distributed" *) logic [27:0] order_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [24:0] credit_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] issued_mem  [0:QPS-1];
  (* ram_style = "distributed" *) logic [7:0] mark_mem    [0:QPS-1];   // issued with the last packet of a replay
  (* ram_style = "distributed" *) logic [7:0] drained_mem [0:QPS-1];
  initial for (int i = 0; i < QPS; i++) begin
    order_mem[i]   = '0;
    credit_mem[i]  = '0;
    issued_mem[i]  = '0;
    mark_mem[i]    = '0;
    drained_mem[i] = '0;
  end

  assign cpl_order  = order_mem[cpl_qp];
  assign cpl_credit = credit_mem[cpl_qp];
  assign req_order  = order_mem[req_qp];
  assign req_credit = credit_mem[req_qp];
  assign issued_order = order_mem[s_issued_qp];
  order_t tx_order, pick_order;
  assign tx_order   = order_mem[tx_qp];
  assign tx_turn    = tx_order.turn;
  assign pick_order = order_mem[pick_qp];
  assign pick_turn  = pick_order.turn;
  always_ff @(posedge clk) begin : completer_side
    if (s_order_valid)  order_mem[cpl_qp]  <= s_order;
    if (s_credit_valid) credit_mem[cpl_qp] <= s_credit;
  end

  wire [7:0] issued = issued_mem[s_issued_qp] + 8'd1;
  always_ff @(posedge clk) begin : requester_side
    if (s_issued_clear)      issued_mem[s_issued_qp] <= '0;
    else if (s_issued_valid) issued_mem[s_issued_qp] <= issued;
    if (s_issued_clear) mark_mem[s_issued_qp] <= '0;
    else if (s_issued_valid && s_issued_again) mark_mem[s_issued_qp] <= issued;
  end

  // Taken in a cycle later: the transmit buffer decides late in its cycle.
  logic          drained_q;
  logic [QW-1:0] drained_qp_q;
  wire  [7:0]    drained = drained_mem[drained_qp_q] + 8'd1;
  always_ff @(posedge clk) begin : transmit_side
    drained_q    <= !rst && s_drained_valid;
    drained_qp_q <= tx_qp;
    if (s_drained_clear) drained_mem[ctl_qp] <= '0;
    else if (drained_q) drained_mem[drained_qp_q] <= drained;
  end

  // Of the packets that are in gather, is one as old as the mark? (An old mark that comes round again does no harm: it is passed too.)
  wire [7:0] gathered = issued_mem[cpl_qp] - drained_mem[cpl_qp];
  wire [7:0] since  = issued_mem[cpl_qp] - mark_mem[cpl_qp];
  assign cpl_reads = since < gathered;

  // The last packet of a replay is out: what was acknowledged meanwhile completes now.
  logic          again_q;
  logic [QW-1:0] again_qp_q;
  always_ff @(posedge clk) begin : kick
    if (rst) again_q <= 1'b0;
    else if (drained_q && drained == mark_mem[drained_qp_q]) again_q <= 1'b1;
    else if (m_kick_ready) again_q <= 1'b0;
    if (drained_q && drained == mark_mem[drained_qp_q]) again_qp_q <= drained_qp_q;
  end
  wire unused = &{1'b0, tx_order, pick_order};
  assign m_kick_valid = again_q;
  assign m_kick_qp    = again_qp_q;

endmodule

`default_nettype wire
