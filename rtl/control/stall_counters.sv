// stall_counters: counts for each of N streams the cycles in which a word was offered and not taken.
//
// Contract: the order is stall_counter; a read shows one cycle after the index.
// Timing:   valid and ready are looked at a cycle later, so that no path through a ready gets longer.

`default_nettype none

module stall_counters #(
  parameter int N = 14                       // at most 16
) (
  input  wire logic         clk,
  input  wire logic         rst,
  input  wire logic [N-1:0] s_valid,
  input  wire logic [N-1:0] s_ready,
  input  wire logic [3:0]   s_index,
  output      logic [63:0]  m_count
);

  logic [N-1:0] valid_q, ready_q;
  always_ff @(posedge clk) begin : look
    valid_q <= rst ? '0 : s_valid;
    ready_q <= s_ready;
  end

  wire [N-1:0] stalled = valid_q & ~ready_q;
  prim_counters #(.N(16)) u_counters (.clk, .rst, .s_pulse(16'(stalled)), .s_index, .m_count);

endmodule

`default_nettype wire
