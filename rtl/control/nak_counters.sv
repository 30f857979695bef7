// nak_counters: counts NAKs by syndrome, sent and received (9.7.5.2).
//
// Contract: at most one sent and one received a cycle; the order is nak_counter. A read shows one cycle after the index.

`default_nettype none

module nak_counters (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic        s_sent_valid,     // a NAK, RNR included
  input  wire logic [7:0]  s_sent,           // its syndrome
  input  wire logic        s_received_valid,
  input  wire logic [7:0]  s_received,
  input  wire logic [3:0]  s_index,
  output      logic [63:0] m_count
);

  // Where a syndrome counts: behind the RNR NAK the others in the order of their codes.
  function automatic logic [7:0] counts(input logic [7:0] syndrome);
    counts = syndrome[7:5] == ib_pkg::AETH_CLASS_RNR ? 8'd1 : syndrome[4:3] == '0 ? 8'd2 << syndrome[2:0] : 8'd0;
  endfunction

  logic       sent_q, received_q;
  logic [7:0] sent_syndrome_q, received_syndrome_q;
  always_ff @(posedge clk) begin : told
    sent_q              <= !rst && s_sent_valid;
    received_q          <= !rst && s_received_valid;
    sent_syndrome_q     <= s_sent;
    received_syndrome_q <= s_received;
  end

  prim_counters #(.N(16)) u_counters (
    .clk, .rst, .s_pulse({received_q ? counts(received_syndrome_q) : 8'd0, sent_q ? counts(sent_syndrome_q) : 8'd0}),
    .s_index, .m_count);

endmodule

`default_nettype wire
