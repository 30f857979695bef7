// prim_arb: round robin over N valid/ready streams of one width; who was served goes last.
//
// Contract: a word of each s_ stream leaves on m_ once, m_index tells whose; an offer stays until taken.
// Timing:   combinational; with LOCK = 1 the choice is kept until a word with last is taken.

`default_nettype none
`include "prim_assert.svh"

module prim_arb #(
  parameter int N     = 2,
  parameter int WIDTH = 64,
  parameter bit LOCK  = 1'b0
) (
  input  wire logic                             clk,
  input  wire logic                             rst,
  input  wire logic [N-1:0]                     s_valid,
  output      logic [N-1:0]                     s_ready,
  input  wire logic [N*WIDTH-1:0]               s_data,
  input  wire logic [N-1:0]                     s_last,   // with LOCK
  output      logic                             m_valid,
  input  wire logic                             m_ready,
  output      logic [WIDTH-1:0]                 m_data,
  output      logic                             m_last,
  output      logic [(N > 1 ? $clog2(N) : 1)-1:0] m_index
);

  localparam int IW = N > 1 ? $clog2(N) : 1;

  logic [IW-1:0] last_q;                     // served last, or being served
  logic [N-1:0]  behind_q;                   // those behind it
  logic          held_q;                     // an offer is open or a burst under way: keep the choice
  logic [IW-1:0] pick;

  always_comb begin : choose
    pick = last_q;
    if (!held_q) begin
      for (int i = N - 1; i >= 0; i--) if (s_valid[i]) pick = IW'(i);
      for (int i = N - 1; i >= 0; i--) if (s_valid[i] && behind_q[i]) pick = IW'(i);
    end
  end

  always_comb begin : mux
    m_data = '0;
    m_valid = 1'b0;
    m_last = 1'b0;
    s_ready = '0;
    for (int i = 0; i < N; i++) begin
      if (IW'(i) == pick) begin
        m_data     = s_data[i*WIDTH +: WIDTH];
        m_valid    = s_valid[i];
        m_last     = s_last[i];
        s_ready[i] = m_ready && s_valid[i];
      end
    end
  end
  assign m_index = pick;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      last_q   <= '0;
      behind_q <= {N{1'b1}} << 1;
      held_q   <= 1'b0;
    end else if (m_valid) begin
      last_q <= pick;
      for (int i = 0; i < N; i++) behind_q[i] <= IW'(i) > pick;
      held_q <= m_ready ? (LOCK && !m_last) : 1'b1;
    end
  end

  // An offer that shows is not taken back and does not change.
  logic           offered_q, kept;
  logic [WIDTH:0] offer_q;
  always_ff @(posedge clk) begin : offer
    offered_q <= !rst && m_valid && !m_ready;
    offer_q   <= {m_last, m_data};
  end
  always_comb begin : keep
    kept = 1'b1;
    for (int i = 0; i < N; i++)
      if (IW'(i) == last_q) kept = s_valid[i] && {s_last[i], s_data[i*WIDTH +: WIDTH]} == offer_q;
  end
  `ASSUME(a_offer, !offered_q || kept)

endmodule

`default_nettype wire
