// rc_atomic: keeps the atomics that wait to be executed, one of each queue pair, and hands them to memory in the order they came.
//
// Contract: there is room for one atomic of every queue pair, so it is always taken; the next one of a queue pair comes when the
//           one before was told.
// Timing:   3 cycles an atomic.

`default_nettype none
`include "prim_assert.svh"
`include "ib_types.svh"
`include "answers.svh"

module rc_atomic #(
  parameter int QPS    = 64,
  parameter int USER_W = 10                  // travels with the atomic; the queue pair is its upper part
) (
  input  wire logic                   clk,
  input  wire logic                   rst,

  input  wire logic                   s_put_valid,
  input  wire logic [USER_W-1:0]      s_put_user,
  input  wire atomic_t                s_put,

  output      logic                   m_a_valid,
  input  wire logic                   m_a_ready,
  output      atomic_t                m_a,
  output      logic [USER_W-1:0]      m_a_user
);

  localparam int QW = $clog2(QPS);

  typedef enum logic [1:0] {ST_IDLE, ST_READ, ST_OFFER} state_e;
  state_e            state_q;
  logic              room, wait_valid;
  logic [USER_W-1:0] user;
  logic [QW:0]       level;

  prim_fifo #(.WIDTH(USER_W), .DEPTH(QPS)) u_order (
    .clk, .rst, .s_valid(s_put_valid), .s_ready(room), .s_data(s_put_user),
    .m_valid(wait_valid), .m_ready(state_q == ST_IDLE), .m_data(user), .level);
  prim_ram #(.WIDTH($bits(atomic_t'('0))), .DEPTH(QPS)) u_atomics (
    .clk, .wr_en(s_put_valid), .wr_addr(s_put_user[USER_W-1 -: QW]), .wr_data(s_put),
    .rd_en(state_q == ST_READ), .rd_addr(m_a_user[USER_W-1 -: QW]), .rd_data(m_a));

  always_ff @(posedge clk) begin : control
    if (rst) begin
      state_q <= ST_IDLE;
    end else begin
      case (state_q)
        ST_IDLE:  if (wait_valid) state_q <= ST_READ;
        ST_READ:  state_q <= ST_OFFER;
        ST_OFFER: if (m_a_ready) state_q <= ST_IDLE;
        default: state_q <= ST_IDLE;
      endcase
    end
    if (state_q == ST_IDLE) m_a_user <= user;
  end
  assign m_a_valid = state_q == ST_OFFER;

  `ASSERT(a_room, !s_put_valid || room)
  wire unused = &{1'b0, level};

endmodule

`default_nettype wire
