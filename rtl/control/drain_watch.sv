// drain_watch: tells when everything that was issued before a moment is done, though later work goes on.
//
// Contract: items are issued into queues of at most SLACK in all that are served by turns, and counted when done. After s_mark,
//           drained rises when all is done, or SLACK more were done than had been issued: then the earlier ones were.

`default_nettype none

module drain_watch #(
  parameter int SLACK = 32
) (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic [1:0]  s_issued,         // how many in this cycle
  input  wire logic [15:0] done,             // modulo 2^16
  input  wire logic        s_mark,
  output      logic        drained
);

  logic [15:0] issued_q, mark_q;
  wire  [15:0] past = done - mark_q - 16'(SLACK);

  always_ff @(posedge clk) begin : count
    if (rst) begin
      issued_q <= '0;
      mark_q   <= '0;
    end else begin
      issued_q <= issued_q + 16'(s_issued);
      if (s_mark) mark_q <= issued_q + 16'(s_issued);
    end
  end
  assign drained = done == issued_q || !past[15];

endmodule

`default_nettype wire
