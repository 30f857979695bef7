// port_events: an event for each change of the link (o10-58, PORT_ACTIVE and PORT_ERR of docs/registers.md).

`default_nettype none

module port_events (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic        link_up,
  output      logic        m_event_valid,
  input  wire logic        m_event_ready,
  output      logic [31:0] m_event           // {event, number}
);

  logic told_q;                              // the state that was last told
  logic open_q, up_q;                        // an offer that was not taken stays as it is

  assign m_event_valid = told_q != link_up || open_q;
  assign m_event       = {(open_q ? up_q : link_up) ? ib_pkg::EVENT_TYPE_PORT_ACTIVE : ib_pkg::EVENT_TYPE_PORT_ERR, 24'd1};
  always_ff @(posedge clk) begin : control
    if (rst) begin
      told_q <= 1'b0;
      open_q <= 1'b0;
      up_q   <= 1'b0;
    end else if (m_event_valid) begin
      up_q   <= open_q ? up_q : link_up;
      open_q <= !m_event_ready;
      if (m_event_ready) told_q <= open_q ? up_q : link_up;
    end
  end

endmodule

`default_nettype wire
