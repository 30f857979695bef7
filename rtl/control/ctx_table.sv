// ctx_table: a context table with one word-wide writer and READERS whole-entry readers.
//
// Timing: an entry asked for by s_rd_valid shows on m_rd_data with m_rd_valid one cycle later and stays
//         until the next request; users wait for m_rd_valid, so that a cache may answer later.

`default_nettype none

module ctx_table #(
  parameter int ENTRIES = 64,
  parameter int WORDS   = 8,                 // 64-bit words an entry
  parameter int READERS = 2
) (
  input  wire logic                               clk,
  input  wire logic                               rst,
  input  wire logic                               wr_en,
  input  wire logic [$clog2(ENTRIES)-1:0]         wr_index,
  input  wire logic [3:0]                         wr_word,
  input  wire logic [63:0]                        wr_data,
  input  wire logic [READERS-1:0]                 s_rd_valid,
  input  wire logic [READERS*$clog2(ENTRIES)-1:0] s_rd_index,
  output      logic [READERS-1:0]                 m_rd_valid,
  output      logic [READERS*WORDS*64-1:0]        m_rd_data
);

  localparam int IW = $clog2(ENTRIES);

  always_ff @(posedge clk) m_rd_valid <= rst ? '0 : s_rd_valid;

  for (genvar r = 0; r < READERS; r++) begin : g_reader
    for (genvar w = 0; w < WORDS; w++) begin : g_word
      prim_ram #(.WIDTH(64), .DEPTH(ENTRIES)) u_ram (
        .clk, .wr_en(wr_en && wr_word == 4'(w)), .wr_addr(wr_index), .wr_data,
        .rd_en(s_rd_valid[r]), .rd_addr(s_rd_index[r*IW +: IW]), .rd_data(m_rd_data[(r*WORDS+w)*64 +: 64]));
    end
  end

endmodule

`default_nettype wire
