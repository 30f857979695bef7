// rare_events: two sources of asynchronous events as one.

`default_nettype none

module rare_events (
  input  wire logic        clk,
  input  wire logic        rst,
  input  wire logic [1:0]  s_valid,
  output      logic [1:0]  s_ready,
  input  wire logic [63:0] s_event,          // {event, number} each
  output      logic        m_valid,
  input  wire logic        m_ready,
  output      logic [31:0] m_event
);

  logic        any_valid, any_ready, unused_last, unused_index;
  logic [31:0] any;
  prim_arb #(.N(2), .WIDTH(32)) u_arb (
    .clk, .rst, .s_valid, .s_ready, .s_data(s_event), .s_last('1), .m_valid(any_valid), .m_ready(any_ready), .m_data(any),
    .m_last(unused_last), .m_index(unused_index));
  prim_skid #(.DATA_W(32)) u_slice (
    .clk, .rst, .s_valid(any_valid), .s_ready(any_ready), .s_data(any), .m_valid, .m_ready, .m_data(m_event));
  wire unused = &{1'b0, unused_last, unused_index};

endmodule

`default_nettype wire
