// check_mux: lets two engines share one client of the gate; each gets the answers to its own questions, in order.
//
// Contract: at most QUESTIONS are under way; whether there is room is known a cycle before, so that no engine waits for a level.

`default_nettype none
`include "prim_assert.svh"
`include "mem_types.svh"

module check_mux (
  input  wire logic                     clk,
  input  wire logic                     rst,
  input  wire logic [1:0]               s_chk_valid,
  output      logic [1:0]               s_chk_ready,
  input  wire logic [2*`GATE_REQ_W-1:0] s_chk,
  output      logic                     m_chk_valid,
  input  wire logic                     m_chk_ready,
  output      logic [`GATE_REQ_W-1:0]   m_chk,
  input  wire logic                     s_rsp_valid,
  output      logic [1:0]               m_rsp_valid
);

  localparam int QUESTIONS = 32;

  logic       offer, room_q, ready, who, whose, whose_valid, unused_last;
  logic [$clog2(QUESTIONS):0] level;

  prim_arb #(.N(2), .WIDTH(`GATE_REQ_W)) u_arb (
    .clk, .rst, .s_valid(s_chk_valid), .s_ready(s_chk_ready), .s_data(s_chk), .s_last('1),
    .m_valid(offer), .m_ready(m_chk_ready && room_q), .m_data(m_chk), .m_last(unused_last), .m_index(who));
  assign m_chk_valid = offer && room_q;

  prim_fifo #(.WIDTH(1), .DEPTH(QUESTIONS)) u_whose (
    .clk, .rst, .s_valid(m_chk_valid && m_chk_ready), .s_ready(ready), .s_data(who),
    .m_valid(whose_valid), .m_ready(s_rsp_valid), .m_data(whose), .level);
  always_ff @(posedge clk) room_q <= level < ($clog2(QUESTIONS)+1)'(QUESTIONS - 1);
  assign m_rsp_valid = s_rsp_valid ? (whose ? 2'b10 : 2'b01) : 2'b00;

  `ASSERT(a_room, !(m_chk_valid && m_chk_ready) || ready)
  wire unused = &{1'b0, unused_last, whose_valid};

endmodule

`default_nettype wire
