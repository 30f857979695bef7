// prim_fifo: a shallow first-in first-out queue in LUT RAM; the oldest word shows at m_.
//
// Contract: every word taken on s_ leaves on m_ once, in order; DEPTH words fit.
// Timing:   a word shows the cycle after it was taken; one in and one out per cycle, also when full
//           of all but one. level counts the words held.

`default_nettype none
`include "prim_assert.svh"

module prim_fifo #(
  parameter int WIDTH = 64,
  parameter int DEPTH = 16                   // a power of two
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic                   s_valid,
  output      logic                   s_ready,
  input  wire logic [WIDTH-1:0]       s_data,
  output      logic                   m_valid,
  input  wire logic                   m_ready,
  output      logic [WIDTH-1:0]       m_data,
  output      logic [$clog2(DEPTH):0] level
);

  localparam int AW = $clog2(DEPTH);
  initial if (DEPTH < 2 || (1 << AW) != DEPTH) $fatal(1, "%m: DEPTH not a power of two");

  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem [0:DEPTH-1];
  logic [AW:0] in_q, out_q;

  wire push = s_valid && s_ready;
  wire pop  = m_valid && m_ready;

  assign level   = in_q - out_q;
  assign s_ready = level != (AW+1)'(DEPTH);
  assign m_valid = level != '0;
  assign m_data  = mem[out_q[AW-1:0]];

  always_ff @(posedge clk) begin : control
    if (rst) begin
      in_q  <= '0;
      out_q <= '0;
    end else begin
      if (push) in_q  <= in_q  + 1'b1;
      if (pop)  out_q <= out_q + 1'b1;
    end
  end

  always_ff @(posedge clk) begin : payload
    if (push) mem[in_q[AW-1:0]] <= s_data;
  end

  `ASSERT(a_level, level <= (AW+1)'(DEPTH))

endmodule

`default_nettype wire
