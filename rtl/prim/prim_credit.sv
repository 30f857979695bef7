// prim_credit: a pool of credits, taken several at once when there are enough, given back in parts.
//
// Contract: take only with enough; what was taken comes back, by either port, never more.
// Timing:   enough is combinational in need; what comes back can be taken the next cycle.

`default_nettype none
`include "prim_assert.svh"

module prim_credit #(
  parameter int CREDITS = 16,
  parameter int N_W     = 4                  // width of one amount
) (
  input  wire logic           clk,
  input  wire logic           rst,
  input  wire logic [N_W-1:0] s_need,
  output      logic           m_enough,
  input  wire logic           s_take,        // s_need of them
  input  wire logic [N_W-1:0] s_back_a,
  input  wire logic [N_W-1:0] s_back_b
);

  localparam int CW = $clog2(CREDITS + 1) > N_W ? $clog2(CREDITS + 1) : N_W;

  logic [CW-1:0]  credit_q;
  logic [N_W-1:0] back_a_q, back_b_q;        // on their way back

  wire [CW-1:0] back = CW'(back_a_q) + CW'(back_b_q);

  assign m_enough = CW'(s_need) <= credit_q;

  always_ff @(posedge clk) begin : control
    if (rst) credit_q <= CW'(CREDITS);
    else     credit_q <= credit_q - (s_take ? CW'(s_need) : '0) + back;
    back_a_q <= rst ? '0 : s_back_a;
    back_b_q <= rst ? '0 : s_back_b;
  end

  wire [CW-1:0] lent = CW'(CREDITS) - credit_q - back;
  // Taken only when there are enough.
  `ASSUME(a_enough, !s_take || m_enough)
  // No more comes back than was taken.
  `ASSUME(a_back, (CW+2)'(s_back_a) + (CW+2)'(s_back_b) <= (CW+2)'(lent))
  `ASSERT(a_within, credit_q <= CW'(CREDITS))

endmodule

`default_nettype wire
