// prim_pulses: adds up the pulses of N sources and gives them on, one a cycle, so that each is counted.
//
// Contract: no pulse is lost while fewer than 2^W wait. Timing: combinational when none waits.

`default_nettype none
`include "prim_assert.svh"

module prim_pulses #(
  parameter int N = 2,
  parameter int W = 4                        // bits of the number that waits
) (
  input  wire logic         clk,
  input  wire logic         rst,
  input  wire logic [N-1:0] s_pulse,
  output      logic         m_pulse
);

  logic [W-1:0] wait_q;
  logic [W:0]   sum;
  always_comb begin : add
    sum = {1'b0, wait_q};
    for (int i = 0; i < N; i++) sum = sum + (W+1)'(s_pulse[i]);
  end
  assign m_pulse = sum != '0;

  always_ff @(posedge clk) wait_q <= rst ? '0 : W'(sum - (W+1)'(m_pulse));
  // No more than 2^W - 1 are told and waiting.
  `ASSUME(a_room, sum <= {1'b0, {W{1'b1}}})

endmodule

`default_nettype wire
