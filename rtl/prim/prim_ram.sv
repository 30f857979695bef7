// prim_ram: one write port, one read port; infers block RAM (or LUT RAM when small).
//
// Timing: rd_data shows the word at rd_addr one cycle after rd_en; it holds while rd_en is low.
//         A read in the cycle of a write to the same address returns the old word.

`default_nettype none

module prim_ram #(
  parameter int WIDTH = 64,
  parameter int DEPTH = 64

) (
  input  wire logic                     clk,
  input  wire logic                     wr_en,
  input  wire logic [$clog2(DEPTH)-1:0] wr_addr,
  input  wire logic [WIDTH-1:0]         wr_data,
  input  wire logic                     rd_en,
  input  wire logic [$clog2(DEPTH)-1:0] rd_addr,
  output      logic [WIDTH-1:0]         rd_data
);

  initial if (DEPTH < 2) $fatal(1, "%m: DEPTH under 2");

  logic [WIDTH-1:0] mem [0:DEPTH-1];

  always_ff @(posedge clk) begin : write
    if (wr_en) mem[wr_addr] <= wr_data;
  end

  always_ff @(posedge clk) begin : read
    if (rd_en) rd_data <= mem[rd_addr];
  end

`ifndef YOSYS                                // FPGA memories start as zero; it would take Yosys minutes to be told
  initial begin : power_up
    for (int i = 0; i < DEPTH; i++) mem[i] = '0;
  end
`endif

endmodule

`default_nettype wire
