// mem_epoch: counts the accesses of both epochs and tells when the older one has none left.
//
// Contract: a fence flips the epoch that new requests get; done pulses once no request of the old epoch
//           is in the gate and every hold of it was released. One fence at a time.
// Timing:   done comes PIPE_CYCLES + 2 cycles after the fence at the earliest.

`default_nettype none
`include "prim_assert.svh"

module mem_epoch #(
  parameter int RELEASES    = 4,
  parameter int PIPE_CYCLES = 8              // from an accepted request to its hold, at most
) (
  input  wire logic                clk,
  input  wire logic                rst,
  output      logic                m_epoch,         // of a request accepted now
  input  wire logic                s_hold_valid,
  input  wire logic                s_hold_epoch,
  input  wire logic [RELEASES-1:0] s_release_valid,
  input  wire logic [RELEASES-1:0] s_release_epoch,
  input  wire logic                s_fence_valid,
  output      logic                s_fence_ready,
  output      logic                m_fence_done
);

  localparam int TW = $clog2(PIPE_CYCLES + 1);

  logic          epoch_q, busy_q;
  logic [TW-1:0] timer_q;
  logic [15:0]   count_q [0:1];
  logic [15:0]   down    [0:1];

  assign m_epoch       = epoch_q;
  assign s_fence_ready = !busy_q;

  always_comb begin : releases
    down[0] = '0;
    down[1] = '0;
    for (int i = 0; i < RELEASES; i++) begin
      down[0] = down[0] + 16'(s_release_valid[i] && !s_release_epoch[i]);
      down[1] = down[1] + 16'(s_release_valid[i] &&  s_release_epoch[i]);
    end
  end

  wire empty = count_q[~epoch_q] == '0;
  wire done  = busy_q && timer_q == '0 && empty;

  always_ff @(posedge clk) begin : control
    if (rst) begin
      epoch_q      <= 1'b0;
      busy_q       <= 1'b0;
      timer_q      <= '0;
      m_fence_done <= 1'b0;
      count_q[0]   <= '0;
      count_q[1]   <= '0;
    end else begin
      count_q[0]   <= count_q[0] + 16'(s_hold_valid && !s_hold_epoch) - down[0];
      count_q[1]   <= count_q[1] + 16'(s_hold_valid &&  s_hold_epoch) - down[1];
      m_fence_done <= done;
      if (timer_q != '0) timer_q <= timer_q - 1'b1;
      if (done) busy_q <= 1'b0;
      if (s_fence_valid && s_fence_ready) begin
        busy_q  <= 1'b1;
        epoch_q <= ~epoch_q;
        timer_q <= TW'(PIPE_CYCLES);
      end
    end
  end

  `ASSERT(a_count0, count_q[0] + 16'(s_hold_valid && !s_hold_epoch) >= down[0])
  `ASSERT(a_count1, count_q[1] + 16'(s_hold_valid &&  s_hold_epoch) >= down[1])

endmodule

`default_nettype wire
