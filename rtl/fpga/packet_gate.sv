// packet_gate: lets packets pass, and begins none while it is told to hold.
//
// Contract: what is offered stays offered (AXI4-Stream 2.2.1). busy: a packet is under way. Timing: combinational.

`default_nettype none

module packet_gate (
  input  wire logic clk,
  input  wire logic rst,
  input  wire logic hold,
  output      logic busy,

  input  wire logic s_valid,
  output      logic s_ready,
  input  wire logic s_last,
  output      logic m_valid,
  input  wire logic m_ready
);

  wire open = busy || !hold;
  assign m_valid = s_valid && open;
  assign s_ready = m_ready && open;

  always_ff @(posedge clk) begin : position
    if (rst) busy <= 1'b0;
    else if (m_valid) busy <= !(m_ready && s_last);
  end

endmodule

`default_nettype wire
