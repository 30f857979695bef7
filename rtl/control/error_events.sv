// error_events: joins what tells of failed queue pairs, and tells of each failure once (11.6.3, C10-139).
//
// Contract: of the events of both streams in one life of a queue pair only the first error passes; communication established
//           always does. s_clear starts another life.

`default_nettype none

module error_events #(
  parameter int QPS = 64
) (
  input  wire logic                   clk,
  input  wire logic                   rst,
  input  wire logic [1:0]             s_valid,
  output      logic [1:0]             s_ready,
  input  wire logic [63:0]            s_event,         // {event, number} of each
  output      logic                   m_valid,
  input  wire logic                   m_ready,
  output      logic [31:0]            m_event,
  input  wire logic                   s_clear,
  input  wire logic [$clog2(QPS)-1:0] s_clear_qp
);

  localparam int QW = $clog2(QPS);

  logic        offer, take, told, unused_last, unused_index, was;
  logic [31:0] pick;
  prim_arb #(.N(2), .WIDTH(32)) u_arb (
    .clk, .rst, .s_valid, .s_ready, .s_data(s_event), .s_last('1),
    .m_valid(offer), .m_ready(take), .m_data(pick), .m_last(unused_last), .m_index(unused_index));

  wire          error = pick[31:24] != ib_pkg::EVENT_TYPE_COMM_EST;
  wire [QW-1:0] qp    = pick[QW-1:0];
  wire          again = error && told;
  logic         room;
  assign take = again || room;

  prim_flags #(.N(QPS)) u_told (
    .clk, .set_en(offer && take && error && !told), .set_index(qp), .clear_en(s_clear), .clear_index(s_clear_qp),
    .set_was(was), .index(qp), .flag(told));
  prim_skid #(.DATA_W(32)) u_slice (
    .clk, .rst, .s_valid(offer && !again), .s_ready(room), .s_data(pick), .m_valid, .m_ready, .m_data(m_event));

  wire unused = &{1'b0, unused_last, unused_index, was};

endmodule

`default_nettype wire
