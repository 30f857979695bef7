// prim_counters: N counters of 64 bits in LUT RAM, each stepped by its own pulse.
//
// Contract: no pulse is lost. A read shows, one cycle after the index, everything up to two cycles before.
// Timing:   pulses wait in a few bits for their counter's turn, once in N cycles. After reset N cycles to clear.

`default_nettype none

module prim_counters #(
  parameter int N = 32                       // a power of two
) (
  input  wire logic                 clk,
  input  wire logic                 rst,
  input  wire logic [N-1:0]         s_pulse,
  input  wire logic [$clog2(N)-1:0] s_index,
  output      logic [63:0]          m_count
);

  localparam int AW = $clog2(N);
  localparam int PW = AW + 1;                // as many pulses as a round has cycles

  (* ram_style = "distributed" *) logic [63:0] count_mem [0:N-1];
  initial for (int i = 0; i < N; i++) count_mem[i] = '0;

  logic [N-1:0]  pulse_q;
  always_ff @(posedge clk) pulse_q <= rst ? '0 : s_pulse;

  logic [AW:0]   turn_q;                     // whose turn it is; the top bit: cleared since reset
  logic [PW-1:0] wait_q [0:N-1];
  wire  [AW-1:0] turn = turn_q[AW-1:0];

  always_ff @(posedge clk) begin : rounds
    if (rst) turn_q <= '0;
    else turn_q <= {turn_q[AW] || (&turn), turn + 1'b1};
    count_mem[turn] <= turn_q[AW] ? count_mem[turn] + 64'(wait_q[turn]) : '0;
    for (int i = 0; i < N; i++) begin
      if (rst) wait_q[i] <= '0;
      else if (turn_q[AW] && turn == AW'(i)) wait_q[i] <= PW'(pulse_q[i]);
      else wait_q[i] <= wait_q[i] + PW'(pulse_q[i]);
    end
    m_count <= count_mem[s_index] + 64'(wait_q[s_index]);
  end

endmodule

`default_nettype wire
