// read_lists: scatter lists of the READs in flight, stored before their requests leave.
//
// Contract: alloc names a free list; the requester fills it word by word (2 segments a word), the completer reads
//           it while data arrives and frees it. Queue pairs that found none are woken one by one while there is one again: all
//           lists may be with others, who know nothing of them. Timing: a word shows one cycle after s_rd_valid.

`default_nettype none
`include "prim_assert.svh"

module read_lists #(
  parameter int LISTS = 32,
  parameter int QPS   = 64
) (
  input  wire logic                         clk,
  input  wire logic                         rst,
  output      logic                         alloc_valid,       // a list is free
  output      logic [7:0]                   alloc,
  input  wire logic                         s_take,            // it is taken
  input  wire logic                         s_wr_valid,        // fills `alloc` before it is taken
  input  wire logic [2:0]                   s_wr_word,
  input  wire logic [255:0]                 s_wr_data,
  input  wire logic                         s_rd_valid,
  input  wire logic [7:0]                   s_rd_list,
  input  wire logic [2:0]                   s_rd_word,
  output      logic [255:0]                 m_rd_data,
  input  wire logic                         s_free_valid,
  input  wire logic [7:0]                   s_free,
  input  wire logic                         s_none_valid,      // this queue pair found no list
  input  wire logic [$clog2(QPS)-1:0]       s_none_qp,
  output      logic                         m_wake_valid,      // it may look again
  input  wire logic                         m_wake_ready,
  output      logic [$clog2(QPS)-1:0]       m_wake_qp
);

  localparam int LW = $clog2(LISTS);
  localparam int QW = $clog2(QPS);

  logic [LW-1:0] number;
  assign alloc = 8'(number);
  prim_pool #(.N(LISTS)) u_free (
    .clk, .rst, .m_valid(alloc_valid), .m_number(number), .s_take, .s_free_valid, .s_free(s_free[LW-1:0]));

  prim_ram #(.WIDTH(256), .DEPTH(LISTS * 8)) u_words (
    .clk, .wr_en(s_wr_valid), .wr_addr({alloc[LW-1:0], s_wr_word}), .wr_data(s_wr_data),
    .rd_en(s_rd_valid), .rd_addr({s_rd_list[LW-1:0], s_rd_word}), .rd_data(m_rd_data));

  // The next is called when the one before has had time for its turn; who finds the list gone stands in line again.
  logic          none_q, none_ready, waiting;
  logic [QW-1:0] none_qp_q;
  logic [3:0]    calm_q;
  wire           calls = waiting && alloc_valid && calm_q == '0;
  always_ff @(posedge clk) begin : call
    none_q    <= !rst && s_none_valid;
    none_qp_q <= s_none_qp;
    if (rst) calm_q <= '0;
    else if (calls && m_wake_ready) calm_q <= '1;
    else if (calm_q != '0) calm_q <= calm_q - 4'd1;
  end
  qp_queue #(.QPS(QPS), .PUSHERS(1)) u_waiting (
    .clk, .rst, .s_valid(none_q), .s_ready(none_ready), .s_qp(none_qp_q), .m_valid(waiting), .m_ready(calls && m_wake_ready), .m_qp(m_wake_qp));
  assign m_wake_valid = calls;
  `ASSERT(a_none, !none_q || none_ready)

  wire unused = &{1'b0, s_free, s_rd_list};

endmodule

`default_nettype wire
