// prim_pool: numbers 0..N-1 to lend out; one that came back is lent again last.
//
// Contract: m_number is free while m_valid; s_take lends it; s_free_valid brings one back (always accepted).

`default_nettype none
`include "prim_assert.svh"

module prim_pool #(
  parameter int N = 16                       // a power of two
) (
  input  wire logic                 clk,
  input  wire logic                 rst,
  output      logic                 m_valid,
  output      logic [$clog2(N)-1:0] m_number,
  input  wire logic                 s_take,
  input  wire logic                 s_free_valid,
  input  wire logic [$clog2(N)-1:0] s_free
);

  localparam int W = $clog2(N);

  logic [W:0]   fresh_q;                     // numbers lent for the first time
  logic         back_valid, back_ready;
  logic [W-1:0] back;
  logic [W:0]   level;
  wire          fresh = !fresh_q[W];
  assign m_valid  = fresh || back_valid;
  assign m_number = fresh ? fresh_q[W-1:0] : back;

  always_ff @(posedge clk) begin : first_round
    if (rst) fresh_q <= '0;
    else if (s_take && fresh) fresh_q <= fresh_q + 1'b1;
  end

  prim_fifo #(.WIDTH(W), .DEPTH(N)) u_back (
    .clk, .rst, .s_valid(s_free_valid), .s_ready(back_ready), .s_data(s_free),
    .m_valid(back_valid), .m_ready(s_take && !fresh), .m_data(back), .level);

  logic [N-1:0] lent_q;                      // for the checks alone
  always_ff @(posedge clk) begin : lent
    if (rst) lent_q <= '0;
    else for (int i = 0; i < N; i++)
      lent_q[i] <= (lent_q[i] || (s_take && m_number == W'(i))) && !(s_free_valid && s_free == W'(i));
  end
  // Taken only when one is free.
  `ASSUME(a_take, !s_take || m_valid)
  // Only what is lent comes back.
  `ASSUME(a_lent, !s_free_valid || lent_q[s_free])
  // Then there is always room for it.
  `ASSERT(a_free, !s_free_valid || back_ready)
  wire unused = &{1'b0, level};

endmodule

`default_nettype wire
