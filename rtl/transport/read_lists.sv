// read_lists: scatter lists of the READs in flight, stored before their requests leave.
//
// Contract: alloc names a free list; the requester fills it word by word (2 segments a word), the completer reads
//           it while data arrives and frees it. Timing: a word shows one cycle after s_rd_valid.

`default_nettype none

module read_lists #(
  parameter int LISTS = 32
) (
  input  wire logic         clk,
  input  wire logic         rst,
  output      logic         alloc_valid,     // a list is free
  output      logic [7:0]   alloc,
  input  wire logic         s_take,          // it is taken
  input  wire logic         s_wr_valid,      // fills `alloc` before it is taken
  input  wire logic [2:0]   s_wr_word,
  input  wire logic [255:0] s_wr_data,
  input  wire logic         s_rd_valid,
  input  wire logic [7:0]   s_rd_list,
  input  wire logic [2:0]   s_rd_word,
  output      logic [255:0] m_rd_data,
  input  wire logic         s_free_valid,
  input  wire logic [7:0]   s_free
);

  localparam int LW = $clog2(LISTS);

  logic [LW-1:0] number;
  assign alloc = 8'(number);
  prim_pool #(.N(LISTS)) u_free (
    .clk, .rst, .m_valid(alloc_valid), .m_number(number), .s_take, .s_free_valid, .s_free(s_free[LW-1:0]));

  prim_ram #(.WIDTH(256), .DEPTH(LISTS * 8)) u_words (
    .clk, .wr_en(s_wr_valid), .wr_addr({alloc[LW-1:0], s_wr_word}), .wr_data(s_wr_data),
    .rd_en(s_rd_valid), .rd_addr({s_rd_list[LW-1:0], s_rd_word}), .rd_data(m_rd_data));

  wire unused = &{1'b0, s_free, s_rd_list};

endmodule

`default_nettype wire
