// psn_order: which of two PSNs is older, by counting (9.7.4.1.2): a is behind b if 1 to 2^23 steps forward lead from a to b.
//
// Written without the subtraction modulo 2^24 that the blocks use: PSNs are numbers 0 to 2^24 - 1 on a ring.

`default_nettype none

module psn_order (
  input  wire logic [23:0] a,
  input  wire logic [23:0] b,
  output      logic        behind,
  output      logic        beyond              // 1 to 2^23 - 1 steps lead from b to a
);

  localparam int HALF = 8388608;
  wire [25:0] wide_a = {2'b0, a};
  wire [25:0] wide_b = {2'b0, b};
  always_comb begin
    behind = 1'b0;
    beyond = 1'b0;
    if (wide_b > wide_a) begin
      if (wide_b <= wide_a + 26'(HALF)) behind = 1'b1;
      else                              beyond = 1'b1;
    end else if (wide_a > wide_b) begin
      if (wide_a >= wide_b + 26'(HALF)) behind = 1'b1;
      else                              beyond = 1'b1;
    end
  end

endmodule

`default_nettype wire
